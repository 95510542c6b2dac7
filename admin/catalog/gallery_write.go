package catalog

import (
	"context"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
	"vitrine/internal/store/release"
)

// Refusals of galleries (document 1, section 7).
var (
	errGalleryName     = shop.Refuse(shop.InvalidArgument, "GALLERY_NAME_REQUIRED").When("name is missing or empty")
	errGalleryNameLong = shop.Refuse(shop.InvalidArgument, "GALLERY_NAME_TOO_LONG").When("name has more than 255 characters")
	errGalleryManaged  = shop.Refuse(shop.InvalidArgument, "GALLERY_MANAGED_BY_CANVAS").When("a canvas document controls the gallery, so its items cannot be removed")
	errCanvasType      = shop.Refuse(shop.InvalidArgument, "CANVAS_TYPE_MISMATCH").When("canvas_id names a document that is not a canvas, such as a layout or a website folder")
	errCanvas          = media.ErrCanvasNotFound
)

const (
	maxGalleryName = 255     // characters
	maxGalleryBody = 4 << 20 // bytes: 24 items of 64 KB, escaped
)

// galleryFields are the fields of a gallery in a request: absent fields keep their values. A
// list of items replaces all items; an empty one only with items_replace.
type galleryFields struct {
	Name         *string          `json:"name" len:"255" refuse:"GALLERY_NAME_TOO_LONG"`
	Source       string           `json:"source" enum:"images,canvas" doc:"canvas requires canvas_id; images detaches the gallery from its canvas"`
	CanvasID     *shop.DocumentID `json:"canvas_id" doc:"the document that controls the gallery, 0 for none; sent items are stored as a backup"`
	Items        []galleryItem    `json:"items" max:"24" refuse:"GALLERY_TOO_MANY_ITEMS"`
	ItemsReplace bool             `json:"items_replace"`
}

// galleryBody accepts the fields at the top level, as in document 1, 4.5, or in item, as for
// products, sections and articles.
type galleryBody struct {
	galleryFields
	Item *galleryFields `json:"item"`
}

func (b galleryBody) apply(ctx context.Context, tx *store.Tx, g *media.Gallery) (replace bool, err error) {
	if b.Item == nil {
		return b.galleryFields.apply(ctx, tx, g)
	}
	replace, err = b.Item.apply(ctx, tx, g)
	return replace, shop.At(err, "item")
}

// apply sets the sent fields on a gallery. replace reports whether its items are replaced.
func (f galleryFields) apply(ctx context.Context, tx *store.Tx, g *media.Gallery) (replace bool, err error) {
	api.Set(&g.Name, f.Name)
	if g.Name = strings.TrimSpace(g.Name); g.Name == "" {
		return false, errGalleryName.At("name")
	}
	if utf8.RuneCountInString(g.Name) > maxGalleryName {
		return false, errGalleryNameLong.At("name").With("at most 255 characters")
	}
	if len(f.Items) > maxGalleryItems {
		return false, errGalleryItems.At("items").With("at most 24")
	}
	if err := f.applyCanvas(ctx, tx.Reader, g); err != nil {
		return false, err
	}
	if len(f.Items) == 0 && !f.ItemsReplace {
		return false, nil
	}
	if len(f.Items) == 0 && g.CanvasID != 0 {
		backed, err := media.HasGalleryItems(ctx, tx.Reader, g.ID)
		if err == nil && backed {
			err = errGalleryManaged.At("items").With("the items are the backup of its canvas")
		}
		if err != nil {
			return false, err
		}
	}
	types, err := media.StoredTypes(ctx, tx.Reader, galleryFiles(f.Items))
	if err != nil {
		return false, err
	}
	g.Items, err = galleryRows(f.Items, types)
	return true, err
}

// applyCanvas sets the document that controls the gallery, which must be an html document of
// the shop.
func (f galleryFields) applyCanvas(ctx context.Context, r store.Reader, g *media.Gallery) error {
	api.Set(&g.CanvasID, f.CanvasID)
	switch {
	case f.Source != "" && f.Source != "images" && f.Source != "canvas":
		return shop.ErrInvalidRequest.At("source").With("images or canvas")
	case f.Source == "images" && f.CanvasID != nil && *f.CanvasID != 0:
		return shop.ErrInvalidRequest.At("canvas_id").With("must be empty with source images")
	case f.Source == "images":
		g.CanvasID = 0
	case f.Source == "canvas" && g.CanvasID == 0:
		return errCanvas.At("canvas_id").With("required with source canvas")
	}
	if f.CanvasID == nil || g.CanvasID == 0 {
		return nil
	}
	kind, err := release.DocumentKind(ctx, r, g.CanvasID)
	switch {
	case err != nil:
		return err
	case kind == "":
		return errCanvas.At("canvas_id").With(g.CanvasID.String())
	case kind != shop.HTMLDocument:
		return errCanvasType.At("canvas_id").With("the document is of kind " + string(kind))
	}
	return nil
}

func (c *Catalog) createGallery(ctx context.Context, call *api.Call, in galleryBody) (out api.Result[galleryView], err error) {
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		var g media.Gallery
		if _, err := in.apply(ctx, tx, &g); err != nil {
			return err
		}
		if err := media.InsertGallery(ctx, tx, &g); err != nil {
			return err
		}
		if err := media.UpdateCanvasGalleries(ctx, tx, nil, []shop.GalleryID{g.ID}); err != nil {
			return err
		}
		g, err := media.GetGallery(ctx, tx.Reader, g.ID)
		out.Result = viewGallery(g)
		return err
	})
	return out, err
}

type updateGallery struct {
	ID shop.GalleryID `path:"id" json:"-"`
	api.Basis
	galleryBody
}

func (c *Catalog) updateGallery(ctx context.Context, call *api.Call, in updateGallery) (out api.Result[galleryView], err error) {
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		g, err := media.LockGallery(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(g.UpdatedAt); err != nil {
			return err
		}
		replace, err := in.apply(ctx, tx, &g)
		if err != nil {
			return err
		}
		if err := media.UpdateGallery(ctx, tx, g); err != nil {
			return err
		}
		if replace {
			if err := media.SetGalleryItems(ctx, tx, g.ID, g.Items); err != nil {
				return err
			}
		}
		if err := media.UpdateCanvasGalleries(ctx, tx, nil, []shop.GalleryID{g.ID}); err != nil {
			return err
		}
		g, err = media.GetGallery(ctx, tx.Reader, g.ID)
		out.Result = viewGallery(g)
		return err
	})
	return out, err
}

func (c *Catalog) deleteGallery(ctx context.Context, call *api.Call, in galleryID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error { return media.DeleteGallery(ctx, tx, in.ID) })
}
