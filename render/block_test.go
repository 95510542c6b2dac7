package render

import (
	"bytes"
	"strings"
	"testing"
)

// outline names what stands in main, in order.
func outline(t *testing.T, p Page) string {
	t.Helper()
	var out []string
	for _, e := range draw(t, p).Find("main > *").EachIter() {
		switch class := e.AttrOr("class", ""); {
		case strings.Contains(class, "svc-body"):
			out = append(out, "document")
		case strings.Contains(class, "v-boxed"):
			out = append(out, "boxed")
		case strings.Contains(class, "v-section--text"):
			out = append(out, "text")
		case strings.Contains(class, "v-crumbs"):
			out = append(out, "crumbs")
		case strings.Contains(class, "v-heading"):
			out = append(out, "heading")
		case strings.Contains(class, "v-article"):
			out = append(out, "article")
		case strings.Contains(class, "v-product"):
			out = append(out, "product")
		case e.Find(".v-grid").Length() > 0:
			out = append(out, "products")
		case e.Find(".v-notes").Length() > 0:
			out = append(out, "articles")
		default:
			out = append(out, class)
		}
	}
	return strings.Join(out, " ")
}

func TestBlocksStandWhereTheyBelong(t *testing.T) {
	document := Block{Kind: BlockHTML, Fragment: []byte(`<div class="svc-body svc-body-7"><p>own</p></div>`)}
	text := Block{Kind: BlockText, Text: "words"}
	system := Block{Kind: BlockSystem}
	products := Block{Kind: BlockProductListing, Products: ProductGrid{Products: []ProductCard{{Name: "Cup", Path: "/cup"}}}}
	articles := Block{Kind: BlockArticleGrid, Articles: ArticleGrid{Articles: []ArticleCard{{Title: "Note", Path: "/note"}}, Columns: 9}}
	cases := []struct {
		name   string
		page   string
		body   []Block
		hide   bool
		expect string
	}{
		{"a text page without blocks", "text", nil, false, "crumbs heading text v-wrap v-section"},
		{"text goes below the system drawing", "listing", []Block{text}, false, "crumbs heading products text"},
		{"a document replaces what a text page draws", "text", []Block{document}, false, "document"},
		{"also inside a group", "text", []Block{{Kind: BlockGroup, Group: []Block{document, text}}}, false, "document text"},
		{"a document stands below a product", "product", []Block{document}, false, "crumbs product products document"},
		{"the system block says where", "product", []Block{document, system, text}, false, "document crumbs product products text"},
		{"hidden, the system block draws nothing", "product", []Block{document, system}, true, "document"},
		{"hidden, there is no system drawing", "listing", []Block{text}, true, "text"},
		{"an article's blocks are its text", "article", []Block{text, document}, false, "crumbs article"},
		{"a boxed document", "text", []Block{{Kind: BlockHTML, Fragment: document.Fragment, Boxed: true}}, false, "boxed"},
		{"a template of blocks", "rubric", []Block{{Kind: BlockBreadcrumbs}, {Kind: BlockPageHeading}, articles, products}, true,
			"crumbs heading articles products"},
		{"an unknown kind draws nothing", "listing", []Block{{Kind: 99}}, true, ""},
	}
	for _, c := range cases {
		page := fixture()[c.page]
		page.frame().Layout = Layout{Body: c.body, HideSystem: c.hide}
		if got := outline(t, page); got != c.expect {
			t.Errorf("%s: %q, not %q", c.name, got, c.expect)
		}
	}
}

func TestDocumentsAreCopiedByteForByte(t *testing.T) {
	fragment := []byte("<div class=\"svc-body\">\r\n\x00{{ .Shop }} </main> é \xff</div>")
	page := fixture()["text"]
	page.frame().Layout.Body = []Block{{Kind: BlockHTML, Fragment: fragment}}
	if !bytes.Contains(bytesOf(t, page), append([]byte("<main id=\"content\">\n"), fragment...)) {
		t.Error("the document does not stand in main as it is")
	}
}

func TestChrome(t *testing.T) {
	page := fixture()["text"]
	layout := &page.frame().Layout
	layout.Header = []Block{{Kind: BlockHTML, Fragment: []byte(`<div class="own-header"></div>`)}}
	layout.Footer = []Block{}
	want(t, draw(t, page), map[string]string{"body > .own-header#": "1", "header#": "0", "footer#": "0"})
	layout.HideHeader = true
	want(t, draw(t, page), map[string]string{".own-header#": "0"})
}

func TestLayoutCodeStaysOutOfGuardedPages(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		page := fixture()["cart"]
		f := page.frame()
		f.Guarded = guarded
		f.Layout.Head, f.Layout.Foot = []byte(`<style id="head"></style>`), []byte(`<script id="foot"></script>`)
		count := map[bool]string{false: "1", true: "0"}[guarded]
		want(t, draw(t, page), map[string]string{"#head#": count, "#foot#": count})
	}
}

func TestAppendKeepsWhatStandsBefore(t *testing.T) {
	out, err := Append([]byte("before "), fixture()["home"])
	if err != nil || !bytes.HasPrefix(out, []byte("before <!doctype html>")) || !bytes.HasSuffix(out, []byte("</html>\n")) {
		t.Errorf("%.40q, %v", out, err)
	}
}
