package compose

import (
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// pictures returns the pictures of the gallery that a product shows.
func (p *page) pictures(id shop.ProductID) ([]media.File, error) {
	gallery, shown, err := media.ShownPictures(p.ctx, p.r, id)
	if gallery != 0 {
		p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(gallery)})
	}
	return shown, err
}

// withPictures returns a product's own pictures and then those of the gallery that it shows,
// without duplicates.
func withPictures(own, shown []media.File) []media.File {
	files := slices.Clone(own)
	for _, f := range shown {
		if !slices.ContainsFunc(files, func(other media.File) bool { return other.ID == f.ID }) {
			files = append(files, f)
		}
	}
	return files
}

// addCovers gives products without a picture the computed one (document 1, 2.6). It runs two
// queries for any number of products, and none if all have a picture.
func (p *page) addCovers(rows []catalog.Product) error {
	var uncovered []int64
	for _, row := range rows {
		if len(row.Gallery) == 0 && row.PreviewPath == "" {
			uncovered = append(uncovered, int64(row.ID))
		}
	}
	covers, err := p.covers(store.EntityProduct, uncovered)
	for i := range rows {
		switch f, ok := covers[int64(rows[i].ID)]; {
		case ok:
			rows[i].Gallery = []media.File{f}
		case len(rows[i].Gallery) == 0 && rows[i].PreviewPath != "":
			rows[i].Gallery = []media.File{{Path: rows[i].PreviewPath}}
		}
	}
	return err
}

// covers returns the computed previews of entities without a picture. The page depends on the
// galleries that the previews come from, or may come from.
func (p *page) covers(entity int16, uncovered []int64) (covers map[int64]media.File, err error) {
	var linked map[int64][]shop.GalleryID
	err = p.together(
		func() (err error) { linked, err = media.LinkedGalleries(p.ctx, p.r, entity, uncovered); return err },
		func() (err error) { covers, err = media.GalleryCovers(p.ctx, p.r, entity, uncovered); return err },
	)
	for _, id := range uncovered {
		if galleries := linked[id]; len(galleries) > 0 {
			p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(galleries[0])})
		}
	}
	return covers, err
}
