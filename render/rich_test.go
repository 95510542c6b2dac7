package render

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vitrine/compile/richtext"
	"vitrine/compile/widget"
)

// richFields are pages with a text in each field that accepts an owner's simple HTML.
func richFields(text string) map[string]Page {
	all := fixture()
	all["home"].(*Home).Category.Description = text
	listing := all["listing"].(*Listing)
	listing.Category.Description, listing.Paging = text, Paging{}
	all["rubric"].(*Rubric).Category.Description = text
	all["text"].(*TextPage).Category.Description = text
	product := all["product"].(*ProductPage)
	product.Product.Description, product.Remarks = text, Remarks{}
	article := all["article"].(*ArticlePage)
	article.Article.Announce, article.More[0].Announce = text, text
	article.Layout.Body = []Block{{Kind: BlockText, Text: text}, {Kind: BlockText, Text: text, Literal: true}}

	blocks := &TextPage{Frame: all["text"].(*TextPage).Frame}
	layout := &blocks.Layout
	for _, kind := range []string{"faq", "steps", "features", "cards", "slideshow", "articleListing", "cta"} {
		k, _ := widget.Lookup(kind)
		w := &Widget{Kind: kind, Props: k.Read([]byte(`{"caption":"over","articles":{"source":"manual"}}`))}
		if kind == "cta" {
			w.Props["bodyText"] = text
		} else {
			w.Items = []Item{{Values: widget.Values{"title": "A", "text": text, "question": "Q", "answer": text}}}
		}
		layout.Body = append(layout.Body, Block{Kind: BlockWidget, Widget: w})
	}
	for name := range maps.Clone(all) {
		switch name {
		case "home", "listing", "rubric", "text", "product", "article":
		default:
			delete(all, name)
		}
	}
	all["widgets"] = blocks
	return all
}

// texts are the elements with a text of an owner.
const texts = ".v-prose, .v-rich, .v-article__lead, .v-steps__text, .v-features__text, .v-cta__text, .v-note__announce, .v-aside__text, .v-slides__text"

// outside splits a page into the part without its owner's texts, and those texts.
func outside(t *testing.T, p Page) (rest string, held *goquery.Selection) {
	t.Helper()
	doc := draw(t, p)
	held = doc.Find(texts).Remove()
	doc.Find("img").RemoveAttr("loading").RemoveAttr("fetchpriority") // the first picture of a page may be in a text
	rest, err := doc.Find("body").Html()
	if err != nil {
		t.Fatal(err)
	}
	return rest, held
}

// A hostile text of an owner, in any field, does not change the page around it and executes
// nothing.
func TestHostileTextsAreHarmlessInEveryField(t *testing.T) {
	expect := map[string]string{}
	for name, p := range richFields("<p>x</p>") {
		expect[name], _ = outside(t, p)
	}
	for _, text := range hostileTexts(t) {
		text = "<table><tr><td>before" + text + "<p>after</p>"
		for name, p := range richFields(text) {
			rest, held := outside(t, p)
			if rest != expect[name] {
				t.Errorf("%s: %q changes the page around it", name, text)
			}
			if !strings.Contains(held.Text(), "before") {
				t.Errorf("%s: %q is not drawn", name, text)
			}
			if held.Find("script, style, iframe, object, embed, svg, math, form, input, button, video, link, meta, base, template, [style], [onclick]").Length() > 0 {
				t.Errorf("%s: %q draws forbidden markup", name, text)
			}
		}
	}
}

func hostileTexts(t *testing.T) (list []string) {
	t.Helper()
	for _, name := range []string{"owasp", "cure53", "escape"} {
		text, err := os.ReadFile(filepath.Join("../compile/richtext/testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "//") {
				list = append(list, strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(strings.TrimSuffix(line, "\n")))
			}
		}
	}
	return list
}

// A text without HTML keeps its paragraphs and characters.
func TestPlainTextIsDrawnLiterally(t *testing.T) {
	const text = "a < b & 5 <3\r\nline\n\n<script>alert(1)</script> <y@z.example>"
	for name, p := range richFields(text) {
		doc := draw(t, p)
		held := doc.Find("main").Find(texts)
		if held.Length() == 0 || held.Find("script").Length() > 0 || held.HasClass("v-rich") {
			t.Errorf("%s: %d texts", name, held.Length())
		}
		held.Each(func(_ int, s *goquery.Selection) {
			if got := s.Text(); !strings.Contains(got, "a < b & 5 <3") || !strings.Contains(got, "<script>alert(1)</script> <y@z.example>") {
				t.Errorf("%s: %q", name, got)
			}
		})
	}
	prose := draw(t, richFields(text)["text"]).Find(".v-prose p")
	if prose.Length() != 2 || prose.First().Text() != "a < b & 5 <3\nline" {
		t.Errorf("%d paragraphs, %q", prose.Length(), prose.First().Text())
	}
}

// Headings in a text have levels below the page's headings above it.
func TestHeadingLevelsOfTextsFollowThePage(t *testing.T) {
	for name, expect := range map[string]string{"home": "h2 h3", "listing": "h2 h3", "rubric": "h2 h3", "text": "h2 h3", "product": "h3 h4", "article": "h2 h3"} {
		held := draw(t, richFields("<h1>One</h1><h4>Two</h4>")[name]).Find(".v-rich").First()
		var got []string
		held.Find("h1, h2, h3, h4, h5, h6").Each(func(_ int, s *goquery.Selection) { got = append(got, goquery.NodeName(s)) })
		if strings.Join(got, " ") != expect {
			t.Errorf("%s has %v, not %s", name, got, expect)
		}
	}
}

// Consumers that do not read HTML get the text without tags.
func TestDescriptionsForMachinesHaveNoTags(t *testing.T) {
	const text = `<h2>Good</h2><p>Thrown &amp; <b>fired</b></p><script>alert(1)</script>`
	for name, p := range richFields(text) {
		if name == "widgets" {
			continue
		}
		doc := draw(t, p)
		if got := doc.Find("meta[name=description]").AttrOr("content", ""); got != "Good Thrown & fired" {
			t.Errorf("%s: description is %q", name, got)
		}
		doc.Find("script[type='application/ld+json']").Each(func(_ int, s *goquery.Selection) {
			if strings.Contains(s.Text(), "u003c") || strings.Contains(s.Text(), "alert(1)") {
				t.Errorf("%s: %s", name, s.Text())
			}
		})
	}
	if got := draw(t, richFields(text)["article"]).Find("aside .v-aside__text").First().Text(); got != richtext.Plain(text) {
		t.Errorf("the card contains %q", got)
	}
}

// Links in a text are rewritten like other links of the shop, and its pictures are resized
// like other pictures.
func TestLinksAndPicturesOfTextsAreRewritten(t *testing.T) {
	p := richFields(`<p><a href="https://shop.example/cups">a</a> <a href="https://else.example/">b</a> <a href="form:3">c</a></p><img src="/files/a/cup.webp" alt="A cup" width="640" height="800">`)["text"]
	want(t, draw(t, p), map[string]string{
		".v-rich a@href": "/cups", ".v-rich a[href^=https]@rel": "nofollow noopener", ".v-rich a[rel]#": "1", ".v-rich a[href='/_vitrine/form/3']#": "1",
		".v-rich img@srcset": "/w/128/webp/a/cup.webp 128w, /w/320/webp/a/cup.webp 320w, /w/640/webp/a/cup.webp 640w, /w/1024/webp/a/cup.webp 1024w, /w/1600/webp/a/cup.webp 1600w",
		".v-rich img@alt":    "A cup", ".v-rich img@width": "640", ".v-rich img@height": "800",
	})
}
