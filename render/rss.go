package render

import (
	"cmp"
	"encoding/xml"
	"strings"
	"time"
	"unicode"

	"vitrine/compile/richtext"
)

// ArticleFeed is an RSS 2.0 feed of the newest articles of a rubric. It is not an HTML page.
// Its Path is that of the rubric.
type ArticleFeed struct {
	Frame
	Category Category
	Articles []ArticleCard // newest first
}

func (p *ArticleFeed) frame() *Frame      { return &p.Frame }
func (p *ArticleFeed) template() string   { return "rss" }
func (p *ArticleFeed) name(*words) string { return cmp.Or(p.Category.Name, p.Shop.Name) }

// rss prints the feed. It depends on the articles alone, so it stays identical, and feed
// readers need not download it again, until an article changes.
func (w *writer) rss(p *ArticleFeed) {
	v := w.view
	w.raw(xml.Header + `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">` + "\n<channel>\n")
	w.element("title", v.Title)
	w.element("link", v.Canonical)
	w.element("description", cmp.Or(v.Description, v.Title))
	w.element("language", v.T.Lang)
	w.raw(`<atom:link rel="self" type="application/rss+xml" href="`)
	w.out = appendXML(w.out, v.absolute(p.Feed))
	w.raw("\"/>\n")
	for _, a := range p.Articles {
		address := v.absolute(a.Path)
		w.raw("<item>\n")
		w.element("title", a.Title)
		w.element("link", address)
		w.element("guid", address)
		if !a.Published.IsZero() {
			w.element("pubDate", a.Published.UTC().Format(time.RFC1123Z))
		}
		w.element("dc:creator", a.Author.Name)
		w.element("category", a.Rubric.Name)
		w.element("description", richtext.Plain(a.Announce))
		w.raw("</item>\n")
	}
	w.raw("</channel>\n</rss>\n")
}

// element prints an element unless its text is empty.
func (w *writer) element(name, text string) {
	if text == "" {
		return
	}
	w.raw("<" + name + ">")
	w.out = appendXML(w.out, printable(text))
	w.raw("</" + name + ">\n")
}

// printable removes characters that XML cannot contain.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
