package draft

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// draftReferencesQuery selects the kind and id of everything that the picked rows reference. A
// thing that exists only in the draft must be published together with what references it, or the
// page that shows it would have a gap.
const draftReferencesQuery = `
	SELECT 'category' AS kind, category_id::bigint AS id FROM draft.product WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL
	UNION SELECT 'category', category_id FROM draft.article WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL
	UNION SELECT 'category', parent_id FROM draft.category WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL
	UNION SELECT 'category', category_id FROM draft.product_extra_category WHERE company_id = $1 AND draft_picked AND NOT draft_gone
	UNION SELECT 'product', (part->>'product_id')::bigint FROM draft.product, jsonb_array_elements(combo_items) part
		WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL
	UNION SELECT 'block', block_id FROM draft.block_link WHERE company_id = $1 AND draft_picked AND NOT draft_gone
	UNION SELECT 'block', group_id FROM draft.design_binding WHERE company_id = $1 AND draft_picked AND NOT draft_gone
	UNION SELECT CASE resource_type WHEN 'theme' THEN 'block' WHEN 'category_children' THEN 'category' ELSE resource_type END, resource_id
		FROM draft.design_binding WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND resource_type <> 'shop'
	UNION SELECT 'gallery', gallery_id FROM draft.gallery_link WHERE company_id = $1 AND draft_picked AND NOT draft_gone
	UNION SELECT 'gallery', gallery_id FROM draft.variant_set WHERE company_id = $1 AND draft_picked AND NOT draft_gone
	UNION SELECT 'document', canvas_id FROM draft.gallery WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL
	UNION SELECT CASE kind WHEN 'theme' THEN 'block' ELSE 'category' END, owner_id FROM draft.document
		WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL AND kind IN ('theme', 'folder')
	UNION SELECT 'document', d.id FROM draft.document d JOIN draft.content_block b ON b.company_id = $1 AND b.id = d.owner_id AND b.draft_picked AND NOT b.draft_gone
		WHERE d.company_id = $1 AND d.kind = 'theme' AND b.draft_base IS NULL
	UNION SELECT 'document', d.id FROM draft.document d JOIN draft.category c ON c.company_id = $1 AND c.id = d.owner_id AND c.draft_picked AND NOT c.draft_gone
		WHERE d.company_id = $1 AND d.kind = 'folder' AND c.draft_base IS NULL`

// pickDependencies adds to the picked things everything that they need and that is not live:
// things that exist only in the draft, and the first release of a document. Each round
// follows one more reference; it terminates because a row is picked only once.
func pickDependencies(ctx context.Context, tx *store.Tx) error {
	searched := map[shop.BlockID]bool{}
	for {
		wanted, err := draftDependencies(ctx, tx, searched)
		if err != nil {
			return err
		}
		picked := int64(0)
		for _, noun := range draftNouns {
			ids, err := onlyDrafted(ctx, tx, noun, wanted[noun.kind])
			if err != nil {
				return err
			}
			n, err := pickRows(ctx, tx, noun, false, ids)
			if err != nil {
				return err
			}
			picked += n
		}
		if picked == 0 {
			return nil
		}
	}
}

// draftDependencies returns the ids that picked rows reference, by kind. Blocks in looked were
// searched before and are skipped.
func draftDependencies(ctx context.Context, tx *store.Tx, searched map[shop.BlockID]bool) (map[string][]int64, error) {
	wanted := map[string][]int64{}
	rows, err := tx.DB.Query(ctx, draftReferencesQuery, tx.Company)
	if err != nil {
		return nil, err
	}
	var kind string
	var id int64
	if _, err = pgx.ForEachRow(rows, []any{&kind, &id}, func() error {
		wanted[kind] = append(wanted[kind], id)
		return nil
	}); err != nil {
		return nil, err
	}
	rows, err = tx.DB.Query(ctx, `
		SELECT id, sections FROM draft.content_block WHERE company_id = $1 AND draft_picked AND NOT draft_gone AND deleted_at IS NULL`, tx.Company)
	if err != nil {
		return nil, err
	}
	var block shop.BlockID
	var sections json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&block, &sections}, func() error {
		if searched[block] {
			return nil
		}
		searched[block] = true
		var value any
		if err := json.Unmarshal(sections, &value); err != nil {
			return err
		}
		widgetReferences(value, wanted)
		return nil
	})
	return wanted, err
}

// widgetReferences collects the ids that widgets reference, at any depth.
func widgetReferences(value any, wanted map[string][]int64) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			widgetReferences(item, wanted)
		}
	case map[string]any:
		for name, item := range v {
			if table := shop.WidgetRefs[name]; table != "" {
				if table == "content_block" {
					table = "block"
				}
				wanted[table] = append(wanted[table], idsIn(item)...)
			}
			widgetReferences(item, wanted)
		}
	}
}

// idsIn returns the ids in a prop: one or a list, as numbers or digits.
func idsIn(value any) (ids []int64) {
	switch v := value.(type) {
	case float64:
		return []int64{int64(v)}
	case string:
		if id, err := strconv.ParseInt(v, 10, 64); err == nil {
			return []int64{id}
		}
	case []any:
		for _, item := range v {
			ids = append(ids, idsIn(item)...)
		}
	}
	return ids
}

// onlyDrafted returns those of some ids that visitors cannot see before they are published:
// the draft created them, or gives a document its first release.
func onlyDrafted(ctx context.Context, tx *store.Tx, noun draftNoun, ids []int64) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	t := noun.tables[0]
	firstRelease := ""
	if noun.kind == "document" {
		firstRelease = ` OR d.active_release_id <> 0 AND NOT EXISTS (SELECT FROM public.document l WHERE l.company_id = $1 AND l.id = d.id AND l.active_release_id <> 0)`
	}
	rows, err := tx.DB.Query(ctx, `
		SELECT d.id::text FROM draft.`+t.table+` d WHERE d.company_id = $1 AND d.id = ANY($2::bigint[]) AND NOT d.draft_picked AND NOT d.draft_gone
		AND d.deleted_at IS NULL AND (d.draft_base IS NULL`+firstRelease+`)`, tx.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// unpublishedDocuments finds blocks that the draft creates or edits and that would show an html
// document without a live release. Forcing the publish accepts the gap.
func unpublishedDocuments(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	for _, w := range things {
		if w.item.Kind != "block" || w.own == nil || w.item.Change == "deleted" {
			continue
		}
		var now, before any
		if err := json.Unmarshal(valueOf(w.own.draft, "sections"), &now); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(valueOf(w.own.base, "sections"), &before); err != nil {
			return nil, err
		}
		shown, had := map[string][]int64{}, map[string][]int64{"document": {}}
		widgetReferences(now, shown)
		widgetReferences(before, had)
		for _, id := range shown["document"] {
			var blank bool
			err := tx.DB.QueryRow(ctx, `SELECT EXISTS (
				SELECT FROM public.document WHERE company_id = $1 AND id = $2 AND NOT id = ANY($3) AND active_release_id = 0 AND deleted_at IS NULL)`,
				tx.Company, id, had["document"]).Scan(&blank)
			if err != nil {
				return nil, err
			}
			if blank {
				list = append(list, Conflict{Ref: w.item.Ref, Field: "sections", Code: draftNotPublished, Draft: map[string]any{"documentId": shop.Int64(id)}})
			}
		}
	}
	return list, nil
}

// stillShownQuery finds, after the move, which of some blocks are still shown by something that
// is not deleted.
const stillShownQuery = `
	SELECT block_id FROM block_link WHERE company_id = $1 AND block_id = ANY($2::bigint[])
	UNION SELECT group_id FROM design_binding WHERE company_id = $1 AND group_id = ANY($2::bigint[])
	UNION SELECT g.id FROM content_block b
		CROSS JOIN LATERAL jsonb_path_query(b.sections, '$.** ? (@.type() == "object").keyvalue()') AS k(pair)
		CROSS JOIN LATERAL jsonb_path_query(k.pair, '$.value[*]') AS v(id)
		JOIN unnest($2::bigint[]) AS g(id) ON v.id #>> '{}' = g.id::text
		WHERE b.company_id = $1 AND b.deleted_at IS NULL AND k.pair->>'key' = ANY($3)
	ORDER BY 1`

// deletedButShown finds blocks that the selected part of the draft deletes while the live shop
// shows them: the change that stops showing them is in the other part. Forcing the publish, or
// publishing the whole draft, accepts the gap.
func deletedButShown(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	var deleted []string
	for _, w := range things {
		if w.item.Kind == "block" && w.item.Change == "deleted" {
			deleted = append(deleted, w.item.ID)
		}
	}
	if len(deleted) == 0 {
		return nil, nil
	}
	var props []string
	for prop, table := range shop.WidgetRefs {
		if table == "content_block" {
			props = append(props, prop)
		}
	}
	rows, err := tx.DB.Query(ctx, stillShownQuery, tx.Company, deleted, props)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, id := range ids {
		list = append(list, Conflict{Ref: Ref{"block", strconv.FormatInt(id, 10)}, Field: "deleted_at", Code: draftStillShown})
	}
	return list, err
}
