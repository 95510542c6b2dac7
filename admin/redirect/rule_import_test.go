package redirect_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// reasons returns the rows of an import report: "created , error LOOP".
func reasons(report m) string {
	var rows []string
	for _, r := range report["rows"].(l) {
		rows = append(rows, fmt.Sprint(r.(m)["status"], " ", r.(m)["reason"]))
	}
	return strings.Join(rows, ", ")
}

func importText(a *apitest.API, text string) m {
	return a.OK("POST", rulesPath+"/import", a.Owner, m{"text": text})
}

// Files of other systems are refused, except Shopify's, which has the same two columns.
func TestImportRefusesOtherSystems(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for text, system := range map[string]string{
		"source,target,regex,code,type,hits,title,status\n/a,/b,0,301,url,0,,enabled\n": "redirection",
		"Origin,Target,Type,Format\nold,/new,301,plain\n":                               "yoast",
		`[{"from": "/a", "to": "/b", "permanent": true}]`:                               "ghost",
		"Handle,Title,Variant Price\n/a,/b,1\n":                                         "shopify",
	} {
		answer := a.Refused("POST", rulesPath+"/import", a.Owner, m{"text": text}, 400, "IMPORT_FOREIGN")
		if !strings.HasSuffix(answer["error"].(string), "IMPORT_FOREIGN: "+system) {
			t.Errorf("%s: %v", system, answer)
		}
	}
	report := importText(a, "\ufeff\ufeffRedirect from,Redirect to\n/a,/b\n")["result"].(m)
	if got := reasons(report); got != "created " {
		t.Errorf("Shopify's redirects: %s", got)
	}
}

func TestImportReportsEveryRow(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	addRule(a, "/known", "/old", "note", "kept")
	addRule(a, "/noted", "/n", "note", "gone")
	text := strings.Join([]string{
		"from;to", "# a comment", "",
		"/new;/n", "/NEW/;/other", "/known;/n;302", "/noted;/n;301;exact;keep;;;", "/x;https://example.com/", "/cart;/n",
		"/c;/n;308", "/k;/n;301;regex", "/o;/n;301;exact;lose", "/q*;/n;;;;a=1", "old;/n", "/t;\\", "only",
	}, "\n")
	answer := importText(a, text)
	report := answer["result"].(m)
	want := "created , skipped DUPLICATE_IN_FILE, updated , updated , error EXTERNAL_NOT_ALLOWED, error RESERVED_PATH, " +
		"error CODE_INVALID, error KIND_UNKNOWN, error OPTION_INVALID, error QUERY_INVALID, error INVALID_SOURCE, error INVALID_TARGET, error LINE_MALFORMED"
	if got := reasons(report); got != want {
		t.Errorf("rows: %s\nwant: %s", got, want)
	}
	if got := fmt.Sprint(report["created"], report["updated"], report["skipped"], report["errors"]); got != "1 2 1 9" {
		t.Errorf("totals: %s", got)
	}
	if first := report["rows"].(l)[0].(m); first["line"] != 4.0 || first["from"] != "/new" || first["to"] != "/n" {
		t.Errorf("first row: %v", first)
	}
	if answer["version"] != "4" {
		t.Errorf("one import, one version: %v", answer["version"])
	}
	notes := map[any]any{}
	for _, r := range a.OK("GET", rulesPath, a.Owner, nil)["result"].(l) {
		notes[r.(m)["from_path"]] = fmt.Sprintf("%v %v", r.(m)["note"], r.(m)["code"])
		if r.(m)["enabled"] != true {
			t.Errorf("imported and not enabled: %v", r)
		}
	}
	if fmt.Sprint(notes) != "map[/known:kept 302 /new: 301 /noted: 301]" {
		t.Errorf("notes: %v", notes)
	}
	again := importText(a, text)
	if again["version"] != "4" || again["result"].(m)["created"] != 0.0 || again["result"].(m)["updated"] != 0.0 ||
		again["result"].(m)["skipped"] != 4.0 {
		t.Errorf("the same import again: %v", again)
	}
}

func TestADryRunOfAnImportWritesNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	answer := a.OK("POST", rulesPath+"/import", a.Owner, m{"text": "/a;/b", "dry_run": true})
	if answer["version"] != "1" || answer["result"].(m)["created"] != 1.0 {
		t.Errorf("dry run: %v", answer)
	}
	if n := len(a.OK("GET", rulesPath, a.Owner, nil)["result"].(l)); n != 0 {
		t.Errorf("a dry run wrote %d rules", n)
	}
	external := a.Result("POST", rulesPath+"/import", a.Owner, m{"text": "/a;https://example.com/x", "allow_external": true})
	if reasons(external) != "created " {
		t.Errorf("allow_external: %s", reasons(external))
	}
}

func TestImportRefusesRowsThatCreateALoop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	got := reasons(importText(a, "/a;/b\n/b;/a\n/c;/d\n/self;/Self/\n/d;/e")["result"].(m))
	if got != "created , error LOOP, created , error LOOP, created " {
		t.Errorf("circles: %s", got)
	}
	var chain strings.Builder
	for i := range 12 {
		fmt.Fprintf(&chain, "/h%d;/h%d\n", i, i+1)
	}
	got = reasons(importText(a, chain.String())["result"].(m))
	if want := strings.Repeat("created , ", 10) + "error CHAIN_TOO_LONG, created "; got != want {
		t.Errorf("chain: %s", got)
	}
	var swapped strings.Builder // columns swapped in half of the lines
	for i := range 300 {
		fmt.Fprintf(&swapped, "/c%d;/d%d\n/d%d;/c%d\n", i, i, i, i)
	}
	if r := importText(a, swapped.String())["result"].(m); r["created"] != 300.0 || strings.Count(reasons(r), "created , error LOOP") != 300 {
		t.Errorf("swapped columns: %v created", r["created"])
	}
	// A refused update that would create a loop restores the previous rule.
	got = reasons(importText(a, "/d;/c")["result"].(m))
	if got != "error LOOP" {
		t.Errorf("update: %s", got)
	}
	if trace := a.Result("GET", rulesPath+"/check?url=/d", a.Owner, nil); trace["location"] != "/e" {
		t.Errorf("after the refused update: %v", trace)
	}
}

func TestImportLimits(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Limit(company.Limits{store.LimitRedirects: 2, store.LimitMasks: 1})
	got := reasons(importText(a, "/m*;/t\n/n*;/t\n/a;/t\n/b;/t\n/a;/u")["result"].(m))
	if got != "created , error PATTERN_LIMIT_REACHED, created , error LIMIT_REACHED, skipped DUPLICATE_IN_FILE" {
		t.Errorf("plan: %s", got)
	}
	lines := strings.Repeat("/a;/b\n", 1001)
	a.Refused("POST", rulesPath+"/import", a.Owner, m{"text": lines}, 400, "REDIRECT_IMPORT_TOO_LARGE")
	importText(a, strings.TrimPrefix(lines, "/a;/b\n"))
}

func TestAnExportCanBeImported(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	addRule(a, "/a;b", "/t", "note", "=1+1", "drop_query", true)
	addRule(a, "/goods/*", "/shop/$1", "code", 302, "override_live", true)
	addRule(a, "/q", "/t", "query_match", "id=5")
	out := a.Send(apitest.Request{Method: "GET", Path: rulesPath + "/export", Key: a.Owner})
	if out.Status != 200 || out.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%d %v", out.Status, out.Header)
	}
	if got := reasons(importText(a, string(out.Body))["result"].(m)); got != "skipped UNCHANGED, skipped UNCHANGED, skipped UNCHANGED" {
		t.Errorf("%s of:\n%s", got, out.Body)
	}
}

// Files of other systems are imported as on the command line: a line that no rule can express is
// reported with its text.
func TestFilesOfOtherSystemsAreImported(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for format, text := range map[string]string{
		"netlify":  "/a1 /b1 301\n/proxy https://other.test/:splat 200",
		"nginx":    "location = /a2 { return 301 /b2; }\nif ($host = x.test) { return 301 /z; }",
		"htaccess": "Redirect 301 /a3 /b3",
	} {
		for _, dry := range []bool{true, false} {
			got := a.Result("POST", "/storefront-redirects/import", a.Owner, apitest.Map{"text": text, "format": format, "dry_run": dry})
			rows := got["rows"].([]any)
			if got["created"] != 1.0 || len(rows) < 1 {
				t.Errorf("%s: %v", format, got)
			}
			for _, row := range rows {
				if row := row.(apitest.Map); row["status"] == "error" && (row["text"] == nil || row["reason"] == "") {
					t.Errorf("%s: %v", format, row)
				}
			}
		}
	}
	if got := a.OK("GET", "/storefront-redirects", a.Owner, nil)["result"].([]any); len(got) != 3 {
		t.Errorf("%d rules", len(got))
	}
	a.Refused("POST", "/storefront-redirects/import", a.Owner, apitest.Map{"text": "/a /b", "format": "iis"}, 400, "INVALID_REQUEST")
	a.Refused("POST", "/storefront-redirects/import", a.Owner, apitest.Map{"text": strings.Repeat("#aaaaaaa\n", 500_000), "format": "nginx"}, 400, "REDIRECT_IMPORT_TOO_LARGE")
	many := ""
	for i := range 1001 {
		many += fmt.Sprintf("/m%d /n 301\n", i)
	}
	a.Refused("POST", "/storefront-redirects/import", a.Owner, apitest.Map{"text": many, "format": "netlify"}, 400, "REDIRECT_IMPORT_TOO_LARGE")
}
