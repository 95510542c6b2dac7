package catalog

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// links are the things that the items of a request refer to: sections, files, galleries and
// attributes, each kind read with one query regardless of the number of items.
type links struct {
	currency   string
	live       error                      // why the caller cannot change what has no draft; nil: they can
	sections   map[shop.CategoryID]string // types of live sections
	files      map[uuid.UUID]bool         // live files
	galleries  map[shop.GalleryID]bool    // live galleries
	attributes map[catalog.AttributeID]catalog.Attribute
	parts      map[shop.ProductID]*catalog.CartProduct // parts of combos
}

// linksOf reads the things that items refer to. It locks attributes, galleries and the types of
// sections until the end of the transaction, so that no option is deleted while products use
// it, and no section with products becomes a website.
func linksOf(ctx context.Context, tx *store.Tx, currency string, live error, items ...ProductItem) (l links, err error) {
	l.currency, l.live = currency, live
	sections, files, attributes := map[shop.CategoryID]bool{}, map[uuid.UUID]bool{}, map[catalog.AttributeID]bool{}
	galleries, parts := map[shop.GalleryID]bool{}, map[shop.ProductID]bool{}
	for _, i := range items {
		for _, id := range i.sections() {
			sections[id] = true
		}
		for _, f := range append(i.files(true), i.files(false)...) {
			if f.id != nil {
				files[*f.id] = true
			}
		}
		for _, id := range i.GalleryIDs {
			galleries[id] = true
		}
		if i.Parts != nil {
			for _, part := range *i.Parts {
				parts[part.Product] = true
			}
		}
		if i.Attributes != nil {
			for _, a := range *i.Attributes {
				attributes[a.AttributeID] = true
			}
		}
	}
	if len(sections) > 0 {
		if l.sections, err = catalog.LockCategoryTypes(ctx, tx, slices.Collect(maps.Keys(sections))); err != nil {
			return l, err
		}
	}
	if len(files) > 0 {
		if l.files, err = catalog.PicturesAmong(ctx, tx.Reader, slices.Collect(maps.Keys(files))); err != nil {
			return l, err
		}
	}
	if len(galleries) > 0 {
		if err := tx.LockProductCreation(ctx); err != nil { // must be locked before galleries, and new products lock it later
			return l, err
		}
		if l.galleries, err = media.ShareGalleries(ctx, tx, slices.Sorted(maps.Keys(galleries))); err != nil {
			return l, err
		}
	}
	if len(parts) > 0 {
		if l.parts, err = catalog.CartProducts(ctx, tx.Reader, slices.Sorted(maps.Keys(parts))); err != nil {
			return l, err
		}
	}
	if len(attributes) == 0 {
		return l, nil
	}
	list, err := catalog.ShareAttributes(ctx, tx, slices.Sorted(maps.Keys(attributes)))
	l.attributes = make(map[catalog.AttributeID]catalog.Attribute, len(list))
	for _, a := range list {
		l.attributes[a.ID] = a
	}
	return l, err
}

// sellable checks that a section exists and may contain products: a site folder cannot
// (document 1, 2.3), and a news rubric contains articles.
func (l links) sellable(id shop.CategoryID) error {
	switch kind := l.sections[id]; kind {
	case "":
		return catalog.ErrCategoryNotFound
	case "site", "news":
		return catalog.ErrCategoryType.With("a section of type " + kind + " cannot contain products")
	}
	return nil
}

// stored refuses files that are not live pictures of the shop.
func (l links) stored(list []namedFile) error {
	return missingFile(list, l.files, errProductFile)
}
