package redirect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// outline formats rows as "line from>to reason", one per line.
func outline(t *testing.T, text string) string {
	t.Helper()
	rows, err := ParseImport(text)
	if err != nil {
		return codeOf(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s>%s %s", r.Line, r.From, r.To, r.Reason)))
	}
	return strings.Join(out, "\n")
}

func TestLinesOfAnImport(t *testing.T) {
	for name, c := range map[string][2]string{
		"nothing":                  {"", ""},
		"blank and comments":       {"\n \t \n# /a;/b\n  # x\n", ""},
		"semicolon":                {"/a;/b", "1 /a>/b"},
		"comma":                    {"/a,/b,302", "1 /a>/b"},
		"tab":                      {"/a\t/b\t302", "1 /a>/b"},
		"arrow":                    {"/a -> /b\n/c→/d\n/e->/f->302", "1 /a>/b\n2 /c>/d\n3 /e>/f"},
		"blanks around cells":      {"  /a ;\u00a0/b\u00a0; 302 ", "1 /a>/b"},
		"CRLF":                     {"/a;/b\r\n/c;/d\r\n", "1 /a>/b\n2 /c>/d"},
		"CR alone":                 {"/a;/b\r/c;/d\r", "1 /a>/b\n2 /c>/d"},
		"line numbers":             {"\n\n/a;/b\r\n#\r/c;/d", "3 /a>/b\n5 /c>/d"},
		"byte order mark":          {"\uFEFF/a;/b", "1 /a>/b"},
		"marks, twice":             {"\uFEFF\uFEFF\u200B/a;/b", "1 /a>/b"},
		"a separator hint":         {"\uFEFFsep=;\r\nfrom;to\n/a;/b", "3 /a>/b"},
		"a mark after the hint":    {"SEP=,\n\uFEFF/a,/b", "2 /a>/b"},
		"mark before a header":     {"\uFEFFfrom;to\n/a;/b", "2 /a>/b"},
		"quotes":                   {"\"/a;b\" ; \"/c;\"\"d\"", "1 /a;b>/c;\"d"},
		"quoted arrow":             {`/a;"/x->/y"`, "1 /a>/x->/y"},
		"comma in a path":          {"/a,b;/c", "1 /a,b>/c"},
		"semicolon in a path":      {"/a,/b;c", "1 /a>/b;c"},
		"semicolon in a note":      {"/a,/b,301,,,,,see; docs", "1 /a>/b"},
		"arrow in a path":          {"/a->b;/c", "1 /a->b>/c"},
		"tab wins":                 {"/a;x\t/b;y", "1 /a;x>/b;y"},
		"inch sign":                {`/a5";/b5"`, `1 /a5">/b5"`},
		"header":                   {"old url,new url\n/a,/b", "2 /a>/b"},
		"header after a comment":   {"# mine\nОткуда;Куда\n/a;/b", "3 /a>/b"},
		"header in the middle":     {"/a;/b\nfrom;to", "1 /a>/b\n2 from>to INVALID_SOURCE"},
		"two headers":              {"from;to\nfrom;to\n/a;/b", "2 from>to INVALID_SOURCE\n3 /a>/b"},
		"foreign header":           {"Source,Target,Status\n/a,/b,301", "1 Source>Target INVALID_SOURCE\n2 /a>/b"},
		"full header":              {"from;to;code;kind;params;condition;always;note", "1 from>to INVALID_SOURCE"},
		"one token":                {"/only", "1 /only> LINE_MALFORMED"},
		"no target":                {"/a;", "1 /a> LINE_MALFORMED"},
		"no source":                {";/b", "1 >/b LINE_MALFORMED"},
		"open quote":               {"\"/a;/b\n/c;/d", "1 /a;/b> LINE_MALFORMED\n2 /c>/d"},
		"text after a quote":       {`"/a"x;/b`, `1 /a"x;/b> LINE_MALFORMED`},
		"UTF-16":                   {"\xff\xfe/\x00a\x00;\x00/\x00b\x00\r\x00\n\x00", "1 \uFFFD/a;/b> LINE_MALFORMED"},
		"Windows-1251":             {"/a;/b;301;;;;;\xef\xf0\n/c;/d", "1 /a;/b;301;;;;;\uFFFD> LINE_MALFORMED\n2 /c>/d"},
		"bad bytes from JSON":      {"/\uFFFD;/b", "1 /\uFFFD;/b> LINE_MALFORMED"},
		"regular expression":       {"^/old/(.*)$;/new/$1", "1 ^/old/(.*)$>/new/$1 INVALID_SOURCE"},
		"source":                   {"/a?x=1;/b\n/a**;/b\n/;/b", "1 /a?x=1>/b INVALID_SOURCE\n2 /a**>/b INVALID_SOURCE\n3 />/b INVALID_SOURCE"},
		"target":                   {"/a;b\n/a;//evil.test\n/a;/b$1", "1 /a>b INVALID_TARGET\n2 /a>//evil.test INVALID_TARGET\n3 /a>/b$1 INVALID_TARGET"},
		"absolute target":          {"/a;https://e.test/", "1 /a>https://e.test/ EXTERNAL_NOT_ALLOWED"},
		"code":                     {"/a;/b;303\n/a;/b;0\n/a;/b;301 ", "1 /a>/b CODE_INVALID\n2 /a>/b CODE_INVALID\n3 /a>/b"},
		"kind":                     {"/a;/b;;regex\n/a;/b;;prefix\n/a/*;/b;;PATTERN", "1 /a>/b KIND_UNKNOWN\n2 /a>/b INVALID_SOURCE\n3 /a/*>/b"},
		"params":                   {"/a;/b;;;sometimes\n/a;/b;;;Drop", "1 /a>/b OPTION_INVALID\n2 /a>/b"},
		"condition":                {"/a;/b;;;;novalue\n/a*;/b;;;;k=v\n/a;/b;;;;k=v", "1 /a>/b QUERY_INVALID\n2 /a*>/b QUERY_INVALID\n3 /a>/b"},
		"always":                   {"/a;/b;;;;;maybe\n/a;/b;;;;;YES", "1 /a>/b OPTION_INVALID\n2 /a>/b"},
		"note":                     {"/a;/b;;;;;;" + strings.Repeat("n", 501) + "\n/a;/b;;;;;;" + strings.Repeat("é", 500), "1 /a>/b NOTE_INVALID\n2 /a>/b"},
		"repeated key":             {"/a;/b\n/A/;/c\n/a;/d;;;;k=v\n/a;/b", "1 /a>/b\n2 /A/>/c DUPLICATE_IN_FILE\n3 /a>/d\n4 /a>/b DUPLICATE_IN_FILE"},
		"bad line reserves no key": {"/a;bad\n/a;/b", "1 /a>bad INVALID_TARGET\n2 /a>/b"},
	} {
		if got := outline(t, c[0]); got != c[1] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c[1])
		}
	}
}

func TestImportedRule(t *testing.T) {
	rows, err := ParseImport("/Goods/*;/shop;302;;drop;;1;a note; with \"all\" of the line\n/a;/b;;;;?k=v;no\n/c;/d;;;;;;")
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for i, want := range []Rule{
		{Kind: Prefix, From: "/Goods/*", To: "/shop", Code: 302, Enabled: true, OverrideLive: true, DropQuery: true, Note: `a note; with "all" of the line`},
		{Kind: Exact, From: "/a", To: "/b", Code: 301, Enabled: true, QueryMatch: "k=v"},
		{Kind: Exact, From: "/c", To: "/d", Code: 301, Enabled: true},
	} {
		if rows[i].Rule != want || rows[i].NoteGiven != (i != 1) || rows[i].Status() != "" {
			t.Errorf("%+v\nwant %+v", rows[i], want)
		}
	}
}

func TestExternalImport(t *testing.T) {
	rows, err := ParseImportExternal("/a;https://e.test/x\n/b;/c\n/d;ftp://e.test\n/e,http://e.test,302")
	if err != nil || !rows[0].Rule.External || rows[1].Rule.External || rows[2].Reason != InvalidTarget || !rows[3].Rule.External {
		t.Errorf("%+v %v", rows, err)
	}
}

func TestStatusOfARow(t *testing.T) {
	for reason, want := range map[Reason]Status{"": "", DuplicateInFile: StatusSkipped, LineMalformed: StatusError} {
		if got := (Row{Reason: reason}).Status(); got != want {
			t.Errorf("%q is %q", reason, got)
		}
	}
}

func TestImportLimit(t *testing.T) {
	text := "from;to\n# comment\n\n"
	for i := range MaxImport {
		text += fmt.Sprintf("/a%d;/b\n", i)
	}
	if rows, err := ParseImport(text); err != nil || len(rows) != MaxImport {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if rows, err := ParseImport(text + "/one-more;/b"); codeOf(err) != "REDIRECT_IMPORT_TOO_LARGE" || rows != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestExportIsSafeInASpreadsheet(t *testing.T) {
	rule := Rule{Kind: Exact, From: "/a", To: "/b", Code: 301, Enabled: true}
	for note, want := range map[string]string{
		"":                            "/a;/b;301;exact;keep;;;\n",
		"plain":                       "/a;/b;301;exact;keep;;;plain\n",
		`=HYPERLINK("http://e.test")`: `/a;/b;301;exact;keep;;;"'=HYPERLINK(""http://e.test"")"` + "\n",
		"+1":                          `/a;/b;301;exact;keep;;;"'+1"` + "\n",
		" @x":                         `/a;/b;301;exact;keep;;;"' @x"` + "\n",
		"a;b":                         `/a;/b;301;exact;keep;;;"a;b"` + "\n",
		"two\nlines":                  "/a;/b;301;exact;keep;;;two lines\n",
	} {
		rule.Note = note
		if got := string(WriteCSV([]Rule{rule})); got != want {
			t.Errorf("%q: %s", note, got)
		}
	}
	rule.QueryMatch, rule.Note, rule.Enabled = "=1=2", "", false
	if got := string(WriteCSV([]Rule{rule})); got != `# /a;/b;301;exact;keep;"'=1=2";;`+"\n" {
		t.Error(got)
	}
}

var (
	hostileText = rapid.StringOfN(rapid.RuneFrom([]rune("ab=+-@'\" ;,\t→>#|%\u00a0é＝\uFEFF")), 0, 12, -1)
	hostilePath = rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab=+-@'\" ;,→>/%2A*$1\u00a0é")), 0, 12, -1).Draw(t, "path")
		return "/" + text
	})
)

func genStoredRule(t *rapid.T) Rule {
	r, err := Normalize(Rule{
		From: hostilePath.Draw(t, "from"), To: rapid.SampledFrom([]string{"", "", "https://e.test"}).Draw(t, "origin") + hostilePath.Draw(t, "to"),
		External: true, Enabled: true, Code: rapid.SampledFrom([]int{301, 302}).Draw(t, "code"), DropQuery: rapid.Bool().Draw(t, "drop"),
		OverrideLive: rapid.Bool().Draw(t, "always"), QueryMatch: rapid.SampledFrom([]string{"", "'=a=b", "@k=;\"v,", "k=->"}).Draw(t, "condition"),
		Note: hostileText.Draw(t, "note"), Kind: rapid.SampledFrom([]Kind{"", "", Pattern}).Draw(t, "kind"),
	})
	if err != nil {
		return Rule{Kind: Exact, From: "/x", To: "/y", Code: 301, Enabled: true, Note: oneLine(hostileText.Draw(t, "note"))}
	}
	return r
}

func TestExportThenImportRestoresTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfNDistinct(rapid.Custom(genStoredRule), 0, 8, Rule.DuplicateKey).Draw(t, "rules")
		text := string(WriteCSV(rules))
		rows, err := ParseImportExternal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back []Rule
		for _, row := range rows {
			if row.Reason != "" || !row.NoteGiven {
				t.Fatalf("%s\nrow %+v", text, row)
			}
			back = append(back, row.Rule)
		}
		if !slices.Equal(back, rules) {
			t.Fatalf("%s\n%+v\nwas\n%+v", text, back, rules)
		}
		disabled := slices.Clone(rules)
		for i := range disabled {
			disabled[i].Enabled = false
		}
		if rows, err := ParseImportExternal(string(WriteCSV(disabled))); err != nil || len(rows) > 0 {
			t.Fatalf("disabled rules come back as %+v %v", rows, err)
		}
	})
}

func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"from;to\n/a;/b;301;exact;keep;k=v;yes;note; more\r/c -> /d\n# x\r\n\"/e,\"\"f\",/g", "\uFEFF/a\t/b", "/a;\"'=1\"\n/a,/b;,c",
		"\xff\xfe/\x00a\x00", "/a/*;https://e.test/$1;;pattern",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ParseImportExternal(text)
		if err != nil {
			return
		}
		var good []Rule
		last := 0
		for _, row := range rows {
			if row.Line <= last || row.Reason == "" && row.Rule.Kind == "" {
				t.Fatalf("row %+v after line %d", row, last)
			}
			last = row.Line
			if row.Reason == "" {
				good = append(good, row.Rule)
			}
		}
		again, err := ParseImportExternal(string(WriteCSV(good)))
		if err != nil || len(again) != len(good) {
			t.Fatalf("%d of %d rules come back (%v)", len(again), len(good), err)
		}
		for i, row := range again {
			if row.Reason != "" || row.Rule != good[i] {
				t.Fatalf("%+v came back as %+v", good[i], row)
			}
		}
	})
}
