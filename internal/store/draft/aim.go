package draft

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/design"
	"vitrine/internal/store/media"
)

// draftReferences are the columns of lists whose targets must not be deleted when the list is
// published, as for a write to the live shop (document 1, 4.2; document 3, 2.1).
var draftReferences = []struct{ table, column, at, code string }{
	{"product_extra_category", "category_id", "category", catalog.ErrCategoryNotFound.Code},
	{"block_link", "block_id", "content_block", design.ErrBlockNotFound.Code},
	{"design_binding", "group_id", "content_block", design.ErrBlockNotFound.Code},
	{"gallery_link", "gallery_id", "gallery", media.ErrGalleryNotFound.Code},
	{"variant_set", "gallery_id", "gallery", media.ErrGalleryNotFound.Code},
}

// brokenReferences finds entries that the draft adds to lists and whose target is deleted. Entries
// that were live before may stay broken.
func brokenReferences(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	for _, aim := range draftReferences {
		users := map[string][]Conflict{}
		for _, w := range things {
			for _, row := range w.rows {
				id := string(row.draft[aim.column])
				if row.table.table != aim.table || row.gone || id == "0" || w.item.Change == "deleted" ||
					row.base != nil && id == string(row.base[aim.column]) {
					continue
				}
				users[id] = append(users[id], Conflict{
					Ref: w.item.Ref, Field: w.listField(row), Code: aim.code, Draft: row.draft[aim.column],
				})
			}
		}
		alive, err := notDeleted(ctx, tx, aim.at, slices.Collect(maps.Keys(users)))
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(users)) {
			if !alive[id] {
				list = append(list, users[id]...)
			}
		}
	}
	return list, nil
}

// deletedOwners finds things that were deleted live while only their lists changed in the
// draft: the lists have nothing to be published with.
func deletedOwners(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	for kind, code := range map[string]string{
		"category": catalog.ErrCategoryNotFound.Code, "product": catalog.ErrProductNotFound.Code, "article": catalog.ErrArticleNotFound.Code,
		"gallery": media.ErrGalleryNotFound.Code,
	} {
		var ids []string
		for _, w := range things {
			if w.item.Kind == kind && w.own == nil {
				ids = append(ids, w.item.ID)
			}
		}
		alive, err := notDeleted(ctx, tx, kind, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if !alive[id] {
				list = append(list, Conflict{Ref: Ref{kind, id}, Field: "deleted_at", Code: code})
			}
		}
	}
	return list, nil
}

// notDeleted returns those of some ids that a table has and that are not deleted.
func notDeleted(ctx context.Context, tx *store.Tx, table string, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.DB.Query(
		ctx, `SELECT id::text FROM public.`+table+` WHERE company_id = $1 AND id = ANY($2::bigint[]) AND deleted_at IS NULL`,
		tx.Company, ids,
	)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	alive := make(map[string]bool, len(found))
	for _, id := range found {
		alive[id] = true
	}
	return alive, err
}
