package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/await"
)

// mayImport lists for each package the packages of this module that it may import.
// Dependencies have one direction: shop is the vocabulary of all packages, compile and render
// are pure, the edge does not use the database, slices of the API do not import each other.
var mayImport = map[string]string{
	"internal/shop":                 "",
	"internal/secret":               "",
	"internal/blob":                 "internal/lru internal/shop",
	"internal/blob/blobtest":        "",
	"internal/outbound":             "internal/span",
	"internal/outbound/dnstest":     "",
	"internal/pay":                  "internal/outbound internal/shop",
	"internal/pay/stripetest":       "",
	"internal/mail":                 "",
	"internal/mail/mailtest":        "",
	"internal/deliver":              "internal/secret internal/span",
	"internal/hook":                 "",
	"internal/httpsig":              "",
	"internal/httpsig/httpsigtest":  "internal/await internal/httpsig",
	"internal/gate":                 "internal/hostname",
	"internal/certificate":          "internal/hostname internal/secret internal/store",
	"internal/store/acme":           "internal/shop internal/store",
	"internal/store/assist":         "internal/shop internal/store",
	"internal/certificate/certtest": "",
	"internal/gate/gatetest":        "internal/await",
	"internal/store/migrations":     "",
	"internal/facet":                "internal/shop",
	"internal/budget":               "",
	"internal/cells":                "internal/shop",
	"internal/condition":            "",
	"internal/corpus":               "",
	"internal/forwarded":            "",
	"internal/latency":              "",
	"internal/drain":                "",
	"internal/flight":               "",
	"internal/hostname":             "",
	"internal/lru":                  "",
	"internal/weight":               "",
	"internal/limiter":              "internal/shop",
	"internal/race":                 "",
	"internal/await":                "internal/race",
	"internal/golden":               "",
	"internal/schematest":           "",
	"internal/cookie":               "",
	"internal/span":                 "internal/secret",
	"internal/origin":               "internal/cookie internal/shop internal/span",
	"internal/visitstats":           "internal/shop",
	"internal/store":                "internal/shop internal/store/migrations",
	"internal/store/backup":         "internal/shop internal/store",
	"internal/store/catalog":        "internal/facet internal/lru internal/shop internal/store",
	"internal/store/company":        "internal/shop internal/store",
	"internal/store/design":         "internal/shop internal/store",
	"internal/store/draft":          "internal/shop internal/store",
	"internal/store/form":           "internal/shop internal/store",
	"internal/store/job":            "internal/shop internal/store",
	"internal/store/letter":         "internal/shop internal/store",
	"internal/store/movein":         "internal/shop internal/store",
	"internal/store/move":           "internal/shop internal/store",
	"internal/store/media":          "internal/shop internal/store",
	"internal/store/overview":       "internal/shop internal/store",
	"internal/store/people":         "internal/shop internal/store",
	"internal/store/policy":         "internal/shop internal/store",
	"internal/store/privacy":        "internal/shop internal/store",
	"internal/store/redirect":       "internal/shop internal/store",
	"internal/store/release":        "internal/shop internal/store",
	"internal/store/remark":         "internal/shop internal/store",
	"internal/store/sales":          "internal/shop internal/store",
	"internal/store/sitefile":       "internal/shop internal/store",
	"internal/store/sweep":          "internal/shop internal/store",
	"internal/store/visit":          "internal/shop internal/store internal/visitstats",
	"internal/store/vital":          "internal/store",
	"internal/store/webhook":        "internal/shop internal/store",
	"internal/store/cluster":        "",
	"internal/store/trace":          "internal/store internal/span",
	"internal/store/dump":           "internal/store",
	"internal/store/storetest":      "internal/store/cluster internal/store/migrations",
	"compile/redirect":              "internal/shop",
	"compile/release":               "internal/shop",
	"compile/markup":                "internal/shop compile/markup/dom compile/markup/script compile/markup/style compile/release",
	"compile/markup/dom":            "",
	"compile/markup/script":         "compile/markup/dom",
	"compile/markup/style":          "",
	"compile/markup/fidelity":       "compile/markup compile/markup/dom compile/markup/script compile/markup/style compile/release",
	"compile/loop":                  "internal/shop compile/redirect",
	"compile":                       "internal/shop internal/weight compile/loop compile/price compile/redirect",
	"compile/redirect/foreign":      "internal/shop compile/redirect",
	"compile/movein/header":         "internal/cells internal/shop",
	"compile/movein":                "compile/movein/header compile/redirect compile/redirect/foreign internal/cells internal/shop",
	"compile/widget":                "internal/shop",
	"compile/design":                "internal/shop",
	"compile/price":                 "internal/shop",
	"compile/richtext":              "internal/shop",
	"compile/icon":                  "",
	"compile/lead":                  "",
	"compile/feed":                  "compile/richtext internal/shop",
	"compile/feed/lint":             "compile/feed internal/shop",
	"compile/pack":                  "",
	"compile/inspect":               "compile/icon compile/markup compile/markup/fidelity compile/release internal/shop",
	"internal/load":                 "compile compile/design compile/price compile/redirect internal/facet internal/limiter internal/lru internal/shop internal/store",
	"internal/catalogue":            "compile compile/feed internal/load internal/lru internal/limiter internal/shop internal/store",
	"render":                        "compile compile/lead compile/markup compile/richtext compile/widget internal/shop",
	"resizer":                       "internal/blob internal/limiter internal/shop",
	"resizer/ceiling":               "",
	"edge/backend":                  "compile/lead internal/cookie internal/shop internal/origin render",
	"edge/zone":                     "compile/lead edge/backend internal/shop render",
	"edge/count":                    "internal/flight internal/forwarded internal/hostname internal/shop internal/visitstats",
	"edge/count/counttest":          "internal/shop internal/visitstats",
	"edge":                          "compile compile/feed compile/feed/lint compile/icon compile/lead compile/markup compile/pack compile/redirect compile/release compile/widget edge/backend edge/count edge/zone internal/budget internal/condition internal/cookie internal/flight internal/forwarded internal/gate internal/hostname internal/latency internal/limiter internal/drain internal/lru internal/shop internal/origin internal/weight render internal/span",
	"internal/compose":              "compile compile/design compile/icon compile/markup compile/richtext compile/widget internal/load internal/shop internal/store render compile/lead",
	"internal/source":               "compile compile/markup compile/release edge edge/count internal/blob internal/catalogue internal/compose internal/load internal/secret internal/shop internal/store internal/visitstats render",
	"admin/api/body":                "internal/shop",
	"admin/api":                     "admin/api/body compile/pack compile/release internal/budget internal/condition internal/cookie internal/forwarded internal/latency internal/limiter internal/lru internal/drain internal/load internal/secret internal/shop internal/store internal/store/trace internal/origin internal/span",
	"admin/stock":                   "admin/api internal/shop internal/store",
	"admin/account":                 "admin/api compile internal/load internal/shop internal/store",
	"admin/access":                  "admin/api admin/api/body internal/budget internal/shop internal/store internal/secret",
	"admin/catalog":                 "internal/limiter admin/api admin/api/body compile/movein/header internal/cells internal/drain internal/shop internal/store internal/load compile compile/loop compile/design",
	"admin/job":                     "admin/api internal/deliver internal/secret internal/shop internal/store",
	"admin/transfer":                "admin/api admin/intake admin/job admin/transfer/fill internal/backup internal/blob internal/drain internal/secret internal/shop internal/store",
	"admin/movein":                  "admin/api admin/intake admin/job compile compile/movein compile/movein/header compile/redirect internal/blob internal/deliver internal/load internal/shop internal/store",
	"admin/intake":                  "internal/blob internal/shop internal/store",
	"admin/media":                   "internal/budget admin/api admin/intake internal/shop internal/store internal/blob internal/drain internal/outbound internal/limiter internal/secret",
	"admin/transfer/fill":           "internal/backup internal/blob internal/shop",
	"admin/release":                 "admin/api admin/intake compile compile/icon compile/inspect compile/pack compile/release internal/blob internal/drain internal/limiter internal/load internal/outbound internal/secret internal/shop internal/store",
	"admin/form":                    "admin/api admin/intake compile/lead internal/blob internal/budget internal/cells internal/drain internal/shop internal/store",
	"admin/redirect":                "admin/api compile compile/loop compile/movein/header compile/redirect compile/redirect/foreign internal/load internal/shop internal/store",
	"admin/design":                  "admin/api compile/design internal/load internal/shop internal/store",
	"admin/sitefile":                "admin/api compile compile/feed compile/feed/lint compile/markup internal/catalogue internal/load internal/shop internal/store",
	"admin/cart":                    "admin/api compile compile/lead compile/price internal/budget internal/deliver internal/load internal/secret internal/shop internal/store",
	"admin/assist":                  "admin/api compile compile/lead compile/price internal/budget internal/flight internal/httpsig internal/load internal/lru internal/pay internal/secret internal/shop internal/store",
	"admin/assist/acp":              "admin/api admin/api/body admin/assist admin/openapi compile/lead compile/price internal/budget internal/hook internal/load internal/pay internal/secret internal/shop internal/store",
	"admin/assist/seller":           "admin/api internal/hook internal/secret internal/shop internal/store",
	"admin/policy":                  "admin/api internal/load internal/secret internal/shop internal/store",
	"admin/promotion":               "admin/api compile compile/price internal/load internal/shop internal/store",
	"admin/order":                   "compile compile/lead compile/price admin/api internal/cells internal/load internal/shop internal/store internal/secret render",
	"admin/payment":                 "admin/api compile/price internal/pay internal/secret internal/shop internal/store internal/span",
	"admin/company":                 "admin/api admin/api/body compile/design internal/shop internal/store",
	"admin/domain":                  "admin/api internal/deliver internal/shop internal/store",
	"admin/letter":                  "admin/api compile compile/feed internal/catalogue internal/deliver internal/load internal/lru internal/mail internal/secret internal/shop internal/store render",
	"admin/webhook":                 "admin/api internal/budget internal/deliver internal/hook internal/limiter internal/outbound internal/secret internal/shop internal/store",
	"admin/customer":                "admin/api compile/movein/header internal/cells internal/shop internal/store",
	"admin/review":                  "admin/api internal/blob internal/budget internal/shop internal/store",
	"admin/setting":                 "admin/api internal/shop internal/store",
	"admin/overview":                "admin/api compile internal/limiter internal/load internal/shop internal/store",
	"admin/stats":                   "admin/api internal/shop internal/store internal/visitstats",
	"admin/docs":                    "admin/api compile/feed compile/markup compile/release compile/widget internal/hook internal/shop",
	"admin/draft":                   "admin/api compile compile/loop compile/release internal/load internal/lru internal/secret internal/shop internal/store",
	"admin/upkeep":                  "admin/intake admin/order internal/store internal/blob internal/shop internal/span",
	"admin/picture":                 "internal/shop internal/store internal/span",
	"admin/purge":                   "internal/outbound internal/shop internal/store internal/span",
	"internal/backup":               "internal/blob internal/shop internal/store",
	"internal/backup/full":          "internal/blob internal/store internal/store/cluster",
	"admin/openapi":                 "admin/api admin/api/body internal/shop",
	"admin":                         "admin/assist admin/assist/acp admin/assist/seller admin/cabinet admin/domain admin/account admin/api admin/cart admin/company admin/order admin/overview admin/intake admin/openapi admin/docs admin/draft admin/access admin/catalog admin/design admin/form admin/media admin/redirect admin/release admin/setting admin/sitefile admin/stats admin/stock internal/forwarded internal/gate internal/catalogue internal/latency internal/limiter internal/shop internal/store internal/load internal/blob internal/outbound internal/origin internal/secret admin/promotion admin/payment admin/letter admin/review admin/webhook admin/policy admin/customer admin/mcp admin/oauth admin/job admin/movein admin/transfer internal/deliver admin/assist/ucp internal/span",
	"admin/cabinet":                 "admin/api compile/pack internal/shop",
	"admin/mcp/wire":                "admin/api internal/shop",
	"admin/mcp":                     "admin/api admin/mcp/wire admin/openapi internal/shop",
	"admin/assist/ucp":              "admin/api admin/api/body admin/mcp/wire admin/openapi compile internal/budget internal/flight internal/limiter internal/load internal/lru internal/outbound internal/shop internal/store admin/assist compile/price internal/httpsig internal/pay internal/secret",
	"admin/oauth":                   "admin/api internal/budget internal/secret internal/shop internal/store",
	"admin/api/apitest":             "admin admin/access admin/api admin/domain admin/letter admin/media admin/openapi admin/payment admin/webhook internal/await internal/blob internal/cookie internal/forwarded internal/outbound internal/outbound/dnstest internal/secret internal/shop internal/store internal/store/storetest internal/origin",
	"cmd/vitrine/example":           "compile/inspect compile/redirect/foreign compile/release",
	"cmd/vitrine/push":              "compile/inspect compile/release internal/shop",
	"cmd/vitrine/demo":              "admin admin/access admin/api admin/company admin/order internal/shop internal/store internal/secret internal/load",
	"cmd/vitrine":                   "*",
}

// mayStore lists for each package which nouns of internal/store it may call, besides the
// kernel: the cart cannot erase a customer. cmd/vitrine may call all of them.
var mayStore = map[string]string{
	"admin/assist/ucp":        "catalog media assist people sales",
	"internal/certificate":    "acme",
	"internal/store/backup":   "catalog company media people",
	"internal/store/catalog":  "media",
	"internal/store/company":  "media",
	"internal/store/dump":     "media",
	"internal/store/draft":    "catalog design media release",
	"internal/store/form":     "media",
	"internal/store/job":      "media",
	"internal/store/letter":   "form sales",
	"internal/store/move":     "company people",
	"internal/store/overview": "catalog sales",
	"internal/store/people":   "remark",
	"internal/store/privacy":  "form people remark",
	"internal/store/release":  "media",
	"internal/store/remark":   "catalog company media",
	"internal/store/sales":    "catalog company media people",
	"internal/store/sitefile": "catalog",
	"internal/store/sweep":    "release",
	"internal/load":           "catalog company design policy redirect release sales sitefile",
	"internal/catalogue":      "catalog company media",
	"internal/compose":        "catalog company design form media release remark sales",
	"internal/source":         "catalog company draft form media people policy redirect release sitefile visit",
	"admin/api":               "company people sales",
	"admin/stock":             "catalog",
	"admin/account":           "catalog people sales",
	"admin/access":            "company people privacy",
	"admin/catalog":           "catalog company design media people release",
	"admin/intake":            "media",
	"admin/job":               "job",
	"admin/movein":            "catalog company job movein redirect",
	"admin/transfer":          "company job people",
	"admin/media":             "company media remark",
	"admin/release":           "company design draft form media release sweep",
	"admin/form":              "form media",
	"admin/redirect":          "catalog company redirect",
	"admin/design":            "catalog company design release",
	"admin/sitefile":          "catalog company media sitefile",
	"admin/cart":              "catalog sales",
	"admin/assist/acp":        "assist sales",
	"admin/assist/seller":     "assist company",
	"admin/assist":            "assist catalog company people sales",
	"admin/policy":            "policy",
	"admin/promotion":         "catalog people sales",
	"admin/order":             "catalog company media sales",
	"admin/payment":           "company sales",
	"admin/domain":            "company",
	"admin/company":           "company design media people",
	"admin/letter":            "catalog company letter media remark sales",
	"admin/webhook":           "webhook",
	"admin/customer":          "people privacy",
	"admin/review":            "catalog media remark",
	"admin/setting":           "company media sales",
	"admin/overview":          "catalog draft overview",
	"admin/stats":             "assist company sales visit",
	"admin/draft":             "catalog company draft",
	"admin/upkeep":            "acme assist company form job letter media movein people privacy remark sales sitefile sweep visit vital webhook",
	"admin/picture":           "media",
	"admin/oauth":             "company people",
	"admin":                   "assist job movein people sales webhook",
	"internal/backup":         "backup company",
	"internal/backup/full":    "dump",
	"admin/api/apitest":       "company letter people sales",
	"cmd/vitrine/demo":        "catalog company people remark sales",
}

// storePackages are the packages that contain SQL: the kernel and one for each noun.
const storePackages = "internal/store internal/store/acme internal/store/assist internal/store/backup internal/store/catalog internal/store/company internal/store/design internal/store/draft internal/store/dump internal/store/form internal/store/job internal/store/letter internal/store/media internal/store/move internal/store/movein internal/store/overview internal/store/people internal/store/policy internal/store/privacy internal/store/redirect internal/store/release internal/store/remark internal/store/sales internal/store/sitefile internal/store/sweep internal/store/visit internal/store/vital internal/store/webhook"

// fences are libraries that only some packages may use.
var fences = map[string]string{
	"github.com/jackc/pgx":                  storePackages + " internal/store/cluster internal/store/storetest internal/store/trace",
	"github.com/valyala/fasthttp":           "edge edge/backend edge/count edge/zone admin admin/api cmd/vitrine admin/api/apitest internal/condition internal/cookie internal/forwarded internal/gate internal/origin",
	"github.com/fasthttp/router":            "admin",
	"github.com/dgraph-io/ristretto":        "edge",
	"github.com/RoaringBitmap":              "internal/facet",
	"github.com/hashicorp/golang-lru":       "internal/lru resizer",
	"golang.org/x/time/rate":                "cmd/vitrine",
	"github.com/h2non/bimg":                 "resizer",
	"C":                                     "resizer resizer/ceiling",
	"golang.org/x/net/html":                 "compile/markup compile/markup/dom compile/markup/fidelity compile/markup/script compile/richtext",
	"github.com/microcosm-cc/bluemonday":    "compile/richtext",
	"github.com/tdewolff/parse":             "compile/markup compile/markup/fidelity compile/markup/script compile/markup/style",
	"github.com/PuerkitoBio/goquery":        "compile/markup",
	"github.com/minio/minio-go":             "internal/blob",
	"github.com/wneessen/go-mail":           "internal/mail",
	"github.com/emersion":                   "internal/mail/mailtest",
	"golang.org/x/crypto/argon2":            "internal/secret",
	"github.com/yuin/goldmark":              "admin/docs",
	"github.com/santhosh-tekuri/jsonschema": "admin/api/apitest internal/schematest",
	"rsc.io/qr":                             "render",
	"github.com/go-json-experiment/json":    "admin/api/body",
	"github.com/prometheus":                 "internal/latency cmd/vitrine",
	"container/list":                        "internal/limiter resizer",
	"net/http":                              "internal/blob internal/outbound cmd/vitrine cmd/vitrine/push admin/mcp/wire admin/api/apitest internal/certificate internal/gate internal/gate/gatetest internal/pay/stripetest",
	"github.com/caddyserver":                "internal/certificate",
	"github.com/mholt":                      "internal/certificate",
	"go.uber.org/zap":                       "internal/certificate",
	"github.com/modelcontextprotocol":       "admin/mcp admin/mcp/wire admin/assist/ucp",
	"github.com/dunglas/httpsfv":            "internal/httpsig admin/assist/ucp admin/oauth",
	"go.opentelemetry.io":                   "internal/span",
	"google.golang.org/protobuf":            "internal/span",
}

type goPackage struct {
	ImportPath, Dir string
	GoFiles         []string
}

func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, "vitrine/") }

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	out, err := exec.CommandContext(await.Context(t), "go", "list", "-json=ImportPath,Dir,GoFiles", "vitrine/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.name()] = true
		checkImports(t, p)
		checkCallers(t, p)
		checkHomes(t, p)
	}
	for _, message := range unknownPackages(t, packages) {
		t.Error(message)
	}
}

// allowed returns the packages of this module that a package may import, or "*".
func allowed(name string) []string {
	list := strings.Fields(mayImport[name])
	for _, noun := range strings.Fields(mayStore[name]) {
		list = append(list, "internal/store/"+noun)
	}
	return list
}

func checkImports(t *testing.T, p goPackage) {
	name, files := p.name(), token.NewFileSet()
	_, listed := mayImport[name]
	for _, path := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, path), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if !listed {
			t.Errorf("%s: %s is not listed: add its imports to mayImport", files.Position(file.Package), name)
			listed = true
		}
		for _, spec := range file.Imports {
			if why := refusedImport(name, spec.Path.Value); why != "" {
				t.Errorf("%s: %s", files.Position(spec.Pos()), why)
			}
		}
	}
}

// refusedImport explains why a package must not contain an import; empty: it may.
func refusedImport(name, quoted string) string {
	path, err := strconv.Unquote(quoted)
	if err != nil {
		return err.Error()
	}
	if own, ours := strings.CutPrefix(path, "vitrine/"); ours {
		if may := allowed(name); !slices.Contains(may, own) && !slices.Contains(may, "*") {
			return name + " must not import " + own
		}
		return ""
	}
	for fenced, inside := range fences {
		if (path == fenced || strings.HasPrefix(path, fenced+"/")) && !slices.Contains(strings.Fields(inside), name) {
			return name + " imports " + path + ", which is reserved for " + inside
		}
	}
	return ""
}

// unknownPackages finds words in the tables of this file that are no package, with their
// positions: misspelled names and rows of packages that are gone.
func unknownPackages(t *testing.T, packages map[string]bool) (list []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "imports_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	check := func(e ast.Expr, prefix string) {
		literal, ok := e.(*ast.BasicLit)
		if !ok {
			return
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(text) {
			if word != "*" && !packages[prefix+word] {
				list = append(list, fmt.Sprintf("%s: there is no package %s%s", files.Position(literal.Pos()), prefix, word))
			}
		}
	}
	for _, table := range []struct{ name, keys, values string }{{"mayImport", "", ""}, {"mayStore", "", "internal/store/"}} {
		rows := file.Scope.Lookup(table.name).Decl.(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts
		for _, row := range rows {
			check(row.(*ast.KeyValueExpr).Key, table.keys)
			check(row.(*ast.KeyValueExpr).Value, table.values)
		}
	}
	return list
}

// A refused import, a forgotten row and a misspelled noun are each reported with their place.
func TestImportsAreCheckedByNameAndPlace(t *testing.T) {
	if why := refusedImport("admin/cart", `"vitrine/internal/store/privacy"`); why != "admin/cart must not import internal/store/privacy" {
		t.Errorf("the cart erases customers: %q", why)
	}
	if why := refusedImport("admin/cart", `"vitrine/internal/store/sales"`); why != "" {
		t.Error(why)
	}
	if why := refusedImport("admin/cart", `"github.com/jackc/pgx/v5"`); !strings.HasPrefix(why, "admin/cart imports github.com/jackc/pgx/v5") {
		t.Errorf("the cart sends SQL: %q", why)
	}
	if why := refusedImport("admin/forgotten", `"vitrine/internal/shop"`); why == "" {
		t.Error("a package without a row may import something")
	}
	known := map[string]bool{}
	for name := range mayImport {
		known[name] = name != "internal/store/sales"
	}
	misspelled := unknownPackages(t, known)
	if len(misspelled) < 2 {
		t.Fatalf("a missing package is found %d times", len(misspelled))
	}
	for _, message := range misspelled {
		if !strings.HasPrefix(message, "imports_test.go:") || !strings.HasSuffix(message, ": there is no package internal/store/sales") {
			t.Error(message)
		}
	}
}

// callers are identifiers for the sender of a request. Behind a proxy, the socket belongs to
// the proxy, and headers can be forged.
var callers = []string{
	"RemoteIP", "RemoteAddr", `"X-Forwarded`, `"X-Real-IP`, `"Forwarded`, "HeaderXForwarded", "HeaderForwarded", "IsTLS()",
}

// checkCallers ensures that only internal/forwarded determines who sent a request, and only
// internal/gate who opened a connection.
func checkCallers(t *testing.T, p goPackage) {
	if p.ImportPath == "vitrine/internal/forwarded" || p.ImportPath == "vitrine/internal/gate" {
		return
	}
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range callers {
			if strings.Contains(string(source), word) {
				t.Errorf("%s/%s reads %s: use internal/forwarded to find out who sent a request", p.ImportPath, name, word)
			}
		}
	}
}

// homes are identifiers of rules that are implemented in one place: another package using one
// probably implements the rule again.
var homes = map[string]string{
	// SQL: the connections of a Reader, a Store and a Tx
	".DB.":   storePackages,
	".Pool.": storePackages,
	".PG.":   storePackages,

	`"/files/"`:         "internal/shop",
	"HeaderIfNoneMatch": "internal/condition",
	`"If-None-Match"`:   "internal/condition",
	"HeaderIfRange":     "internal/condition",
	`"If-Range"`:        "internal/condition",
	`"checkout"`:        "internal/shop",
	`"__Host-`:          "internal/cookie",
	`"Set-Cookie"`:      "internal/cookie admin/api/apitest",
	"HeaderSetCookie":   "internal/cookie edge", // which passes on what the API sets
	".SetCookie(":       "edge/backend",
	// the others read what they need the rest of: a sum, the end of an archive
	"io.Discard": "internal/drain compile/release internal/backup internal/gate/gatetest",
}

func checkHomes(t *testing.T, p goPackage) {
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for word, inside := range homes {
			if strings.Contains(string(source), word) && !slices.Contains(strings.Fields(inside), strings.TrimPrefix(p.ImportPath, "vitrine/")) {
				t.Errorf("%s/%s uses %s, which is reserved for %s", p.ImportPath, name, word, inside)
			}
		}
	}
}
