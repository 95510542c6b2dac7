package media

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type collectionNoun struct{}

// CollectionID identifies a folder of the media library.
type CollectionID = shop.Long[collectionNoun]

// ErrCollectionNotFound is returned for missing and deleted collections and for those of
// other shops.
var ErrCollectionNotFound = shop.Refuse(shop.NotFound, "COLLECTION_NOT_FOUND").When("no collection of the shop has this id")

// Collection is a folder of the media library (document 1, 2.5).
type Collection struct {
	ID        CollectionID
	ParentID  CollectionID // 0: at the top
	Name      string
	Files     int // not deleted, in the collection itself
	SortOrder int // among its siblings
	CreatedAt time.Time
	UpdatedAt time.Time
}

const collectionColumns = `
	c.id, c.parent_id, c.name, (SELECT count(*) FROM collection_file l WHERE l.company_id = $1 AND l.collection_id = c.id),
	c.sort_order, c.created_at, c.updated_at`

func scanCollection(row pgx.Row) (c Collection, err error) {
	err = row.Scan(&c.ID, &c.ParentID, &c.Name, &c.Files, &c.SortOrder, &c.CreatedAt, &c.UpdatedAt)
	if store.NoRow(err) {
		err = ErrCollectionNotFound
	}
	return c, err
}

// Collections returns all collections of the shop, siblings in their order.
func Collections(ctx context.Context, r store.Reader) ([]Collection, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT`+collectionColumns+` FROM collection c WHERE c.company_id = $1 ORDER BY c.parent_id, c.sort_order, c.id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Collection, error) { return scanCollection(row) })
}

// GetCollection reads one collection, or returns COLLECTION_NOT_FOUND.
func GetCollection(ctx context.Context, r store.Reader, id CollectionID) (Collection, error) {
	return scanCollection(
		r.DB.QueryRow(ctx, `SELECT`+collectionColumns+` FROM collection c WHERE c.company_id = $1 AND c.id = $2`, r.Company, id),
	)
}

// CreateCollection adds a collection after its siblings.
func CreateCollection(ctx context.Context, tx *store.Tx, c Collection, by shop.UserID, at time.Time) (id CollectionID, err error) {
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO collection (company_id, parent_id, name, created_by, created_at, sort_order)
		SELECT $1, $2, $3, $4, $5, coalesce(max(sort_order), 0) + 1 FROM collection WHERE company_id = $1 AND parent_id = $2
		RETURNING id`, tx.Company, c.ParentID, c.Name, by, at).Scan(&id)
	return id, err
}

// SaveCollection writes the name and the parent; with a new parent the collection becomes
// the last child.
func SaveCollection(ctx context.Context, tx *store.Tx, c Collection) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE collection SET name = $3, parent_id = $4, updated_at = now(), sort_order = CASE WHEN parent_id = $4 THEN sort_order
			ELSE (SELECT coalesce(max(s.sort_order), 0) + 1 FROM collection s WHERE s.company_id = $1 AND s.parent_id = $4) END
		WHERE company_id = $1 AND id = $2`, tx.Company, c.ID, c.Name, c.ParentID)
	return err
}

// DeleteCollection removes a collection and those below it. Files stay.
func DeleteCollection(ctx context.Context, tx *store.Tx, id CollectionID) error {
	_, err := tx.DB.Exec(ctx, `
		WITH RECURSIVE below AS (
			SELECT id FROM collection WHERE company_id = $1 AND id = $2
			UNION SELECT c.id FROM collection c JOIN below b ON c.parent_id = b.id WHERE c.company_id = $1)
		DELETE FROM collection WHERE company_id = $1 AND id IN (SELECT id FROM below)`, tx.Company, id)
	return err
}

// SetCollectionOrder numbers the children of a collection in the order of the ids; children
// not listed follow in their previous order.
func SetCollectionOrder(ctx context.Context, tx *store.Tx, parent CollectionID, ids []CollectionID) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE collection c SET sort_order = o.n FROM (
			SELECT id, row_number() OVER (ORDER BY array_position($3::bigint[], id), sort_order, id) AS n
			FROM collection WHERE company_id = $1 AND parent_id = $2) o
		WHERE c.company_id = $1 AND c.id = o.id`, tx.Company, parent, ids)
	return err
}

// AddToCollection appends stored files to a collection, in the order of the ids; files
// already in it keep their place.
func AddToCollection(ctx context.Context, tx *store.Tx, id CollectionID, files []uuid.UUID) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO collection_file (company_id, collection_id, file_id, sort_order)
		SELECT $1, $2, f.id, f.n + (SELECT coalesce(max(sort_order), 0) FROM collection_file WHERE company_id = $1 AND collection_id = $2)
		FROM unnest($3::uuid[]) WITH ORDINALITY AS f(id, n) ON CONFLICT DO NOTHING`, tx.Company, id, files)
	return err
}

// RemoveFromCollection takes a file out of a collection and reports whether it was in it.
// The file itself stays.
func RemoveFromCollection(ctx context.Context, tx *store.Tx, id CollectionID, file uuid.UUID) (bool, error) {
	tag, err := tx.DB.Exec(ctx, `
		DELETE FROM collection_file WHERE company_id = $1 AND collection_id = $2 AND file_id = $3`, tx.Company, id, file)
	return tag.RowsAffected() > 0, err
}

// OrderCollectionFiles numbers the files of a collection in the order of the ids; files not
// listed follow in their previous order.
func OrderCollectionFiles(ctx context.Context, tx *store.Tx, id CollectionID, files []uuid.UUID) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE collection_file l SET sort_order = o.n FROM (
			SELECT file_id, row_number() OVER (ORDER BY array_position($3::uuid[], file_id), sort_order, file_id) AS n
			FROM collection_file WHERE company_id = $1 AND collection_id = $2) o
		WHERE l.company_id = $1 AND l.collection_id = $2 AND l.file_id = o.file_id`, tx.Company, id, files)
	return err
}

// LockStoredFiles counts those of the ids that are files of the shop, and locks them until
// the end of the transaction.
func LockStoredFiles(ctx context.Context, tx *store.Tx, ids []uuid.UUID) (n int, err error) {
	err = tx.DB.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT 1 FROM media_file
			WHERE company_id = $1 AND id = ANY($2) AND status = 'stored' AND `+InLibrary+` ORDER BY id FOR SHARE) f`, tx.Company, ids).Scan(&n)
	return n, err
}
