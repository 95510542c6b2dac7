package draft

import (
	"context"

	"vitrine/internal/store"
)

// The table draft_edit has when a thing was edited in the draft although its own row there is the
// live one (migration 0131).

// publishEdits gives the live things the time of their last edit in the draft, because their parts
// have changed, so that an edit made from the version before is refused.
func publishEdits(ctx context.Context, tx *store.Tx, things []*draftThing) error {
	for _, noun := range draftNouns {
		own := noun.tables[0]
		where := `d.id = ANY($2::bigint[])`
		if own.by != "" {
			where = own.owner + ` = ANY($2)`
		}
		ids := idsOf(things, noun.kind)
		if len(ids) == 0 {
			continue
		}
		if _, err := tx.DB.Exec(ctx, `
			UPDATE public.`+own.table+` d SET updated_at = greatest(d.updated_at, e.at) FROM draft_edit e
			WHERE d.company_id = $1 AND `+where+` AND e.company_id = $1 AND e.kind = $3 AND e.id = `+own.owner, tx.Company, ids, own.table); err != nil {
			return err
		}
	}
	return forgetEdits(ctx, tx, things)
}

func forgetEdits(ctx context.Context, tx *store.Tx, things []*draftThing) error {
	for _, noun := range draftNouns {
		if _, err := tx.DB.Exec(ctx, `DELETE FROM draft_edit WHERE company_id = $1 AND kind = $2 AND id = ANY($3)`,
			tx.Company, noun.tables[0].table, idsOf(things, noun.kind)); err != nil {
			return err
		}
	}
	return nil
}
