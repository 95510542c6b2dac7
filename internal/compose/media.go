package compose

import (
	"slices"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// mediaOf converts an item of a gallery (document 1, 2.6).
func mediaOf(item media.GalleryItem, alt string) render.Media {
	if item.Caption != "" {
		alt = item.Caption
	}
	m := render.Media{Kind: render.MediaKind(item.Kind), HTML: item.HTML, Caption: item.Caption}
	if item.Poster != nil {
		m.Image = imageOf(*item.Poster, alt)
	}
	switch {
	case item.File == nil:
	case m.Kind == render.MediaImage:
		m.Image = imageOf(*item.File, alt)
	default:
		m.File = shop.FileURL(item.File.Path)
	}
	return m
}

// album returns the items of all galleries of an article, without duplicate files: the pictures,
// and the other items.
func (p *page) album(row catalog.Article) (images []render.Image, others []render.Media, err error) {
	id := int64(row.ID)
	linked, err := media.LinkedGalleries(p.ctx, p.r, store.EntityArticle, []int64{id})
	if err != nil {
		return nil, nil, err
	}
	galleries, err := media.GalleriesByID(p.ctx, p.r, linked[id])
	seen := map[uuid.UUID]bool{}
	for _, gallery := range linked[id] {
		p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(gallery)})
		for _, item := range galleries[gallery].Items {
			if item.File != nil {
				if seen[item.File.ID] {
					continue
				}
				seen[item.File.ID] = true
			}
			if m := mediaOf(item, row.Title); m.Kind == render.MediaImage {
				images = append(images, m.Image)
			} else {
				others = append(others, m)
			}
		}
	}
	return images, others, err
}

// sliders adds to a product a row of media for each gallery: first that of the first linked
// gallery, then one for each gallery of a variant, shown while the variant is selected. The
// product's own pictures come before those of the linked gallery, and after those of a variant,
// which the visitor selected.
func (p *page) sliders(product *render.Product, row catalog.Product, variants []catalog.Variant, linked []shop.GalleryID) error {
	shown := []shop.GalleryID{0}
	if len(linked) > 0 {
		shown[0] = linked[0]
	}
	for _, v := range variants {
		if v.GalleryID != 0 && !slices.Contains(shown, v.GalleryID) {
			shown = append(shown, v.GalleryID)
		}
	}
	galleries, err := media.GalleriesByID(p.ctx, p.r, slices.DeleteFunc(slices.Clone(shown), func(id shop.GalleryID) bool { return id == 0 }))
	if err != nil {
		return err
	}
	own := make([]media.GalleryItem, len(row.Gallery))
	for i, f := range row.Gallery {
		own[i] = media.GalleryItem{Kind: "image", File: &f}
	}
	for i, id := range shown {
		if id != 0 {
			p.uses(shop.Key{Kind: shop.KeyGallery, ID: int64(id)})
		}
		items := slices.Concat(own, galleries[id].Items)
		if i > 0 {
			items = slices.Concat(galleries[id].Items, own)
		}
		product.Sliders = append(product.Sliders, sliderOf(items, row.Name))
	}
	for i, v := range variants {
		at := slices.Index(shown, v.GalleryID)
		if _, live := galleries[v.GalleryID]; live && at > 0 {
			product.Variants[i].Slider = at
		}
	}
	return nil
}

// sliderOf returns a row of items, without duplicate files.
func sliderOf(items []media.GalleryItem, name string) (s render.Slider) {
	seen := map[uuid.UUID]bool{}
	for _, item := range items {
		if item.File != nil {
			if seen[item.File.ID] {
				continue
			}
			seen[item.File.ID] = true
		}
		s.Items = append(s.Items, mediaOf(item, name))
	}
	return s
}
