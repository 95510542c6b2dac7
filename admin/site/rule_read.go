package site

import (
	"cmp"
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type rulesAnswer struct {
	Result          []ruleView `json:"result"`
	Version         shop.Int64 `json:"version"`
	MissFallback    bool       `json:"miss_fallback"`
	RulesLimit      int64      `json:"rules_limit"`    // 0: the plan does not limit
	PatternsLimit   int64      `json:"patterns_limit"` // 0: the plan does not limit
	RulesCeiling    int        `json:"rules_ceiling"`
	PatternsCeiling int        `json:"patterns_ceiling"`
}

func (s *Site) rules(ctx context.Context, c *api.Call, _ api.None) (rulesAnswer, error) {
	out := rulesAnswer{Result: []ruleView{}, RulesCeiling: rulesCeiling, PatternsCeiling: masksCeiling}
	err := s.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		info, err := r.Info(ctx)
		if err != nil {
			return err
		}
		rows, err := r.Rules(ctx)
		matchingOrder(rows)
		for _, row := range rows {
			v := viewRule(row)
			v.hitsView = &hitsView{Hits: shop.Int64(row.Hits)}
			if row.LastHitAt != nil {
				at := row.LastHitAt.UTC()
				v.LastHitAt = &at
			}
			out.Result = append(out.Result, v)
		}
		out.Version, out.MissFallback = shop.Int64(info.RulesVersion), info.MissFallback
		out.RulesLimit, out.PatternsLimit = info.Limits[store.LimitRedirects], info.Limits[store.LimitMasks]
		return err
	})
	return out, err
}

// matchingOrder sorts rules as an address meets them: those over live pages
// first, exact with a condition, plain exact, masks, prefixes (CONTRACT,
// "Redirects").
func matchingOrder(rows []store.Rule) {
	rank := func(r store.Rule) int {
		n := 0
		switch redirect.Kind(r.Kind) {
		case redirect.Exact:
			if r.QueryMatch == "" {
				n = 1
			}
		case redirect.Pattern:
			n = 2
		case redirect.Prefix:
			n = 3
		}
		if !r.OverrideLive {
			n += 4
		}
		return n
	}
	slices.SortFunc(rows, func(a, b store.Rule) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.SortOrder, b.SortOrder), cmp.Compare(a.ID, b.ID))
	})
}

type checkRequest struct {
	URL string `query:"url" json:"-" doc:"an address of the shop, path and query"`
}

func (s *Site) checkAddress(ctx context.Context, c *api.Call, in checkRequest) (api.Result[compile.Trace], error) {
	if in.URL == "" {
		return api.Result[compile.Trace]{}, shop.ErrInvalidRequest.With("url is missing")
	}
	var trace compile.Trace
	err := s.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		site, err := load.Site(ctx, r, s.hosts)
		if err == nil {
			trace = site.Check(in.URL)
		}
		return err
	})
	return api.Wrap(printableTrace(trace)), err
}

// printableTrace escapes the bytes of addresses that are no UTF-8.
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

func (s *Site) exportRules(ctx context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	rules, err := load.Rules(ctx, s.store.Shop(c.Company))
	return api.Raw{ContentType: "text/csv; charset=utf-8", Body: redirect.WriteCSV(rules)}, err
}

type settings struct {
	MissFallback *bool `json:"miss_fallback"`
}

// setFallback is no mutation of the set: its version stays.
func (s *Site) setFallback(ctx context.Context, c *api.Call, in settings) (api.Result[settings], error) {
	if in.MissFallback == nil {
		return api.Result[settings]{}, shop.ErrInvalidRequest.With("miss_fallback is true or false")
	}
	err := s.store.Write(ctx, c.Company, func(tx *store.Tx) error { return tx.SetMissFallback(ctx, *in.MissFallback) })
	return api.Wrap(in), err
}
