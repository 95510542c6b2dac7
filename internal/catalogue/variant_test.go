package catalogue

import (
	"testing"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

func TestVariantsOfAnOlderCatalogueDoNotChange(t *testing.T) {
	item := feed.Item{Product: feed.Product{ID: 3, OfferID: "3", Name: "Tea", Price: 40, SKU: "T", URL: "/old"}}
	item.GTIN = "96385074"
	item.Variants = variants(&item, []catalog.FeedVariant{
		{ID: 7, Title: "Small", Choice: shop.Choice{Price: 40}, WeightG: 250}, {ID: 8, SKU: "L"},
		{ID: 9, SKU: "M", GTIN: "4006381333931", Choice: shop.Choice{Price: 60, Old: 80}},
	})
	placeVariants(&item)
	if len(item.Variants) != 2 {
		t.Fatalf("%+v", item.Variants)
	}
	small, medium := item.Variants[0], item.Variants[1]
	if small.OfferID != "3v7" || small.GroupID != 3 || small.Name != "Tea, Small" || small.SKU != "T" || small.GTIN != "" || small.WeightG != 250 || small.URL != "/old?variant=7" {
		t.Errorf("%+v", small)
	}
	if medium.SKU != "M" || medium.Name != "Tea" || medium.Price != 60 || medium.OldPrice != 80 || medium.GTIN != "4006381333931" {
		t.Errorf("%+v", medium)
	}
	moved := item
	moved.URL = "/new"
	placeVariants(&moved)
	if item.Variants[0].URL != "/old?variant=7" || moved.Variants[0].URL != "/new?variant=7" {
		t.Errorf("%s and %s", item.Variants[0].URL, moved.Variants[0].URL)
	}
}
