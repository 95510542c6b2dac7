package feed

import (
	"fmt"
	"reflect"
	"testing"

	"vitrine/internal/shop"
)

// seedsLeaveOut are the fields of a product that a template to start from does not write, and why.
var seedsLeaveOut = map[string]map[string]string{
	"acp_jsonl": {
		"OfferID":         "assistants name a variant by .GroupID and .VariantID",
		"SKU":             "the format has no field for it",
		"CategoryID":      "categories have the path of the category",
		"CategoryName":    "categories have the path of the category",
		"Rating":          "the format has no field for it",
		"RatingCount":     "the format has no field for it",
		"Kind":            "a set is sold like any product",
		"CountryOfOrigin": "the format has no field for it",
		"WeightG":         "the format has no field for it",
		"Brand":           "the format has no field for it",
		"Attributes":      "the format has no field for it",
		"Stock":           "the format has the availability only",
	},
	"google_xml": {
		"VariantID":       "an offer is identified by OfferID",
		"ID":              "an offer is identified by OfferID",
		"SKU":             "Google has no attribute for the number of a shop",
		"CategoryID":      "product_type has the path of the category",
		"CategoryName":    "product_type has the path of the category",
		"Rating":          "ratings are a feed of their own",
		"RatingCount":     "ratings are a feed of their own",
		"Kind":            "a set is sold like any product",
		"Stock":           "Google asks for the availability only",
		"CountryOfOrigin": "Google has no attribute for it",
	},
	"yandex_yml": {
		"VariantID":       "an offer is identified by OfferID",
		"ID":              "an offer is identified by OfferID",
		"CategoryName":    "an offer refers to the list of categories",
		"CategoryPath":    "an offer refers to the list of categories",
		"Rating":          "the format has no element for it",
		"RatingCount":     "the format has no element for it",
		"Kind":            "a set is sold like any product",
		"CountryOfOrigin": "the format expects the Russian name of the country",
		"WeightG":         "the format expects kilograms",
	},
}

// Every field of a product changes the output of each template to start from, or the template
// leaves it out for a reason. A new field is in neither.
func TestTheTemplatesToStartFromWriteEveryField(t *testing.T) {
	t.Parallel()
	traits := func() []shop.Trait { return []shop.Trait{{Name: "color", Value: "blue"}, {Name: "size", Value: "L"}} }
	whole := func() Item {
		item := Item{Options: traits(), Attributes: traits()}
		row := reflect.ValueOf(&item.Product).Elem()
		for i, f := range reflect.VisibleFields(row.Type()) {
			if !f.Anonymous {
				distinct(row.FieldByIndex(f.Index), f.Name, i)
			}
		}
		item.OldPrice = item.Price * 2
		return item
	}
	fields := reflect.VisibleFields(reflect.TypeFor[Product]())
	for _, name := range []string{"Options", "Attributes"} {
		f, _ := reflect.TypeFor[Item]().FieldByName(name)
		fields = append(fields, f)
	}
	for _, seed := range Seeds() {
		if seed.Body == "" {
			continue
		}
		write := func(item Item) string {
			out, _, problem := render(seed.Path, seed.Body, NewCatalogue(Contents{Items: []Item{item}}), Options{})
			if problem != nil {
				t.Fatalf("%s: %v", seed.Key, problem)
			}
			return out
		}
		before := write(whole())
		known := map[string]bool{}
		for _, f := range fields {
			if f.Anonymous {
				continue
			}
			known[f.Name] = true
			item := whole()
			another(reflect.ValueOf(&item).Elem().FieldByName(f.Name))
			written := write(item) != before
			switch reason, left := seedsLeaveOut[seed.Key][f.Name]; {
			case !written && !left:
				t.Errorf("%s does not write .%s: write it, or list it in seedsLeaveOut with the reason", seed.Key, f.Name)
			case written && left:
				t.Errorf("%s writes .%s, which it leaves out because %s", seed.Key, f.Name, reason)
			}
		}
		for name := range seedsLeaveOut[seed.Key] {
			if !known[name] {
				t.Errorf("%s leaves out .%s, which no product has", seed.Key, name)
			}
		}
	}
}

// another gives a field a value that it does not have.
func another(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("another")
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.SetLen(1)
	default:
		panic(fmt.Sprintf("another does not support %s", v.Type()))
	}
}
