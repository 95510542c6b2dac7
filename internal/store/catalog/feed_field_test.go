package catalog

import (
	"reflect"
	"testing"
)

// feedLeavesOut are the fields of a product that feeds do not read, and why.
var feedLeavesOut = map[string]string{
	"Tags": "they are for the staff and for lists",
	"SEO":  "feeds need the slug only", "Category": "it is CategoryID in feeds",
	"Gallery": "it is Pictures in feeds", "Attributes": "they are Traits in feeds",
	"PreviewID": "pictures come from the gallery", "PreviewPath": "pictures come from the gallery",
	"IsPublished": "only listed products are in feeds", "PublishedAt": "only listed products are in feeds",
	"DeletedAt": "only listed products are in feeds", "CatalogHidden": "it is part of Listed", "AdMode": "it is part of Listed",
	"IsShared": "it has no effect", "CommentsEnabled": "feeds have no reviews", "QuestionsEnabled": "feeds have no questions",
	"StockQuantity": "it is Stock and InStock in feeds", "StockBy": "Stock and InStock follow from it", "AnyVariant": "it is part of InStock", "StockLowThreshold": "it is for the staff",
	"TaxClass":     "prices in feeds are those of pages",
	"Configurable": "clients set prices in the cart",
	"Set":          "a set is sold like any product", "SetPercent": "the price of a set is computed",
	"CreatedBy": "it is for the staff", "UpdatedBy": "it is for the staff",
	"CreatedAt": "it is Created in feeds", "UpdatedAt": "feeds are rebuilt as a whole",
}

// Every field of a product is a field of the same name in feeds, or is left out for a reason. A new
// field is in neither.
func TestEveryFieldOfAProductIsInFeeds(t *testing.T) {
	inFeeds := reflect.TypeFor[FeedProduct]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Product]()) {
		if f.Anonymous {
			continue
		}
		_, read := inFeeds.FieldByName(f.Name)
		switch reason, left := feedLeavesOut[f.Name]; {
		case !read && !left:
			t.Errorf("Product.%s is not in feeds: add it to shop.Offer, or list it in feedLeavesOut with the reason", f.Name)
		case read && left:
			t.Errorf("Product.%s is in feeds, which leave it out because %s", f.Name, reason)
		}
	}
	for name := range feedLeavesOut {
		if _, ok := reflect.TypeFor[Product]().FieldByName(name); !ok {
			t.Errorf("feeds leave out %s, which no product has", name)
		}
	}
}
