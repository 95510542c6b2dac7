package render

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"vitrine/compile/widget"
	"vitrine/internal/shop"
)

func faced(name string) (Page, *Frame) {
	page := fixture()[name]
	f := FrameOf(page)
	f.Shop.Face = shop.Face{
		Logo: shop.Picture{Path: "/files/a/logo.png", Width: 300, Height: 100}, Icon: shop.Picture{Path: "/files/a/icon.png"}, Card: shop.Picture{Path: "/files/a/card.jpg", Width: 1200, Height: 630},
		Contacts: shop.Contacts{Phone: "+49 (30) 123", Email: "hello@shop.example", Address: "Weg 1\nBerlin", Hours: "9 to 5"},
		Socials:  []string{"https://t.me/clay", "https://www.instagram.com/clay", "https://clay.social/@us", "javascript:alert(1)", "https://u:p@x.com"},
		Legal:    shop.Legal{Name: "Clay GmbH", Details: "HRB 1"}, Title: "Clay for every day", Description: "A small shop",
	}
	return page, f
}

func TestHeaderAndFooterShowTheSettings(t *testing.T) {
	for _, name := range []string{"listing", "cart", "missing"} {
		page, _ := faced(name)
		want(t, draw(t, page), map[string]string{
			"header .v-brand img@alt": "Clay & Linen", "header .v-brand img@src": "/w/640/webp/a/logo.png",
			"header .v-phone@href": "tel:+4930123", ".v-phone__number": "+49 (30) 123", "footer a[href^='mailto:']@href": "mailto:hello@shop.example",
			".v-contacts span": "Weg 1 Berlin", ".v-socials li#": "3", ".v-socials li:nth-child(1)": "Telegram", ".v-socials li:nth-child(2)": "Instagram", ".v-socials li:nth-child(3)": "clay.social",
			".v-legal strong": "Clay GmbH", ".v-legal p": "HRB 1", ".v-scheme option#": "3", ".v-scheme@hidden": "",
		})
	}
	page, f := faced("listing")
	f.Shop.Face = shop.Face{}
	want(t, draw(t, page), map[string]string{"header .v-brand": "Clay & Linen", ".v-phone#": "0", ".v-contacts#": "0", ".v-socials#": "0", ".v-legal#": "0", ".v-scheme#": "1"})
}

func TestHeaderAndFooterWidgetsShowTheSettings(t *testing.T) {
	page, f := faced("listing")
	kind := func(name, props string) []Block {
		k, _ := widget.Lookup(name)
		return []Block{{Kind: BlockWidget, Widget: &Widget{Kind: name, Props: k.Read(json.RawMessage(props))}}}
	}
	f.Layout.Header, f.Layout.Footer = kind("siteHeader", `{"phone":"8 800"}`), kind("siteFooter", `{}`)
	want(t, draw(t, page), map[string]string{"header .v-brand img@src": "/w/640/webp/a/logo.png", "header .v-phone@href": "tel:8800", "footer .v-contacts#": "1", "footer .v-socials#": "1", "footer .v-scheme#": "1"})
	f.Layout.Footer = kind("siteFooter", `{"showContacts":false,"showSocial":false}`)
	want(t, draw(t, page), map[string]string{"footer .v-contacts#": "0", "footer .v-socials#": "0", "footer .v-legal#": "1"})
}

func TestOnlyPagesWithoutAuthorMarkupAreDark(t *testing.T) {
	document := []Block{{Kind: BlockHTML}}
	for what, c := range map[string]struct {
		change func(*Frame)
		own    bool
	}{
		"nothing of an author": {func(*Frame) {}, true},
		"a document":           {func(f *Frame) { f.Layout.Body = document }, false},
		"one in a header":      {func(f *Frame) { f.Layout.Header = document }, false},
		"one in a group":       {func(f *Frame) { f.Layout.Body = []Block{{Kind: BlockGroup, Group: document}} }, false},
		"one in a column": {func(f *Frame) {
			f.Layout.Body = []Block{{Kind: BlockWidget, Widget: &Widget{Kind: "columns", Cells: [][]Block{document}}}}
		}, false},
		"a layout with its rules": {func(f *Frame) { f.Layout.Class = "svc-body svc-body-1" }, false},
	} {
		page := fixture()["text"]
		c.change(FrameOf(page))
		if got := draw(t, page).Find("head > meta[data-v-own]").Length() == 1; got != c.own {
			t.Errorf("%s: own %t", what, got)
		}
	}
}

func TestFixedSchemeOffersNoChoice(t *testing.T) {
	for scheme, color := range map[shop.Scheme]string{"light": "#ffffff", "dark": "#191512"} {
		page, f := faced("home")
		f.Shop.Face.Look.Scheme = scheme
		want(t, draw(t, page), map[string]string{"html@data-v-scheme": string(scheme), ".v-scheme#": "0", "meta[name=theme-color]#": "1", "meta[name=theme-color]@content": color})
		if strings.Contains(string(bytesOf(t, page)), earlyScheme) {
			t.Errorf("%s: the page uses the visitor's choice", scheme)
		}
	}
	page, _ := faced("cart")
	want(t, draw(t, page), map[string]string{"html@data-v-scheme": "", "meta[name=theme-color]#": "2", ".v-scheme#": "1"})
	if !strings.Contains(string(bytesOf(t, page)), "<script>"+earlyScheme+"</script>") {
		t.Error("a guarded page does not apply the visitor's choice before its first paint")
	}
}

func TestHeadDescribesTheShop(t *testing.T) {
	page, f := faced("home")
	page.(*Home).Category = Category{}
	f.SEO.Twins = []Twin{{"de", "https://de.shop.example/"}, {"x-default", `https://shop.example/"><x>`}}
	doc := draw(t, page)
	want(t, doc, map[string]string{
		"title": "Clay for every day", "meta[name=description]@content": "A small shop", "meta[property='og:image']@content": "https://shop.example/files/a/card.jpg", "meta[property='og:image:width']@content": "1200",
		"meta[name='twitter:card']@content": "summary_large_image", "link[rel=manifest]@href": ManifestPath, "link[rel=icon]#": "3", "link[rel=apple-touch-icon]@sizes": "180x180",
		"link[hreflang]#": "3", "link[hreflang=en]@href": "https://shop.example/", "link[hreflang=de]@href": "https://de.shop.example/", "link[hreflang=x-default]@href": "https://shop.example/%22%3E%3Cx%3E",
	})
	var shopData, site map[string]any
	for i, to := range []*map[string]any{&shopData, &site} {
		if err := json.Unmarshal([]byte(doc.Find("script[type='application/ld+json']").Eq(i).Text()), to); err != nil {
			t.Fatal(err)
		}
	}
	if shopData["@type"] != "Organization" || shopData["logo"] != "https://shop.example/w/640/webp/a/logo.png" || shopData["telephone"] != "+49 (30) 123" || len(shopData["sameAs"].([]any)) != 3 || shopData["legalName"] != "Clay GmbH" {
		t.Errorf("%v", shopData)
	}
	if action, _ := site["potentialAction"].(map[string]any); site["@type"] != "WebSite" || action["target"].(map[string]any)["urlTemplate"] != "https://shop.example/search?q={search_term_string}" {
		t.Errorf("%v", site)
	}
	other, _ := faced("listing")
	want(t, draw(t, other), map[string]string{"script[type='application/ld+json']#": "1"})
	f.Shop.Face.NoIndex = true
	want(t, draw(t, page), map[string]string{"meta[name=robots]@content": "noindex"})
}

func TestArticleHasPublishedAndModifiedDates(t *testing.T) {
	page := fixture()["article"].(*ArticlePage)
	page.Article.Modified = time.Date(2026, 11, 5, 8, 0, 0, 0, time.UTC)
	if drawn := string(bytesOf(t, page)); !strings.Contains(drawn, `"dateModified":"2026-11-05T08:00:00Z"`) {
		t.Error("no dateModified")
	}
}

// Totals show the taxes that they contain, or to which taxes were added: of the goods, or of the
// order with its delivery; in the currency of the order.
func TestTotalsShowTheirTaxes(t *testing.T) {
	vat, half := shop.TaxRate{Name: "VAT", Percent: 19000}, shop.TaxRate{Name: "VAT", Percent: 7500}
	zero := shop.Tax{TaxRate: shop.TaxRate{Name: "VAT"}, Base: 100}
	for _, c := range []struct {
		goods, grand  int64
		taxes         []shop.Tax
		cart, ordered string // the goods with their taxes, and with a delivery of 11.90
	}{
		{11900, 11900, nil, ``, ``},
		{11900, 11900, []shop.Tax{zero}, ``, ``},
		{11900, 11900, []shop.Tax{{TaxRate: vat, Base: 10000, Amount: 1900}}, `Including VAT 19%: €19.00`, `Including VAT 19%: €19.00`},
		{11900, 11900, []shop.Tax{{TaxRate: vat, Base: 5000, Amount: 950}, zero, {TaxRate: half, Base: 5537, Amount: 415}}, `Including VAT 19%: €9.50, VAT 7.5%: €4.15`, `Including VAT 19%: €9.50, VAT 7.5%: €4.15`},
		{10000, 11900, []shop.Tax{{TaxRate: vat, Base: 10000, Amount: 1900}}, `Plus VAT 19%: €19.00`, `Plus VAT 19%: €19.00`},
	} {
		cart := Cart{Lines: []CartLine{{Name: "Cup", Quantity: 1}}, Subtotal: c.goods, Grand: c.grand, Taxes: c.taxes, Units: 1}
		post := DeliveryOption{ID: "1", Name: "Post", Price: 1190, Grand: c.grand + 1190, Taxes: c.taxes}
		for what, of := range map[string]struct {
			body ZoneBody
			want string
		}{
			"cart":     {&cart, c.cart},
			"pick up":  {&Checkout{Cart: cart}, c.cart},
			"checkout": {&Checkout{Cart: cart, Options: []DeliveryOption{post}}, c.ordered},
			"order":    {&Order{Total: c.goods, Grand: c.grand + 1190, Currency: "EUR", Taxes: c.taxes, Delivery: &OrderDelivery{Name: "Post", Price: 1190}}, c.ordered},
		} {
			p := &ZonePage{Zone: shop.ZoneCart, Body: of.body}
			p.Shop = Shop{Name: "Clay", Currency: "EUR", Digits: 2}
			drawn := string(bytesOf(t, p))
			total := strings.LastIndex(drawn, `class="v-sum__row"`)
			at := max(strings.Index(drawn, ">Including VAT"), strings.Index(drawn, ">Plus VAT"))
			switch {
			case of.want == "" && at >= 0, of.want != "" && !strings.Contains(drawn, ">"+of.want+"</p>"):
				t.Errorf("%s: no %q in %s", what, of.want, drawn[total:])
			case of.want != "" && (at < total) != strings.HasPrefix(of.want, "Plus"):
				t.Errorf("%s: %q is on the wrong side of the total", what, of.want)
			}
		}
	}
	p := &ZonePage{Zone: shop.ZoneOrders, Body: &Order{Grand: 13090, Total: 13090, Currency: "USD", Taxes: []shop.Tax{{TaxRate: shop.TaxRate{Name: "GST", Percent: 12500}, Amount: 1454}}}}
	p.Shop = Shop{Name: "Clay", Currency: "EUR", Digits: 2, Language: "ru"}
	if drawn := string(bytesOf(t, p)); !strings.Contains(drawn, "<p class=\"v-muted\">В том числе GST 12,5%: 14,54\u00a0$</p>") {
		t.Error("the order does not show its own tax")
	}
}

// Dates are in the shop's time zone: the note is dated 23:00 UTC.
func TestDatesAreInTheShopsTimeZone(t *testing.T) {
	for zone, want := range map[string]string{"": `"2026-11-03">3 November 2026<`, "Asia/Tokyo": `"2026-11-04">4 November 2026<`} {
		page, frame := faced("rubric")
		frame.Shop.Timezone = zone
		if drawn := string(bytesOf(t, page)); !strings.Contains(drawn, want) {
			t.Errorf("%s: no %s", zone, want)
		}
		page, frame = faced("product")
		frame.Shop.Timezone, page.(*ProductPage).Remarks.Reviews[0].Written = zone, time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC)
		if drawn := string(bytesOf(t, page)); !strings.Contains(drawn, `"datePublished":`+want[:12]) || !strings.Contains(drawn, want[13:]) {
			t.Errorf("%s: a review is not dated %s", zone, want)
		}
		frame.Shop.Timezone = zone
		order := &ZonePage{Frame: *frame, Zone: shop.ZoneOrders, Body: &Order{CreatedAt: time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC)}}
		if drawn := string(bytesOf(t, order)); !strings.Contains(drawn, want) {
			t.Errorf("%s: an order is not dated %s", zone, want)
		}
	}
}

func TestFeedIsValidRSS(t *testing.T) {
	f := &ArticleFeed{Category: Category{Name: "News & more", Description: "Of the shop"}, Articles: []ArticleCard{
		{Title: "A <b> & \x00c", Path: "/news/a", Announce: "]]> \xff end", Published: time.Date(2026, 11, 3, 8, 0, 0, 0, time.UTC), Author: Author{Name: "Ines"}, Rubric: Crumb{Name: "News"}}, {Title: "B", Path: "/news/b"},
	}}
	f.Shop, f.Path, f.Canonical, f.Feed = Shop{Name: "Clay", Origin: "https://shop.example", Language: "ru"}, "/news", "https://shop.example/news", "/news/rss.xml"
	var out struct {
		Channel struct {
			Title       string `xml:"title"`
			Description string `xml:"description"`
			Language    string `xml:"language"`
			Links       []struct {
				XMLName xml.Name
				Text    string `xml:",chardata"`
				Href    string `xml:"href,attr"`
			} `xml:"link"`
			Items []struct {
				Title       string `xml:"title"`
				Link        string `xml:"link"`
				GUID        string `xml:"guid"`
				Date        string `xml:"pubDate"`
				Description string `xml:"description"`
			} `xml:"item"`
		} `xml:"channel"`
	}
	if err := xml.Unmarshal(bytesOf(t, f), &out); err != nil {
		t.Fatal(err)
	}
	c := out.Channel
	if c.Title != "News & more · Clay" || c.Language != "ru" || len(c.Links) != 2 || c.Links[0].Text != "https://shop.example/news" || c.Links[1].Href != "https://shop.example/news/rss.xml" {
		t.Errorf("%+v", c)
	}
	if len(c.Items) != 2 || c.Items[0].Title != "A <b> & c" || c.Items[0].Link != "https://shop.example/news/a" || c.Items[0].GUID != c.Items[0].Link || c.Items[0].Date != "Tue, 03 Nov 2026 08:00:00 +0000" || c.Items[0].Description != "]]>  end" || c.Items[1].Date != "" {
		t.Errorf("%+v", c.Items)
	}
}

func TestManifestListsTheShopsIcons(t *testing.T) {
	_, f := faced("home")
	f.Shop.Face.Look.Accent = "#0057b7"
	var m map[string]any
	if err := json.Unmarshal(Manifest(f.Shop), &m); err != nil {
		t.Fatal(err)
	}
	icons := m["icons"].([]any)
	if m["name"] != "Clay & Linen" || m["theme_color"] != "#0057b7" || len(icons) != 4 || icons[3].(map[string]any)["sizes"] != "512x512" {
		t.Errorf("%v", m)
	}
	for _, i := range icons {
		if path := i.(map[string]any)["src"].(string); IconSize(f.Shop.Face, path) == 0 || IconSize(shop.Face{Icon: shop.Picture{Path: "/files/b.png"}}, path) != 0 {
			t.Errorf("%s is accepted, but is not an icon of this picture", path)
		}
	}
	for path, typ := range map[string]string{"/files/a.svg": "image/svg+xml", "": "image/svg+xml", "/files/a.gif": "image/gif"} {
		f.Shop.Face.Icon.Path = path
		if got := string(Manifest(f.Shop)); !strings.Contains(got, `"type":"`+typ+`"`) || strings.Count(got, "sizes") != 1 {
			t.Errorf("%s: %s", path, got)
		}
	}
}
