package feed

import (
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// varied returns a shop, with prices in cents, of a product with two variants and of a
// plain product that is sold out.
func varied() *Catalogue {
	tea := Item{Digits: 2, Pictures: []string{"https://a.test/files/1.jpg"}, Product: Product{ID: 1, Name: "Tea", URL: "https://a.test/tea", SKU: "T", Price: 450, Currency: "EUR", CategoryID: 10, Kind: "standard", InStock: true}}
	tea.Brand, tea.Stock = "Clay", "0"
	tea.Attributes = []shop.Trait{{Name: "Weight", Value: "50", Unit: "g"}, {Name: "Origin", Value: "Nepal & Assam"}}
	for _, v := range []struct {
		id, name string
		price    int64
	}{{"1-7", "Tea, 50 g", 450}, {"1-8", "Tea, 100 g", 850}} {
		of := tea
		of.Options = []shop.Trait{{Name: "Colour", Value: "green"}, {Name: "size", Value: v.name[5:]}}
		of.OfferID, of.GroupID, of.Name, of.Price, of.URL, of.Variants = v.id, 1, v.name, v.price, tea.URL+"?variant="+v.id[2:], nil
		of.VariantID = int64(v.id[2] - '0')
		tea.Variants = append(tea.Variants, of)
	}
	cup := Item{Digits: 2, Product: Product{ID: 2, Name: "Cup", URL: "https://a.test/cup", Price: 1205, Currency: "EUR", CategoryID: 10, Kind: "standard"}}
	cup.GTIN = "4006381333931"
	return NewCatalogue(Contents{Shop: Shop{Name: "A", URL: "https://a.test", Currency: "EUR"}, Items: []Item{tea, cup}, Categories: []Category{{ID: 10, Name: "All"}}, Sections: []Section{{ID: 10}}})
}

func rendered(t *testing.T, name, body string) string {
	t.Helper()
	out, _, problem := render(name, body, varied(), Options{Now: noon})
	if problem != nil {
		t.Fatal(problem)
	}
	return out
}

func TestOffersAreTheVariantsOfAProductOrItself(t *testing.T) {
	got := rendered(t, "offers.txt", `{{range products}}{{.ID}}:{{range offers .}} {{.OfferID}}/{{.GroupID}} {{.Name}} {{.Price}} {{len (pictures .)}}{{end}};{{end}}{{len (offers (index (products) 0))}}`)
	if want := "1: 1-7/1 Tea, 50 g 4.50 1 1-8/1 Tea, 100 g 8.50 1;2: 2/0 Cup 12.05 0;2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBothSeedsListVariantsAsOffers(t *testing.T) {
	for name, parts := range map[string][]string{
		"google.xml": {"<g:id>1-7</g:id>", "<g:item_group_id>1</g:item_group_id>", "<g:price>8.50 EUR</g:price>", "variant=8</g:link>", "<g:id>2</g:id>", "<g:availability>out_of_stock", "<g:gtin>4006381333931", "<g:brand>Clay",
			"<g:color>green</g:color>", "<g:size>100 g</g:size>", "<g:attribute_name>Weight</g:attribute_name>", "<g:attribute_value>50 g</g:attribute_value>"},
		"yandex.yml": {`<offer id="1-8" group_id="1" available="true">`, "<price>4.50</price>", "variant=7</url>", `<offer id="2" available="false">`, "<barcode>4006381333931", "<vendor>Clay",
			"<count>0</count>", `<param name="size">100 g</param>`, `<param name="Weight" unit="g">50</param>`, `<param name="Origin">Nepal &amp; Assam</param>`},
	} {
		got := rendered(t, name, map[string]string{"google.xml": google, "yandex.yml": yandex}[name])
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s has no %s:\n%s", name, part, got)
			}
		}
		if strings.Count(got, "<count>") > 2 || strings.Count(got, "Weight") != 2 {
			t.Errorf("%s lists data of the tea for the cup, or a stock that is not tracked:\n%s", name, got)
		}
		if n := strings.Count(got, "<g:id>") + strings.Count(got, "<offer id"); n != 3 {
			t.Errorf("%s lists %d offers", name, n)
		}
	}
}

// The lines are what an assistant reads: ids as in its checkout, minor units, variants with their options.
func TestTheTemplateForAssistantsWritesOneProductPerLine(t *testing.T) {
	t.Parallel()
	got := strings.Split(rendered(t, "acp.jsonl", strings.Replace(acp, `$feed_id := ""`, `$feed_id := "f"`, 1)), "\n")
	for i, want := range []string{
		`{"feed_id": "f", "account_id": "", "target_merchant": "", "target_country": ""}`,
		`{"id": "1", "title": "Tea", "url": "https://a.test/tea", "media": [{"type": "image", "url": "https://a.test/files/1.jpg"}], "variants": [` +
			`{"id": "1-7", "title": "Tea, 50 g", "url": "https://a.test/tea?variant=7", "price": {"amount": 450, "currency": "EUR"}, "availability": {"available": true, "status": "in_stock"}, ` +
			`"variant_options": [{"name": "Colour", "value": "green"}, {"name": "size", "value": "50 g"}], "condition": ["new"], "seller": {"name": "A"}}, ` +
			`{"id": "1-8", "title": "Tea, 100 g", "url": "https://a.test/tea?variant=8", "price": {"amount": 850, "currency": "EUR"}, "availability": {"available": true, "status": "in_stock"}, ` +
			`"variant_options": [{"name": "Colour", "value": "green"}, {"name": "size", "value": "100 g"}], "condition": ["new"], "seller": {"name": "A"}}]}`,
		`{"id": "2", "title": "Cup", "url": "https://a.test/cup", "variants": [{"id": "2", "title": "Cup", "url": "https://a.test/cup", "price": {"amount": 1205, "currency": "EUR"}, ` +
			`"availability": {"available": false, "status": "out_of_stock"}, "barcodes": [{"type": "GTIN", "value": "4006381333931"}], "condition": ["new"], "seller": {"name": "A"}}]}`,
		"",
	} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, got[i:], want)
		}
	}
}

func TestMinorCountsTheSmallestUnitsOfACurrency(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{{range products}}{{minor .Price "EUR"}} {{end}}`:         "450 1205 ",
		`{{minor 12 "EUR"}} {{minor 12 "JPY"}} {{minor 12 "KWD"}}`: "1200 12 12000",
		`{{plain "<p>a &amp; b</p><p>c</p>"}}`:                     "a & b\n\nc",
	} {
		if got := rendered(t, "a.txt", body); got != want {
			t.Errorf("%s is %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{`{{minor "1" "EUR"}}`, `{{minor 1.5 "EUR"}}`, `{{minor 1 2}}`, `{{plain 1}}`} {
		if _, _, problem := render("a.txt", body, varied(), Options{}); problem == nil {
			t.Errorf("%s is accepted", body)
		}
	}
}
