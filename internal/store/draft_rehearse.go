package store

import "context"

// DraftConflicts returns, by thing, everything that publishing the whole draft would
// refuse, except the fields that changed on both sides, which Drafts reports. It publishes
// in a transaction that must be rolled back (Rehearse), so that it finds whatever
// publishing checks. version is the checked version of the draft; when checked reports that
// this version was checked before, it is not checked again.
func (tx *Tx) DraftConflicts(ctx context.Context, checked func(version int64) bool) (found map[DraftRef][]DraftConflict, version int64, err error) {
	if err := tx.LockForPublish(ctx); err != nil {
		return nil, 0, err
	}
	if version, err = tx.DraftVersion(ctx); err != nil || checked(version) {
		return nil, version, err
	}
	sel := DraftSelection{All: true}
	if err := tx.pick(ctx, sel, false); err != nil {
		return nil, 0, err
	}
	things, err := tx.picked(ctx, sel)
	if err != nil || len(things) == 0 {
		return nil, version, err
	}
	list, err := tx.conflictsBefore(ctx, things, true)
	if err != nil {
		return nil, 0, err
	}
	if err := tx.parkTaken(ctx, list); err != nil {
		return nil, 0, err
	}
	before, err := tx.reaches(ctx, placed(things)...)
	if err != nil {
		return nil, 0, err
	}
	if err := tx.moveRows(ctx); err != nil {
		return nil, 0, err
	}
	after, err := tx.conflictsAfter(ctx, things, before)
	if err != nil {
		return nil, 0, err
	}
	blank, err := tx.blankPages(ctx, things)
	if err != nil {
		return nil, 0, err
	}
	found = map[DraftRef][]DraftConflict{}
	for _, conflicts := range [][]DraftConflict{list, after, blank} {
		for _, c := range conflicts {
			found[c.DraftRef] = append(found[c.DraftRef], c.external())
		}
	}
	return found, version, nil
}

// parkTaken replaces values that are taken by unused ones, so that the rows can be moved
// and checked.
func (tx *Tx) parkTaken(ctx context.Context, conflicts []DraftConflict) error {
	for _, c := range conflicts {
		table, column, owner := c.Kind, c.Field, "id"
		switch {
		case c.Field == "variants":
			table, column, owner = "variant_set", "sku", "product_id"
		case c.Field != "slug" && c.Field != "sku":
			continue
		}
		if _, err := tx.q.Exec(ctx, `UPDATE draft.`+table+` SET `+column+` = '~' || id WHERE company_id = $1 AND `+owner+` = $2::text::bigint AND `+column+` = $3`,
			tx.Company, c.ID, c.Draft); err != nil {
			return err
		}
	}
	return nil
}
