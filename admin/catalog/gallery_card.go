package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// cardGalleries returns the galleries of a card: the linked ones in their order, then those
// that only variant sets use.
func cardGalleries(ctx context.Context, r store.Reader, linked []shop.GalleryID, variants []variantView) ([]galleryView, error) {
	ids := slices.Clone(linked)
	for _, v := range variants {
		if v.GalleryID != 0 && !slices.Contains(ids, v.GalleryID) {
			ids = append(ids, v.GalleryID)
		}
	}
	found, err := media.GalleriesByID(ctx, r, ids)
	views := []galleryView{}
	for _, id := range ids {
		if g, lives := found[id]; lives {
			views = append(views, viewGallery(g))
		}
	}
	return views, err
}

// project applies the requested projection to galleries. The active gallery stays whole unless
// only covers are requested (document 1, 4.2).
func (p projection) project(views []galleryView, shown shop.GalleryID) {
	for i := range views {
		whole := p.Galleries == "" || p.Galleries == "full" || p.Galleries == "active" && views[i].ID == shown
		if !whole && len(views[i].Items) > 1 {
			views[i].Items = views[i].Items[:1]
		}
	}
}

// galleryPreviews sets the gallery ids of things of one entity, and the computed preview of
// those without their own picture (document 1, 2.6). It needs two queries regardless of the
// number of things. at returns the fields of the thing at an index to set.
func galleryPreviews(ctx context.Context, r store.Reader, entity int16, n int, at func(int) galleryShow) error {
	var all, bare []int64
	for i := range n {
		all = append(all, at(i).id)
	}
	linked, err := media.LinkedGalleries(ctx, r, entity, all)
	if err != nil {
		return err
	}
	for i, id := range all {
		if len(linked[id]) > 0 && *at(i).preview == nil {
			bare = append(bare, id)
		}
	}
	covers, err := media.GalleryCovers(ctx, r, entity, bare)
	for i, id := range all {
		show := at(i)
		*show.ids = append([]shop.GalleryID{}, linked[id]...)
		if f, ok := covers[id]; ok {
			*show.preview, *show.auto = viewFile(&f.ID, f.Path), true
		}
	}
	return err
}

// galleryShow is the fields of a thing in a list that depend on its galleries.
type galleryShow struct {
	id      int64
	ids     *[]shop.GalleryID
	preview **fileView
	auto    *bool // whether the preview is computed
}
