package compose

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// productLeavesOut are the fields of a row that productOf does not turn into a field of a page's
// product, and why.
var productLeavesOut = map[string]string{
	"Category": "the frame has the path of sections", "Extra": "the sections list the product",
	"Kind":             "a set is known by its parts",
	"Tags":             "they are for the staff and for lists",
	"SEO":              "the frame has titles, description and address",
	"PreviewID":        "the gallery is shown",
	"PreviewPath":      "the gallery is shown",
	"IsPublished":      "only published products have a page",
	"PublishedAt":      "only published products have a page",
	"DeletedAt":        "only existing products have a page",
	"IsShared":         "it has no effect",
	"CatalogHidden":    "it decides whether lists show the product",
	"QuestionsEnabled": "the page's remarks have it", "Configurable": "clients set prices in the cart",
	"Set": "parts reads them with their stock", "SetPercent": "the price of a set is computed before",
	"AdMode":     "it decides whether feeds list the product",
	"Attributes": "they are write only in a row", "Galleries": "they are write only in a row",
	"StockBy": "choose reads it with the variants", "AnyVariant": "it counts only by variant",
	"TaxClass":  "the cart has the taxes",
	"CreatedBy": "visitors do not see the staff", "UpdatedBy": "visitors do not see the staff",
	"CreatedAt": "it sorts lists", "UpdatedAt": "it sorts lists",
}

// Every field of a row changes the product of its page, or is left out for a reason. A new field
// is in neither.
func TestEveryFieldOfAProductIsInItsPage(t *testing.T) {
	site := compile.New(compile.Input{Shop: compile.Shop{Comments: true}})
	left, low := 4, 3
	base := func() catalog.Product {
		return catalog.Product{StockQuantity: &left, StockLowThreshold: &low, RatingCount: 2}
	}
	p := &page{site: site}
	before := p.productOf(base(), nil)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[catalog.Product]()) {
		if f.Anonymous {
			continue
		}
		row := base()
		v := reflect.ValueOf(&row).Elem().FieldByIndex(f.Index)
		switch v.Interface().(type) {
		case string:
			v.SetString("false")
		case *time.Time:
			v.Set(reflect.ValueOf(&time.Time{}))
		case *uuid.UUID:
			v.Set(reflect.ValueOf(&uuid.UUID{}))
		case *int, *bool:
			v.Set(reflect.New(v.Type().Elem()))
			if v.Elem().Kind() == reflect.Int {
				v.Elem().SetInt(5)
			}
		case []media.File:
			v.Set(reflect.ValueOf([]media.File{{Path: "a.webp"}}))
		default:
			switch v.Kind() {
			case reflect.Int, reflect.Int32, reflect.Int64:
				v.SetInt(1)
			case reflect.Float64:
				v.SetFloat(1)
			case reflect.Bool:
				v.SetBool(true)
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
		}
		reason, left := productLeavesOut[f.Name]
		switch changed := !reflect.DeepEqual(p.productOf(row, row.Gallery), before); {
		case !changed && !left:
			t.Errorf("catalog.Product.%s is not in render.Product: show it, or list it in productLeavesOut with the reason", f.Name)
		case changed && left:
			t.Errorf("catalog.Product.%s is in render.Product, which leaves it out because %s", f.Name, reason)
		}
	}
	for name := range productLeavesOut {
		if _, ok := reflect.TypeFor[catalog.Product]().FieldByName(name); !ok {
			t.Errorf("%s is left out, but no product has it", name)
		}
	}
}
