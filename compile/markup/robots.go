package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// NoIndex reports whether a page that is served unchanged asks every search engine not to index
// it: a meta element named robots whose directives include noindex or none (document 3, 2.5: the
// sitemap). A directive computed by a template is not detected.
func NoIndex(page []byte) bool {
	tags := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch tags.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken, html.SelfClosingTagToken:
			if keepsAway(tags) {
				return true
			}
		}
	}
}

// keepsAway checks the tokenizer's current tag.
func keepsAway(tags *html.Tokenizer) bool {
	name, more := tags.TagName()
	if string(name) != "meta" {
		return false
	}
	var about, content string
	for more {
		var key, value []byte
		switch key, value, more = tags.TagAttr(); string(key) {
		case "name":
			about = strings.Trim(string(value), dom.Spaces)
		case "content":
			content = string(value)
		}
	}
	return strings.EqualFold(about, "robots") && staysAway(content)
}
