package render

import (
	"strings"
	"testing"
)

// Search engines index only searches with exact results, under one address.
func TestOnlySearchesWithResultsAreIndexed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*SearchPage)
		kept   bool
	}{
		"found":    {func(*SearchPage) {}, true},
		"all":      {func(p *SearchPage) { p.Words = "" }, true},
		"nothing":  {func(p *SearchPage) { p.Total, p.Products, p.Nothing = 0, nil, true }, false},
		"similar":  {func(p *SearchPage) { p.Similar = true }, false},
		"page 2":   {func(p *SearchPage) { p.Paging.Current = 2 }, false},
		"narrowed": {func(p *SearchPage) { p.Narrow = "in_stock=1" }, false},
		"closed":   {func(p *SearchPage) { p.Shop.Face.NoIndex = true }, false},
	} {
		p := &SearchPage{Words: "cup", Products: []ProductCard{{Name: "Cup", Path: "/cup"}}, Total: 1, Paging: Paging{Current: 1, Pages: 2}}
		p.Shop.Name, p.Canonical = "Clay", "https://clay.test"+SearchFor("cup")
		c.change(p)
		out, err := Append(nil, p)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(string(out), `<meta name="robots" content="noindex">`)
		if said == c.kept {
			t.Errorf("%s: noindex is %t", name, said)
		}
		if name == "found" && !strings.Contains(string(out), `<meta name="description" content="Results for “cup”: 1 product · Clay">`) {
			t.Errorf("no description in %.600s", out)
		}
	}
}

// The description of a page of widgets is its first text, as plain text.
func TestAPageOfWidgetsHasADescription(t *testing.T) {
	text := func(words string) Block { return Block{Kind: BlockText, Text: words} }
	for want, blocks := range map[string][]Block{
		"":       {{Kind: BlockWidget, Widget: &Widget{Kind: "divider"}}, {Kind: BlockText, Text: "<b>", Literal: true}},
		"words":  {{Kind: BlockSystem}, text("<p>words</p>"), text("more")},
		"slide":  {{Kind: BlockWidget, Widget: &Widget{Kind: "slideshow", Items: []Item{{}, {Values: map[string]any{"text": "slide"}}}}}},
		"inside": {{Kind: BlockGroup, Group: []Block{{Kind: BlockWidget, Widget: &Widget{Kind: "columns", Cells: [][]Block{{}, {text("inside")}}}}}}},
		"aside":  {{Kind: BlockColumns, Aside: []Block{text("aside")}}},
	} {
		p := &TextPage{}
		p.Layout.Body = blocks
		if got := newView(p).Description; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Price bounds are formatted like the shop's prices, however they were typed.
func TestPriceBoundsHaveTheShopsDecimals(t *testing.T) {
	page, frame := faced("listing")
	finder := page.(*Listing).Finder
	for digits, want := range [][3]string{{"12 – 14", "12", "90"}, 2: {"12.00 – 14.50", "12.00", "0.90"}} {
		if want[0] == "" {
			continue
		}
		frame.Shop.Digits, finder.High, finder.Choices.MaxPrice = digits, 90, "14.5"
		drawn := string(bytesOf(t, page))
		for _, text := range []string{"Price " + want[0], `name="min_price" inputmode="decimal" value="` + want[1] + `"`, `placeholder="` + want[2] + `"`} {
			if !strings.Contains(drawn, text) {
				t.Errorf("%d digits: no %s", digits, text)
			}
		}
	}
}
