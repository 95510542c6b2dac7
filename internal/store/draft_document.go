package store

import (
	"context"

	"vitrine/internal/shop"
)

// WaitsInDraft reports whether a release is the active one of a document's
// draft, so that it cannot be deleted (document 3, section 3).
func (tx *Tx) WaitsInDraft(ctx context.Context, doc shop.DocumentID, id shop.ReleaseID) (waits bool, err error) {
	err = tx.q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM draft.document WHERE company_id = $1 AND id = $2 AND active_release_id = $3)`, tx.Company, doc, id).Scan(&waits)
	return waits, err
}
