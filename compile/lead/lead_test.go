package lead

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/await"
)

// fault returns the position of the mistake in a form with one field.
func fault(t *testing.T, field string) string {
	t.Helper()
	fields, err := Parse([]byte("[" + field + "]"))
	if err != nil {
		return "json"
	}
	var f *Fault
	if err := Check(fields); errors.As(err, &f) {
		return strings.TrimPrefix(f.At, "fields[0].")
	} else if err != nil {
		t.Fatal(err)
	}
	return ""
}

func TestCheck(t *testing.T) {
	for field, want := range map[string]string{
		`{"name":"a"}`:              "",
		`{"name":"a","type":"tel"}`: "", // from older forms
		`{"name":"a","type":"phone","rules":{"min_length":5,"max_length":20,"pattern":"\\+49.*"},"placeholder":"+49 …"}`: "",
		`{"name":"a","type":"number","rules":{"min":-1.5,"max":"1,5"}}`:                                                  "",
		`{"name":"a","type":"date","rules":{"min":"2026-01-01","max":"2026-12-31"}}`:                                     "",
		`{"name":"a","type":"radio","options":["S","L"]}`:                                                                "",
		`{"name":"a","type":"consent","label":"I agree","url":"/privacy"}`:                                               "",
		`{"name":"a","type":"file","rules":{"max_size":10485760}}`:                                                       "",
		`{"name":"a","type":"hidden","rules":null}`:                                                                      "",
		`{"name":"1"}`:                   "name",
		`{"name":"a b"}`:                 "name",
		`{"name":""}`:                    "name",
		`{"name":"a","type":"password"}`: "type",
		`{"name":"a","label":"` + strings.Repeat("x", 256) + `"}`:                    "label",
		`{"name":"a","label":"a\nb"}`:                                                "label",
		`{"name":"a","help":"` + strings.Repeat("x", 501) + `"}`:                     "help",
		`{"name":"a","type":"radio"}`:                                                "options",
		`{"name":"a","type":"select","options":["S",""]}`:                            "options[1]",
		`{"name":"a","type":"select","options":["S"," L"]}`:                          "options[1]",
		`{"name":"a","type":"select","options":["S","L","S"]}`:                       "options[2]",
		`{"name":"a","options":["S"]}`:                                               "options",
		`{"name":"a","type":"checkbox","placeholder":"x"}`:                           "placeholder",
		`{"name":"a","url":"/x"}`:                                                    "url",
		`{"name":"a","type":"consent"}`:                                              "label",
		`{"name":"a","type":"consent","label":"x","url":"javascript:alert(1)"}`:      "url",
		`{"name":"a","type":"consent","label":"x","url":"//evil.test"}`:              "url",
		`{"name":"a","type":"consent","label":"x","url":"https://a@evil.test"}`:      "url",
		`{"name":"a","rules":{"min_length":-1}}`:                                     "rules.min_length",
		`{"name":"a","rules":{"min_length":9,"max_length":3}}`:                       "rules.max_length",
		`{"name":"a","rules":{"max_length":5001}}`:                                   "rules.max_length",
		`{"name":"a","rules":{"min":1}}`:                                             "rules.",
		`{"name":"a","rules":{"max_size":1}}`:                                        "rules.max_size",
		`{"name":"a","type":"file","rules":{"max_size":10485761}}`:                   "rules.max_size",
		`{"name":"a","type":"select","options":["S"],"rules":{"pattern":"x"}}`:       "rules.",
		`{"name":"a","type":"number","rules":{"min":"x"}}`:                           "rules.min",
		`{"name":"a","type":"number","rules":{"min":"1e999999999"}}`:                 "rules.min",
		`{"name":"a","type":"number","rules":{"min":2,"max":1}}`:                     "rules.max",
		`{"name":"a","type":"date","rules":{"min":"2026-02-30"}}`:                    "rules.min",
		`{"name":"a","type":"date","rules":{"min":"2026-03-01","max":"2026-01-01"}}`: "rules.max",
		`{"name":"a","type":"date","rules":{"min":[1]}}`:                             "json",
		`{"name":"a","rules":{"pattern":"("}}`:                                       "rules.pattern",
		`{"name":"a","rules":{"pattern":"(?=x)"}}`:                                   "rules.pattern",
		`{"name":"a","rules":{"pattern":"(a)\\1"}}`:                                  "rules.pattern",
		`{"name":"a","rules":{"pattern":"x{1000}{1000}"}}`:                           "rules.pattern",
		`{"name":"a","rules":{"pattern":"(x{50}){20}"}}`:                             "rules.pattern",
		`{"name":"a","rules":{"pattern":"` + strings.Repeat("x", 201) + `"}}`:        "rules.pattern",
	} {
		if got := fault(t, field); got != want {
			t.Errorf("%s: the fault is at %q, want %q", field, got, want)
		}
	}
	many := strings.Repeat(`{"name":"a","type":"file"},`, 6)
	for i := range 6 {
		many = strings.Replace(many, `"a"`, fmt.Sprintf(`"f%d"`, i), 1)
	}
	fields, err := Parse([]byte("[" + strings.TrimSuffix(many, ",") + "]"))
	if got := Check(fields); err != nil || got == nil || !strings.HasPrefix(got.Error(), "fields[5].type") {
		t.Errorf("six files: %v %v", got, err)
	}
	if got := Check([]Field{{Name: "a"}, {Name: "a"}}); got == nil || got.Error() != "fields[1].name: another field has it" {
		t.Errorf("a twin: %v", got)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ field, value, kept, rule string }{
		{`{"name":"a"}`, " x ", "x", ""}, {`{"name":"a","required":true}`, " \r\n", "", "required "}, {`{"name":"a"}`, "", "", ""},
		{`{"name":"a"}`, strings.Repeat("x", 5001), "", "max_length 5000"},
		{`{"name":"a","rules":{"min_length":3}}`, "ab", "", "min_length 3"}, {`{"name":"a","rules":{"min_length":3}}`, "", "", ""},
		{`{"name":"a","rules":{"max_length":3}}`, "a\r\nb", "a\nb", ""}, {`{"name":"a","rules":{"max_length":3}}`, "🙂🙂", "", "max_length 3"},
		{`{"name":"a","rules":{"pattern":"a|bc"}}`, "bc", "bc", ""}, {`{"name":"a","rules":{"pattern":"a|bc"}}`, "abc", "", "pattern "},
		{`{"name":"a","rules":{"pattern":"(?m)^a$"}}`, "a\nb", "", "pattern "}, {`{"name":"a","rules":{"pattern":"(?i)straße"}}`, "STRAßE", "STRAßE", ""},
		{`{"name":"a","type":"email"}`, "a@b", "a@b", ""}, {`{"name":"a","type":"email"}`, "a b@c", "", "type "},
		{`{"name":"a","type":"email"}`, strings.Repeat("a", 250) + "@b.de", "", "type "},
		{`{"name":"a","type":"phone"}`, "+49 (30) 123-45", "+49 (30) 123-45", ""}, {`{"name":"a","type":"phone"}`, "call me", "", "type "},
		{`{"name":"a","type":"phone"}`, "12", "", "type "}, {`{"name":"a","type":"phone"}`, "+1 202 x 5", "", "type "},
		{`{"name":"a","type":"number","rules":{"min":1.5,"max":3}}`, "1,5", "1,5", ""}, {`{"name":"a","type":"number","rules":{"min":1.5}}`, "1.49", "", "min 1.5"},
		{`{"name":"a","type":"number","rules":{"max":3}}`, "3.00000000000000000001", "", "max 3"}, {`{"name":"a","type":"number"}`, "1e5", "", "type "},
		{`{"name":"a","type":"number"}`, strings.Repeat("9", 41), "", "type "},
		{`{"name":"a","type":"date","rules":{"min":"2026-01-01"}}`, "2026-02-29", "", "type "}, {`{"name":"a","type":"date"}`, "2024-02-29", "2024-02-29", ""},
		{`{"name":"a","type":"date","rules":{"min":"2026-01-01"}}`, "2025-12-31", "", "min 2026-01-01"}, {`{"name":"a","type":"date"}`, "31.12.2026", "", "type "},
		{`{"name":"a","type":"radio","options":["S"]}`, "S", "S", ""}, {`{"name":"a","type":"select","options":["S"]}`, "s", "", "options "},
		{`{"name":"a","type":"consent","label":"x","required":true}`, "yes", "yes", ""}, {`{"name":"a","type":"consent","label":"x","required":true}`, "False", "", "required "},
		{`{"name":"a","type":"checkbox"}`, "off", "", ""}, {`{"name":"a","type":"checkbox"}`, strings.Repeat("x", 256), "", "type "},
		{`{"name":"a","type":"hidden"}`, "x", "x", ""},
	} {
		fields, err := Parse([]byte("[" + c.field + "]"))
		if err == nil {
			err = Check(fields)
		}
		if err != nil {
			t.Fatal(c.field, err)
		}
		kept, refused := fields[0].Read(c.value)
		rule := ""
		if refused != nil {
			rule = string(refused.Rule) + " " + refused.Limit
			if says := fields[0].Says(*refused); !strings.HasPrefix(says, "a ") || len(says) < 8 {
				t.Errorf("%s says %q", c.field, says)
			}
		}
		if kept != c.kept || rule != c.rule {
			t.Errorf("%s: %.30q is kept as %q, refused by %q; want %q, %q", c.field, c.value, kept, rule, c.kept, c.rule)
		}
	}
}

func TestLimitsKeepTheirFormat(t *testing.T) {
	for in, want := range map[string]string{
		`{"min":1.5}`: `{"min":1.5}`, `{"min":"7","max":null}`: `{"min":7}`, `{"min":"1,5"}`: `{"min":"1,5"}`, `{"max":"2026-01-01"}`: `{"max":"2026-01-01"}`, `{"max":"007"}`: `{"max":"007"}`,
	} {
		var r Rules
		if err := json.Unmarshal([]byte(in), &r); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("%s is %s %v", in, got, err)
		}
	}
}

func TestCheckSuccess(t *testing.T) {
	for _, c := range []struct{ action, url, at string }{
		{"", "", ""}, {"page", "/thanks?x=1#y", ""}, {"url", "https://example.com/дом", ""}, {"text", "/x", "success.url"}, {"page", "https://example.com", "success.url"},
		{"page", "//evil.test", "success.url"}, {"page", `/\evil.test`, "success.url"}, {"page", "/a b", "success.url"}, {"url", "javascript:alert(1)", "success.url"},
		{"url", "https://", "success.url"}, {"url", "http://a:b@c", "success.url"}, {"url", "/x", "success.url"}, {"url", "https://a\nb", "success.url"}, {"mail", "x", "success.action"},
	} {
		s := Success{Action: Action(c.action), URL: c.url}
		err, at := s.Check(), ""
		if err != nil {
			at, _, _ = strings.Cut(err.Error(), ":")
		}
		if at != c.at {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The expression for browsers is generated from the parsed pattern.
func TestPatternsArePrintedForBrowsers(t *testing.T) {
	for pattern, want := range map[string]string{
		`[\d()+-]+`: `[\u{28}-\u{29}\u{2B}\u{2D}0-9]+`, `a.`: `a[^\n]`, `x{2,}|y`: `(?:x{2,})|y`, `(?i)k`: `[Kk\u{212A}]`, `^a{3}$`: `(?:^)(?:a{3})(?:$)`,
		// Too many backtracking paths for a browser, or no JavaScript equivalent.
		`(a+)+`: "", `(?:a|b*){3}`: "", `\bx`: "", `(?m)^x`: "", `[^\x00-\x{10FFFF}]`: "",
	} {
		p, err := compile(pattern)
		if err != nil {
			t.Fatal(pattern, err)
		}
		if p.script != want {
			t.Errorf("%s is printed as %s, want %s", pattern, p.script, want)
		}
	}
}

// A browser interprets a pattern like the server does. If no JavaScript runtime is installed,
// only the browser tests check this.
func TestBrowsersInterpretPatternsLikeTheServer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		return
	}
	texts := []string{"", "a", "A", "abc", "a\nb", "12-34", "(0)", "é", "ß", "ẞ", "ſ", "K", "\u2028", "🙂", "a\u00a0b", "xx", "yyy", "a/b", "[x]"}
	patterns := rapid.StringMatching(`((\(\?i\))?([a-cß]|\.|\[\^?[a-cx-z]\]|\\d|\\W|\\s|\\\(|\[\]\/()|-]|\\p\{Lu\}|x\|y|\(a\|bc\))(\?|\*|\+|\{1,3\})?){1,4}`)
	var told []pattern
	var written, printed []string
	for seed := range 1000 {
		text := patterns.Example(seed)
		if p, err := compile(text); err == nil && p.script != "" {
			told, written, printed = append(told, p), append(written, text), append(printed, p.script)
		}
	}
	in, err := json.Marshal([]any{printed, texts})
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(await.Context(t), node, "-e", `const [all, texts] = JSON.parse(require('fs').readFileSync(0));
		for (const p of all) { const e = new RegExp('^(?:' + p + ')$', 'v'); console.log(texts.map((t) => e.test(t)).join(' ')) }`)
	run.Stdin = strings.NewReader(string(in))
	out, err := run.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(told) || len(told) < 300 {
		t.Fatalf("%d patterns: %v %.500s", len(told), err, out)
	}
	for i, line := range lines {
		for n, says := range strings.Fields(line) {
			if (says == "true") != told[i].matches(texts[n]) {
				t.Errorf("%s as %s on %q: the browser says %s", written[i], printed[i], texts[n], says)
			}
		}
	}
}

// FuzzForm checks that every form can be checked, and that a valid form accepts any value or
// refuses it with a message.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`[{"name":"a","type":"number","rules":{"min":1,"max":"2"}}]`), "1,5")
	f.Add([]byte(`[{"name":"a","rules":{"pattern":"(?i)[a-z]+\\x{1F600}"}},{"name":"b","type":"date","rules":{"min":"2026-01-01"}}]`), "x")
	f.Fuzz(func(t *testing.T, form []byte, value string) {
		fields, err := Parse(form)
		if err != nil || Check(fields) != nil {
			return
		}
		for i := range fields {
			x := &fields[i]
			kept, refused := x.Read(value)
			if again, no := x.Read(kept); kept != "" && (again != kept || no != nil) {
				t.Errorf("%+v keeps %q, but reading that again gives %q %v", x, kept, again, no)
			}
			if refused != nil && (kept != "" || x.Says(*refused) == "") || Units(kept) > MaxValue || x.MaxSize() > MaxFile || x.Pattern() != "" && x.Type == Hidden {
				t.Errorf("%+v: %q is kept as %q, %+v", x, value, kept, refused)
			}
		}
		stored, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(stored)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(fields) {
			t.Errorf("%v is read again as %v, %v", fields, again, err)
		}
	})
}
