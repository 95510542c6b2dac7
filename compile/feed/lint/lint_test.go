package lint

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/compile/feed"
)

// demo is a shop like the demo shop: a few categories, and products with and without a discount,
// description, picture and SKU.
func demo() *feed.Catalogue {
	shop := feed.Shop{Name: "Demo & Co", URL: "https://demo.test", Currency: "EUR"}
	contents := feed.Contents{
		Shop: shop,
		Categories: []feed.Category{
			{ID: 1, Name: "Clothes", URL: "https://demo.test/clothes"},
			{ID: 2, ParentID: 1, Name: `Boots "M" & <L>`, URL: "https://demo.test/clothes/boots"},
		},
	}
	for i := range 30 {
		item := feed.Item{
			Product: feed.Product{
				ID: int64(100 + i), Name: fmt.Sprintf(`Boots "North" <%d> & more`, i),
				URL: fmt.Sprintf("https://demo.test/clothes/boots/b%d?a=1&b=2", i), Price: int64(10 + i), Currency: "EUR",
				CategoryID: 2, CategoryName: "Boots", CategoryPath: "Clothes > Boots", Kind: "standard", InStock: i%5 > 0,
			},
		}
		item.Pictures = []string{fmt.Sprintf("https://demo.test/files/%d.jpg", i)}
		switch i % 3 {
		case 0:
			item.OldPrice = item.Price + 5
			item.Description = strings.Repeat("Warm & dry. ", 10*i)
		case 1:
			item.SKU = fmt.Sprintf("SKU-%d", i)
			item.Pictures = append(item.Pictures, "https://demo.test/files/more.png", "https://cdn.test/x.webp")
			item.Description = strings.Repeat("é", 4000) + "\x01"
			item.Name = strings.Repeat("Й", 20) + strings.Repeat("й", 140)[:2*120]
		}
		contents.Items = append(contents.Items, item)
	}
	return feed.NewCatalogue(contents)
}

func seed(t *testing.T, key string) (string, string) {
	t.Helper()
	for _, s := range feed.Seeds() {
		if s.Key == key {
			return s.Path[1:], s.Body
		}
	}
	t.Fatal(key)
	return "", ""
}

func render(t *testing.T, name, body string, c *feed.Catalogue) ([]byte, *feed.Result) {
	t.Helper()
	tmpl, problems := feed.Compile(name, body)
	if problems != nil {
		t.Fatal(problems)
	}
	var b bytes.Buffer
	result, problem := tmpl.Render(&b, c, feed.Options{Trace: true, Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
	if problem != nil {
		t.Fatal(problem)
	}
	return b.Bytes(), &result
}

func TestSeedsHaveNoFindings(t *testing.T) {
	for key, kind := range map[string]Kind{"yandex_yml": YML, "google_xml": Google, "acp_jsonl": ACP} {
		name, body := seed(t, key)
		out, result := render(t, name, body, demo())
		report := Check(out, result, Rules{Shop: demo().Shop(), Picture: func(string) bool { return true }})
		if report.Kind != kind || report.Offers != 30 || len(report.Findings) != 0 {
			t.Errorf("%s: %s, %d offers, %+v", key, report.Kind, report.Offers, report.Findings)
		}
	}
	name, body := seed(t, "empty")
	if out, result := render(t, name, body, demo()); len(out) != 0 || result.Broken != nil {
		t.Errorf("the empty seed writes %q, %v", out, result.Broken)
	}
}

// yml is the Yandex feed as encoding/xml reads it, to check the format independently of the
// linter.
type yml struct {
	XMLName    xml.Name `xml:"yml_catalog"`
	Date       string   `xml:"date,attr"`
	Name       string   `xml:"shop>name"`
	Company    string   `xml:"shop>company"`
	URL        string   `xml:"shop>url"`
	Currencies []struct {
		ID string `xml:"id,attr"`
	} `xml:"shop>currencies>currency"`
	Categories []struct {
		ID     string `xml:"id,attr"`
		Parent string `xml:"parentId,attr"`
		Name   string `xml:",chardata"`
	} `xml:"shop>categories>category"`
	Offers []struct {
		ID       string   `xml:"id,attr"`
		Name     string   `xml:"name"`
		URL      string   `xml:"url"`
		Price    int      `xml:"price"`
		OldPrice *int     `xml:"oldprice"`
		Currency string   `xml:"currencyId"`
		Category string   `xml:"categoryId"`
		Pictures []string `xml:"picture"`
	} `xml:"shop>offers>offer"`
}

func TestTheYandexSeedFollowsTheFormat(t *testing.T) {
	name, body := seed(t, "yandex_yml")
	out, _ := render(t, name, body, demo())
	var f yml
	if err := xml.Unmarshal(out, &f); err != nil {
		t.Fatal(err)
	}
	if f.Date != "2026-11-21 12:00" || f.Name != "Demo & Co" || f.Company == "" || f.URL != "https://demo.test" || len(f.Currencies) != 1 ||
		f.Currencies[0].ID != "EUR" ||
		len(f.Offers) != 30 {
		t.Errorf("%+v", f)
	}
	known := map[string]bool{}
	for _, c := range f.Categories {
		if known[c.ID] || c.Name == "" || c.Parent != "" && !known[c.Parent] {
			t.Errorf("category %+v", c)
		}
		known[c.ID] = true
	}
	ids := map[string]bool{}
	for _, o := range f.Offers {
		u, err := url.Parse(o.URL)
		if ids[o.ID] || !regexp.MustCompile(`^[A-Za-z0-9]{1,20}$`).MatchString(o.ID) || err != nil || u.Host != "demo.test" || o.Price <= 0 ||
			o.OldPrice != nil &&
				*o.OldPrice <= o.Price || o.Currency != "EUR" || !known[o.Category] || len(o.Pictures) == 0 || o.Name == "" || len([]rune(o.Name)) > 150 {
			t.Errorf("offer %+v", o)
		}
		ids[o.ID] = true
	}
}

// rss is the Google feed as encoding/xml reads it.
type rss struct {
	Version string `xml:"version,attr"`
	Title   string `xml:"channel>title"`
	Link    string `xml:"channel>link"`
	Items   []struct {
		ID           string `xml:"http://base.google.com/ns/1.0 id"`
		Title        string `xml:"http://base.google.com/ns/1.0 title"`
		Description  string `xml:"http://base.google.com/ns/1.0 description"`
		Link         string `xml:"http://base.google.com/ns/1.0 link"`
		Image        string `xml:"http://base.google.com/ns/1.0 image_link"`
		Availability string `xml:"http://base.google.com/ns/1.0 availability"`
		Price        string `xml:"http://base.google.com/ns/1.0 price"`
		Sale         string `xml:"http://base.google.com/ns/1.0 sale_price"`
		Identifier   string `xml:"http://base.google.com/ns/1.0 identifier_exists"`
	} `xml:"channel>item"`
}

func TestTheGoogleSeedFollowsTheFormat(t *testing.T) {
	name, body := seed(t, "google_xml")
	out, _ := render(t, name, body, demo())
	var f rss
	if err := xml.Unmarshal(out, &f); err != nil {
		t.Fatal(err)
	}
	if f.Version != "2.0" || f.Title == "" || f.Link != "https://demo.test" || len(f.Items) != 30 {
		t.Errorf("%+v", f)
	}
	ids := map[string]bool{}
	price := regexp.MustCompile(`^[1-9][0-9]* EUR$`)
	for _, i := range f.Items {
		if ids[i.ID] || i.ID == "" || i.Title == "" || len([]rune(i.Title)) > 150 || i.Description == "" || len([]rune(i.Description)) > 5000 ||
			!strings.HasPrefix(i.Link, "https://demo.test/") || !strings.HasPrefix(i.Image, "https://") || i.Availability != map[bool]string{true: "out_of_stock", false: "in_stock"}[strings.HasSuffix(i.ID, "0") || strings.HasSuffix(i.ID, "5")] ||
			!price.MatchString(i.Price) || i.Sale != "" && !price.MatchString(i.Sale) || i.Identifier != "no" {
			t.Errorf("item %+v", i)
		}
		ids[i.ID] = true
	}
}

const goodYML = `<?xml version="1.0"?>
<yml_catalog date="2026-11-21 12:00"><shop><name>A</name><company>A</company><url>https://demo.test</url>
<currencies><currency id="EUR" rate="1"/></currencies>
<categories><category id="1">A</category><category id="2" parentId="1">B</category></categories>
<offers>{{range products "limit=2"}}
<offer id="{{.ID}}" available="true"><url>{{.URL}}</url><price>{{.Price}}</price><oldprice>99</oldprice>
<currencyId>EUR</currencyId><categoryId>2</categoryId><picture>https://demo.test/1.jpg</picture><name>Name of it</name>
<description>Text</description></offer>{{end}}
</offers></shop></yml_catalog>`

const goodRSS = `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>A</title><link>https://demo.test</link>{{range products "limit=2"}}
<item><g:id>{{.ID}}</g:id><g:title>Name of it</g:title><g:description>Text</g:description><g:link>{{.URL}}</g:link>
<g:image_link>https://demo.test/1.jpg</g:image_link><g:availability>in_stock</g:availability><g:condition>new</g:condition>
<g:price>100.00 EUR</g:price><g:sale_price>{{.Price}} EUR</g:sale_price>
<g:identifier_exists>no</g:identifier_exists></item>{{end}}</channel></rss>`

const goodACP = `{"feed_id": "f", "account_id": "a", "target_merchant": "m", "target_country": "US"}
{{range products "limit=2" -}}
{"id": "{{.ID}}", "title": "Name of it", "url": "{{.URL}}", "description": {"plain": "Text"}, {{- /* */ -}}
"media": [{"type": "image", "url": "https://demo.test/1.jpg"}], {{- /* */ -}}
"variants": [{"id": "v{{.ID}}", "title": "Small", "price": {"amount": {{.Price}}, "currency": "EUR"}, "list_price": {"amount": 99, "currency": "EUR"}, {{- /* */ -}}
"availability": {"available": {{.InStock}}, "status": "out_of_stock"}, "variant_options": [{"name": "Size", "value": "S"}]}]}
{{end}}`

// spoilt are good feeds with one change each, and the expected finding.
var spoilt = []struct {
	feed, old, new string
	code           string
	line           int
	product        bool
}{
	{goodYML, `2026-11-21 12:00`, `21.11.2026`, "yml.date", 2, false},
	{goodYML, ` date="2026-11-21 12:00"`, ``, "yml.date", 2, false},
	{goodYML, `<company>A</company>`, ``, "yml.missing", 1, false},
	{goodYML, `<category id="2"`, `<category id="1"`, "yml.category_duplicate", 4, false},
	{goodYML, `<category id="1"`, `<category id="x"`, "yml.category_id", 4, false},
	{goodYML, `parentId="1"`, `parentId="7"`, "yml.category_parent", 4, false},
	{goodYML, `>B<`, `> <`, "yml.category_name", 4, false},
	{goodYML, `id="{{.ID}}"`, `id="7"`, "yml.id_duplicate", 6, true},
	{goodYML, `id="{{.ID}}"`, `id="a-{{.ID}}"`, "yml.id", 6, true},
	{goodYML, `id="{{.ID}}"`, `id="123456789012345678{{.ID}}"`, "yml.id", 6, true},
	{goodYML, `<offer id="{{.ID}}"`, `<offer`, "yml.id", 6, true},
	{goodYML, `available="true"`, `available="yes"`, "yml.available", 6, true},
	{goodYML, `{{.URL}}`, `/a`, "yml.url", 6, true},
	{goodYML, `{{.URL}}`, `https://other.test/`, "yml.url", 6, true},
	{goodYML, `<url>{{.URL}}</url>`, ``, "yml.url", 6, true},
	{goodYML, `{{.Price}}`, `0`, "yml.price", 6, true},
	{goodYML, `{{.Price}}`, `1 990`, "yml.price", 6, true},
	{goodYML, `{{.Price}}`, `19,90`, "yml.price", 6, true},
	{goodYML, `{{.Price}}`, `-1`, "yml.price", 6, true},
	{goodYML, `<price>{{.Price}}</price>`, ``, "yml.price", 6, true},
	{goodYML, `<oldprice>99`, `<oldprice>{{.Price}}`, "yml.oldprice", 6, true},
	{goodYML, `<oldprice>99`, `<oldprice>abc`, "yml.oldprice", 6, true},
	{goodYML, `<currencyId>EUR`, `<currencyId>USD`, "yml.currency", 7, true},
	{goodYML, `<currencyId>EUR`, `<currencyId>GBP`, "yml.currency", 7, true},
	{goodYML, `<currencyId>EUR</currencyId>`, ``, "yml.currency", 6, true},
	{goodYML, `<categoryId>2`, `<categoryId>{{.CategoryID}}9`, "yml.category", 7, true},
	{goodYML, `<categoryId>2</categoryId>`, ``, "yml.category", 6, true},
	{goodYML, `https://demo.test/1.jpg`, `1.jpg`, "yml.picture", 7, true},
	{goodYML, `https://demo.test/1.jpg`, `https://demo.test/gone.jpg`, "yml.picture_unreachable", 7, true},
	{goodYML, `https://demo.test/1.jpg`, `https://demo.test/1.svg`, "yml.picture_format", 7, true},
	{goodYML, `Name of it`, strings.Repeat("é", 151), "yml.length", 7, true},
	{goodYML, `<name>Name of it</name>`, ``, "yml.name", 6, true},
	{goodYML, `Name of it`, `VERY CHEAP BOOTS`, "yml.name_capitals", 7, true},
	{goodYML, `Text`, `{{html "a&b"}}`, "yml.double_escape", 8, true},
	{goodYML, `Text`, "cut\ufffd", "yml.characters", 8, true},
	{goodYML, `"limit=2"`, `"limit=2" "exclude_category=2"`, "yml.empty", 1, false},
	{goodYML, `</offers>`, ``, "xml.broken", 9, false},
	{goodRSS, `<title>A</title>`, ``, "google.missing", 1, false},
	{goodRSS, `{{.ID}}`, `7`, "google.id_duplicate", 2, true},
	{goodRSS, `{{.ID}}`, strings.Repeat("1", 48) + `{{.ID}}`, "google.length", 2, true},
	{goodRSS, `<g:id>{{.ID}}</g:id>`, ``, "google.id", 2, true},
	{goodRSS, `Name of it`, ``, "google.title", 2, true},
	{goodRSS, `Name of it`, strings.Repeat("é", 151), "google.length", 2, true},
	{goodRSS, `Text`, strings.Repeat("é", 5001), "google.length", 2, true},
	{goodRSS, `<g:description>Text</g:description>`, ``, "google.description", 2, true},
	{goodRSS, `{{.URL}}`, `https://other.test/`, "google.link", 2, true},
	{goodRSS, `https://demo.test/1.jpg`, `https://demo.test/gone.jpg`, "google.picture_unreachable", 3, true},
	{goodRSS, `in_stock`, `in stock`, "google.availability", 3, true},
	{goodRSS, `new`, `fresh`, "google.condition", 3, true},
	{goodRSS, `100.00 EUR`, `100.00`, "google.price", 4, true},
	{goodRSS, `100.00 EUR`, `EUR 100.00`, "google.price", 4, true},
	{goodRSS, `100.00 EUR`, `0 EUR`, "google.price", 4, true},
	{goodRSS, `100.00 EUR`, `100.00 USD`, "google.currency", 4, true},
	{goodRSS, `100.00 EUR`, `{{.Price}} EUR`, "google.sale_price", 4, true},
	{goodRSS, `<g:identifier_exists>no`, `<g:identifier_exists>yes`, "google.identifier", 2, true},
	{goodRSS, `"limit=2"`, `"limit=2" "exclude_category=2"`, "google.empty", 1, false},
	{goodACP, `"US"`, `"usa"`, "acp.country", 1, false},
	{goodACP, `"target_country"`, `"country"`, "acp.field", 1, false},
	{goodACP, `"{{.ID}}"`, `"7"`, "acp.id_duplicate", 3, true},
	{goodACP, `"v{{.ID}}"`, `"7"`, "acp.id_duplicate", 5, true},
	{goodACP, `"id": "{{.ID}}", `, ``, "acp.missing", 3, true},
	{goodACP, `"id": "{{.ID}}"`, `"id": {{.ID}}`, "acp.type", 3, true},
	{goodACP, `"id": "{{.ID}}"`, `"id": "` + strings.Repeat("1", 99) + `{{.ID}}"`, "acp.length", 3, true},
	{goodACP, `Name of it`, ``, "acp.title", 3, true},
	{goodACP, `Name of it`, strings.Repeat("é", 151), "acp.length", 3, true},
	{goodACP, `{"plain": "Text"}`, `{}`, "acp.description", 3, true},
	{goodACP, `{"plain": "Text"}`, `"Text"`, "acp.type", 3, true},
	{goodACP, `"Text"`, `"` + strings.Repeat("é", 5001) + `"`, "acp.length", 3, true},
	{goodACP, `{{.URL}}`, `https://other.test/`, "acp.url", 3, true},
	{goodACP, `https://demo.test/1.jpg`, `https://demo.test/gone.jpg`, "acp.picture_unreachable", 4, true},
	{goodACP, `"type": "image", `, ``, "acp.missing", 4, true},
	{goodACP, `"Small"`, `"Small", "sku": "x"`, "acp.field", 5, true},
	{goodACP, `"price": {"amount": {{.Price}}, "currency": "EUR"}, `, ``, "acp.missing", 5, true},
	{goodACP, `"amount": {{.Price}}`, `"amount": 0`, "acp.price", 5, true},
	{goodACP, `"amount": {{.Price}}`, `"amount": "{{.Price}}"`, "acp.type", 5, true},
	{goodACP, `"amount": {{.Price}}`, `"amount": {{.Price}}.5`, "acp.type", 5, true},
	{goodACP, `"EUR"`, `"USD"`, "acp.currency", 5, true},
	{goodACP, `"amount": 99`, `"amount": {{.Price}}`, "acp.list_price", 5, true},
	{goodACP, `{"available": {{.InStock}}, "status": "out_of_stock"}`, `"in_stock"`, "acp.type", 6, true},
	{goodACP, `"available": {{.InStock}}`, `"available": "{{.InStock}}"`, "acp.type", 6, true},
	{goodACP, `, "value": "S"`, ``, "acp.missing", 6, true},
	{goodACP, `"limit=2"`, `"limit=2" "exclude_category=2"`, "acp.empty", 1, false},
	{goodACP, `}]}]}`, `}]}`, "json.broken", 6, false},
	{goodACP, `"Name of it"`, "\"Name of it\"\n", "json.broken", 3, false},
}

func withSections() *feed.Catalogue {
	c := feed.Contents{Shop: demo().Shop(), Sections: []feed.Section{{ID: 2, Slug: "boots"}}}
	for i := range 3 {
		c.Items = append(
			c.Items,
			feed.Item{
				Product: feed.Product{ID: int64(100 + i), Name: "A", URL: fmt.Sprintf("https://demo.test/%d", i), Price: int64(10 + i), CategoryID: 2},
			},
		)
	}
	return feed.NewCatalogue(c)
}

func nameOf(body string) string {
	if body == goodACP {
		return "a.jsonl"
	}
	return "a.xml"
}

func TestFaultsAreFoundWithLineAndProduct(t *testing.T) {
	rules := Rules{Shop: demo().Shop(), Picture: func(url string) bool { return !strings.Contains(url, "gone") }}
	for _, good := range []string{goodYML, goodRSS, goodACP} {
		out, result := render(t, nameOf(good), good, withSections())
		if report := Check(out, result, rules); len(report.Findings) != 0 || report.Offers != 2 {
			t.Errorf("the good feed: %+v", report)
		}
	}
	for _, c := range spoilt {
		body := strings.Replace(c.feed, c.old, c.new, 1)
		if body == c.feed {
			t.Fatalf("%s is not in the feed", c.old)
		}
		out, result := render(t, nameOf(c.feed), body, withSections())
		report := Check(out, result, rules)
		var f Finding
		for _, found := range report.Findings {
			if found.Code == c.code {
				f = found
			}
		}
		if f.Line != c.line || (f.ProductID == 101) != c.product || f.Message == "" {
			t.Errorf("%s -> %s: %+v, want %s in line %d", c.old, c.new, report.Findings, c.code, c.line)
		}
	}
}

func TestOtherFilesAreNotChecked(t *testing.T) {
	for _, body := range []string{"", "google.com, pub-1", `{"a": 1}`, "{", "<urlset/>", "<", "<a"} {
		out, result := render(t, "a.txt", body, demo())
		if report := Check(out, result, Rules{}); report.Kind != None || len(report.Findings) != 0 {
			t.Errorf("%q: %+v", body, report)
		}
	}
}

func TestFindingsBeyondTheLimitAreOnlyCounted(t *testing.T) {
	out, result := render(t, "a.xml", strings.ReplaceAll(strings.ReplaceAll(goodYML, "limit=2", "limit=50000"), "EUR</c", "GBP</c"), demo())
	report := Check(out, result, Rules{})
	if report.Counts["yml.currency"] != 30 || len(report.Findings) < MaxPerCode || len(report.Findings) > MaxFindings {
		t.Errorf("%d listed of %v", len(report.Findings), report.Counts)
	}
}

func TestAtomFeedsAreRead(t *testing.T) {
	body := `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>A</title><link href="https://demo.test"/>{{range products "limit=2"}}<entry><g:id>{{.ID}}</g:id><title><![CDATA[Boots]]></title><g:description>x</g:description><link href="{{.URL}}"/><g:image_link>https://demo.test/1.jpg</g:image_link><g:availability>in_stock</g:availability><g:price>5 EUR</g:price><g:gtin>4006381333931</g:gtin></entry>{{end}}</feed>`
	out, result := render(t, "a.xml", body, demo())
	if report := Check(out, result, Rules{Shop: demo().Shop()}); report.Kind != Google || report.Offers != 2 || len(report.Findings) != 0 {
		t.Errorf("%+v", report)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("<yml_catalog><shop><offers><offer id=\"1\"><name><![CDATA[x]]></name></offer>")
	f.Add("<rss><item><g:id>1</g:id><link href='x'/></item>")
	f.Add("<rss><item a=")
	f.Add(`{"id": "\u00e9", "variants": [{"id": 1, "price": {"amount": [[]], "x": {`)
	f.Fuzz(func(_ *testing.T, out string) {
		Check([]byte(out), &feed.Result{}, Rules{Shop: feed.Shop{URL: "https://a.test"}, Picture: func(string) bool { return false }})
	})
}
