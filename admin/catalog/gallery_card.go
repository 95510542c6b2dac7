package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// cardGalleries are the galleries of a card: those that are linked in their
// order, then those that only variant sets show.
func cardGalleries(ctx context.Context, r store.Reader, linked []shop.GalleryID, variants []variantView) ([]galleryView, error) {
	ids := slices.Clone(linked)
	for _, v := range variants {
		if v.GalleryID != 0 && !slices.Contains(ids, v.GalleryID) {
			ids = append(ids, v.GalleryID)
		}
	}
	found, err := r.GalleriesByID(ctx, ids)
	views := []galleryView{}
	for _, id := range ids {
		if g, lives := found[id]; lives {
			views = append(views, viewGallery(g))
		}
	}
	return views, err
}

// project leaves of galleries what was asked for: the shown one stays whole
// unless covers alone are wanted (document 1, 4.2).
func (p projection) project(views []galleryView, shown shop.GalleryID) {
	for i := range views {
		whole := p.Galleries == "" || p.Galleries == "full" || p.Galleries == "active" && views[i].ID == shown
		if !whole && len(views[i].Items) > 1 {
			views[i].Items = views[i].Items[:1]
		}
	}
}

// galleryPreviews gives things of one entity the ids of their galleries, and
// those without a picture of their own the computed preview (document 1, 2.6),
// by two queries however many they are. at is what of the thing at an index they
// go to.
func galleryPreviews(ctx context.Context, r store.Reader, entity int16, n int, at func(int) galleryShow) error {
	var all, bare []int64
	for i := range n {
		all = append(all, at(i).id)
	}
	linked, err := r.LinkedGalleries(ctx, entity, all)
	if err != nil {
		return err
	}
	for i, id := range all {
		if len(linked[id]) > 0 && *at(i).preview == nil {
			bare = append(bare, id)
		}
	}
	covers, err := r.GalleryCovers(ctx, entity, bare)
	for i, id := range all {
		show := at(i)
		*show.ids = append([]shop.GalleryID{}, linked[id]...)
		if f, ok := covers[id]; ok {
			*show.preview, *show.auto = viewFile(&f.ID, f.Path), true
		}
	}
	return err
}

// galleryShow is what a thing in a list shows of its galleries.
type galleryShow struct {
	id      int64
	ids     *[]shop.GalleryID
	preview **fileView
	auto    *bool // the preview is a computed one
}
