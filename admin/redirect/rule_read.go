package redirect

import (
	"context"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type checkRequest struct {
	URL string `query:"url" json:"-" len:"body" doc:"a URL of the shop, or its path and query"`
}

func (rs *Redirects) checkAddress(ctx context.Context, c *api.Call, in checkRequest) (api.Result[compile.Trace], error) {
	if in.URL == "" {
		return api.Result[compile.Trace]{}, shop.ErrInvalidRequest.At("url").With("missing")
	}
	var trace compile.Trace
	err := rs.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		cached, err := rs.sites.Current(ctx, r)
		if err == nil {
			trace = cached.Site.Check(in.URL)
		}
		return err
	})
	return api.Wrap(printableTrace(trace)), err
}

// printableTrace escapes bytes of addresses that are not valid UTF-8.
func printableTrace(t compile.Trace) compile.Trace {
	t.Location, t.Reason = printable(t.Location), printable(t.Reason)
	for i, address := range t.Chain {
		t.Chain[i] = printable(address)
	}
	for i := range t.Steps {
		t.Steps[i].From, t.Steps[i].To = printable(t.Steps[i].From), printable(t.Steps[i].To)
	}
	return t
}

func (rs *Redirects) exportRules(ctx context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	rules, err := load.Rules(ctx, rs.store.Shop(c.Company))
	return api.Raw{ContentType: "text/csv; charset=utf-8", Body: redirect.WriteCSV(rules)}, err
}
