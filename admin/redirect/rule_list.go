package redirect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

type rulesAnswer struct {
	Result          []ruleView `json:"result"`
	Version         shop.Int64 `json:"version"`
	MissFallback    bool       `json:"miss_fallback"`
	RulesLimit      int64      `json:"rules_limit"`    // 0: the plan does not limit
	PatternsLimit   int64      `json:"patterns_limit"` // 0: the plan does not limit
	RulesCeiling    int        `json:"rules_ceiling"`
	PatternsCeiling int        `json:"patterns_ceiling"`
	Replay          *replay    `json:"replay,omitempty" doc:"of a dry run: what visitors would see"`
}

// listedRule is what only lists tell of a rule.
type listedRule struct {
	Hits       shop.Int64  `json:"hits"` // approximate
	LastHitAt  *time.Time  `json:"last_hit_at"`
	ShadowedBy *shadowView `json:"shadowed_by" doc:"what answers at every address of the rule instead; null for a rule that may answer"`
}

// shadowView names what answers at every address of an enabled rule, so that
// the rule never does.
type shadowView struct {
	Kind   string                `json:"kind"` // rule, html, canonical, slug-journal, fallback; page, file, search, service
	RuleID shop.RuleID           `json:"rule_id,omitempty"`
	Entity string                `json:"entity,omitempty"` // of a page: category, product, article
	ID     shop.Number[struct{}] `json:"id,omitempty"`     // of the page
}

func viewShadow(s compile.Shadow) *shadowView {
	switch s.Kind {
	case compile.Redirect:
		return &shadowView{Kind: s.By.String(), RuleID: s.Rule}
	case compile.Page:
		return &shadowView{Kind: "page", Entity: entityNames[s.Page.Entity], ID: shop.Number[struct{}](s.Page.ID)}
	case compile.File:
		return &shadowView{Kind: "file"}
	case compile.Search:
		return &shadowView{Kind: "search"}
	case compile.Service:
		return &shadowView{Kind: "service"}
	}
	return &shadowView{Kind: "missing"} // an address that no rule is asked about
}

func (rs *Redirects) rules(ctx context.Context, c *api.Call, _ api.None) (rulesAnswer, error) {
	return rs.listRules(ctx, c.Company, nil)
}

// listRules lists the set, or shows it as a dry run would leave it.
func (rs *Redirects) listRules(ctx context.Context, company shop.CompanyID, tried *ruleSet) (rulesAnswer, error) {
	out := rulesAnswer{Result: []ruleView{}, RulesCeiling: rulesCeiling, PatternsCeiling: masksCeiling}
	err := rs.store.Snapshot(ctx, company, func(r store.Reader) error {
		held, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		rows, err := redirectdb.Rules(ctx, r)
		site := held.Site
		if tried != nil {
			site = tried.site()
			tried.placeAs(rows)
		}
		matchingOrder(rows)
		shadows := site.Shadowed()
		for _, row := range rows {
			v := viewRule(row)
			v.listedRule = &listedRule{Hits: shop.Int64(row.Hits)}
			if row.LastHitAt != nil {
				at := row.LastHitAt.UTC()
				v.LastHitAt = &at
			}
			if shadow, shadowed := shadows[row.ID]; shadowed {
				v.ShadowedBy = viewShadow(shadow)
			}
			out.Result = append(out.Result, v)
		}
		info := held.Company
		out.Version, out.MissFallback = shop.Int64(info.RulesVersion), info.MissFallback
		out.RulesLimit, out.PatternsLimit = info.Limits[store.LimitRedirects], info.Limits[store.LimitMasks]
		return err
	})
	return out, err
}

// placeAs gives rows the order that they have in the set.
func (s *ruleSet) placeAs(rows []redirectdb.Rule) {
	place := make(map[shop.RuleID]int, len(s.rows))
	for _, row := range s.rows {
		place[row.ID] = row.SortOrder
	}
	for i := range rows {
		rows[i].SortOrder = cmp.Or(place[rows[i].ID], rows[i].SortOrder)
	}
}

// matchingOrder sorts rules as an address meets them: those over live pages
// first, exact with a condition, plain exact, masks, prefixes (CONTRACT,
// "Redirects").
func matchingOrder(rows []redirectdb.Rule) {
	rank := func(r redirectdb.Rule) int {
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
	slices.SortFunc(rows, func(a, b redirectdb.Rule) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.SortOrder, b.SortOrder), cmp.Compare(a.ID, b.ID))
	})
}
