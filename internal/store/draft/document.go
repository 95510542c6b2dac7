package draft

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ActiveInDraft reports whether a release is the active one in a document's draft, so that
// it cannot be deleted (document 3, section 3).
func ActiveInDraft(ctx context.Context, tx *store.Tx, doc shop.DocumentID, id shop.ReleaseID) (waits bool, err error) {
	err = tx.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM draft.document WHERE company_id = $1 AND id = $2 AND active_release_id = $3)`,
		tx.Company, doc, id).Scan(&waits)
	return waits, err
}

// Releases returns, by document, the releases that publishing a selection of the draft
// would make live, including those of documents published as dependencies. It marks rows of
// the draft: call it in Rehearse.
func Releases(ctx context.Context, tx *store.Tx, sel Selection) (map[shop.DocumentID]shop.ReleaseID, error) {
	if err := errors.Join(tx.LockDraft(ctx), pickSelection(ctx, tx, sel, false)); err != nil {
		return nil, err
	}
	rows, err := tx.DB.Query(ctx, `
		SELECT d.id, d.active_release_id FROM draft.document d
		LEFT JOIN public.document l ON l.company_id = d.company_id AND l.id = d.id
		WHERE d.company_id = $1 AND d.draft_picked AND NOT d.draft_gone AND d.deleted_at IS NULL
		AND d.active_release_id <> 0 AND d.active_release_id IS DISTINCT FROM l.active_release_id`, tx.Company)
	if err != nil {
		return nil, err
	}
	releases := map[shop.DocumentID]shop.ReleaseID{}
	var doc shop.DocumentID
	var release shop.ReleaseID
	_, err = pgx.ForEachRow(rows, []any{&doc, &release}, func() error {
		releases[doc] = release
		return nil
	})
	return releases, err
}
