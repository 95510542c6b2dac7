package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestSitemap(t *testing.T) {
	at := time.Date(2026, 11, 3, 12, 0, 0, 0, time.FixedZone("", 3600))
	urls := func(yield func(string, time.Time) bool) {
		_ = yield("/", time.Time{}) && yield("/a&b/я", at) && yield("/"+strings.Repeat("x", 3000), at)
	}
	expect := `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://shop.example/</loc></url>
<url><loc>https://shop.example/a&amp;b/%D1%8F</loc><lastmod>2026-11-03T11:00:00Z</lastmod></url>
</urlset>
`
	if got := string(Sitemap("https://shop.example", urls)); got != expect {
		t.Errorf("%s", got)
	}
}

func TestAnIndexNamesTheParts(t *testing.T) {
	index := string(SitemapIndex("https://shop.example", 3))
	if strings.Count(index, "<sitemap>") != 3 || !strings.Contains(index, "<loc>https://shop.example/sitemap.xml?page=3</loc>") {
		t.Error(index)
	}
}

func TestRobots(t *testing.T) {
	if got := string(RobotsTxt("https://shop.example", true)); got != "User-agent: *\nDisallow: /\n" {
		t.Error(got)
	}
	open := string(RobotsTxt("https://shop.example", false))
	for _, line := range []string{"Disallow: /api/\n", "Disallow: /cart$\n", "Disallow: /cart/\n", "Disallow: /dashboard$\n", "\nSitemap: https://shop.example/sitemap.xml\n"} {
		if !strings.Contains(open, line) {
			t.Errorf("no %q in %s", line, open)
		}
	}
	if strings.Contains(open, "Disallow: /\n") {
		t.Error("an open shop excludes crawlers")
	}
}

func TestUnowned(t *testing.T) {
	if _, err := html.Parse(bytes.NewReader(Unowned())); err != nil || len(Unowned()) > 1500 {
		t.Error("the page of an unowned host is not a short, complete page", err, len(Unowned()))
	}
}
