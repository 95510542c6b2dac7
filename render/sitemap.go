package render

import (
	"encoding/xml"
	"iter"
	"strconv"
	"time"
)

// SitemapLimit is the maximum number of addresses of one sitemap file (sitemaps.org).
const SitemapLimit = 50_000

// maxLoc is the maximum length of an address in a sitemap (sitemaps.org).
const maxLoc = 2048

const sitemapSpace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"

// Sitemap prints shop paths with the times of their last changes, which are left out if they are
// zero: /sitemap.xml, or one part of it (?page=n, from 1).
func Sitemap(origin string, urls iter.Seq2[string, time.Time]) []byte {
	out := append([]byte(xml.Header), "<urlset "+sitemapSpace...)
	for path, modified := range urls {
		loc := origin + escapePath(path)
		if len(loc) > maxLoc {
			continue
		}
		out = append(out, "<url><loc>"...)
		out = appendXML(out, loc)
		out = append(out, "</loc>"...)
		if !modified.IsZero() {
			out = append(out, "<lastmod>"...)
			out = modified.UTC().AppendFormat(out, time.RFC3339)
			out = append(out, "</lastmod>"...)
		}
		out = append(out, "</url>\n"...)
	}
	return append(out, "</urlset>\n"...)
}

// SitemapIndex prints /sitemap.xml for more than SitemapLimit addresses: an index of parts.
func SitemapIndex(origin string, parts int) []byte {
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
