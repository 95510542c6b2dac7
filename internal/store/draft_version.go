package store

import "context"

// PreviewSecret names the secret that signs addresses of draft previews.
const PreviewSecret = "preview"

// DraftVersion grows with every write to the shop, live or in its draft, and
// with nothing else: what was read of the draft at one version holds until the
// next.
func (r Reader) DraftVersion(ctx context.Context) (version int64, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT c.version + coalesce(d.version, 0) FROM company c LEFT JOIN draft_version d ON d.company_id = c.id
		WHERE c.id = $1`, r.Company).Scan(&version)
	if noRow(err) {
		err = ErrShopNotFound
	}
	return version, err
}

// bumpDraft notes that the draft is another one after the transaction. Its
// writers come one after the other (LockDraft), so the row makes nobody wait.
func (tx *Tx) bumpDraft(ctx context.Context) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO draft_version (company_id, version) VALUES ($1, 1)
		ON CONFLICT (company_id) DO UPDATE SET version = draft_version.version + 1`, tx.Company)
	return err
}
