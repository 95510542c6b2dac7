package render

import (
	"encoding/xml"
	"strconv"
	"time"
)

// SitemapLimit is the maximum number of addresses of one sitemap file (sitemaps.org).
const SitemapLimit = 50_000

// maxLoc is the maximum length of an address in a sitemap (sitemaps.org).
const maxLoc = 2048

const sitemapSpace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"

// SitemapURL is one page in the sitemap.
type SitemapURL struct {
	Path     string    // shop path
	Modified time.Time // zero: not printed
}

// Sitemap prints /sitemap.xml (part 0) or one part of it (?page=n, from 1). Up to
// SitemapLimit addresses are one file; more are an index of parts. It returns nil if there is
// no such part.
func Sitemap(origin string, urls []SitemapURL, part int) []byte {
	parts := (len(urls) + SitemapLimit - 1) / SitemapLimit
	switch {
	case part == 0 && parts <= 1:
		return urlset(origin, urls)
	case part == 0:
		return sitemapIndex(origin, parts)
	case part < 0 || part > parts:
		return nil
	}
	first := (part - 1) * SitemapLimit
	return urlset(origin, urls[first:min(first+SitemapLimit, len(urls))])
}

func urlset(origin string, urls []SitemapURL) []byte {
	out := append([]byte(xml.Header), "<urlset "+sitemapSpace...)
	for _, u := range urls {
		loc := origin + escapePath(u.Path)
		if len(loc) > maxLoc {
			continue
		}
		out = append(out, "<url><loc>"...)
		out = appendXML(out, loc)
		out = append(out, "</loc>"...)
		if !u.Modified.IsZero() {
			out = append(out, "<lastmod>"...)
			out = u.Modified.UTC().AppendFormat(out, time.RFC3339)
			out = append(out, "</lastmod>"...)
		}
		out = append(out, "</url>\n"...)
	}
	return append(out, "</urlset>\n"...)
}

func sitemapIndex(origin string, parts int) []byte {
	out := append([]byte(xml.Header), "<sitemapindex "+sitemapSpace...)
	for n := 1; n <= parts; n++ {
		out = append(out, "<sitemap><loc>"...)
		out = appendXML(out, origin+"/sitemap.xml?page="+strconv.Itoa(n))
		out = append(out, "</loc></sitemap>\n"...)
	}
	return append(out, "</sitemapindex>\n"...)
}

// appendXML escapes text for element content.
func appendXML(dst []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '\'':
			dst = append(dst, "&apos;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
