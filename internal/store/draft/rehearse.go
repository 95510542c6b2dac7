package draft

import (
	"context"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Conflicts returns, by thing, everything that publishing the whole draft would
// refuse, except the fields that changed on both sides, which Drafts reports. It publishes
// in a transaction that must be rolled back (Rehearse), so that it finds whatever
// publishing checks. version is the checked version of the draft; when checked reports that
// this version was checked before, it is not checked again.
func Conflicts(ctx context.Context, tx *store.Tx, checked func(version int64) bool) (found map[Ref][]Conflict, version int64, err error) {
	if err := LockForPublish(ctx, tx); err != nil {
		return nil, 0, err
	}
	if version, err = Version(ctx, tx.Reader); err != nil || checked(version) {
		return nil, version, err
	}
	sel := Selection{All: true}
	if err := pickSelection(ctx, tx, sel, false); err != nil {
		return nil, 0, err
	}
	things, err := pickedThings(ctx, tx, sel)
	if err != nil || len(things) == 0 {
		return nil, version, err
	}
	list, err := conflictsBefore(ctx, tx, things, true)
	if err != nil {
		return nil, 0, err
	}
	if err := parkTaken(ctx, tx, list); err != nil {
		return nil, 0, err
	}
	before, err := catalog.Extents(ctx, tx.Reader, placedSections(things)...)
	if err != nil {
		return nil, 0, err
	}
	if err := moveRows(ctx, tx); err != nil {
		return nil, 0, err
	}
	after, err := conflictsAfter(ctx, tx, things, before)
	if err != nil {
		return nil, 0, err
	}
	blank, err := unpublishedDocuments(ctx, tx, things)
	if err != nil {
		return nil, 0, err
	}
	found = map[Ref][]Conflict{}
	for _, conflicts := range [][]Conflict{list, after, blank} {
		for _, c := range conflicts {
			found[c.Ref] = append(found[c.Ref], c.external())
		}
	}
	return found, version, nil
}

// parkTaken replaces values that are taken by unused ones, so that the rows can be moved
// and checked.
func parkTaken(ctx context.Context, tx *store.Tx, conflicts []Conflict) error {
	for _, c := range conflicts {
		table, column, owner := c.Kind, c.Field, "id"
		switch {
		case c.Field == "variants":
			table, column, owner = "variant_set", "sku", "product_id"
		case c.Field != "slug" && c.Field != "sku":
			continue
		}
		if _, err := tx.DB.Exec(ctx, `UPDATE draft.`+table+` SET `+column+` = '~' || id WHERE company_id = $1 AND `+owner+` = $2::text::bigint AND `+column+` = $3`,
			tx.Company, c.ID, c.Draft); err != nil {
			return err
		}
	}
	return nil
}
