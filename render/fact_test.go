package render

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// linkedDataForm matches the structured data of a page.
var linkedDataForm = regexp.MustCompile(`(?s)<script type="application/ld\+json">.*?</script>`)

// productOutputs are the places where a product's page shows its fields, each with the fields
// that it leaves out and why.
var productOutputs = []struct {
	name    string
	of      func(page string) string
	without map[string]string
}{
	{"the page", func(page string) string { return linkedDataForm.ReplaceAllString(page, "") }, map[string]string{
		"GTIN":  "visitors do not read barcodes; search engines and feeds do",
		"Path":  "the page's own address is that of its frame",
		"Named": "the variant is selected either way",
	}},
	{"the structured data", func(page string) string { return strings.Join(linkedDataForm.FindAllString(page, -1), "") }, map[string]string{
		"Path":       "the canonical address is that of the frame",
		"ByVariant":  "it decides whose stock an offer has",
		"Image":      "it is the first picture of the gallery",
		"OldPrice":   "an offer has the price that is asked now",
		"PriceTo":    "each variant has its own offer",
		"Promotion":  "schema.org has no property for the name of a discount",
		"Attributes": "search engines show none of them for products",
		"Parts":      "search engines show none of them for products",
		"Levels":     "an offer has the price of one unit",
		"Options":    "a variant is named after its options",
		"Groups":     "the linked products have their own pages",
		"Sliders":    "the gallery has the pictures that represent the product",
		"Shown":      "photos of buyers do not represent the product",
	}},
}

// Every field of a product changes each output of its page, or the output leaves it out for a
// reason. A new field is in neither.
func TestEveryFieldOfAProductIsInEachOutputOfItsPage(t *testing.T) {
	whole := func() *ProductPage {
		page := fixture()["choices"].(*ProductPage)
		of := fixture()["product"].(*ProductPage).Product
		page.Product.SKU, page.Product.Description, page.Product.Gallery, page.Product.Attributes = of.SKU, of.Description, of.Gallery, of.Attributes
		page.Product.Named = true
		return page
	}
	single := func() *ProductPage {
		page := fixture()["product"].(*ProductPage)
		page.Product.Stock = Stock{Tracked: true} // another stock is not sold out
		return page
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Product]()) {
		if f.Anonymous {
			continue
		}
		bases := []func() *ProductPage{whole, single}
		if f.Name == "Chosen" || f.Name == "Named" {
			bases = bases[:1] // they are about variants
		}
		changed := map[string]bool{}
		for _, base := range bases {
			page := base()
			before := string(bytesOf(t, page))
			alter(reflect.ValueOf(&page.Product).Elem().FieldByIndex(f.Index))
			after := string(bytesOf(t, page))
			for _, o := range productOutputs {
				changed[o.name] = changed[o.name] || o.of(before) != o.of(after)
			}
		}
		for _, o := range productOutputs {
			switch reason, left := o.without[f.Name]; {
			case !changed[o.name] && !left:
				t.Errorf("Product.%s is not in %s: show it, or list it in productOutputs with the reason", f.Name, o.name)
			case changed[o.name] && left:
				t.Errorf("Product.%s is in %s, which leaves it out because %s", f.Name, o.name, reason)
			}
		}
	}
	for _, o := range productOutputs {
		for name := range o.without {
			if _, ok := reflect.TypeFor[Product]().FieldByName(name); !ok {
				t.Errorf("%s leaves out %s, which no product has", o.name, name)
			}
		}
	}
}

// alter changes a value to another one: text and numbers within it become others, a list
// without entries gets one and any other list loses its last one.
func alter(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "another")
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Struct:
		for _, inner := range v.Fields() {
			alter(inner)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			v.SetLen(v.Len() - 1)
			return
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		alter(entry)
		v.Set(reflect.Append(v, entry))
	default:
		panic(fmt.Sprintf("alter does not support %s", v.Type()))
	}
}

// A fact is shown although the product has no other.
func TestProductPageShowsEveryFact(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shop.Facts]()) {
		page := fixture()["product"].(*ProductPage)
		page.Product.SKU, page.Product.Attributes = "", nil
		fact := "the " + f.Name
		reflect.ValueOf(&page.Product.Facts).Elem().FieldByIndex(f.Index).SetString(fact)
		for _, o := range productOutputs {
			if _, left := o.without[f.Name]; !left && !strings.Contains(o.of(string(bytesOf(t, page))), fact) {
				t.Errorf("%s is not in %s", f.Name, o.name)
			}
		}
	}
}

func TestEveryLanguageHasEveryText(t *testing.T) {
	for _, w := range []*words{&english, &russian} {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[words]()) {
			if text := reflect.ValueOf(w).Elem().FieldByIndex(f.Index); text.Kind() == reflect.String && text.String() == "" {
				t.Errorf("%s has no text for %s", w.Lang, f.Name)
			}
		}
	}
}

func TestTheCountryOfOriginIsNamedInTheLanguageOfThePage(t *testing.T) {
	for lang, want := range map[string]string{"en": "<dd>Portugal</dd>", "ru": "<dd>Португалия</dd>"} {
		page := fixture()["product"].(*ProductPage)
		page.Lang, page.Product.CountryOfOrigin = lang, "PT"
		html := string(bytesOf(t, page))
		if !strings.Contains(html, want) {
			t.Errorf("%s: no %s", lang, want)
		}
		if !strings.Contains(html, `"countryOfOrigin":{"@type":"Country","name":"PT"}`) {
			t.Errorf("%s: not in the structured data", lang)
		}
	}
}
