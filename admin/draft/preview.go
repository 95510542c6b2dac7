package draft

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/store/company"
	"vitrine/internal/store/draft"
)

// previewValid is how long a preview URL is valid. It expires earlier if its requester loses
// access.
const previewValid = 24 * time.Hour

// preview is a URL on the host of the shop's slug, also if the shop has a domain. It shows everyone
// who opens it the draft in place of the live storefront, even if the shop is behind a PIN. The
// query ?path= names the page to open.
type preview struct {
	URL       string    `json:"url" doc:"?path= added to it names the page to open"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (d *Draft) preview(ctx context.Context, c *api.Call, _ api.None) (out api.Result[preview], err error) {
	company, err := company.Info(ctx, d.store.Shop(c.Company))
	if err != nil {
		return out, err
	}
	key, err := d.store.Secret(ctx, draft.PreviewSecret)
	if err != nil {
		return out, err
	}
	given := secret.Preview{
		Company: int64(c.Company), Person: int64(c.Person), Key: int64(c.Key), Until: d.now().UTC().Truncate(time.Second).Add(previewValid),
	}
	company.Domain = ""
	return api.Wrap(preview{d.urls.Storefront(company) + "/_vitrine/preview/" + given.Sign(key), given.Until}), nil
}
