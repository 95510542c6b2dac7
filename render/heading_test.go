package render

import (
	"strings"
	"testing"

	"vitrine/compile/widget"
)

// A page of widgets alone has exactly one h1, whatever it contains.
func TestPageOfWidgetsHasOneH1(t *testing.T) {
	of := func(kind, props string, items ...widget.Values) Block {
		k, _ := widget.Lookup(kind)
		w := &Widget{Kind: kind, Props: k.Read([]byte(props))}
		for _, i := range items {
			w.Items = append(w.Items, Item{Values: i})
		}
		return Block{Kind: BlockWidget, Widget: w}
	}
	faq := of("faq", `{"title":{"text":"Asked"}}`, widget.Values{"question": "Why?", "answer": "<h1>So</h1>"})
	cta := of("cta", `{"titleText":"Come <in>","titleTag":"p"}`)
	slides := of("slideshow", `{}`, widget.Values{"title": "Spring", "text": "tea"}, widget.Values{"title": "Autumn", "text": "tea"})
	words := Block{Kind: BlockText, Text: "<h2>Words</h2><p>x</p>"}
	document := Block{Kind: BlockHTML, Fragment: literal(`<div class="svc-body"><p>own</p></div>`)}
	for _, c := range []struct {
		name, h1 string
		body     []Block
	}{
		{"the first heading of a widget", "Come <in>", []Block{words, cta, faq, slides}},
		{"the title of the first slide", "Spring", []Block{slides, faq}},
		{"the title of a widget", "Asked", []Block{faq, cta}},
		{"the name of the page if there is no heading", "Cups", []Block{words}},
		{"and of an empty one", "Cups", nil},
		{"the heading of the page in any place", "Cups", []Block{faq, {Kind: BlockPageHeading}}},
		{"a heading in columns", "Asked", []Block{{Kind: BlockWidget, Widget: &Widget{Kind: "columns", Cells: [][]Block{{words}, {faq}}}}}},
	} {
		page := fixture()["text"]
		page.frame().Layout = Layout{Body: c.body, HideSystem: true, Template: true}
		doc := draw(t, page)
		if h1 := doc.Find("h1"); h1.Length() != 1 || h1.Text() != c.h1 {
			t.Errorf("%s: %d h1, %q", c.name, h1.Length(), h1.Text())
		}
		if len(c.body) > 3 && doc.Find("h1.v-cta__title").Length() != 1 {
			t.Errorf("%s: the heading lost its style", c.name)
		}
	}
	page := fixture()["text"]
	page.frame().Layout = Layout{Body: []Block{document, faq}, HideSystem: true, Template: true}
	if n := draw(t, page).Find("h1").Length(); n != 0 {
		t.Errorf("%d headings were added to own markup", n)
	}
}

// A slide shows a caption if the widget has captions, and its text and button over its
// picture if it has them.
func TestSlideShowsItsTexts(t *testing.T) {
	k, _ := widget.Lookup("slideshow")
	for _, c := range []struct {
		props string
		item  widget.Values
		want  map[string]string
	}{
		{`{}`, widget.Values{"title": "A"}, map[string]string{"figcaption#": "0"}},
		{`{"caption":"over"}`, widget.Values{"title": "A"}, map[string]string{"figcaption": "A", ".v-slides__slide--over#": "0"}},
		{`{"caption":"below"}`, widget.Values{}, map[string]string{"figcaption#": "0"}},
		{`{}`, widget.Values{"title": "A", "text": "b <i>c</i>", "buttonText": "Go", "url": "/go"}, map[string]string{
			".v-slides__slide--over figcaption h1.v-slides__title": "A", "figcaption .v-slides__text i": "c", "figcaption a.v-button@href": "/go", "figure > a#": "0",
		}},
		{`{"caption":"below"}`, widget.Values{"title": "A", "text": "b"}, map[string]string{"figcaption .v-slides__text": "b", ".v-slides__slide--over#": "0"}},
		{`{}`, widget.Values{"title": "A", "buttonText": "Go", "url": "javascript:alert(1)"}, map[string]string{"main a.v-button#": "0"}},
		{`{}`, widget.Values{"title": "A", "url": "/go"}, map[string]string{"figure > a@href": "/go"}},
	} {
		page := fixture()["text"]
		w := &Widget{Kind: "slideshow", Props: k.Read([]byte(c.props)), Items: []Item{{Values: c.item, Image: Image{Path: "/files/a/hero.webp"}}}}
		page.frame().Layout = Layout{Body: []Block{{Kind: BlockWidget, Widget: w}}, HideSystem: true, Template: true}
		want(t, draw(t, page), c.want)
	}
}

func TestTheTextOfEveryItemIsDrawn(t *testing.T) {
	for _, kind := range widget.Kinds() {
		if kind.Items == nil {
			continue
		}
		text := false
		for _, p := range kind.Items {
			text = text || p.Name == "text" || p.Name == "answer"
		}
		page := furnished(kind, `{"articles":{"source":"manual"}}`)
		page.(*ArticlePage).Layout.Body[0].Widget.Articles = nil
		body := string(bytesOf(t, page))
		if text && (!strings.Contains(body, "Second") && !strings.Contains(body, "Thus.")) {
			t.Errorf("%s draws no text", kind.Name)
		}
	}
}
