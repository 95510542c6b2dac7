package catalog

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// SlugEntry is one entry of the slug journal.
type SlugEntry struct {
	Entity int16
	Slug   string
	ID     int64
}

// recordRename writes the journal of a rename in the transaction of the rename: the old slug
// redirects to the entity, and the new one no longer redirects anywhere else. Because
// entries refer to the entity and not to another slug, chains collapse. A slug of the draft
// is written when it is published.
func recordRename(ctx context.Context, tx *store.Tx, entity int16, id int64, old, slug string) error {
	if tx.Draft() || old == slug || old == "" {
		return nil
	}
	tx.Changed(shop.Key{Kind: shop.KeyJournal})
	if _, err := tx.DB.Exec(ctx, `DELETE FROM slug_journal WHERE company_id = $1 AND entity = $2 AND slug = $3`,
		tx.Company, entity, slug); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO slug_journal (company_id, entity, slug, entity_id) VALUES ($1, $2, $3, $4)
		ON CONFLICT (company_id, entity, slug) DO UPDATE SET entity_id = $4, at = now()`, tx.Company, entity, old, id)
	return err
}

// Journal returns the whole slug journal of the shop.
func Journal(ctx context.Context, r store.Reader) (list []SlugEntry, err error) {
	rows, err := r.DB.Query(ctx, `SELECT entity, slug, entity_id FROM slug_journal WHERE company_id = $1`, r.Company)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e SlugEntry
		if err := rows.Scan(&e.Entity, &e.Slug, &e.ID); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// SlugHolder looks a slug up in the journal: the entity that had it last, 0 without an
// entry, and the entities of that kind, not deleted, that have it now.
func SlugHolder(ctx context.Context, r store.Reader, entity int16, slug string) (id int64, holders []int64, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT coalesce((SELECT entity_id FROM slug_journal WHERE company_id = $1 AND entity = $2 AND slug = $3), 0), ARRAY(
			SELECT id::bigint FROM product WHERE $2 = 2 AND company_id = $1 AND slug = $3 AND deleted_at IS NULL
			UNION ALL SELECT id FROM article WHERE $2 = 3 AND company_id = $1 AND slug = $3 AND deleted_at IS NULL)`,
		r.Company, entity, slug).Scan(&id, &holders)
	return id, holders, err
}

// withFreeSlug runs save with the slug, and with suffixes while the named unique index reports
// that it is taken. An explicit slug is tried once. The index decides, not an earlier
// query, so two concurrent writers cannot both get the slug.
func withFreeSlug(ctx context.Context, tx *store.Tx, slug string, explicit bool, index string, save func(slug string) error) error {
	for n := 1; ; n++ {
		candidate := shop.WithSuffix(slug, n)
		err := tx.Savepoint(ctx, func() error { return save(candidate) })
		if !store.UniqueViolation(err, index) {
			return err
		}
		if explicit || n == 200 {
			return shop.ErrSlugTaken.At("seo.slug").With(candidate)
		}
	}
}
