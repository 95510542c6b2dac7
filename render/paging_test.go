package render

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func spell(links []PageLink) string {
	var out []string
	for _, l := range links {
		switch {
		case l.Number == 0:
			out = append(out, "…")
		case l.Current:
			out = append(out, "["+strconv.Itoa(l.Number)+"]")
		default:
			out = append(out, strconv.Itoa(l.Number))
		}
	}
	return strings.Join(out, " ")
}

func TestPageLinks(t *testing.T) {
	cases := []struct {
		current, pages int
		expect         string
	}{
		{1, 0, ""}, {1, 1, ""}, {1, 2, "[1] 2"}, {2, 3, "1 [2] 3"}, {1, 5, "[1] 2 … 5"}, {3, 5, "1 2 [3] 4 5"},
		{4, 7, "1 2 3 [4] 5 6 7"}, {5, 9, "1 … 4 [5] 6 … 9"}, {9, 9, "1 … 8 [9]"}, {500, 100000, "1 … 499 [500] 501 … 100000"},
		{12, 9, "1 … 9"}, // a page past the end, which has no link
	}
	for _, c := range cases {
		if got := spell(Paging{Current: c.current, Pages: c.pages}.links("/cups")); got != c.expect {
			t.Errorf("page %d of %d: %q, not %q", c.current, c.pages, got, c.expect)
		}
	}
}

func TestPageLinksAreFewAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Paging{Current: rapid.IntRange(-2, 1<<30).Draw(t, "current"), Pages: rapid.IntRange(0, 1<<30).Draw(t, "pages")}
		links := p.links("/cups")
		last := 0
		for _, l := range links {
			if l.Number == 0 {
				continue
			}
			if l.Number <= last || l.Number > p.Pages || l.Path != "/cups"+p.address("", l.Number) {
				t.Fatalf("%+v: %s", p, spell(links))
			}
			last = l.Number
		}
		if len(links) > 7 || p.Pages > 1 && last != p.Pages {
			t.Fatalf("%+v: %s", p, spell(links))
		}
	})
}

func TestPageLinksOfASearchContainItsWords(t *testing.T) {
	p := Paging{Current: 2, Pages: 3, Search: "tea & мята"}
	if prev, next := p.prev("/news"), p.next("/news"); prev != "/news?q=tea+%26+%D0%BC%D1%8F%D1%82%D0%B0" || next != prev+"&page=3" {
		t.Errorf("%s, %s", prev, next)
	}
}
