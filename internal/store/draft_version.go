package store

import "context"

// PreviewSecret names the secret that signs addresses of draft previews.
const PreviewSecret = "preview"

// DraftVersion grows with every write to the shop, live or in its draft, and only then:
// data read from the draft at one version is valid until the next.
func (r Reader) DraftVersion(ctx context.Context) (version int64, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT c.version + coalesce(d.version, 0) FROM company c LEFT JOIN draft_version d ON d.company_id = c.id
		WHERE c.id = $1`, r.Company).Scan(&version)
	if noRow(err) {
		err = ErrShopNotFound
	}
	return version, err
}

// bumpDraft raises the version of the draft. Its writers are serialised (LockDraft), so
// updating the row blocks nobody.
func (tx *Tx) bumpDraft(ctx context.Context) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO draft_version (company_id, version) VALUES ($1, 1)
		ON CONFLICT (company_id) DO UPDATE SET version = draft_version.version + 1`, tx.Company)
	return err
}
