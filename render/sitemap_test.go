package render

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestSitemap(t *testing.T) {
	at := time.Date(2026, 11, 3, 12, 0, 0, 0, time.FixedZone("", 3600))
	urls := []SitemapURL{{Path: "/"}, {Path: "/a&b/я", Modified: at}, {Path: "/" + strings.Repeat("x", 3000)}}
	expect := `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://shop.example/</loc></url>
<url><loc>https://shop.example/a&amp;b/%D1%8F</loc><lastmod>2026-11-03T11:00:00Z</lastmod></url>
</urlset>
`
	if got := string(Sitemap("https://shop.example", urls, 0)); got != expect {
		t.Errorf("%s", got)
	}
}

func TestLargeSitemapIsAnIndexOfParts(t *testing.T) {
	urls := make([]SitemapURL, 2*SitemapLimit+1)
	for i := range urls {
		urls[i].Path = "/p" + strconv.Itoa(i)
	}
	index := string(Sitemap("https://shop.example", urls, 0))
	if strings.Count(index, "<sitemap>") != 3 || !strings.Contains(index, "<loc>https://shop.example/sitemap.xml?page=3</loc>") {
		t.Error(index)
	}
	total := 0
	for part := 1; part <= 3; part++ {
		body := Sitemap("https://shop.example", urls, part)
		total += bytes.Count(body, []byte("<loc>"))
	}
	if total != len(urls) {
		t.Errorf("%d of %d addresses", total, len(urls))
	}
	for _, part := range []int{-1, 4} {
		if Sitemap("https://shop.example", urls, part) != nil {
			t.Errorf("there is a part %d", part)
		}
	}
	if got := Sitemap("https://shop.example", urls[:SitemapLimit], 0); bytes.Count(got, []byte("<loc>")) != SitemapLimit {
		t.Error("a sitemap at the limit is not one file")
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
