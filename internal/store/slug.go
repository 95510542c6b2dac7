package store

import (
	"context"

	"vitrine/internal/shop"
)

// Entity numbers as stored in the tables: the owner of a slug, of galleries and of blocks.
const (
	EntityCategory int16 = 1
	EntityProduct  int16 = 2
	EntityArticle  int16 = 3
)

// SlugEntry is one entry of the slug journal.
type SlugEntry struct {
	Entity int16
	Slug   string
	ID     int64
}

// renamed writes the journal of a rename in the transaction of the rename: the old slug
// redirects to the entity, and the new one no longer redirects anywhere else. Because
// entries refer to the entity and not to another slug, chains collapse. A slug of the draft
// is written when it is published.
func (tx *Tx) renamed(ctx context.Context, entity int16, id int64, old, slug string) error {
	if tx.Draft() || old == slug || old == "" {
		return nil
	}
	tx.Changed(shop.Key{Kind: shop.KeyJournal})
	if _, err := tx.q.Exec(ctx, `DELETE FROM slug_journal WHERE company_id = $1 AND entity = $2 AND slug = $3`,
		tx.Company, entity, slug); err != nil {
		return err
	}
	_, err := tx.q.Exec(ctx, `
		INSERT INTO slug_journal (company_id, entity, slug, entity_id) VALUES ($1, $2, $3, $4)
		ON CONFLICT (company_id, entity, slug) DO UPDATE SET entity_id = $4, at = now()`, tx.Company, entity, old, id)
	return err
}

// Journal returns the whole slug journal of the shop.
func (r Reader) Journal(ctx context.Context) (list []SlugEntry, err error) {
	rows, err := r.q.Query(ctx, `SELECT entity, slug, entity_id FROM slug_journal WHERE company_id = $1`, r.Company)
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
func (r Reader) SlugHolder(ctx context.Context, entity int16, slug string) (id int64, holders []int64, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT coalesce((SELECT entity_id FROM slug_journal WHERE company_id = $1 AND entity = $2 AND slug = $3), 0), ARRAY(
			SELECT id::bigint FROM product WHERE $2 = 2 AND company_id = $1 AND slug = $3 AND deleted_at IS NULL
			UNION ALL SELECT id FROM article WHERE $2 = 3 AND company_id = $1 AND slug = $3 AND deleted_at IS NULL)`,
		r.Company, entity, slug).Scan(&id, &holders)
	return id, holders, err
}

// freeSlug runs save with the slug, and with suffixes while the named unique index reports
// that it is taken. An explicit slug is tried once. The index decides, not an earlier
// query, so two concurrent writers cannot both get the slug.
func (tx *Tx) freeSlug(ctx context.Context, slug string, explicit bool, index string, save func(slug string) error) error {
	for n := 1; ; n++ {
		candidate := shop.Suffixed(slug, n)
		err := tx.Savepoint(ctx, func() error { return save(candidate) })
		if !uniqueViolation(err, index) {
			return err
		}
		if explicit || n == 200 {
			return shop.ErrSlugTaken.At("seo.slug").With(candidate)
		}
	}
}
