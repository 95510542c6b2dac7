package catalog

import (
	"context"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Refusals of links to galleries (document 1, section 7).
var (
	errManyGalleries = shop.Refuse(shop.InvalidArgument, "GALLERIES_TOO_MANY").When("too many galleries")
	errGalleryTwice  = shop.Refuse(shop.InvalidArgument, "GALLERY_DUPLICATE_LINK").When("gallery_ids contains a gallery twice")
)

// Limits on the galleries linked to one thing (document 1, section 8).
const (
	maxGalleries        = 10
	maxArticleGalleries = 15
)

// galleryLinks are the galleries linked to a thing, in a request: a non-empty list replaces the
// links in its order, an empty one removes them only with gallery_ids_replace (document 1,
// 4.5).
type galleryLinks struct {
	GalleryIDs        []shop.GalleryID `json:"gallery_ids" max:"15" refuse:"GALLERIES_TOO_MANY"`
	GalleryIDsReplace bool             `json:"gallery_ids_replace"`
}

// sent reports whether the request replaces the links.
func (l galleryLinks) sent() bool { return len(l.GalleryIDs) > 0 || l.GalleryIDsReplace }

// check refuses too many ids and repeated ids.
func (l galleryLinks) check(most int) error {
	if len(l.GalleryIDs) > most {
		return errManyGalleries.At("gallery_ids").With("at most " + strconv.Itoa(most))
	}
	seen := map[shop.GalleryID]bool{}
	for n, id := range l.GalleryIDs {
		if seen[id] {
			return shop.AtEntry(errGalleryTwice.With(id.String()), "gallery_ids", n)
		}
		seen[id] = true
	}
	return nil
}

// share checks that all ids are live galleries of the shop, and locks these until the end of
// the transaction.
func (l galleryLinks) share(ctx context.Context, tx *store.Tx, most int) error {
	if err := l.check(most); err != nil || len(l.GalleryIDs) == 0 {
		return err
	}
	living, err := media.ShareGalleries(ctx, tx, l.GalleryIDs)
	if err != nil {
		return err
	}
	return l.among(living)
}

// linkable refuses too many ids, repeated ids, and ids that are not among the live galleries.
func (l galleryLinks) linkable(living map[shop.GalleryID]bool, most int) error {
	if err := l.check(most); err != nil {
		return err
	}
	return l.among(living)
}

// among refuses ids that are not among the live galleries.
func (l galleryLinks) among(living map[shop.GalleryID]bool) error {
	for n, id := range l.GalleryIDs {
		if !living[id] {
			return shop.AtEntry(media.ErrGalleryNotFound.With(id.String()), "gallery_ids", n)
		}
	}
	return nil
}

// save replaces the links of a section or an article after share has checked them.
func (l galleryLinks) save(ctx context.Context, tx *store.Tx, entity int16, id int64) error {
	if !l.sent() {
		return nil
	}
	return media.LinkGalleries(ctx, tx, entity, map[int64][]shop.GalleryID{id: l.GalleryIDs})
}
