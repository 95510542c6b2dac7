package demo

import "context"

// redirects adds the missing rules, in the order of the file.
func (d *client) redirects(ctx context.Context, c *content) error {
	there, err := ask[result[[]rule]](ctx, d, "GET", "/storefront-redirects", nil, nil)
	if err != nil {
		return err
	}
	known := map[[2]string]bool{}
	for _, r := range there.Result {
		known[[2]string{r.FromPath, r.QueryMatch}] = true
	}
	for _, r := range c.Redirects {
		if known[[2]string{r.FromPath, r.QueryMatch}] {
			continue
		}
		enabled := on(r.Enabled)
		r.Enabled = &enabled
		if err := d.send(ctx, "POST", "/storefront-redirects", nil, object{"item": r}); err != nil {
			return err
		}
	}
	return nil
}
