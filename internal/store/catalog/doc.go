// Package catalog stores what a shop offers: sections, products with their variants,
// attributes, groups and stock, and articles, with their slugs and the journal of renamed
// slugs. It keeps an index of each shop's products in memory for lists and facets
// (ListProducts).
//
// Whatever changes a product, its variants or its group records the keys of the pages that
// show it, and the edit (store.Tx.EditedProducts). Stock has no draft and one movement per
// product and operation (MoveStock).
package catalog
