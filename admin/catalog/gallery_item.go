package catalog

import (
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store/media"
)

// Refusals of the items of galleries (document 1, 2.6 and section 7).
var (
	errGalleryItems     = shop.Refuse(shop.InvalidArgument, "GALLERY_TOO_MANY_ITEMS").When("more than 24 items")
	errGalleryItemKey   = shop.Refuse(shop.InvalidArgument, "GALLERY_DUPLICATE_ITEM_KEY").When("two items have the same item_key")
	errGalleryItemKind  = shop.Refuse(shop.InvalidArgument, "GALLERY_ITEM_KIND_MISMATCH").When("kind does not match the type of the file, or galleries do not support the type of the file")
	errGalleryItemFile  = shop.Refuse(shop.InvalidArgument, "GALLERY_ITEM_FILE_REQUIRED").When("an item that is not html has no file")
	errGalleryItemHTML  = shop.Refuse(shop.InvalidArgument, "GALLERY_ITEM_HTML_REQUIRED").When("an item of kind html has no text")
	errGalleryHTMLLong  = shop.Refuse(shop.InvalidArgument, "GALLERY_ITEM_HTML_TOO_LONG").When("the text of an item has more than 64 KB")
	errGalleryFile      = shop.Refuse(shop.NotFound, "GALLERY_FILE_NOT_FOUND").When("a file or poster is not a live file of the shop")
	galleryItemRefusals = []*shop.Refusal{
		errGalleryItems, errGalleryItemKey, errGalleryItemKind, errGalleryItemFile, errGalleryItemHTML, errGalleryHTMLLong, errGalleryFile,
	}
)

const (
	maxGalleryItems = media.MaxGalleryItems
	maxGalleryHTML  = 64 << 10 // bytes
	maxItemKey      = 64       // characters
	maxCaption      = 1000     // characters
)

// galleryItem is an item in a request. An item without a key gets one. The kind of an item with
// a file is determined by the file; only html is set explicitly.
type galleryItem struct {
	ItemKey string          `json:"item_key" len:"64" refuse:"INVALID_REQUEST"`
	Kind    galleryKind     `json:"kind"`
	File    *galleryFileRef `json:"file"`
	Poster  *galleryFileRef `json:"poster"`
	HTML    string          `json:"html" len:"65536" refuse:"GALLERY_ITEM_HTML_TOO_LONG" doc:"of an item of kind html, at most 65,536 bytes"`
	Caption string          `json:"caption" len:"1000" refuse:"INVALID_REQUEST"`
}

// galleryFileRef names a file; an empty id means none.
type galleryFileRef struct {
	ID optionalID `json:"id"`
}

func (r *galleryFileRef) id() *uuid.UUID {
	if r == nil {
		return nil
	}
	return r.ID.ID
}

// galleryFiles returns the files that items name.
func galleryFiles(items []galleryItem) (ids []uuid.UUID) {
	for _, i := range items {
		for _, id := range []*uuid.UUID{i.File.id(), i.Poster.id()} {
			if id != nil {
				ids = append(ids, *id)
			}
		}
	}
	return ids
}

// galleryRows checks items and sets missing keys and kinds. types are the types of the shop's
// live files.
func galleryRows(items []galleryItem, types map[uuid.UUID]string) ([]media.GalleryItem, error) {
	keys := map[string]bool{}
	rows := make([]media.GalleryItem, len(items))
	for n, i := range items {
		if i.ItemKey == "" {
			i.ItemKey = uuid.NewString()
		}
		if keys[i.ItemKey] {
			return nil, shop.AtEntry(errGalleryItemKey.At("item_key").With(i.ItemKey), "items", n)
		}
		keys[i.ItemKey] = true
		row, err := i.row(types)
		if err != nil {
			return nil, shop.AtEntry(err, "items", n)
		}
		rows[n] = row
	}
	return rows, nil
}

// galleryKinds are the kinds of items; an empty kind means that of the file.
var galleryKinds = []string{"image", "video", "audio", media.GalleryHTML}

type galleryKind string

// Values lists the kinds.
func (galleryKind) Values() []string { return galleryKinds }

func (i galleryItem) row(types map[uuid.UUID]string) (row media.GalleryItem, err error) {
	switch {
	case utf8.RuneCountInString(i.ItemKey) > maxItemKey:
		return row, shop.ErrInvalidRequest.At("item_key").With("at most 64 characters")
	case utf8.RuneCountInString(i.Caption) > maxCaption:
		return row, shop.ErrInvalidRequest.At("caption").With("at most 1000 characters")
	}
	if i.Kind != "" && !slices.Contains(galleryKinds, string(i.Kind)) {
		return row, errGalleryItemKind.At("kind").With("image, video, audio or html")
	}
	row = media.GalleryItem{Key: i.ItemKey, Kind: string(i.Kind), HTML: i.HTML, Caption: i.Caption}
	if i.Kind == media.GalleryHTML {
		err = i.checkHTML()
	} else {
		err = i.withFile(&row, types)
	}
	if err != nil {
		return row, err
	}
	if poster := i.Poster.id(); poster != nil {
		switch types[*poster] {
		case "image":
		case "":
			return row, errGalleryFile.At("poster").With(poster.String())
		default:
			return row, errGalleryItemKind.At("poster").With("a poster must be an image")
		}
		row.Poster = &media.File{ID: *poster}
	}
	return row, nil
}

func (i galleryItem) checkHTML() error {
	switch {
	case i.File.id() != nil:
		return errGalleryItemKind.At("file").With("an item of kind html cannot have a file")
	case i.HTML == "":
		return errGalleryItemHTML.At("html").With("required for an item of kind html")
	case len(i.HTML) > maxGalleryHTML:
		return errGalleryHTMLLong.At("html").With("at most 65536 bytes")
	}
	return nil
}

// withFile sets the kind to that of the file and refuses a different kind instead of silently
// correcting it (document 1, section 7).
func (i galleryItem) withFile(row *media.GalleryItem, types map[uuid.UUID]string) error {
	id := i.File.id()
	if id == nil {
		return errGalleryItemFile.At("file").With("required unless the item is of kind html")
	}
	kind := types[*id]
	switch {
	case kind == "":
		return errGalleryFile.At("file").With(id.String())
	case kind != "image" && kind != "video" && kind != "audio":
		return errGalleryItemKind.At("file").With("a file of type " + kind + " cannot be an item of a gallery")
	case i.Kind != "" && string(i.Kind) != kind:
		return errGalleryItemKind.At("kind").With("the file is of type " + kind)
	case i.HTML != "":
		return errGalleryItemKind.At("html").With("an item with a file cannot have html")
	}
	row.Kind, row.File = kind, &media.File{ID: *id}
	return nil
}
