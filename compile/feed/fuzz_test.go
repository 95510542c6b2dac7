package feed

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// FuzzRender compiles and renders arbitrary bodies in every format, within small bounds.
func FuzzRender(f *testing.F) {
	for i, body := range append(append(append([]string{}, agree...), fail...), endless...) {
		f.Add([]string{"a.xml", "a.json", "a.csv", "a.html", "a.yml", "a.txt"}[i%6], body)
	}
	for _, c := range escapes {
		f.Add(c.file, c.body)
	}
	for _, c := range refusedAtSaving {
		f.Add("a.txt", c.body)
	}
	f.Add("a.yml", yandex)
	f.Add("a.xml", google)
	c := small()
	f.Fuzz(func(t *testing.T, name, body string) {
		template, problems := Compile(name, body)
		if (template == nil) != (len(problems) > 0) {
			t.Fatal("neither a template nor a problem, or both")
		}
		if template == nil {
			return
		}
		const most = 1 << 20
		var b strings.Builder
		result, problem := template.Render(&b, c, Options{Steps: 10_000, Bytes: most, Now: noon, Trace: true})
		if problem != nil && problem.Cause == InProgram {
			t.Fatal(problem.Err)
		}
		if b.Len() > most || result.Bytes != int64(b.Len()) {
			t.Fatalf("%d bytes are written, %d reported", b.Len(), result.Bytes)
		}
		out := []byte(b.String())
		for at := 0; at < len(out); at += 1 + len(out)/16 {
			if line, id := result.Line(out, at), result.Product(at); line < 1 || id < 0 || id > int64(c.Len()) {
				t.Fatalf("the byte at %d is of line %d and product %d", at, line, id)
			}
		}
		if problem == nil && template.Static() && b.String() != body {
			t.Fatalf("a static body becomes %q", b.String())
		}
	})
}

// bounded is a writer that fails after most bytes.
type bounded struct {
	strings.Builder
	most int
}

var errFull = errors.New("full")

func (w *bounded) Write(p []byte) (int, error) {
	if w.Len()+len(p) > w.most {
		return 0, errFull
	}
	return w.Builder.Write(p)
}

// FuzzSameAsTextTemplate compares the compiled template with text/template: both write
// the same bytes or fail in the same line.
func FuzzSameAsTextTemplate(f *testing.F) {
	for _, body := range append(append([]string{}, agree...), fail...) {
		f.Add(body)
	}
	f.Add(yandex)
	f.Add(google)
	c := small()
	f.Fuzz(func(t *testing.T, body string) { differ(t, c, body) })
}

// deviation reports whether a problem is one where the language differs from
// text/template on purpose: printf and similar functions refuse arguments that Go
// would describe in the output, and structures are not printed.
func deviation(p *Problem) bool {
	for _, words := range []string{"printf", "cannot be printed", "cannot be made into text", "no order", "too large", "longer than", "at once", "different selections", "pictures", "is not an id", "now does not take", "slice takes", "cannot compare", "cannot be compared", "out of range"} {
		if strings.Contains(p.Message, words) {
			return true
		}
	}
	return false
}

// shortcuts matches functions after which error lines differ: text/template reports
// the line of the argument that decided, this package the line of the function.
var shortcuts = regexp.MustCompile(`\b(and|or)\b`)

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func differ(t failer, c *Catalogue, body string) {
	template, problems := Compile("a.txt", body)
	if problems != nil {
		return
	}
	// A bounded run first, because text/template might not end.
	const most = 1 << 16
	var got strings.Builder
	_, problem := template.Render(&got, c, Options{Steps: 5_000, Bytes: most, Now: noon})
	if problem != nil && (problem.Cause != InTemplate && problem.Cause != InProgram || deviation(problem)) {
		return
	}
	want := bounded{most: 2 * most}
	err := reference(&want, body, c)
	switch {
	case problem != nil && problem.Cause == InProgram:
		t.Fatal(problem.Err)
	case problem == nil && err == nil:
		if got.String() != want.String() {
			t.Fatalf("%s\n got %q\nwant %q", body, got.String(), want.String())
		}
	case problem == nil:
		t.Fatalf("%s\nwrites %q\nbut text/template says %v", body, got.String(), err)
	case err == nil:
		t.Fatalf("%s\nis refused: %v\nbut text/template writes %q", body, problem, want.String())
	default:
		if line := located(err).Line; line != problem.Line && !shortcuts.MatchString(body) {
			t.Fatalf("%s\nfails in line %d (%v), text/template in line %d: %v", body, problem.Line, problem, line, err)
		}
	}
}
