package push

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		kind kind
		path string
		id   int64
	}{
		{"page:/", page, "/", 0}, {"page:/about", page, "/about", 0}, {"page:/company/about/", page, "/company/about", 0},
		{"page:/О нас", page, "/o-nas", 0}, {"page://about", page, "/about", 0},
		{"doc:12", document, "", 12}, {"site:3", site, "", 3}, {"theme:7", layout, "", 7},
		{text: ""}, {text: "page"}, {text: "page:"}, {text: "page:about"}, {text: "page:/cart"}, {text: "page:/7"}, {text: "page:/%"},
		{text: "page:/about?x=1"}, {text: "page:/about#top"},
		{text: "doc:"}, {text: "doc:0"}, {text: "doc:-1"}, {text: "doc:x"}, {text: `doc:"1"`}, {text: "doc:99999999999999999999"},
		{text: "folder:1"}, {text: ":1"},
	} {
		got, err := ParseTarget(c.text)
		if (err != nil) != (c.kind == 0) || got.kind != c.kind && err == nil || err == nil && (got.path != c.path || int64(got.id) != c.id) {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
}

func FuzzTarget(f *testing.F) {
	f.Add("page:/a/b")
	f.Add("doc:1")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTarget(text)
		if err != nil {
			return
		}
		if got.kind == page && (!strings.HasPrefix(got.path, "/") || strings.Contains(got.path, "//")) || got.kind != page && got.id <= 0 {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
