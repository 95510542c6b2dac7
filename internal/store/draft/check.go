package draft

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/internal/store/release"
)

// maxListedConflicts is how many conflicts a refusal lists.
const maxListedConflicts = 100

// refuseConflicts returns the refusal for conflicts, nil without any.
func refuseConflicts(list []Conflict) error {
	if len(list) == 0 {
		return nil
	}
	detail := strconv.Itoa(len(list)) + " fields cannot be published as they are"
	if !slices.ContainsFunc(list, func(c Conflict) bool {
		return c.Code != draftStale && c.Code != draftNotPublished && c.Code != draftStillShown
	}) {
		detail = strconv.Itoa(len(list)) + " fields changed in the live shop since, or would be blank; with force the draft wins"
	}
	named := make([]Conflict, min(len(list), maxListedConflicts))
	for i := range named {
		named[i] = list[i].external()
	}
	return ErrConflict.With(detail).WithField("conflicts", named).WithField("items", named)
}

// conflictsBefore checks the picked things before any row moves: fields that changed on
// both sides, and values that are taken.
func conflictsBefore(ctx context.Context, tx *store.Tx, things []*draftThing, force bool) (list []Conflict, err error) {
	for _, w := range things {
		switch {
		case !force:
			list = append(list, w.item.Conflicts...)
		case w.item.Kind == "document" && w.own != nil && w.own.restores(): // its releases are gone for good
			list = append(list, Conflict{Ref: w.item.Ref, Field: "deleted_at", Code: release.ErrDocumentNotFound.Code})
		}
	}
	for _, unique := range []struct{ kind, column, code string }{
		{"category", "slug", "SLUG_TAKEN"}, {"product", "slug", "SLUG_TAKEN"},
		{"product", "sku", catalog.ErrSKUTaken.Code}, {"article", "slug", "SLUG_TAKEN"},
	} {
		taken, err := takenValues(ctx, tx, things, unique.kind, unique.column, unique.code)
		if err != nil {
			return nil, err
		}
		list = append(list, taken...)
	}
	taken, err := takenVariantSKUs(ctx, tx)
	return append(list, taken...), err
}

// takenVariantSKUs finds picked variants whose sku belongs to another variant of the shop that
// is not deleted and stays as it is.
func takenVariantSKUs(ctx context.Context, tx *store.Tx) (list []Conflict, err error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT DISTINCT d.product_id::text, d.sku FROM draft.variant_set d
		JOIN public.variant_set l ON l.company_id = $1 AND l.sku = d.sku AND NOT l.product_deleted AND l.id <> d.id
		WHERE d.company_id = $1 AND d.draft_picked AND NOT d.draft_gone AND d.sku <> '' AND NOT EXISTS (
			SELECT FROM draft.variant_set x WHERE x.company_id = $1 AND x.id = l.id AND x.draft_picked AND (x.draft_gone OR x.sku <> l.sku))
		ORDER BY 1, 2`, tx.Company)
	if err != nil {
		return nil, err
	}
	var id, sku string
	_, err = pgx.ForEachRow(rows, []any{&id, &sku}, func() error {
		list = append(list, Conflict{Ref: Ref{"product", id}, Field: "variants", Code: catalog.ErrSKUTaken.Code, Live: sku, Draft: sku})
		return nil
	})
	return list, err
}

// takenValues finds things whose value, as it would be published, belongs to another row
// too: one that stays as it is, or one that is published with it.
func takenValues(ctx context.Context, tx *store.Tx, things []*draftThing, kind, column, code string) (list []Conflict, err error) {
	holders := map[string][]string{}
	moving := map[string]bool{}
	for _, w := range things {
		if w.item.Kind != kind || w.own == nil {
			continue
		}
		moving[w.item.ID] = true
		if value := w.own.valueAfterPublish(column); value != "" && !w.own.deletes() {
			holders[value] = append(holders[value], w.item.ID)
		}
	}
	noun, _ := nounOf(kind)
	// Values are passed and returned as a list: one pass over an index, whatever the
	// statistics of tables that were just filled.
	rows, err := tx.DB.Query(ctx, `
		SELECT id::text, `+column+` FROM public.`+noun.tables[0].table+`
		WHERE company_id = $1 AND `+column+` = ANY($2) AND `+column+` <> '' AND deleted_at IS NULL`,
		tx.Company, slices.Collect(maps.Keys(holders)))
	if err != nil {
		return nil, err
	}
	var id, value string
	if _, err = pgx.ForEachRow(rows, []any{&id, &value}, func() error {
		if !moving[id] {
			holders[value] = append(holders[value], "")
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for _, value := range slices.Sorted(maps.Keys(holders)) {
		for _, id := range holders[value] {
			if id != "" && len(holders[value]) > 1 {
				list = append(list, Conflict{Ref: Ref{kind, id}, Field: column, Code: code, Live: value, Draft: value})
			}
		}
	}
	return list, nil
}

// valueAfterPublish returns the future value of a text column: the draft's where the draft changes
// it, else the live one.
func (r *draftRow) valueAfterPublish(column string) string {
	if r.live == nil || !bytes.Equal(valueOf(r.draft, column), valueOf(r.base, column)) {
		return r.text(r.draft, column)
	}
	return r.text(r.live, column)
}

// deletes reports whether a row will be deleted. A row that was deleted live but edited in the
// draft is restored (document 1, section 3): publishing it means that the conflict was seen
// and forced.
func (r *draftRow) deletes() bool {
	return r.gone || !isNull(r.draft["deleted_at"])
}

// restores reports whether a row is edited in the draft and was deleted live since.
func (r *draftRow) restores() bool {
	return !r.deletes() && r.base != nil && isNull(r.base["deleted_at"]) && (r.live == nil || !isNull(r.live["deleted_at"]))
}

// conflictsAfter checks the shop as it is after the move: referenced sections and blocks
// must not be deleted, and the tree must have no cycle. before is the reach, before the
// move, of the sections that are created or moved.
func conflictsAfter(ctx context.Context, tx *store.Tx, things []*draftThing, before map[shop.CategoryID]catalog.Extent) (list []Conflict, err error) {
	after, err := catalog.Extents(ctx, tx.Reader, placedSections(things)...)
	if err != nil {
		return nil, err
	}
	list = tooDeepAfterPublish(before, after)
	for _, check := range []struct{ kind, field, code, sql string }{
		{"product", "category_id", catalog.ErrCategoryNotFound.Code, `SELECT p.id FROM product p WHERE p.company_id = $1 AND p.id = ANY($2::integer[]) AND p.deleted_at IS NULL
			AND p.category_id <> 0 AND NOT EXISTS (SELECT FROM category c WHERE c.company_id = $1 AND c.id = p.category_id
				AND c.deleted_at IS NULL)`},
		{"article", "category_id", catalog.ErrCategoryNotFound.Code, `SELECT a.id FROM article a WHERE a.company_id = $1 AND a.id = ANY($2::integer[]) AND a.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM category c WHERE c.company_id = $1 AND c.id = a.category_id AND c.deleted_at IS NULL)`},
		{"product", "category_id", catalog.ErrCategoryType.Code, `SELECT p.id FROM product p JOIN category c ON c.company_id = $1 AND c.id = p.category_id AND c.type IN ('site', 'news')
			WHERE p.company_id = $1 AND p.id = ANY($2::integer[]) AND p.deleted_at IS NULL`},
		{"product", "categories", catalog.ErrCategoryType.Code, `SELECT DISTINCT e.product_id FROM product_extra_category e
			JOIN category c ON c.company_id = $1 AND c.id = e.category_id AND c.type IN ('site', 'news')
			JOIN product p ON p.company_id = $1 AND p.id = e.product_id AND p.deleted_at IS NULL
			WHERE e.company_id = $1 AND e.product_id = ANY($2::integer[])`},
		{"article", "category_id", catalog.ErrCategoryType.Code, `SELECT a.id FROM article a JOIN category c ON c.company_id = $1 AND c.id = a.category_id AND c.type <> 'news'
			WHERE a.company_id = $1 AND a.id = ANY($2::integer[]) AND a.deleted_at IS NULL`},
		{"category", "type", catalog.ErrCategoryType.Code, `SELECT c.id FROM category c WHERE c.company_id = $1 AND c.id = ANY($2::integer[]) AND c.deleted_at IS NULL AND (
			c.type IN ('site', 'news') AND EXISTS (SELECT FROM product p WHERE p.company_id = $1 AND p.deleted_at IS NULL AND (p.category_id = c.id
				OR p.id IN (SELECT e.product_id FROM product_extra_category e WHERE e.company_id = $1 AND e.category_id = c.id)))
			OR c.type <> 'news' AND EXISTS (SELECT FROM article a WHERE a.company_id = $1 AND a.deleted_at IS NULL AND a.category_id = c.id))`},
		{"category", "parent_id", catalog.ErrCategoryNotFound.Code, `SELECT c.id FROM category c WHERE c.company_id = $1 AND c.id = ANY($2::integer[]) AND c.deleted_at IS NULL
			AND c.parent_id <> 0 AND NOT EXISTS (SELECT FROM category p WHERE p.company_id = $1 AND p.id = c.parent_id AND p.deleted_at IS NULL)`},
		{"category", "parent_id", catalog.ErrCategoryCycle.Code, `WITH RECURSIVE up AS (
				SELECT c.id, c.parent_id FROM category c WHERE c.company_id = $1 AND c.id = ANY($2::integer[])
				UNION SELECT up.id, p.parent_id FROM up JOIN category p ON p.company_id = $1 AND p.id = up.parent_id)
			SELECT id FROM up WHERE id = parent_id`},
		{"gallery", "canvas_id", media.ErrCanvasNotFound.Code, `SELECT g.id FROM gallery g WHERE g.company_id = $1 AND g.id = ANY($2::bigint[]) AND g.deleted_at IS NULL
			AND g.canvas_id <> 0 AND NOT EXISTS (SELECT FROM document d WHERE d.company_id = $1 AND d.id = g.canvas_id AND d.deleted_at IS NULL)`},
	} {
		broken, err := selectIDs(ctx, tx, check.sql, changedIn(things, check.kind, check.field))
		if err != nil {
			return nil, err
		}
		for _, id := range broken {
			list = append(list, Conflict{Ref: Ref{check.kind, id}, Field: check.field, Code: check.code})
		}
	}
	for _, check := range []func(context.Context, *store.Tx, []*draftThing) ([]Conflict, error){sectionsBelowDeleted, brokenReferences, deletedOwners, galleriesInUse, duplicateSKUs} {
		more, err := check(ctx, tx, things)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// checkLimit refuses products beyond the plan's limit.
func checkLimit(ctx context.Context, tx *store.Tx, things []*draftThing, limit int64) error {
	if limit == 0 || !addsProducts(things) {
		return nil
	}
	count, err := catalog.CountForLimit(ctx, tx)
	if err == nil && count > limit {
		err = catalog.ProductLimitExceeded(limit)
	}
	return err
}

// sectionsBelowDeleted finds sections below one that the draft deletes, which were not in it when
// it was deleted there.
func sectionsBelowDeleted(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	var deleted []string
	for _, w := range things {
		if w.item.Kind == "category" && w.item.Change == "deleted" {
			deleted = append(deleted, w.item.ID)
		}
	}
	if len(deleted) == 0 {
		return nil, nil
	}
	parents, err := selectIDs(ctx, tx, `
		SELECT DISTINCT parent_id FROM category WHERE company_id = $1 AND parent_id = ANY($2::integer[]) AND deleted_at IS NULL`, deleted)
	for _, id := range parents {
		list = append(list, Conflict{Ref: Ref{"category", id}, Field: "deleted_at", Code: "CATEGORY_NOT_EMPTY"})
	}
	return list, err
}

func selectIDs(ctx context.Context, tx *store.Tx, sql string, among []string) ([]string, error) {
	if len(among) == 0 {
		return nil, nil
	}
	rows, err := tx.DB.Query(ctx, sql, tx.Company, among)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	var text []string
	for _, id := range ids {
		text = append(text, shop.Int64(id).String())
	}
	return text, err
}

// changedIn returns the things of a kind that the draft creates, restores, or changes in one
// field; the others may stay as broken as they were.
func changedIn(things []*draftThing, kind, field string) (ids []string) {
	for _, w := range things {
		if w.item.Kind == kind && w.item.Change != "deleted" && (w.item.Change == "created" || w.own != nil && w.own.restores() ||
			slices.ContainsFunc(w.item.Fields, func(f Field) bool { return f.Field == field || f.Field == "deleted_at" })) {
			ids = append(ids, w.item.ID)
		}
	}
	return ids
}

// addsProducts reports whether there may be more products afterwards.
func addsProducts(things []*draftThing) bool {
	return len(changedIn(things, "product", "deleted_at")) > 0
}
