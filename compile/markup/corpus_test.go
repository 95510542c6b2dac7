package markup

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vitrine/internal/corpus"
	"vitrine/internal/shop"
)

// moveAll is the address rule for a release in which every file exists.
func moveAll(address string, _ int, comment bool) (string, bool) {
	r := release{prefix: "/_html/7/3/", refs: map[string]bool{}}
	out, _, v := r.resolve("", address)
	return out, v == moved && !comment
}

func TestCorpusCSS(t *testing.T) {
	for _, r := range corpus.Markups(t) {
		if r.Level != "css" {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			if got := rewriteCSS(string(r.Input), ".svc-body-7", moveAll); got != *r.Expect.Equals {
				t.Errorf("in   %s\ngot  %s\nwant %s", r.Input, got, *r.Expect.Equals)
			}
		})
	}
}

func TestCorpusSrcset(t *testing.T) {
	for _, r := range corpus.Markups(t) {
		if r.Level != "srcset" {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			got := rewriteSrcset(string(r.Input), func(a string) string { out, _ := moveAll(a, 0, false); return out })
			if got != *r.Expect.Equals {
				t.Errorf("in   %s\ngot  %s\nwant %s", r.Input, got, *r.Expect.Equals)
			}
		})
	}
}

// source returns the release of a case.
func source(m corpus.Markup) Source {
	src := Source{Doc: "7", Release: "3", Index: m.Input}
	if m.Files != nil {
		src.Files = func(path string) bool { return slices.Contains(m.Files, path) }
	}
	return src
}

// guardedPage reports whether the case is for a zone without scripts.
func guardedPage(m corpus.Markup) bool {
	_, _, ok := shop.ZoneOf(m.Page)
	return ok
}

func TestCorpusHTML(t *testing.T) {
	for _, s := range corpus.Markups(t) {
		if s.Level != "html" {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			c, err := Compile(source(s))
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
			if guardedPage(s) {
				p = c.Guarded
			}
			var data Data
			if s.Data != nil {
				if err := json.Unmarshal(s.Data, &data); err != nil {
					t.Fatal(err)
				}
			}
			checkFragment(t, s.Expect, string(p.AppendTo(nil, &data)))
			checkRest(t, s.Expect, c)
		})
	}
}

// checkFragment checks the drawn fragment.
func checkFragment(t *testing.T, e corpus.Expectation, out string) {
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

// look reads one value from a parsed fragment.
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

func checkRest(t *testing.T, e corpus.Expectation, c *Compiled) {
	t.Helper()
	if e.Title != nil && c.Title != *e.Title {
		t.Errorf("title %q, want %q", c.Title, *e.Title)
	}
	if e.Description != nil && c.Description != *e.Description {
		t.Errorf("description %q, want %q", c.Description, *e.Description)
	}
	for _, code := range e.Report {
		if !c.Report.Has(code) {
			t.Errorf("the report lacks %s: %+v", code, c.Report)
		}
	}
}
