package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reports is a test that keeps what is reported.
type reports struct {
	testing.TB
	lines []string
}

func (r *reports) Helper()                      {}
func (r *reports) Errorf(text string, v ...any) { r.lines = append(r.lines, fmt.Sprintf(text, v...)) }
func (r *reports) Fatalf(text string, v ...any) { r.Errorf(text, v...) }

func (r *reports) are(want ...string) {
	r.TB.Helper()
	if got := strings.Join(r.lines, "\n"); got != strings.Join(want, "\n") {
		r.TB.Errorf("reports\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestEachDifferenceIsOneLine(t *testing.T) {
	for _, c := range []struct {
		got     string
		ordered []string // the reports for a file, behind its name
		rows    []string // those in any order, behind the name of the list
	}{
		{"a: 1,b: 2,c,d: 4", nil, nil},
		{"a: 1,b: 2,x: 9,c,d: 4", []string{"3: additional: x: 9"}, []string{"additional: x: 9"}},
		{"x,a: 1,b: 2,c,d: 4", []string{"1: additional: x"}, []string{"additional: x"}},
		{"a: 1,b: 2,c,d: 4,x", []string{"5: additional: x"}, []string{"additional: x"}},
		{"a: 1,b: 2,b: 2,c,d: 4", []string{"3: additional: b: 2"}, []string{"additional: b: 2"}},
		{"a: 1,c,d: 4", []string{"2: missing: b: 2"}, []string{"missing: b: 2"}},
		{"a: 1,b: 3,c,d: 4", []string{"2: changed: b: 3, want b: 2"}, []string{"changed: b: 3, want b: 2"}},
		{"a: 1,c,d: 4,b: 2", []string{"2: out of order: b comes after d"}, nil},
		{"d: 4,c,b: 2,a: 1", []string{"3: out of order: c comes after d"}, nil},
		{
			"a: 7,c,b: 2,x", []string{"1: changed: a: 7, want a: 1", "2: out of order: b comes after c", "3: additional: x", "4: missing: d: 4"},
			[]string{"changed: a: 7, want a: 1", "additional: x", "missing: d: 4"},
		},
	} {
		t.Run(c.got, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rows.txt")
			if err := os.WriteFile(file, []byte("a: 1\nb: 2\nc\nd: 4\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			of := &reports{TB: t}
			File(of, file, strings.ReplaceAll(c.got, ",", "\n")+"\n")
			of.are(prefixed(file+":", c.ordered)...)
			of = &reports{TB: t}
			Rows(of, "letters", strings.Split(c.got, ","), []string{"a: 1", "b: 2", "c", "d: 4"})
			of.are(prefixed("letters: ", c.rows)...)
		})
	}
}

func prefixed(prefix string, list []string) (out []string) {
	for _, line := range list {
		out = append(out, prefix+line)
	}
	return out
}

func TestListsInTheCodeAndMaps(t *testing.T) {
	of := &reports{TB: t}
	Ordered(of, "letters", []string{"b", "x", "a"}, []string{"a", "b"})
	Map(of, "numbers", map[string]int{"a": 1, "b": 3, "x": 9}, map[string]int{"a": 1, "b": 2})
	Rows(of, "letters", []string{"a: 2"}, []string{"a: 1", "a: 2"})
	of.are("letters: additional: x", "letters: out of order: a comes after b",
		"numbers: changed: b: 3, want b: 2", "numbers: additional: x: 9",
		`letters: "a: 2" has the key of an earlier row`)
}
