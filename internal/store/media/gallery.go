package media

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of galleries (document 1, section 7).
var (
	ErrGalleryNotFound = shop.Refuse(shop.NotFound, "GALLERY_NOT_FOUND").When("no gallery of the shop has this id")
	ErrGalleryInUse    = shop.Refuse(shop.FailedPrecondition, "GALLERY_IN_USE").When("products, sections, articles or variant sets use it")
	ErrCanvasNotFound  = shop.Refuse(shop.NotFound, "CANVAS_DOCUMENT_NOT_FOUND").When("canvas_id names no document of the shop")
	ErrCanvasInUse     = shop.Refuse(shop.InvalidArgument, "GALLERY_DUPLICATE_CANVAS").When("another gallery already uses the canvas document")
)

// Gallery is a named list of pictures, videos, sounds and texts that products, sections,
// articles and variant sets show (document 1, 2.6).
type Gallery struct {
	ID        shop.GalleryID
	Name      string
	CanvasID  shop.DocumentID // the document that supplies its pictures; 0: it shows its own items
	Items     []GalleryItem   // in their order
	CreatedAt time.Time
	UpdatedAt time.Time
}

// GalleryHTML is the kind of items that have a text instead of a file; the other kinds are
// types of files.
const GalleryHTML = "html"

// GalleryItem is one entry of a gallery. On writes only the ids of its files count.
type GalleryItem struct {
	Key     string // unique in the gallery
	Kind    string // image, video, audio or html
	File    *File  // nil for html
	Poster  *File  // a picture shown in its place, or nil
	HTML    string
	Caption string
}

const galleryColumns = `g.id, g.name, g.canvas_id, g.created_at, g.updated_at`

func scanGallery(row pgx.CollectableRow) (g Gallery, err error) {
	err = row.Scan(&g.ID, &g.Name, &g.CanvasID, &g.CreatedAt, &g.UpdatedAt)
	return g, err
}

// Galleries returns one page of the shop's galleries with their items, newest first, and
// the total of all pages.
func Galleries(ctx context.Context, r store.Reader, number, limit int) (list []Gallery, total int, err error) {
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM gallery WHERE company_id = $1 AND deleted_at IS NULL`,
		r.Company).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT `+galleryColumns+` FROM gallery g WHERE g.company_id = $1 AND g.deleted_at IS NULL
		ORDER BY g.id DESC LIMIT $2 OFFSET $3`, r.Company, limit, (number-1)*limit)
	if err != nil {
		return nil, 0, err
	}
	if list, err = pgx.CollectRows(rows, scanGallery); err != nil {
		return nil, 0, err
	}
	return list, total, fillGalleries(ctx, r, list)
}

// GetGallery reads a gallery with all its items, unless it is deleted.
func GetGallery(ctx context.Context, r store.Reader, id shop.GalleryID) (Gallery, error) {
	found, err := GalleriesByID(ctx, r, []shop.GalleryID{id})
	if err == nil && len(found) == 0 {
		err = ErrGalleryNotFound
	}
	return found[id], err
}

// GalleriesByID reads those of the galleries that are not deleted, with their items, in two
// queries.
func GalleriesByID(ctx context.Context, r store.Reader, ids []shop.GalleryID) (map[shop.GalleryID]Gallery, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT `+galleryColumns+` FROM gallery g WHERE g.company_id = $1 AND g.id = ANY($2) AND g.deleted_at IS NULL`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, scanGallery)
	if err != nil {
		return nil, err
	}
	err = fillGalleries(ctx, r, list)
	found := make(map[shop.GalleryID]Gallery, len(list))
	for _, g := range list {
		found[g.ID] = g
	}
	return found, err
}

// fillGalleries reads the items of galleries. An item or a poster whose file was deleted is
// left out, as everywhere.
func fillGalleries(ctx context.Context, r store.Reader, list []Gallery) error {
	at := make(map[shop.GalleryID]int, len(list))
	ids := make([]shop.GalleryID, len(list))
	for i, g := range list {
		at[g.ID], ids[i] = i, g.ID
	}
	rows, err := r.DB.Query(ctx, `
		SELECT g.id, i.item_key, i.kind, i.html, i.caption, f.id, coalesce(f.path, ''), coalesce(f.width, 0), coalesce(f.height, 0),
			p.id, coalesce(p.path, '')
		FROM gallery g CROSS JOIN LATERAL `+GalleryItems+` i
		LEFT JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
		LEFT JOIN media_file p ON p.company_id = $1 AND p.id = i.poster_id AND p.deleted_at IS NULL AND p.status = 'stored'
		WHERE g.company_id = $1 AND g.id = ANY($2) AND (i.kind = 'html' OR f.id IS NOT NULL)
		ORDER BY g.id, i.sort_order, i.item_key`, r.Company, ids)
	if err != nil {
		return err
	}
	var gallery shop.GalleryID
	var item GalleryItem
	var file, poster File
	var fileID, posterID *uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{
		&gallery, &item.Key, &item.Kind, &item.HTML, &item.Caption, &fileID, &file.Path, &file.Width, &file.Height, &posterID, &poster.Path,
	}, func() error {
		out := item
		out.File, out.Poster = fileOf(fileID, file), fileOf(posterID, poster)
		g := &list[at[gallery]]
		g.Items = append(g.Items, out)
		return nil
	})
	return err
}

// fileOf returns a file with its id, nil without one.
func fileOf(id *uuid.UUID, f File) *File {
	if id == nil {
		return nil
	}
	f.ID = *id
	return &f
}

// StoredTypes returns the types of those of the ids that are stored files of the shop and
// not deleted.
func StoredTypes(ctx context.Context, r store.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, file_type FROM media_file WHERE company_id = $1 AND id = ANY($2) AND status = 'stored' AND `+InLibrary, r.Company, ids)
	if err != nil {
		return nil, err
	}
	types := map[uuid.UUID]string{}
	var id uuid.UUID
	var kind string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind}, func() error {
		types[id] = kind
		return nil
	})
	return types, err
}
