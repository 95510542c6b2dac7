package feed

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestBodyHasAtMost65536Bytes(t *testing.T) {
	for _, c := range []struct {
		size int
		code string
	}{{MaxBody - 1, ""}, {MaxBody, ""}, {MaxBody + 1, CodeTooLarge}} {
		_, problems := Compile("a.txt", strings.Repeat("x", c.size))
		if c.code == "" && problems != nil || c.code != "" && (len(problems) != 1 || problems[0].Code != c.code) {
			t.Errorf("%d bytes: %v", c.size, problems)
		}
	}
	if _, problems := Compile("a.txt", "a\xff"); len(problems) != 1 || problems[0].Code != CodeNotUTF8 {
		t.Errorf("not UTF-8: %v", problems)
	}
}

// refusedAtSaving lists bodies with the line of their problem.
var refusedAtSaving = []struct {
	body string
	line int
}{
	{"a\n{{", 2},
	{"{{if}}{{end}}", 1},
	{"\n\n{{nope 1}}", 3},
	{"{{call .X}}", 1},
	{"\n{{$x}}", 2},
	{"{{range 5}}", 1},
	{"\n{{break}}", 2},
	{"{{define \"a\"}}\n{{template \"a\"}}{{end}}", 2},
	{"{{define \"a\"}}{{template \"b\"}}{{end}}\n{{define \"b\"}}{{if 0}}{{range 1}}{{else}}{{with 1}}{{template \"c\"}}{{end}}{{end}}{{end}}{{end}}\n{{define \"c\"}}{{template \"a\"}}{{end}}", 3},
	{"{{block \"a\" .}}{{template \"a\" .}}{{end}}", 1},
	{"\n{{template \"body of the file\"}}", 2},
	{"\n{{template \"missing\"}}", 2},
	{"\n{{$x = 1}}", 2},
	{"{{$ = 1}}", 1},
	{"{{range $x = 5}}{{end}}", 1},
	{"{{1i}}", 1},
	{"{{print ($x := 1)}}", 1},
	{strings.Repeat("(", 20_000), 0},
	{"{{" + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000) + "}}", 1},
}

func TestCompileReportsTheLineOfAProblem(t *testing.T) {
	for _, c := range refusedAtSaving {
		template, problems := Compile("a.txt", c.body)
		if c.line == 0 {
			continue
		}
		if template != nil || len(problems) != 1 || problems[0].Line != c.line || problems[0].Code != CodeInvalid {
			t.Errorf("%.60q: %v, want line %d", c.body, problems, c.line)
		}
	}
}

func TestStepsStopAtTheirBound(t *testing.T) {
	// The list of the body and its two nodes, then a list and a node for each iteration.
	for _, c := range []struct {
		steps   int
		stopped bool
	}{{22, true}, {23, false}, {24, false}} {
		_, result, problem := render("a.txt", "\n{{range 10}}x{{end}}", small(), Options{Steps: c.steps})
		if c.stopped != (problem != nil) {
			t.Errorf("%d steps: %v", c.steps, problem)
		}
		if problem == nil && result.Steps != 23 {
			t.Errorf("%d steps are counted, want 23", result.Steps)
		}
		if problem != nil && (problem.Cause != OutOfSteps || problem.Line != 2 || problem.Code != CodeInvalid) {
			t.Errorf("%d steps: %+v", c.steps, problem)
		}
	}
}

// endless lists bodies that would run for hours.
var endless = []string{
	"\n{{range 100000000000}}{{end}}",
	"\n{{range 100000}}{{range 100000}}{{end}}{{end}}",
	"\n{{range 100000000000}}{{else}}{{end}}",
	"\n{{range 100000000000}}{{continue}}{{end}}",
	"\n{{range $x := 100000000000}}{{$x = 1}}{{end}}",
	"\n{{range 100000000000}}{{if 0}}x{{end}}{{end}}",
	"\n{{range products}}{{range products}}{{range products}}{{range 1000000}}{{end}}{{end}}{{end}}{{end}}",
}

func TestEmptyLoopsStop(t *testing.T) {
	for i, body := range endless {
		most := 200_000
		if i == 0 {
			most = MaxSteps
		}
		_, result, problem := render("a.txt", body, small(), Options{Steps: most})
		if problem == nil || problem.Cause != OutOfSteps || problem.Line != 2 || result.Steps > most+1024 {
			t.Errorf("%s: %+v after %d steps", body, problem, result.Steps)
		}
	}
}

func TestExponentialCallsStop(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{{define "t0"}}{{end}}`)
	for i := range 60 {
		fmt.Fprintf(&b, `{{define "t%d"}}{{template "t%d"}}{{template "t%d"}}{{end}}`, i+1, i, i)
	}
	b.WriteString(`{{template "t60"}}`)
	if _, _, problem := render("a.txt", b.String(), small(), Options{Steps: 1_000_000}); problem == nil || problem.Cause != OutOfSteps {
		t.Error(problem)
	}
}

func TestDeepNestingRuns(t *testing.T) {
	depth := 4000
	body := strings.Repeat("{{if 1}}", depth) + "x" + strings.Repeat("{{end}}", depth)
	if out := must(t, "a.txt", body); out != "x" {
		t.Errorf("%.20q", out)
	}
	if out := must(t, "a.txt", "{{"+strings.Repeat("(", 9000)+"1"+strings.Repeat(")", 9000)+"}}"); out != "1" {
		t.Errorf("%.20q", out)
	}
	var b strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&b, `{{define "%d"}}{{template "%d"}}{{end}}`, i, i+1)
	}
	if out := must(t, "a.txt", b.String()+`{{define "1500"}}x{{end}}{{template "0"}}`); out != "x" {
		t.Errorf("%.20q", out)
	}
}

func TestOutputStopsAtItsBound(t *testing.T) {
	for _, c := range []struct {
		bytes   int
		stopped bool
	}{{99, true}, {100, false}, {101, false}} {
		out, result, problem := render("a.txt", "\n{{range 99}}{{printf \"x\"}}{{end}}", small(), Options{Bytes: c.bytes})
		if c.stopped != (problem != nil) || len(out) != min(c.bytes, 100) || result.Bytes != int64(len(out)) {
			t.Errorf("at most %d: %d bytes, %v", c.bytes, len(out), problem)
		}
		if problem != nil && (problem.Cause != OutOfBytes || problem.Line != 2) {
			t.Errorf("%+v", problem)
		}
	}
	t2, _ := Compile("a.txt", "{{range 60000}}"+strings.Repeat("x", 1000)+"{{end}}")
	result, problem := t2.Render(io.Discard, small(), Options{})
	if problem == nil || problem.Cause != OutOfBytes || result.Bytes != MaxOutput {
		t.Errorf("a flood: %v, %d bytes", problem, result.Bytes)
	}
}

func TestLongCSVCellsCountAsOutput(t *testing.T) {
	for _, body := range []string{`{{range 60000}}` + strings.Repeat("x", 1000) + `{{end}}`, `{{range 6000}}{{printf "%1000d" 1}}{{printf "%9000s" "x" | len}}{{end}}`} {
		tmpl, _ := Compile("a.csv", strings.ReplaceAll(body, "9000", "900"))
		if result, problem := tmpl.Render(io.Discard, small(), Options{Bytes: 1 << 20}); problem == nil || problem.Cause != OutOfBytes ||
			result.Bytes != 1<<20 {
			t.Errorf("%.30s: %v, %d bytes", body, problem, result.Bytes)
		}
	}
}

func TestValuesHaveAtMostOneMegabyte(t *testing.T) {
	for _, c := range []struct {
		expr string
		n    int // length of the longest text that it accepts
	}{
		{`print $x`, MaxValue}, {`println $x`, MaxValue - 1}, {`html $x`, MaxValue}, {`js $x`, MaxValue},
		{`urlquery $x`, MaxValue}, {`printf "%%s" $x`, MaxValue}, {`printf "%%s%%s" $x ""`, MaxValue}, {`printf "%%[1]s" $x`, MaxValue}, {`printf $x`, MaxValue},
	} {
		for _, extra := range []int{-1, 0, 1} {
			body := "\n{{range products}}{{$x := .Name}}{{len (" + strings.ReplaceAll(c.expr, "%%", "%") + ")}}{{end}}"
			_, _, problem := render("a.txt", body, named(strings.Repeat("x", c.n+extra)), Options{})
			if (extra > 0) != (problem != nil) {
				t.Errorf("%s of %d bytes: %v", c.expr, c.n+extra, problem)
			}
			if problem != nil && (problem.Line != 2 || problem.Code != CodeInvalid) {
				t.Errorf("%+v", problem)
			}
		}
	}
}

func TestWidthAndPrecisionAreAtMost1000(t *testing.T) {
	for _, form := range []string{`printf "%%%dd" 1`, `printf "%%-%ds" "x"`, `printf "%%.%df" 1.5`, `printf "%%0%d.3f" 1.5`, `printf "%%*d" %d 1`, `printf "%%.*f" %d 1.5`, `printf "%%[2]*[1]d" 1 %d`, `%d | printf "%%[2]*[1]d" 7`, `printf "%%1.%ds" "x"`} {
		for _, n := range []int{999, 1000, 1001} {
			expr := fmt.Sprintf(form, n)
			if _, _, problem := render("a.txt", "{{"+expr+"}}", small(), Options{}); (n > MaxWidth) != (problem != nil) {
				t.Errorf("%s: %v", expr, problem)
			}
		}
	}
	for _, expr := range []string{`printf "%*d" -1001 1`, `printf "%99999999999999999999d" 1`, `printf "%[0]d" 1`, `printf "%[9]d" 1`, `printf "%[x]d" 1`, `printf "%[1" 1`, `printf "%"`, `printf "%d"`, `printf "x" 1`, `printf "%d" "x"`, `printf "%s" 1`, `printf "%p" 1`, `printf "%v" .Shop`, `printf "%v" (products)`, `printf "%*d" "x" 1`, `printf "%.*d" -1 1`} {
		if _, _, problem := render("a.txt", "\n{{"+expr+"}}", small(), Options{}); problem == nil || problem.Line != 2 {
			t.Errorf("%s: %v", expr, problem)
		}
	}
}

// These bodies would take gigabytes if values were not bounded while they are built.
func TestBombsTakeLittleMemory(t *testing.T) {
	long := strings.Repeat("x", MaxValue-10)
	var waiting, kept strings.Builder
	for range 1500 {
		waiting.WriteString("(print $x 1) ")
	}
	for i := range 1500 {
		fmt.Fprintf(&kept, "{{$v%d := print $x %d}}", i, i)
	}
	for _, body := range []string{
		`{{$x := .Name}}{{printf "` + strings.Repeat("%[1]s", 10_000) + `" $x}}`,
		`{{$x := .Name}}{{printf "` + strings.Repeat("%[1]q", 10_000) + `" $x}}`,
		`{{$x := .Name}}{{len (and ` + waiting.String()[:len("(print $x 1) ")*50] + `)}}{{eq ` + waiting.String() + `}}`,
		`{{$x := .Name}}` + kept.String(),
		`{{$x := .Name}}` + strings.Repeat("{{with print $x 1}}", 1500) + strings.Repeat("{{end}}", 1500),
		`{{$x := .Name}}{{` + strings.Repeat("print (print $x 1) (", 1500) + "1" + strings.Repeat(")", 1500) + `}}`,
		`{{$x := .Name}}{{range 60}}{{$x = print (slice $x 0 1048000) .}}{{end}}{{index $x -1}}`,
	} {
		var before runtime.MemStats
		tmpl, problems := Compile("a.txt", "{{range products}}"+body+"{{end}}")
		if problems != nil {
			t.Fatalf("%.60s: %v", body, problems)
		}
		runtime.GC()
		runtime.ReadMemStats(&before)
		peak := uint64(0)
		_, problem := tmpl.Render(io.Discard, named(long), Options{Steps: 5_000, Stop: func() error {
			var now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
			return nil
		}})
		if problem == nil {
			t.Errorf("%.60s: is accepted", body)
		}
		if peak > before.HeapAlloc+64<<20 {
			t.Errorf("%.60s: %d MB", body, (peak-before.HeapAlloc)>>20)
		}
	}
}

func TestATemplateMakesAtMost20Selections(t *testing.T) {
	for n := 19; n <= 21; n++ {
		body := fmt.Sprintf(
			"\n{{range $i := %d}}{{range products (printf \"limit=%%d\" (len (slice \"%s\" $i)))}}{{end}}{{end}}", n,
			strings.Repeat("x", 30),
		)
		if _, _, problem := render("a.txt", body, small(), Options{}); (n > MaxSelections) != (problem != nil) {
			t.Errorf("%d selections: %v", n, problem)
		}
	}
	same := `{{range 100}}{{range products "limit=1" "category=9"}}{{end}}{{range products "category=9" "limit=1"}}{{end}}{{end}}`
	must(t, "a.txt", same)
}

func TestRangeOptions(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{``, "1 2 "},
		{`"include_zero_price=true"`, "1 2 3 "},
		{`"include_zero_price=false"`, "1 2 "},
		{`"category=shoes"`, "1 2 "}, // 2 by its extra category
		{`"category=coats"`, "2 "},
		{`"category=9"`, "1 2 "},
		{`"category=clothes,hidden"`, "1 2 "},
		{`"category=hidden"`, ""},
		{`"exclude_category=coats"`, "1 "},
		{`"exclude_category=10"`, ""},
		{`"category=9" "exclude_category=coats" "limit=1"`, "1 "},
		{`"limit=1"`, "1 "},
		{`"limit=50000"`, "1 2 "},
		{`"limit=50001"`, "!"}, {`"limit=0"`, "!"}, {`"limit=-1"`, "!"}, {`"limit=+1"`, "!"}, {`"limit=x"`, "!"}, {`"limit="`, "!"}, {`"limit=1.5"`, "!"},
		{`"category=nope"`, "!"}, {`"category=99"`, "!"}, {`"category="`, "!"}, {`"category=shoes,"`, "!"}, {`"exclude_category=nope"`, "!"},
		{`"colour=red"`, "!"}, {`"limit"`, "!"}, {`""`, "!"}, {`"include_zero_price=yes"`, "!"}, {`"limit=1" "limit=2"`, "!"}, {`"Limit=1"`, "!"},
	} {
		out, _, problem := render("a.txt", "\n{{range products "+c.options+"}}{{.ID}} {{end}}", small(), Options{})
		switch {
		case c.want == "!" && (problem == nil || problem.Line != 2 || problem.Code != CodeInvalid):
			t.Errorf("%s: %v", c.options, problem)
		case c.want != "!" && (problem != nil || out != "\n"+c.want):
			t.Errorf("%s: %q, %v", c.options, out, problem)
		}
	}
}

func TestARangeHasAtMost50000Products(t *testing.T) {
	for _, n := range []int{MaxProducts - 1, MaxProducts, MaxProducts + 1} {
		items := make([]Item, n)
		for i := range items {
			items[i].Product = Product{ID: int64(i), Price: 1}
		}
		out, result, problem := render("a.txt", "{{len products}}{{range products}}{{end}}", NewCatalogue(Contents{Items: items}), Options{})
		if problem != nil || out != fmt.Sprint(min(n, MaxProducts)) || result.Items != min(n, MaxProducts) || result.Products != n {
			t.Errorf("%d: %s, %d, %v", n, out, result.Items, problem)
		}
		if cut := len(result.Warnings) == 1 && result.Warnings[0].Code == CodeProductsCut && result.Warnings[0].Line == 1; cut != (n > MaxProducts) {
			t.Errorf("%d: %v", n, result.Warnings)
		}
		if _, result, _ := render("a.txt", `{{range products "limit=5"}}{{end}}`, NewCatalogue(Contents{Items: items}), Options{}); len(result.Warnings) != 0 {
			t.Errorf("a limit of the author's: %v", result.Warnings)
		}
	}
}

func TestPreviewLimitCapsEachRange(t *testing.T) {
	out, result, problem := render(
		"a.txt",
		`{{range products}}{{.ID}}{{end}}|{{range products "category=coats"}}{{.ID}}{{end}}|{{range products "limit=2"}}{{.ID}}{{end}}`,
		small(), Options{Limit: 1},
	)
	if problem != nil || out != "1|2|1" || result.Items != 2 {
		t.Errorf("%q, %d items, %v", out, result.Items, problem)
	}
}

func TestStopIsCalledWhereNothingIsWritten(t *testing.T) {
	late := errors.New("too late")
	for _, body := range []string{"\n{{range 100000000000}}{{end}}", "\n{{range 100000000000}}{{$x := html (printf \"%1000d\" .)}}{{end}}"} {
		asked := 0
		_, result, problem := render("a.txt", body, small(), Options{Stop: func() error {
			if asked++; asked == 3 {
				return late
			}
			return nil
		}})
		if problem == nil || problem.Code != CodeTimeout || problem.Cause != OutOfTime || problem.Line != 2 || !errors.Is(problem, late) ||
			result.Steps > 5000 {
			t.Errorf("%s: %+v after %d steps", body, problem, result.Steps)
		}
	}
}

type full struct{ left int }

func (w *full) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return w.left, io.ErrShortWrite
	}
	w.left -= len(p)
	return len(p), nil
}

func TestAWriteErrorEndsTheRender(t *testing.T) {
	tmpl, _ := Compile("a.txt", "{{range 1000000}}x{{end}}")
	if _, problem := tmpl.Render(&full{100_000}, small(), Options{}); problem == nil || problem.Cause != InWriter ||
		!errors.Is(problem, io.ErrShortWrite) {
		t.Error(problem)
	}
}

func TestDeadLinksGiveWarnings(t *testing.T) {
	out, result, problem := render("a.txt", "{{file_url 1}} {{file_path 1}}\n{{with product_url 5}}x{{else}}gone{{end}}", small(), Options{})
	if problem != nil || out != "https://a.test/ads.txt /ads.txt\ngone" || len(result.Warnings) != 1 || result.Warnings[0].Line != 2 {
		t.Errorf("%q %v %v", out, result.Warnings, problem)
	}
}

func TestStaticReportsBodiesWithoutActions(t *testing.T) {
	for body, want := range map[string]bool{"": true, "google.com, pub-1, DIRECT": true, "{{1}}": false, "{{/* x */}}a": false, "{{define \"x\"}}{{end}}": false} {
		tmpl, problems := Compile("ads.txt", body)
		if problems != nil || tmpl.Static() != want {
			t.Errorf("%q: %v", body, problems)
		}
	}
}

func TestFormatsAndContentTypes(t *testing.T) {
	for _, c := range []struct{ name, body, format, content string }{
		{"a.xml", "", "XML", "application/xml; charset=utf-8"},
		{"a.yml", "<?xml", "XML", "application/xml; charset=utf-8"},
		{"a.yml", "\ufeff{{/* c */}}\n {{$x := 1}}<a/>", "XML", "application/xml; charset=utf-8"},
		{"a.yml", "key: <value>", "plain", "text/plain; charset=utf-8"},
		{"a.yml", "{{", "plain", "text/plain; charset=utf-8"},
		{"a.csv", "<", "CSV", "text/csv; charset=utf-8"},
		{"a.json", "", "JSON", "application/json; charset=utf-8"},
		{"a.jsonl", "", "JSON lines", "application/jsonl; charset=utf-8"},
		{"a.html", "", "HTML", "text/html; charset=utf-8"},
		{"a.txt", "<", "plain", "text/plain; charset=utf-8"},
		{"A.XML", "", "XML", "application/xml; charset=utf-8"},
	} {
		if got, content := FormatOf(c.name, c.body).String(), ContentType(c.name, c.body); got != c.format || content != c.content {
			t.Errorf("%s %q: %s, %s", c.name, c.body, got, content)
		}
	}
}
