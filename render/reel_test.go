package render

import (
	"encoding/json"
	"strings"
	"testing"

	"vitrine/compile/lead"
	"vitrine/compile/widget"
)

// drawn is the page of an article with one widget of n entries.
func (k kindOf) drawn(t *testing.T, n int, props string) string {
	t.Helper()
	kind, _ := widget.Lookup(string(k))
	page := furnished(kind, props).(*ArticlePage)
	w := page.Layout.Body[0].Widget
	w.Items = nil
	for range n {
		w.Items = append(w.Items, Item{Values: widget.Values{"title": "Tile"}, Image: Image{Path: "/files/a/item.webp"}})
	}
	return string(bytesOf(t, page))
}

type kindOf string

// A grid of reels shows two rows, with the number of columns set in either way.
func TestReelsGridShowsTheNumberOfHiddenTiles(t *testing.T) {
	for _, c := range []struct {
		n     int
		props string
		over  string // "" if all are shown
	}{
		{8, `{}`, ""}, {9, `{}`, "+1"}, {9, `{"columns":3}`, "+3"}, {20, `{"gridClass":"grid-cols-3 @2xl:grid-cols-6"}`, "+8"},
		{9, `{"overflow":"scroll"}`, ""}, {9, `{"layout":"strip"}`, ""}, {1, `{"columns":0}`, ""},
	} {
		text := kindOf("reels").drawn(t, c.n, c.props)
		_, more, found := strings.Cut(text, `v-reels__more"><summary>`)
		got, _, _ := strings.Cut(more, "<")
		if got != c.over || found != (c.over != "") || strings.Count(text, "v-reels__tile--rest") == 0 != (c.over == "") {
			t.Errorf("%d tiles, %s: %q, want %q", c.n, c.props, got, c.over)
		}
	}
}

func TestGridClassSetsTheNumberOfColumns(t *testing.T) {
	for class, want := range map[string]string{
		"grid-cols-1 @2xl:grid-cols-3":                 `style="--v-cols:1;--v-cols-m:3;"`,
		"@5xl:grid-cols-6":                             `style="--v-cols-l:6;"`,
		"grid-cols-99 wide @sm:grid-cols-x; }":         "",
		"@2xl:grid-cols-2 @5xl:grid-cols-3":            "", // the default
		"grid-cols-2;background:url(//evil.test)":      "",
		`"><script>alert(1)</script> @md:grid-cols-12`: `style="--v-cols-m:12;"`,
	} {
		props, err := json.Marshal(map[string]any{"gridClass": class})
		if err != nil {
			t.Fatal(err)
		}
		text := kindOf("features").drawn(t, 2, string(props))
		_, list, _ := strings.Cut(text, "v-features__list")
		tag, _, _ := strings.Cut(list, ">\n")
		if _, got, _ := strings.Cut(tag, `" `); got != want || strings.Contains(text, "<script>alert") {
			t.Errorf("%s: %s, want %s", class, got, want)
		}
	}
}

func TestTextIsReadableOnDarkBackgrounds(t *testing.T) {
	for css, want := range map[string]bool{
		"#000": true, "#243b35": true, "#9c4527": true, "linear-gradient(120deg,#243b35,#5d7a5c)": true, "#00f8": true,
		"#fff": false, "#f6f1ea": false, "linear-gradient(#fff, #000)": false, "#0001": false, "": false, "red": true, "hsl(60 100% 90%)": false, "rgb(0 0 0 / 20%)": false, "#12": false, "#1234567": false,
	} {
		if got := dark(css); got != want {
			t.Errorf("%q is dark: %v", css, got)
		}
	}
	if text := kindOf("cta").drawn(t, 0, `{"bg":{"hex":"#111"},"bgCss":"#fff"}`); strings.Contains(text, "data-dark") {
		t.Error("text after the background is considered")
	}
}

// Its id must be unique on the page.
func TestOnlyTheHeadersMenuFolds(t *testing.T) {
	page := fixture()["text"]
	menu := Block{Kind: BlockWidget, Widget: &Widget{Kind: "siteMenu"}}
	page.frame().Layout = Layout{Header: []Block{menu, menu}, Body: []Block{menu}, Footer: []Block{menu}}
	want(t, draw(t, page), map[string]string{"#v-nav#": "1", ".v-burger#": "1", "nav .v-menu__list#": "4", ".v-menu__bar + nav@id": "v-nav"})
}

func TestFormWidgetIsDrawnOnThePage(t *testing.T) {
	page := fixture()["text"]
	w := &Widget{Kind: "form", Form: &Form{ID: 3, Name: "Ask <us>", Fields: []FormField{{Field: lead.Field{Name: "email", Type: lead.Email, Required: true}}}}}
	kind, _ := widget.Lookup("form")
	w.Props = kind.Read(json.RawMessage(`{"form":{"buttonText":"Go","successText":"Soon"}}`))
	page.frame().Layout.Body = []Block{{Kind: BlockWidget, Widget: w}}
	want(t, draw(t, page), map[string]string{
		"[data-v-form]@data-v-form": "3", "main form@action": "/_vitrine/form/3", "main form@method": "post", "main form button": "Go", "[data-v-form] h2": "Ask <us>",
		"form [name=email][required]#": "1", "form [name=_from]@value": "/about", "[data-v-thanks] p": "Soon", "[data-v-thanks][hidden]#": "1",
	})
	w.Props = kind.Read(json.RawMessage(`{"form":{"showTitle":false}}`))
	want(t, draw(t, page), map[string]string{"[data-v-form] > div:first-child h2#": "0", "main form button": "Send"})
}

func TestLegacyHeadingIsDrawn(t *testing.T) {
	page := fixture()["text"]
	page.frame().Layout.Body = []Block{
		{Kind: BlockWidget, Widget: &Widget{Kind: "heading", Words: widget.Heading{Text: "Old <b>", Tag: "h4", Align: "center"}}},
	}
	want(t, draw(t, page), map[string]string{"main h4": "Old <b>", "main h4@style": "text-align:center;", "main h4 b#": "0"})
}

// Pages with search results are not indexed by search engines, and a search without results
// shows a message.
func TestAGridOfArticlesIsSearched(t *testing.T) {
	page := fixture()["rubric"].(*Rubric)
	kind, _ := widget.Lookup("articleGrid")
	props := kind.Read(json.RawMessage(`{"articleGrid":{"searchVisible":true}}`))
	grid := Block{Kind: BlockArticleGrid, Articles: ArticleGrid{Props: props}}
	page.Layout = Layout{Template: true, Body: []Block{grid}}
	want(
		t, draw(t, page),
		map[string]string{"main form[role=search]@action": page.Path, "main form [name=q]@value": "", ".v-empty#": "0", "meta[name=robots]#": "0"},
	)
	page.Search = `"><b>tea`
	want(
		t, draw(t, page),
		map[string]string{
			"main form [name=q]@value": page.Search, ".v-empty a@href": page.Path,
			"meta[name=robots]@content": "noindex", "link[rel=canonical]#": "0",
		},
	)
}
