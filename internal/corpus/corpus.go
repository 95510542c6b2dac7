// Package corpus reads the cases of the directory testdata for the tests of the packages
// that share them. testdata/README.md explains the fields.
package corpus

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Lines decodes a file of testdata with one JSON object per line.
func Lines[T any](t testing.TB, name string) (rows []T) {
	t.Helper()
	for line := range bytes.Lines(read(t, name)) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no case", name)
	}
	return rows
}

// Markup is one file of testdata/markup: a document, or a part of one, and the expected
// output (document 3, 4.6).
type Markup struct {
	ID     string
	Level  string // css, srcset or html
	Input  []byte
	Page   string   // the requested path; empty: any outside the guarded zones
	Files  []string // the manifest; nil: every relative address is in it
	Data   []byte   // JSON: binding data by root name; nil: none
	Expect Expectation
}

// Expectation is what the output must satisfy. Nil pointers and empty lists are not
// checked.
type Expectation struct {
	Equals             *string
	Contains           []string
	NotContains        []string
	Order              []string    // pieces that must follow one another
	DOM                [][3]string // selector; attribute, #text or #count; value or <absent>
	Title, Description *string     // of the page's SEO
	Report             []string    // codes
	Error              string      // a code: there is no output
}

// Markups reads the cases of the html runtime, sorted by name.
func Markups(t testing.TB) (cases []Markup) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "markup", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata/markup has no case: %v", err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		m := Markup{ID: strings.TrimSuffix(name, ".txt")}
		archive := txtar.Parse(read(t, filepath.Join("markup", name)))
		m.head(t, string(archive.Comment))
		for _, f := range archive.Files {
			m.section(t, f.Name, bytes.TrimSuffix(f.Data, []byte("\n")))
		}
		cases = append(cases, m)
	}
	return cases
}

// head reads the lines before the first section.
func (m *Markup) head(t testing.TB, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "level":
			m.Level = value
		case "page":
			m.Page = value
		case "files":
			m.Files = strings.Fields(value)
		case "report":
			m.Expect.Report = strings.Fields(value)
		case "error":
			m.Expect.Error = value
		case "rule", "title", "why", "assume": // documentation
		default:
			t.Fatalf("%s: unknown line %q", m.ID, line)
		}
	}
}

func (m *Markup) section(t testing.TB, name string, data []byte) {
	t.Helper()
	text, e := string(data), &m.Expect
	switch kind, times, _ := strings.Cut(name, " x "); kind {
	case "input":
		m.Input = bytes.Repeat(data, max(1, number(t, times)))
	case "input.base64":
		m.Input = decoded(t, text)
	case "data.json":
		m.Data = data
	case "equals":
		e.Equals = &text
	case "contains":
		e.Contains = append(e.Contains, text)
	case "not_contains":
		e.NotContains = append(e.NotContains, text)
	case "order":
		e.Order = append(e.Order, text)
	case "dom":
		for line := range strings.SplitSeq(text, "\n") {
			e.DOM = append(e.DOM, triple(t, line))
		}
	case "seo.title":
		e.Title = &text
	case "seo.description":
		e.Description = &text
	default:
		t.Fatalf("%s: unknown section %q", m.ID, name)
	}
}

func triple(t testing.TB, line string) (d [3]string) {
	t.Helper()
	if copy(d[:], strings.SplitN(line, " | ", 3)) < len(d) {
		t.Fatalf("%q is not selector | attribute | value", line)
	}
	return d
}

func number(t testing.TB, text string) int {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func decoded(t testing.TB, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// root is the directory testdata beside go.mod, above the package whose test runs.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata")
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
