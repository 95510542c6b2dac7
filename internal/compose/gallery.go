package compose

import (
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// pictures are those of a product on its page: its own, then those of the
// gallery that it shows, each once.
func (p *page) pictures(row store.Product) ([]store.File, error) {
	gallery, shown, err := p.r.ShownPictures(p.ctx, row.ID)
	if gallery != 0 {
		p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(gallery)})
	}
	files := slices.Clone(row.Gallery)
	for _, f := range shown {
		if !slices.ContainsFunc(files, func(other store.File) bool { return other.ID == f.ID }) {
			files = append(files, f)
		}
	}
	return files, err
}

// lendCovers gives products without a picture of their own the computed one
// (document 1, 2.6): for as many as there are by two queries, and by none where
// all have one.
func (p *page) lendCovers(rows []store.Product) error {
	var bare []int64
	for _, row := range rows {
		if len(row.Gallery) == 0 && row.PreviewPath == "" {
			bare = append(bare, int64(row.ID))
		}
	}
	covers, err := p.covers(store.EntityProduct, bare)
	for i := range rows {
		switch f, ok := covers[int64(rows[i].ID)]; {
		case ok:
			rows[i].Gallery = []store.File{f}
		case len(rows[i].Gallery) == 0 && rows[i].PreviewPath != "":
			rows[i].Gallery = []store.File{{Path: rows[i].PreviewPath}}
		}
	}
	return err
}

// covers are the computed previews of things without a picture of their own. The
// page stands on the galleries that they come from, or may come from.
func (p *page) covers(entity int16, bare []int64) (map[int64]store.File, error) {
	linked, err := p.r.LinkedGalleries(p.ctx, entity, bare)
	if err != nil {
		return nil, err
	}
	var with []int64
	for _, id := range bare {
		if galleries := linked[id]; len(galleries) > 0 {
			with = append(with, id)
			p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(galleries[0])})
		}
	}
	return p.r.GalleryCovers(p.ctx, entity, with)
}
