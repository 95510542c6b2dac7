package markup

import (
	"slices"
	"strconv"
	"strings"

	"bufio"
	"encoding/json"
	"github.com/PuerkitoBio/goquery"
	"os"
	"testing"
)

// sample is one case of testdata/cases.jsonl.
type sample struct {
	ID     string
	Rule   int
	Level  string
	Doc    string
	RID    string
	Input  string
	B64    []byte `json:"input_b64"`
	Repeat int
	Page   string
	Files  []string
	Data   *Data
	Expect expectation
}

type expectation struct {
	Equals      *string
	Contains    []string
	NotContains []string `json:"not_contains"`
	Order       []string
	DOM         [][3]string
	SEO         *struct {
		Title       *string
		Description *string
	}
	Report []string
	Error  string
}

func corpus(t *testing.T) []sample {
	t.Helper()
	f, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	var rows []sample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r sample
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("line %d: %v", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// moveAll is the address rule for a release that has every file.
func moveAll(address string, _ int, comment bool) (string, bool) {
	r := release{prefix: "/_html/7/3/", refs: map[string]bool{}}
	out, _, v := r.resolve("", address)
	return out, v == moved && !comment
}

func TestCorpusCSS(t *testing.T) {
	for _, r := range corpus(t) {
		if r.Level != "css" {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			if got := rewriteCSS(r.Input, ".svc-body-7", moveAll); got != *r.Expect.Equals {
				t.Errorf("in   %s\ngot  %s\nwant %s", r.Input, got, *r.Expect.Equals)
			}
		})
	}
}

func TestCorpusSrcset(t *testing.T) {
	for _, r := range corpus(t) {
		if r.Level != "srcset" {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			got := rewriteSrcset(r.Input, func(a string) string { out, _ := moveAll(a, 0, false); return out })
			if got != *r.Expect.Equals {
				t.Errorf("in   %s\ngot  %s\nwant %s", r.Input, got, *r.Expect.Equals)
			}
		})
	}
}

// source is the release of a case.
func (s sample) source() Source {
	index := []byte(strings.Repeat(s.Input, max(s.Repeat, 1)))
	if s.B64 != nil {
		index = s.B64
	}
	src := Source{Doc: s.Doc, Release: s.RID, Index: index}
	if s.Files != nil {
		src.Files = func(path string) bool { return slices.Contains(s.Files, path) }
	}
	return src
}

// guardedPage reports whether a case is asked for in a zone without scripts.
func (s sample) guardedPage() bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(s.Page, "/"), "/")
	return slices.Contains([]string{"cart", "checkout", "account", "wishlist", "orders", "deals", "dashboard"}, first)
}

func TestCorpusHTML(t *testing.T) {
	for _, s := range corpus(t) {
		if s.Level != "html" {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			c, err := Compile(s.source())
			if s.Expect.Error != "" {
				if err == nil || !c.Report.Has(s.Expect.Error) {
					t.Errorf("got %v and %+v, want %s", err, c.Report, s.Expect.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p := c.Normal
			if s.guardedPage() {
				p = c.Guarded
			}
			data := s.Data
			if data == nil {
				data = &Data{}
			}
			s.Expect.check(t, string(p.AppendTo(nil, data)))
			s.Expect.checkRest(t, c)
		})
	}
}

// check compares the fragment that came out.
func (e expectation) check(t *testing.T, out string) {
	t.Helper()
	for _, want := range e.Contains {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %s", want)
		}
	}
	for _, bad := range e.NotContains {
		if strings.Contains(out, bad) {
			t.Errorf("contains %s", bad)
		}
	}
	rest := out
	for _, next := range e.Order {
		_, after, ok := strings.Cut(rest, next)
		if !ok {
			t.Errorf("lacks, in this order, %s", next)
		}
		rest = after
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader("<!DOCTYPE html><body>" + out))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range e.DOM {
		if got := look(doc, d[0], d[1]); got != d[2] {
			t.Errorf("%s %s: got %q, want %q", d[0], d[1], got, d[2])
		}
	}
	if t.Failed() {
		t.Logf("output: %s", out)
	}
}

// look reads one value of a parsed fragment.
func look(doc *goquery.Document, selector, what string) string {
	found := doc.Find(selector)
	switch what {
	case "#count":
		return strconv.Itoa(found.Length())
	case "#text":
		return strings.TrimSpace(found.First().Text())
	}
	for _, n := range found.Nodes[:min(1, found.Length())] {
		for _, a := range n.Attr {
			if attrName(a) == what {
				return a.Val
			}
		}
	}
	return "<absent>"
}

func (e expectation) checkRest(t *testing.T, c *Compiled) {
	t.Helper()
	if e.SEO != nil && e.SEO.Title != nil && c.Title != *e.SEO.Title {
		t.Errorf("title %q, want %q", c.Title, *e.SEO.Title)
	}
	if e.SEO != nil && e.SEO.Description != nil && c.Description != *e.SEO.Description {
		t.Errorf("description %q, want %q", c.Description, *e.SEO.Description)
	}
	for _, code := range e.Report {
		if !c.Report.Has(code) {
			t.Errorf("the report lacks %s: %+v", code, c.Report)
		}
	}
}
