package release

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// published plans the rows and validates them with the given scripts.
func published(t *testing.T, l Limits, scripts map[string]string, texts ...string) Report {
	t.Helper()
	m := mustPlan(t, Request{Base: "none", Files: rows(texts...)}, nil, nothing, l)
	r, err := Validate(m.Files, func(path string) ([]byte, error) { return []byte(scripts[path]), nil }, l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// list formats findings as "code path:line".
func list(findings []Finding) string {
	var words []string
	for _, f := range findings {
		words = append(words, f.String())
	}
	return strings.Join(words, ", ")
}

func TestValidateFinds(t *testing.T) {
	for _, tc := range []struct {
		name                   string
		l                      Limits
		files                  string
		errors, warnings, info string
	}{
		{"nothing in a good document", Document, "index.html 1 10;a.css 2 10", "", "", ""},
		{"a missing index", Document, "a.css 2 10", "ref.missing index.html", "", ""},
		{"an index that is not at the root", Folder, "docs/index.html 2 10", "ref.missing index.html", "", ""},
		{"an index in another case", Folder, "INDEX.html 2 10", "ref.missing index.html", "", ""},
		{"a second page of a document", Document, "index.html 1 10;b.html 2 1;c/index.htm 3 1", "", "page.extra b.html, page.extra c/index.htm", ""},
		{"no second page of a folder", Folder, "index.html 1 10;b.html 2 1", "", "", ""},
		{"server scripts", Folder, "index.html 1 1;a.PHP 2 2;cgi/x.cgi 3 3;.htaccess 4 4;a.php. 5 5",
			"file.forbidden .htaccess, file.forbidden a.PHP, file.forbidden a.php., file.forbidden cgi/x.cgi", "", ""},
		{"programs", Document, "index.html 1 1;setup.exe 2 2;x.tar.sh 3 3", "file.forbidden setup.exe, file.forbidden x.tar.sh", "", ""},
		{"no programs by similar names", Document, "index.html 1 1;php.txt 2 2;exe 3 3;a.php/b.css 4 4", "", "", ""},
		{"an image of 400 KB as small enough", Document, "index.html 1 1;a.png 2 409600", "", "", ""},
		{"a byte more as large", Document, "index.html 1 1;a.png 2 409601;b.mp4 3 409601", "", "", "img.large a.png"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := published(t, tc.l, nil, strings.Split(tc.files, ";")...)
			for level, pair := range map[string][2]string{
				"errors": {list(r.Errors), tc.errors}, "warnings": {list(r.Warnings), tc.warnings}, "info": {list(r.Info), tc.info},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: got %q, want %q", level, pair[0], pair[1])
				}
			}
		})
	}
}

func TestEmptyOrHugeManifestIsAnError(t *testing.T) {
	r, err := Validate(nil, nil, Folder)
	if err != nil || list(r.Errors) != "ref.missing index.html" {
		t.Errorf("%v, %v", r, err)
	}
	r, err = Validate(rows("index.html 1 2097153"), nil, Document)
	if err != nil || list(r.Errors) != "html.parse index.html" {
		t.Errorf("%v, %v", r, err)
	}
}

func TestMissingIndexNamesWhereOneIs(t *testing.T) {
	for files, want := range map[string]string{
		"about.html 1 1":               "a release needs index.html at its root; add it",
		"my/site/index.html 1 1":       `a release needs index.html at its root; there is one in "my/site": publish the contents of that folder`,
		"index.html 1 2097153":         "has more than 2 MiB; move scripts, styles and pictures into files of their own",
		"not-quite-index.html 1 1":     "a release needs index.html at its root; add it",
		"x/not-quite/index.htmls 1 10": "a release needs index.html at its root; add it",
	} {
		r, err := Validate(rows(files), nil, Document)
		if err != nil || r.Errors[0].Detail != want {
			t.Errorf("%s: %v, %v", files, r.Errors, err)
		}
	}
}

func TestForbiddenFilesAreNotAlsoUnused(t *testing.T) {
	if got := list(Unused(rows("a.php 1 1", "b.txt 2 2"), nil)); got != "file.unused b.txt" {
		t.Error(got)
	}
}

func TestServiceWorkersAreNamedWithTheirLine(t *testing.T) {
	for script, want := range map[string]string{
		"navigator.serviceWorker.register('/sw.js')":                             "sw.register a.js:1",
		"\n\nnavigator . serviceWorker\n  .register ( x )":                       "sw.register a.js:3",
		"navigator.serviceWorker?.register('/sw.js')":                            "sw.register a.js:1",
		"navigator.serviceWorker?.register?.('/sw.js')":                          "sw.register a.js:1",
		`navigator["serviceWorker"]["register"]("/sw.js")`:                       "sw.register a.js:1",
		"navigator[`serviceWorker`].register(u);\nserviceWorker['register'](u)":  "sw.register a.js:1, sw.register a.js:2",
		"navigator['service'+'Worker']['reg' + \"ister\"](u)":                    "sw.register a.js:1",
		"x\n['a' +\n'b'];navigator.serviceWorker.register(u)":                    "sw.register a.js:3",
		"x\nnavigator['service' +\n'Worker'].register(u)":                        "sw.register a.js:2",
		`navigator["\x73erviceWorker"].r\u0065gister(u)`:                         "sw.register a.js:1",
		"const sw = navigator.serviceWorker;\nsw.register(u)":                    "sw.register a.js:2",
		"const { serviceWorker: w } = navigator\n\nw?.register(u)":               "sw.register a.js:3",
		"navigator[a + b].register(u)":                                           "sw.computed a.js:1",
		"const k = atob('c2Vydml');\nnavigator.serviceWorker[k](u)":              "sw.computed a.js:2",
		"navigator[`service${w}`]":                                               "sw.computed a.js:1",
		"navigator['userAgent'], navigator.plugins[0], navigator[\"language\"]":  "",
		"const el = navigator.serviceWorker.controller; el.register(1)":          "",
		"'serviceWorker' in navigator && 1":                                      "",
		"navigator.serviceWorker.ready.then(r => r.unregister())":                "",
		"navigator.serviceWorker.getRegistrations()":                             "",
		"navigator.serviceWorker.registerAll()":                                  "",
		"customElements.register('x'); const serviceWorker = 1; register(1)":     "",
		"navigator.serviceWorker.getRegistration().then(x => registry.register)": "",
	} {
		if got := list(ServiceWorkers("a.js", []byte(script))); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
	many := strings.Repeat("serviceWorker.register()\n", 1000)
	if n := len(ServiceWorkers("a.js", []byte(many))); n != maxSightings {
		t.Errorf("%d findings for one file", n)
	}
}

func TestOnlyScriptsAreRead(t *testing.T) {
	r := published(t, Folder, map[string]string{
		"a.mjs": "navigator.serviceWorker.register(1)", "b.txt": "navigator.serviceWorker.register(1)",
	}, "index.html 1 1", "a.mjs 2 2", "b.txt 3 3")
	if list(r.Errors) != "sw.register a.mjs:1" {
		t.Errorf("%v", r)
	}
	broken := errors.New("disk")
	_, err := Validate(rows("a.js 1 1"), func(string) ([]byte, error) { return nil, broken }, Folder)
	if err != nil {
		t.Fatal("rows without a mime must not be read as scripts")
	}
	m := mustPlan(t, Request{Files: rows("a.js 1 1")}, nil, nothing, Folder)
	if _, err := Validate(m.Files, func(string) ([]byte, error) { return nil, broken }, Folder); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestUnusedFilesAreFound(t *testing.T) {
	m := mustPlan(
		t,
		Request{
			Files: rows("index.html 1 1", "b.html 2 2", "favicon.ico 3 3", "a.css 4 4", "b.css 5 5", "img/favicon.ico 6 6", "robots.txt 7 7"),
		},
		nil, nothing, Folder,
	)
	if got := list(Unused(m.Files, map[string]bool{"a.css": true})); got != "file.unused b.css, file.unused img/favicon.ico" {
		t.Error(got)
	}
}

func TestEveryCodeHasALevelAndAHint(t *testing.T) {
	levels := map[Level]string{}
	seen := map[string]bool{}
	for _, c := range Codes {
		if seen[c.Code] || !strings.HasSuffix(c.Hint, ".") {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
		levels[c.Level] += " " + c.Code
	}
	if levels[LevelError] != " ref.outside ref.missing ref.http file.forbidden sw.register hash.mismatch html.parse" {
		t.Error(levels[LevelError])
	}
	if levels[LevelWarning] != " page.extra ref.root js.assets head.stripped form.nohandler page.noindex file.unused html.quirks bind.invalid bind.context bind.form sw.computed type.unknown icon.unreadable sandbox.storage"+
		" fidelity.reset fidelity.cascade fidelity.selector fidelity.rem fidelity.handler fidelity.body fidelity.root fidelity.redeclare"+
		" fidelity.write fidelity.currentscript" {
		t.Error(levels[LevelWarning])
	}
	if levels[LevelInfo] != " fidelity.ready fidelity.height fidelity.below fidelity.class fidelity.cover img.large img.nosize" {
		t.Error(levels[LevelInfo])
	}
	if LevelOf("no.such") != LevelWarning {
		t.Error("an unknown code must not stop publishing")
	}
}

func TestFindingIncludesItsHint(t *testing.T) {
	r := published(t, Document, nil, "index.html 1 1", "a.php 2 2")
	if want := "files of the kind .php are not published. Remove executables and server scripts: nothing is run on the server."; r.Errors[0].Detail != want {
		t.Errorf("got %s, want %s", r.Errors[0].Detail, want)
	}
}

func TestReportsPrintEmptyLists(t *testing.T) {
	var r Report
	if out, err := json.Marshal(r); err != nil || string(out) != `{"errors":[],"warnings":[],"info":[]}` {
		t.Errorf("%s, %v", out, err)
	}
	if r.Refusal() != nil {
		t.Error("a clean report must not refuse")
	}
	r.Merge(Report{Errors: []Finding{{RefMissing, "a.css", 12, "img/x.png"}}, Info: []Finding{{ImgLarge, "b.png", 0, ""}}})
	r.Merge(
		Report{
			Errors:   []Finding{{RefMissing, "a.css", 12, "the same, in other words"}, {RefHTTP, "c", 1, ""}},
			Warnings: []Finding{{PageExtra, "b.html", 0, ""}},
		},
	)
	out, err := json.Marshal(r)
	const text = `{"errors":[{"code":"ref.missing","path":"a.css","line":12,"detail":"img/x.png"},{"code":"ref.http","path":"c","line":1,"detail":""}],` +
		`"warnings":[{"code":"page.extra","path":"b.html","line":0,"detail":""}],"info":[{"code":"img.large","path":"b.png","line":0,"detail":""}]}`
	if err != nil || string(out) != text {
		t.Errorf("%s, %v", out, err)
	}
	refused(t, r.Refusal(), ErrInvalid, "rpc error: code = InvalidArgument desc = RELEASE_INVALID: ref.missing a.css:12 and 1 more")
	refusal, _ := shop.AsRefusal(r.Refusal())
	if got, ok := refusal.Fields["report"].(Report); refusal.Status() != 422 || !ok || len(got.Errors) != 2 {
		t.Errorf("%d %v", refusal.Status(), refusal.Fields)
	}
}

func TestStatusesOfRefusals(t *testing.T) {
	for r, status := range map[*shop.Refusal]int{
		ErrInvalid: 422, ErrFilesPending: 409, ErrUseRelease: 400, ErrScriptRole: 403,
		ErrPath: 400, ErrConflict: 400, ErrFile: 400, ErrTooLarge: 400, ErrEmpty: 400, ErrZip: 400, ErrBase: 400,
	} {
		if r.Status() != status {
			t.Errorf("%s is %d, want %d", r.Code, r.Status(), status)
		}
	}
}
