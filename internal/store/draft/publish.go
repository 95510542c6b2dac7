package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/internal/store/release"
)

// Selection selects what to publish or discard.
type Selection struct {
	All   bool
	Items []Ref
}

// Publish publishes the selection, all of it or nothing. Its dependencies that exist
// only in the draft are published with it, at any depth: sections, blocks, galleries,
// documents.
//
// Each field that the draft changed overwrites the live one; the others keep their present
// value. A field that was also changed live since the draft began is a conflict, unless
// force lets the draft win. Changes that a write to the live shop would refuse are refused
// even with force. Slug journal, change keys and events are those of the edits (document 1,
// section 6).
//
// The transaction is one of the live contour and holds LockForPublish. limit is the plan's
// number of products, 0 for none.
func Publish(ctx context.Context, tx *store.Tx, sel Selection, force bool, limit int64) (published []Item, err error) {
	if err := pickSelection(ctx, tx, sel, false); err != nil {
		return nil, err
	}
	things, err := pickedThings(ctx, tx, sel)
	if err != nil || len(things) == 0 {
		return []Item{}, err
	}
	conflicts, err := conflictsBefore(ctx, tx, things, force)
	if err == nil {
		err = refuseConflicts(conflicts)
	}
	if err != nil {
		return nil, err
	}
	if err := draftKeys(ctx, tx, things); err != nil { // before the move: the listings that products leave
		return nil, err
	}
	if err := draftJournal(ctx, tx); err != nil {
		return nil, err
	}
	before, err := catalog.Extents(ctx, tx.Reader, placedSections(things)...)
	if err != nil {
		return nil, err
	}
	if err := moveRows(ctx, tx); err != nil {
		return nil, err
	}
	if err := publishEdits(ctx, tx, things); err != nil {
		return nil, err
	}
	list, err := conflictsAfter(ctx, tx, things, before)
	if err == nil && !force {
		var blank []Conflict
		blank, err = unpublishedDocuments(ctx, tx, things)
		list = append(list, blank...)
	}
	if err == nil && !force && !sel.All {
		var shown []Conflict
		shown, err = deletedButShown(ctx, tx, things)
		list = append(list, shown...)
	}
	if err == nil {
		err = refuseConflicts(list)
	}
	if err != nil {
		return nil, err
	}
	if err := checkLimit(ctx, tx, things, limit); err != nil {
		return nil, err
	}
	if err := draftKeys(ctx, tx, things); err != nil { // after the move: the listings that products enter
		return nil, err
	}
	if err := markReleasesLive(ctx, tx, things); err != nil {
		return nil, err
	}
	for _, w := range things {
		published = append(published, w.item)
	}
	return published, draftEvents(ctx, tx, things)
}

// Discard discards the selection. Blocks and galleries that the draft created only for
// it are discarded too.
func Discard(ctx context.Context, tx *store.Tx, sel Selection) (discarded []Item, err error) {
	if err := tx.LockDraft(ctx); err != nil {
		return nil, err
	}
	if err := pickSelection(ctx, tx, sel, true); err != nil {
		return nil, err
	}
	things, err := pickedThings(ctx, tx, sel)
	if err != nil {
		return nil, err
	}
	discarded = []Item{}
	for _, w := range things {
		discarded = append(discarded, w.item)
		if w.item.Kind == "document" && w.item.Change == "created" { // its releases belong to nothing now
			id, err := strconv.ParseInt(w.item.ID, 10, 64)
			if err != nil {
				return nil, err
			}
			if err := release.DeleteReleases(ctx, tx, `document_id = $2`, id); err != nil {
				return nil, err
			}
		}
	}
	for table := range draftTables() {
		if _, err := tx.DB.Exec(ctx, `DELETE FROM draft.`+table+` WHERE company_id = $1 AND draft_picked`, tx.Company); err != nil {
			return nil, err
		}
	}
	return discarded, forgetEdits(ctx, tx, things)
}

// draftTables yields every table once, in publishing order.
func draftTables() func(yield func(name string, t draftTable) bool) {
	return func(yield func(string, draftTable) bool) {
		var seen []string
		for _, links := range []bool{false, true} { // links last: they reference blocks
			for _, noun := range draftNouns {
				for _, t := range noun.tables {
					if (strings.HasSuffix(t.table, "_link") || t.by != "") != links || slices.Contains(seen, t.table) {
						continue
					}
					seen = append(seen, t.table)
					if !yield(t.table, t) {
						return
					}
				}
			}
		}
	}
}

// LockForPublish takes the locks of single edits, in the order of the package.
func LockForPublish(ctx context.Context, tx *store.Tx) error {
	return errors.Join(tx.LockDraft(ctx), tx.LockTree(ctx), tx.LockDesign(ctx), tx.LockProductCreation(ctx))
}

// pickSelection marks the selected rows, and locks the live rows behind them.
func pickSelection(ctx context.Context, tx *store.Tx, sel Selection, discard bool) error {
	for _, noun := range draftNouns {
		ids := []string{}
		for _, ref := range sel.Items {
			if ref.Kind == noun.kind {
				ids = append(ids, ref.ID)
			}
		}
		if !sel.All && len(ids) == 0 {
			continue
		}
		if _, err := pickRows(ctx, tx, noun, sel.All, ids); err != nil {
			return err
		}
	}
	switch {
	case sel.All:
	case !discard:
		if err := pickDependencies(ctx, tx); err != nil {
			return err
		}
	default:
		if err := errors.Join(pickBlocks(ctx, tx), pickGalleries(ctx, tx)); err != nil {
			return err
		}
	}
	if discard {
		return nil
	}
	if _, err := tx.DB.Exec(ctx, `
		SELECT FROM public.product p WHERE p.company_id = $1 AND p.id IN (
			SELECT id FROM draft.product WHERE company_id = $1 AND draft_picked
			UNION SELECT product_id FROM draft.variant_set WHERE company_id = $1 AND draft_picked
			UNION SELECT product_id FROM draft.product_attribute WHERE company_id = $1 AND draft_picked
			UNION SELECT product_id FROM draft.product_extra_category WHERE company_id = $1 AND draft_picked
			UNION SELECT owner_id FROM draft.gallery_link WHERE company_id = $1 AND owner = $2 AND draft_picked) ORDER BY p.id FOR UPDATE`,
		tx.Company, store.EntityProduct); err != nil {
		return err
	}
	for _, name := range []string{"document", "article", "content_block"} {
		if _, err := tx.DB.Exec(ctx, `
			SELECT FROM public.`+name+` l WHERE l.company_id = $1 AND l.id IN (
				SELECT id FROM draft.`+name+` WHERE company_id = $1 AND draft_picked) ORDER BY l.id FOR UPDATE`, tx.Company); err != nil {
			return err
		}
	}
	if err := lockPickedGalleries(ctx, tx); err != nil {
		return err
	}
	// Nothing is added to a section while its type changes (LockCategoryTypes).
	_, err := tx.DB.Exec(ctx, `
		SELECT FROM public.category l JOIN draft.category d ON d.company_id = $1 AND d.id = l.id AND d.draft_picked AND d.type <> l.type
		WHERE l.company_id = $1 ORDER BY l.id FOR UPDATE OF l`, tx.Company)
	return err
}

// pickRows marks the rows of things of one noun, all of them or some.
func pickRows(ctx context.Context, tx *store.Tx, noun draftNoun, all bool, ids []string) (picked int64, err error) {
	if !all && len(ids) == 0 {
		return 0, nil
	}
	for _, t := range noun.tables {
		tag, err := tx.DB.Exec(ctx, `UPDATE draft.`+t.table+` d SET draft_picked = true WHERE `+t.condition()+` AND ($2 OR `+t.owner+` = ANY($3))`,
			tx.Company, all, ids)
		if err != nil {
			return 0, err
		}
		picked += tag.RowsAffected()
	}
	return picked, nil
}

// pickBlocks adds blocks that exist only in the draft and that only picked rows show: they
// are discarded together.
func pickBlocks(ctx context.Context, tx *store.Tx) error {
	_, err := tx.DB.Exec(ctx, `
		WITH uses AS (
			SELECT block_id AS id, draft_picked FROM draft.block_link WHERE company_id = $1 AND NOT draft_gone
			UNION ALL SELECT group_id, draft_picked FROM draft.design_binding WHERE company_id = $1 AND NOT draft_gone)
		UPDATE draft.content_block d SET draft_picked = true
		WHERE d.company_id = $1 AND d.draft_base IS NULL AND d.id IN (SELECT id FROM uses WHERE draft_picked)
		AND d.id NOT IN (SELECT id FROM uses WHERE NOT draft_picked)`, tx.Company)
	return err
}

// pickedThings reads the marked things. A thing selected by name that the draft does not change
// is DRAFT_NOT_FOUND.
func pickedThings(ctx context.Context, tx *store.Tx, sel Selection) (things []*draftThing, err error) {
	found := map[Ref]bool{}
	for _, noun := range draftNouns {
		list, err := loadWaiting(ctx, tx.Reader, noun, nil)
		if err != nil {
			return nil, err
		}
		for _, w := range list {
			found[w.item.Ref] = true
		}
		things = append(things, list...)
	}
	for _, ref := range sel.Items {
		if !sel.All && !found[ref] {
			return nil, ErrNotFound.With(ref.Kind + " " + ref.ID + " is not in the draft")
		}
	}
	return things, nil
}

// moveRows publishes every table, with one statement for all of its rows.
func moveRows(ctx context.Context, tx *store.Tx) error {
	// The old home page loses the flag before another one gets it.
	if _, err := tx.DB.Exec(ctx, `
		UPDATE public.category SET is_home = false WHERE company_id = $1 AND is_home AND EXISTS (
			SELECT FROM draft.category d, LATERAL jsonb_populate_record(NULL::public.category, d.draft_base) b
			WHERE d.company_id = $1 AND d.draft_picked AND d.is_home AND d.deleted_at IS NULL AND b.is_home IS DISTINCT FROM true)`,
		tx.Company); err != nil {
		return err
	}
	rows, err := tx.DB.Query(ctx, `SELECT DISTINCT product_id FROM draft.variant_set WHERE company_id = $1 AND draft_picked`, tx.Company)
	if err != nil {
		return err
	}
	varied, err := pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
	if err != nil {
		return err
	}
	for name, t := range draftTables() {
		if err := restoreDeleted(ctx, tx, t); err != nil {
			return err
		}
		if err := parkSwappedValues(ctx, tx, t); err != nil {
			return err
		}
		_, err := tx.DB.Exec(ctx, `SELECT draft.publish_`+name+`($1)`, tx.Company)
		if err := refuseTakenMeanwhile(err); err != nil {
			return fmt.Errorf("publish %s: %w", name, err)
		}
	}
	return catalog.SettleVariantStock(ctx, tx.DB, tx.Company, append([]shop.ProductID{}, varied...))
}

// refuseTakenMeanwhile returns the refusal for a unique value that a live edit took between the
// check and the move.
func refuseTakenMeanwhile(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" {
		return ErrConflict.With(pg.Detail).WithField("conflicts", []Conflict{}).WithField("items", []Conflict{})
	}
	return err
}

// restoreDeleted restores rows that the draft edits and that were deleted live since: forcing the
// publish means that they should exist. Without force such a row has been refused as a
// conflict.
func restoreDeleted(ctx context.Context, tx *store.Tx, t draftTable) error {
	if !slices.Contains([]string{"category", "product", "article", "content_block", "gallery"}, t.table) {
		return nil
	}
	_, err := tx.DB.Exec(ctx, `
		UPDATE public.`+t.table+` l SET deleted_at = NULL
		FROM draft.`+t.table+` d, LATERAL jsonb_populate_record(NULL::public.`+t.table+`, d.draft_base) b
		WHERE d.company_id = $1 AND d.draft_picked AND NOT d.draft_gone AND `+t.joinOn("l", "d")+`
		AND l.deleted_at IS NOT NULL AND d.deleted_at IS NULL AND b.deleted_at IS NULL`, tx.Company)
	if err != nil || t.table != "product" {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		UPDATE public.variant_set v SET product_deleted = false
		FROM draft.product d JOIN public.product l ON l.company_id = d.company_id AND l.id = d.id
		WHERE d.company_id = $1 AND d.draft_picked AND l.deleted_at IS NULL AND d.deleted_at IS NULL
		AND v.company_id = d.company_id AND v.product_id = d.id AND v.product_deleted`, tx.Company)
	return refuseTakenMeanwhile(err)
}

// parkSwappedValues parks the values of unique columns that are about to change and that another
// published row takes, so that two rows may swap values.
func parkSwappedValues(ctx context.Context, tx *store.Tx, t draftTable) error {
	for _, column := range t.free {
		if _, err := tx.DB.Exec(ctx, `
			UPDATE public.`+t.table+` l SET `+column+` = '~' || l.id
			FROM draft.`+t.table+` d, LATERAL jsonb_populate_record(NULL::public.`+t.table+`, d.draft_base) b
			WHERE d.company_id = $1 AND d.draft_picked AND NOT d.draft_gone AND `+t.joinOn("l", "d")+`
			AND d.`+column+` IS DISTINCT FROM b.`+column+` AND l.`+column+` IN (
				SELECT `+column+` FROM draft.`+t.table+` WHERE company_id = $1 AND draft_picked AND NOT draft_gone)`, tx.Company); err != nil {
			return err
		}
	}
	return nil
}

// draftJournal writes the journal of the slugs that are about to change, as renamed does
// for one.
func draftJournal(ctx context.Context, tx *store.Tx) error {
	for entity, table := range map[int16]string{store.EntityCategory: "category", store.EntityProduct: "product", store.EntityArticle: "article"} {
		tag, err := tx.DB.Exec(ctx, `
			WITH renamed AS (
				SELECT l.id, l.slug AS old, d.slug AS new
				FROM draft.`+table+` d JOIN public.`+table+` l ON l.company_id = d.company_id AND l.id = d.id,
					LATERAL jsonb_populate_record(NULL::public.`+table+`, d.draft_base) b
				WHERE d.company_id = $1 AND d.draft_picked AND d.slug <> b.slug AND d.slug <> l.slug AND l.slug <> ''),
			freed AS (
				DELETE FROM slug_journal j USING renamed r
				WHERE j.company_id = $1 AND j.entity = $2 AND j.slug = r.new AND j.slug NOT IN (SELECT old FROM renamed))
			INSERT INTO slug_journal (company_id, entity, slug, entity_id)
			SELECT $1, $2, old, id FROM renamed WHERE old NOT IN (SELECT new FROM renamed)
			ON CONFLICT (company_id, entity, slug) DO UPDATE SET entity_id = excluded.entity_id, at = now()`, tx.Company, entity)
		if err != nil {
			return err
		}
		if tag.RowsAffected() > 0 {
			tx.Changed(shop.Key{Kind: shop.KeyJournal})
		}
	}
	return nil
}

// markReleasesLive records that visitors see the published releases.
func markReleasesLive(ctx context.Context, tx *store.Tx, things []*draftThing) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE release SET was_live = true, published_at = coalesce(published_at, now())
		WHERE company_id = $1 AND id IN (
			SELECT active_release_id FROM document WHERE company_id = $1 AND id = ANY($2::bigint[]) AND deleted_at IS NULL)`,
		tx.Company, idsOf(things, "document"))
	return err
}

// idsOf returns the ids of one kind among things.
func idsOf(things []*draftThing, kind string) []string {
	ids := []string{}
	for _, w := range things {
		if w.item.Kind == kind {
			ids = append(ids, w.item.ID)
		}
	}
	return ids
}

// draftKeys records the keys on which the things depend. It is called before and after the
// rows move, and so reaches the listings on both sides.
func draftKeys(ctx context.Context, tx *store.Tx, things []*draftThing) error {
	var sections []shop.CategoryID
	var docs []shop.DocumentID
	var galleries []shop.GalleryID
	for _, w := range things {
		id, _ := strconv.ParseInt(w.item.ID, 10, 64) // 0 for bindings, which have no numeric id
		switch w.item.Kind {
		case "category":
			tx.Changed(shop.Key{Kind: shop.KeyCategories}, shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyCategory, ID: id})
		case "product":
			tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: id}, shop.Key{Kind: shop.KeyProducts})
		case "article":
			tx.Changed(shop.Key{Kind: shop.KeyArticle, ID: id}, shop.Key{Kind: shop.KeyArticle})
		case "document":
			tx.Changed(shop.Key{Kind: shop.KeyDocument, ID: id})
			docs = append(docs, shop.DocumentID(id))
		case "gallery":
			tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: id})
			galleries = append(galleries, shop.GalleryID(id)) // their canvas may have become live without them
		default:
			tx.Changed(shop.Key{Kind: shop.KeyDesign})
		}
		sections = append(sections, w.sections()...)
	}
	if err := media.UpdateCanvasGalleries(ctx, tx, docs, galleries); err != nil {
		return err
	}
	slices.Sort(sections)
	return catalog.RecordListingChanges(ctx, tx, slices.Compact(sections)...)
}

// sections returns the sections that list a product or an article, now or after the
// publish.
func (w *draftThing) sections() (ids []shop.CategoryID) {
	rows := []draftRow{}
	if w.own != nil {
		rows = append(rows, *w.own)
	}
	for _, row := range w.rows {
		rows = append(rows, row.draftRow)
	}
	for _, row := range rows {
		for _, side := range []map[string]json.RawMessage{row.live, row.draft} {
			if n, err := strconv.ParseInt(string(side["category_id"]), 10, 32); err == nil && n > 0 {
				ids = append(ids, shop.CategoryID(n))
			}
		}
	}
	return ids
}

// draftEvents records the events: product.updated for each product (document 1, section 6),
// design.changed where header or footer changed (document 3, section 6).
func draftEvents(ctx context.Context, tx *store.Tx, things []*draftThing) error {
	for _, id := range idsOf(things, "product") {
		product, err := strconv.ParseInt(id, 10, 32)
		if err != nil {
			return err
		}
		tx.EditedProducts(shop.ProductID(product))
	}
	for _, w := range things {
		if w.item.Kind != "binding" {
			continue
		}
		kind, id, _ := strings.Cut(w.item.ID, ":")
		slots := []string{}
		for _, f := range w.item.Fields {
			if f.Field == "header" || f.Field == "footer" {
				slots = append(slots, f.Field)
			}
		}
		if len(slots) == 0 {
			continue
		}
		slices.Sort(slots)
		if err := tx.RecordEvent(ctx, "design.changed", map[string]any{
			"company_id": tx.Company, "resource_type": kind, "resource_id": id, "slots": slots,
		}); err != nil {
			return err
		}
	}
	return nil
}
