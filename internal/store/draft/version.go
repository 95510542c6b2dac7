package draft

import (
	"context"

	"vitrine/internal/store"
)

// PreviewSecret names the secret that signs addresses of draft previews.
const PreviewSecret = "preview"

// Version grows with every write to the shop, live or in its draft, and only then:
// data read from the draft at one version is valid until the next.
func Version(ctx context.Context, r store.Reader) (version int64, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT c.version + coalesce(d.version, 0) FROM company c LEFT JOIN draft_version d ON d.company_id = c.id
		WHERE c.id = $1`, r.Company).Scan(&version)
	if store.NoRow(err) {
		err = store.ErrShopNotFound
	}
	return r.Version(version), err
}
