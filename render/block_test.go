package render

import (
	"bytes"
	"strings"
	"testing"
)

// outline lists the elements of main, in order.
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
		case strings.Contains(class, "v-remarks"):
			out = append(out, "remarks")
		case strings.Contains(class, "v-bar"):
			out = append(out, "bar")
		case e.Find(".v-seen").Length() > 0:
			out = append(out, "seen")
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

func TestBlocksAreDrawnInTheirPlaces(t *testing.T) {
	document := Block{Kind: BlockHTML, Fragment: literal(`<div class="svc-body svc-body-7"><p>own</p></div>`)}
	text := Block{Kind: BlockText, Text: "words"}
	system := Block{Kind: BlockSystem}
	products := Block{Kind: BlockProductListing, Products: ProductGrid{Products: []ProductCard{{Name: "Cup", Path: "/cup"}}}}
	articles := Block{Kind: BlockArticleGrid, Articles: ArticleGrid{Articles: []ArticleCard{{Title: "Note", Path: "/note"}}, Columns: 9}}
	cases := []struct {
		name   string
		page   string
		body   []Block
		is     string // "hide": the top layer is off; "template": the blocks are the whole page
		expect string
	}{
		{"a text page without blocks", "text", nil, "", "crumbs heading text v-wrap v-section"},
		{"text goes below the system drawing", "listing", []Block{text}, "", "crumbs heading products text"},
		{"a document replaces a text page except its top layer", "text", []Block{document}, "", "crumbs heading document"},
		{"which a flag switches off", "text", []Block{document}, "hide", "document"},
		{"and the blocks may draw themselves", "text", []Block{{Kind: BlockPageHeading}, document, {Kind: BlockBreadcrumbs}}, "", "heading document crumbs"},
		{"on the first page there is a heading", "home", []Block{document}, "", "heading document"},
		{"a hidden top layer", "home", []Block{document}, "hide", "document"},
		{"also inside a group", "text", []Block{{Kind: BlockGroup, Group: []Block{document, text}}}, "", "crumbs heading document text"},
		{"a document is drawn after a product", "product", []Block{document}, "", "crumbs product remarks products seen bar document"},
		{"a system block sets the place", "product", []Block{document, system, text}, "", "document crumbs product remarks products seen bar text"},
		{"hidden, a listing keeps its products", "listing", []Block{text}, "hide", "v-sr heading products text"},
		{"hidden, a text page keeps its text", "text", nil, "hide", "v-sr text v-wrap v-section"},
		{"in a template the system block sets the place", "product", []Block{document, system}, "template", "document crumbs product remarks products seen bar"},
		{"a template replaces the system drawing", "listing", []Block{text}, "template", "v-sr text"},
		{"an article's blocks are its text", "article", []Block{text, document}, "", "crumbs article"},
		{"a boxed document", "text", []Block{{Kind: BlockHTML, Fragment: document.Fragment, Boxed: true}}, "hide", "boxed"},
		{"a template of blocks", "rubric", []Block{{Kind: BlockBreadcrumbs}, {Kind: BlockPageHeading}, articles, products}, "template",
			"crumbs heading articles products"},
		{"an unknown kind draws nothing", "listing", []Block{{Kind: 99}}, "template", "v-sr"},
	}
	for _, c := range cases {
		page := fixture()[c.page]
		page.frame().Layout = Layout{Body: c.body, HideSystem: c.is == "hide", Template: c.is == "template"}
		if got := outline(t, page); got != c.expect {
			t.Errorf("%s: %q, not %q", c.name, got, c.expect)
		}
	}
}

// literal is an html document with these bytes.
func literal(text string) Fragment {
	return func(dst []byte) []byte { return append(dst, text...) }
}

func TestDocumentsAreCopiedByteForByte(t *testing.T) {
	fragment := []byte("<div class=\"svc-body\">\r\n\x00{{ .Shop }} </main> é \xff</div>")
	page := fixture()["text"]
	page.frame().Layout = Layout{Body: []Block{{Kind: BlockHTML, Fragment: literal(string(fragment))}}, HideSystem: true}
	if !bytes.Contains(bytesOf(t, page), append([]byte("<main id=\"v-content\">\n"), fragment...)) {
		t.Error("main does not contain the document unchanged")
	}
}

func TestChrome(t *testing.T) {
	page := fixture()["text"]
	layout := &page.frame().Layout
	layout.Header = []Block{{Kind: BlockHTML, Fragment: literal(`<div class="own-header"></div>`)}}
	layout.Footer = []Block{}
	want(t, draw(t, page), map[string]string{"body > .own-header#": "1", "header#": "0", "footer#": "0"})
	layout.HideHeader = true
	want(t, draw(t, page), map[string]string{".own-header#": "0"})
}

func TestArticleTemplateHasColumns(t *testing.T) {
	page := fixture()["article"]
	page.frame().Layout = Layout{Template: true, Body: []Block{{
		Kind:  BlockColumns,
		Group: []Block{{Kind: BlockBreadcrumbs}, {Kind: BlockWidget, Widget: &Widget{Kind: "articleHeader"}}, {Kind: BlockArticleText, Group: []Block{{Kind: BlockText, Text: "words"}}}},
		Aside: []Block{{Kind: BlockWidget, Widget: &Widget{Kind: "articleListing", Articles: []ArticleCard{{Title: "Flax", Path: "/news/flax"}}}}},
	}}}
	want(t, draw(t, page), map[string]string{
		"h1#": "1", ".v-article__main > nav.v-crumbs#": "1", ".v-article__main .v-author#": "1", ".v-article__main > .v-article__body p": "words",
		".v-article__aside .v-aside a": "Flax", ".v-article__main .v-aside#": "0",
	})
}

func TestLayoutIconsAndClass(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		page := fixture()["cart"]
		f := page.frame()
		f.Guarded, f.Layout.Class, f.Layout.Icons = guarded, "svc-body svc-body-7", []Icon{
			{"/_html/7/9/svc-icons/icon-32.png", 32}, {"/_html/7/9/svc-icons/icon-180.png", 180},
		}
		doc := draw(t, page)
		want(t, doc, map[string]string{
			`head > link[rel=icon]#`: "1", `head > link[rel=icon][sizes="32x32"]@href`: "/_html/7/9/svc-icons/icon-32.png",
			`head > link[rel=apple-touch-icon]@href`: "/_html/7/9/svc-icons/icon-180.png", "body.svc-body-7#": map[bool]string{false: "1", true: "0"}[guarded],
		})
	}
}

func TestCoversHaveTheRequestedAspectRatio(t *testing.T) {
	for aspect, want := range map[string]string{"3/4": "v-notes--3 v-notes--cover-3-4", "": "", `9/9"`: ""} {
		page := fixture()["rubric"]
		page.frame().Layout = Layout{
			Template: true,
			Body:     []Block{{Kind: BlockArticleGrid, Articles: ArticleGrid{Articles: []ArticleCard{{Title: "A", Path: "/a"}}, Aspect: aspect}}},
		}
		if got := bytesOf(t, page); want != "" && !bytes.Contains(got, []byte(want)) || want == "" && bytes.Contains(got, []byte("--cover-")) {
			t.Errorf("%q: %s is wrong", aspect, want)
		}
	}
}

func TestGuardedPagesHaveNoLayoutCode(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		page := fixture()["cart"]
		f := page.frame()
		f.Guarded = guarded
		f.Layout.Head, f.Layout.Foot = literal(`<style id="head"></style>`), literal(`<script id="foot"></script>`)
		count := map[bool]string{false: "1", true: "0"}[guarded]
		want(t, draw(t, page), map[string]string{"#head#": count, "#foot#": count})
	}
}

func TestAppendKeepsExistingBytes(t *testing.T) {
	out, err := Append([]byte("before "), fixture()["home"])
	if err != nil || !bytes.HasPrefix(out, []byte("before <!doctype html>")) || !bytes.HasSuffix(out, []byte("</html>\n")) {
		t.Errorf("%.40q, %v", out, err)
	}
}

// A preview marks which section drew what, without an element that a style sheet would count, and
// has the script that talks to the cabinet. Visitors get neither.
func TestOnlyPreviewsMarkTheirBlocks(t *testing.T) {
	for _, preview := range []bool{true, false} {
		page := fixture()["text"]
		f := page.frame()
		f.Preview, f.Cabinet = preview, "https://admin.test"
		f.Layout.Body = []Block{{Kind: BlockGroup, Place: Place{Block: 9}, Group: []Block{{Kind: BlockText, Text: "words", Place: Place{Block: 12, Section: 3}}}}}
		body := string(bytesOf(t, page))
		for _, part := range []string{"<!--v 9-0-->", "<!--v 12-3--><div class=\"v-wrap v-section v-section--text\">", packed().preview.Path, `data-v-cabinet="https://admin.test"`} {
			if strings.Contains(body, part) != preview {
				t.Errorf("preview %v: %s", preview, part)
			}
		}
		if strings.Count(body, "<!--/v-->") != map[bool]int{true: 2}[preview] {
			t.Error("the marks do not end")
		}
	}
}
