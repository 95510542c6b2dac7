package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// hostile lists texts that an owner may type or a feed may contain.
var hostile = []string{
	`"><x-evil onload=alert(1)>`,
	`'><x-evil>`,
	"` onmouseover=alert(1) x=`",
	`</title><x-evil>`,
	`</script><x-evil>`,
	`<!--<script>`,
	`--><x-evil>`,
	`</main></template><x-evil>`,
	`javascript:alert(1)`,
	" \tJaVa\nScript:alert(1)",
	`data:text/html,<x-evil>`,
	`//evil.example/"onerror="alert(1)`,
	`/files/a,b c.webp" onerror="alert(1)`,
	`{{.Shop.Name}} {{template "pin"}}`,
	"\x00<x-evil>\x01\u2028\u2029\ufeff\u202e",
	"\xff\xfe<x-evil>\xc3",
	`&lt;x-evil&gt;`,
	`</style><x-evil>`,
}

// fill sets every string within a value to a text.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			// A page with search words or filters has no linked data;
			// TestAGridOfArticlesIsSearched covers it.
			if v.Field(i).CanSet() && v.Type().Field(i).Name != "Search" && v.Type().Field(i).Name != "Narrow" {
				fill(v.Field(i), text)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // compiled markup, not text
		}
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}

func TestTypedTextsAreEscaped(t *testing.T) {
	for name, plain := range fixture() {
		shape := structure(draw(t, plain))
		for _, text := range hostile {
			page := fixture()[name]
			fill(reflect.ValueOf(page), text)
			doc := draw(t, page)
			if n := doc.Find("x-evil").Length(); n > 0 {
				t.Errorf("%s: %q creates %d elements", name, text, n)
			}
			for _, e := range doc.Find("*").EachIter() {
				checkAttributes(t, name, text, e)
			}
			if got := structure(doc); got != shape {
				t.Errorf("%s: %q changes the scripts from %s to %s", name, text, shape, got)
			}
		}
	}
}

// structure lists the active content of a page.
func structure(doc *goquery.Document) string {
	var out []string
	for _, e := range doc.Find("script, iframe, object, embed, base, style, form").EachIter() {
		out = append(out, goquery.NodeName(e)+e.AttrOr("type", ""))
	}
	return strings.Join(out, " ")
}

// dials matches the tel: URLs that phone numbers of the settings may become.
var dials = regexp.MustCompile(`^tel:\+?[0-9]+$`)

func checkAttributes(t *testing.T, name, text string, e *goquery.Selection) {
	t.Helper()
	for _, a := range e.Nodes[0].Attr {
		if strings.HasPrefix(a.Key, "on") || strings.ContainsAny(a.Key, "\"'<>`=") {
			t.Errorf("%s: %q creates the attribute %q", name, text, a.Key)
		}
		switch a.Key {
		case "href", "src", "action":
			if u, err := url.Parse(strings.TrimSpace(a.Val)); err == nil && u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" && !dials.MatchString(a.Val) {
				t.Errorf("%s: %q creates %s=%q", name, text, a.Key, a.Val)
			}
		case "srcset":
			for candidate := range strings.SplitSeq(a.Val, ", ") {
				if len(strings.Fields(candidate)) != 2 {
					t.Errorf("%s: %q splits a srcset: %q", name, text, a.Val)
				}
			}
		}
	}
}

func TestLinkedDataContainsTypedTexts(t *testing.T) {
	for _, text := range hostile {
		page := fixture()["product"].(*ProductPage)
		page.Product.Name, page.Product.SKU, page.Product.Description, page.Crumbs[0].Name = text, text, text, text
		scripts := draw(t, page).Find("script[type='application/ld+json']")
		if scripts.Length() != 2 {
			t.Fatalf("%q: %d scripts", text, scripts.Length())
		}
		var product struct{ Name, SKU, Description string }
		var crumbs struct {
			ItemListElement []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(scripts.Eq(0).Text()), &product); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(scripts.Eq(1).Text()), &crumbs); err != nil {
			t.Fatal(err)
		}
		typed := strings.ToValidUTF8(text, "\ufffd")
		if text == "\xff\xfe<x-evil>\xc3" {
			typed = "\ufffd\ufffd<x-evil>\ufffd" // encoding/json replaces each byte
		}
		if product.Name != typed || product.SKU != typed || product.Description != typed || crumbs.ItemListElement[1].Name != typed {
			t.Errorf("%q is %q and %q", typed, product, crumbs)
		}
	}
}

func TestLinkedData(t *testing.T) {
	doc := draw(t, fixture()["product"])
	expect := `{"@context":"https://schema.org","@type":"Product","name":"Cup","description":"Thrown by hand.\n\nDishwasher safe.","sku":"C-1",` +
		`"image":["https://shop.example/w/1600/webp/a/cup.webp","https://shop.example/w/1600/webp/a/top.webp"],"url":"https://shop.example/cups/cup",` +
		`"offers":{"@type":"Offer","price":30,"priceCurrency":"EUR","availability":"https://schema.org/InStock","url":"https://shop.example/cups/cup"},` +
		`"aggregateRating":{"@type":"AggregateRating","ratingValue":4.5,"reviewCount":2},` +
		`"review":[{"@type":"Review","author":{"@type":"Person","name":"Ann"},"datePublished":"2026-03-01","reviewBody":"It is light.\n\nAnd blue.","reviewRating":{"@type":"Rating","ratingValue":5}},` +
		`{"@type":"Review","author":{"@type":"Person","name":"A buyer"},"datePublished":"2026-02-01","reviewRating":{"@type":"Rating","ratingValue":4}}]}`
	if got := doc.Find("script[type='application/ld+json']").First().Text(); got != expect {
		t.Errorf("product:\n%s\n%s", got, expect)
	}
	page := fixture()["product"].(*ProductPage)
	page.Product.Price, page.Product.Promotion = 0, ""
	if got := draw(t, page).Find("script[type='application/ld+json']").First().Text(); strings.Contains(got, "offers") {
		t.Errorf("a product without a price has an offer: %s", got)
	}
	doc = draw(t, fixture()["article"])
	expect = `{"@context":"https://schema.org","@type":"Article","headline":"Glazes","description":"How they get their colour",` +
		`"image":["https://shop.example/w/1600/webp/a/cup.webp"],"datePublished":"2026-11-03T23:00:00Z","author":{"@type":"Person","name":"Ines"},` +
		`"publisher":{"@type":"Organization","name":"Clay \u0026 Linen"},"url":"https://shop.example/news/glazes"}`
	if got := doc.Find("script[type='application/ld+json']").First().Text(); got != expect {
		t.Errorf("article:\n%s\n%s", got, expect)
	}
	expect = `{"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home","item":"https://shop.example/"},` +
		`{"@type":"ListItem","position":2,"name":"Cups","item":"https://shop.example/cups"},{"@type":"ListItem","position":3,"name":"Here"}]}`
	if got := doc.Find("script[type='application/ld+json']").Last().Text(); got != expect {
		t.Errorf("crumbs:\n%s\n%s", got, expect)
	}
}

func TestSitemapsAreWellFormed(t *testing.T) {
	urls := func(yield func(string, time.Time) bool) {
		for _, text := range hostile {
			if !yield("/"+text, time.Time{}) {
				return
			}
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(Sitemap("https://shop.example", urls)))
	locs := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "loc" {
			locs++
		}
	}
	if locs != len(hostile) {
		t.Errorf("%d of %d addresses", locs, len(hostile))
	}
}
