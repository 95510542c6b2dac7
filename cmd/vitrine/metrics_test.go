package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"vitrine/internal/await"
)

var metricName = regexp.MustCompile(`\bvitrine_[a-z0-9_]+`)

// declaredMetrics are the metrics in the sources, by the literals with their names.
func declaredMetrics(t *testing.T) (names []string) {
	t.Helper()
	literal := regexp.MustCompile(`"(vitrine_[a-z0-9_]+)"`)
	out, err := exec.CommandContext(await.Context(t), "git", "-C", "../..", "ls-files", "-co", "--exclude-standard", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		path = filepath.Join("../..", strings.TrimSpace(path))
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		for _, found := range literal.FindAllSubmatch(source, -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 40 {
		t.Fatalf("only %d metrics", len(names))
	}
	return names
}

// series removes what Prometheus adds to the name of a histogram.
func series(name string) string {
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if strings.HasSuffix(name, "_seconds"+suffix) {
			return strings.TrimSuffix(name, suffix)
		}
	}
	return name
}

func metricsIn(text string) map[string]bool {
	found := map[string]bool{}
	for _, name := range metricName.FindAllString(text, -1) {
		found[series(name)] = true
	}
	return found
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMetricsAreDocumentedAndShown(t *testing.T) {
	t.Parallel()
	declared := declaredMetrics(t)
	rows := map[string]string{}
	for line := range strings.Lines(mustRead(t, "../../docs/metrics.md")) {
		if strings.HasPrefix(line, "| `vitrine_") {
			rows[metricName.FindString(line)] = line
		}
	}
	dashboard, rules := mustRead(t, "deploy/dashboard.json"), mustRead(t, "deploy/rules.yml")
	if !json.Valid([]byte(dashboard)) {
		t.Error("the dashboard is not JSON")
	}
	shown := metricsIn(dashboard)
	for _, name := range declared {
		row, documented := rows[name]
		switch {
		case !documented:
			t.Errorf("docs/metrics.md lacks %s", name)
		case shown[name] == strings.Contains(row, "not shown"):
			t.Errorf("%s must be in the dashboard or have the reason why it is not shown in docs/metrics.md, not both", name)
		}
	}
	for where, text := range map[string]string{"docs/metrics.md": mustRead(t, "../../docs/metrics.md"), "dashboard.json": dashboard, "rules.yml": rules, "alerts.yml": mustRead(t, "testdata/alerts.yml")} {
		for name := range metricsIn(text) {
			if !slices.Contains(declared, name) {
				t.Errorf("%s: there is no metric %s", where, name)
			}
		}
	}
	for name := range metricsIn(rules) {
		if !strings.Contains(mustRead(t, "testdata/alerts.yml"), name) {
			t.Errorf("no test of the alerts has %s", name)
		}
	}
}

func TestAlertsAreRaised(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: t.TempDir(), binary: os.Args[0], env: append(os.Environ(), runMain+"=1")}
	rules := p.deployed("rules.yml", "prometheus")
	if got, want := mustRead(t, rules), mustRead(t, "deploy/rules.yml"); got != want {
		t.Error("vitrine deploy prometheus prints something else")
	}
	if !json.Valid([]byte(mustRead(t, p.deployed("dashboard.json", "grafana")))) {
		t.Error("vitrine deploy grafana prints no JSON")
	}
	cases := filepath.Join(p.dir, "alerts.yml")
	if err := os.WriteFile(cases, []byte("rule_files: [rules.yml]\n"+mustRead(t, "testdata/alerts.yml")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", rules}, {"test", "rules", cases}} {
		if out, err := exec.CommandContext(await.Context(t), "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(mustRead(t, rules), -1) {
		if !strings.Contains(mustRead(t, cases), "alertname: "+alert[1]) {
			t.Errorf("%s is never raised", alert[1])
		}
	}
}

// rare are metrics that have a series only after what they count has happened.
var rare = map[string]string{
	"vitrine_database_failed_statements_total": "a statement that fails", "vitrine_database_slow_statements_total": "a statement of a second",
	"vitrine_replica_up": "a replica", "vitrine_replica_behind_seconds": "a replica", "vitrine_replica_reads_total": "a replica",
	"vitrine_edge_processes": "an edge of several processes", "vitrine_edge_process_deaths_total": "an edge of several processes",
	"vitrine_trace_spans_total":   "a collector",
	"vitrine_purges_failed_total": "a cache", "vitrine_certificates_soonest_expiry_timestamp_seconds": "an authority",
	"vitrine_certificate_files_expiry_timestamp_seconds": "certificates", "vitrine_sitefile_build_seconds": "a site file",
}

// A running program exposes what is documented, in the form that Prometheus recommends, and labels
// that name no shop.
func TestMetricsOfARunningProgram(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"type": "product", "name": "Teas", "is_published": true}})
	p.visit("tea", "/teas")
	p.call(key, "GET", "/categories/999999", nil)
	missing, text := "", ""
	if !await.Until(func() bool {
		_, text = p.askOps("/metrics")
		exposed := metricsIn(text)
		missing = ""
		for _, name := range declaredMetrics(t) {
			if rare[name] == "" && !exposed[name] {
				missing += " " + name
			}
		}
		return missing == ""
	}) {
		t.Fatal("missing:", missing)
	}
	problems, err := promlint.New(bytes.NewReader([]byte(text))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.Metric, "vitrine_") {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "vitrine_") && regexp.MustCompile(`"(tea|/teas|999999|[^"]*tea\.localhost[^"]*)"`).MatchString(line) {
			t.Errorf("a label comes from a request: %s", line)
		}
	}
	for _, want := range []string{`vitrine_api_refused_total{class="NotFound",code="CATEGORY_NOT_FOUND"} 1`, `vitrine_queue_due{queue="webhooks"} 0`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, `queue="letters"`) {
		t.Error("letters are reported, although there is no mail server")
	}
}
