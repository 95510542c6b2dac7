package catalogue

import (
	"slices"
	"strconv"

	"vitrine/compile/feed"
	"vitrine/internal/store/catalog"
)

// variants returns the sold variants of a product, each as a separate product. A variant
// with price 0 next to others with a price has no price yet, and is left out.
func variants(item *feed.Item, rows []catalog.FeedVariant) (list []feed.Item) {
	for _, row := range rows {
		if row.Price == 0 && item.Price > 0 {
			continue
		}
		v := feed.Item{Product: item.Product, Digits: item.Digits, Pictures: item.Pictures, Galleries: item.Galleries, Attributes: item.Attributes, Options: row.Options}
		v.OfferID, v.GroupID = item.OfferID+"v"+strconv.FormatInt(row.ID, 10), item.ID
		v.VariantID = row.ID
		v.Price, v.OldPrice, v.WeightG, v.InStock, v.Stock = row.Price, row.Old, row.WeightG, row.InStock, row.Stock
		if v.GTIN = row.GTIN; row.SKU != "" { // a bar code identifies one item: that of the product is not the variant's
			v.SKU = row.SKU
		}
		if row.Title != "" {
			v.Name += ", " + row.Title
		}
		list = append(list, v)
	}
	return list
}

// placeVariants sets the address and section of variants to the product's. It copies the
// list, because older offers share it.
func placeVariants(item *feed.Item) {
	item.Variants = slices.Clone(item.Variants)
	for i := range item.Variants {
		v := &item.Variants[i]
		v.URL = item.URL + "?variant=" + strconv.FormatInt(v.VariantID, 10)
		v.CategoryName, v.CategoryPath = item.CategoryName, item.CategoryPath
	}
}
