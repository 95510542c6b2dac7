# A new checkout needs only make run and make test. Both first install missing system
# packages (as root, or with sudo).

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export CGO_CFLAGS_ALLOW := -Xpreprocessor
# Without the path of the checkout in them, all checkouts share one build cache.
export GOFLAGS := -trimpath
GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE    := golang.org/x/tools/cmd/deadcode@v0.52.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME    ?= 20s

# The collector waits for more garbage than usual: most tests end before it runs once.
test quick race: export GOGC := 400

.DEFAULT_GOAL := help
.PHONY: help run build test quick race faults check cabinet vuln fuzz bench packages test-packages

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Build and start everything with a demo shop
	@echo "This installs missing Debian packages (as root or with sudo), builds bin/vitrine, starts it with two"
	@echo "demo shops and prints how to access them. All data is stored in ./var. Ctrl+C stops it."
	@$(MAKE) --no-print-directory build
	@exec bin/vitrine serve --demo

# The binary names the commit it was built from, unless git cannot read the checkout, for
# example because it belongs to another user.
build: packages ## Build bin/vitrine
	@$(GO) build -buildvcs=$$(git rev-parse -q --verify HEAD >/dev/null 2>&1 && echo auto || echo false) -o bin/vitrine ./cmd/vitrine

# Stories wait for leases and killed processes, so more of them run at a time than there are cores.
test: test-packages ## Run every test
	@$(GO) test -timeout 40m -parallel 4 $(TESTFLAGS) ./...

# A package whose tests can start a server or Chromium links the package that starts it.
SERVERS     := vitrine/internal/store/cluster vitrine/internal/blob/blobtest
CHROMIUM    := github.com/chromedp/chromedp

quick: packages ## Run the tests of packages that start neither Chromium nor a database or blob server
	@$(GO) test $$(.ci/unlinked $(SERVERS) $(CHROMIUM))

race: test-packages ## Run the tests of packages that do not start Chromium under the race detector
	@$(GO) test -race -timeout 60m $$(.ci/unlinked $(CHROMIUM))

check: vuln ## gofmt, vet, staticcheck, no dead code, tidy go.mod, known vulnerabilities, language
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@$(GO) vet ./...
	@$(GO) run $(STATICCHECK) ./...
	@.ci/deadcode $(GO) run $(DEADCODE)
	@$(GO) mod tidy -diff
	@$(GO) test -vet=off -run '^TestLanguage$$' ./cmd/vitrine

faults: test-packages ## Break a platform in all ways while people buy, and write FAULTS.md; a quarter of an hour
	@$(GO) test ./cmd/vitrine -count=1 -timeout 40m -v -run '^(TestFaults|TestDemoCluster)$$' -faults .

# Only the built files are committed and embedded, so that users and tests need no Node.
cabinet: packages ## Build the owner's web pages after a change of their sources or of the API; needs Node
	@$(GO) test ./admin -count=1 -run '^TestCabinetWasBuiltForThisAPI$$' -describe
	@cd admin/cabinet/web && npm install --no-audit --no-fund && npm run types && npm run check && npm run build

vuln: packages ## No known vulnerabilities but those accepted in .ci/vuln
	@.ci/govulncheck .ci/vuln $(GO) run $(GOVULNCHECK)

fuzz: packages ## Run every fuzz target for FUZZTIME each
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg; \
		done; \
	done

bench: test-packages ## Run the benchmarks; they print ratios to a reference measured in the same run
	@$(GO) test -run '^$$' -bench . -benchtime 1s ./...

# Missing packages are detected by the programs or headers they provide, so that a second
# run does not call the package manager.
packages:
	@.ci/packages libvips-dev postgresql gcc pkg-config

test-packages: packages
	@.ci/packages chromium-headless-shell wrk nginx-light haproxy varnish varnish-modules caddy systemd pgbouncer patroni etcd-server nghttp2-client pebble prometheus nodejs curl jq
	@$(GO) build -C internal/blob/blobtest/server -o $(CURDIR)/bin/s3server github.com/versity/versitygw/cmd/versitygw
