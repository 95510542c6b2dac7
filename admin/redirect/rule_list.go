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
	RulesLimit      int64      `json:"rules_limit"`    // 0: not limited by the plan
	PatternsLimit   int64      `json:"patterns_limit"` // 0: not limited by the plan
	RulesCeiling    int        `json:"rules_ceiling"`
	PatternsCeiling int        `json:"patterns_ceiling"`
	Replay          *replay    `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

// readRule holds the fields of a rule that the responses to writes do not contain.
type readRule struct {
	Hits       shop.Int64  `json:"hits"` // approximate
	LastHitAt  *time.Time  `json:"last_hit_at"`
	ShadowedBy *shadowView `json:"shadowed_by" doc:"what responds at every address of the rule instead; null for a rule that can take effect"`
	UpdatedAt  time.Time   `json:"updated_at" doc:"hits and a new place in the order are no update"`
}

func viewRead(row redirectdb.Rule, shadows map[shop.RuleID]compile.Shadow) ruleView {
	v := viewRule(row)
	v.readRule = &readRule{Hits: shop.Int64(row.Hits), LastHitAt: shop.UTC(row.LastHitAt), UpdatedAt: row.UpdatedAt.UTC()}
	if shadow, shadowed := shadows[row.ID]; shadowed {
		v.ShadowedBy = viewShadow(shadow)
	}
	return v
}

// shadowView describes what responds at every address of an enabled rule, so that the rule never
// takes effect.
type shadowView struct {
	Kind   string                `json:"kind"` // rule, html, canonical, slug-journal, fallback; page, file, search, service
	RuleID shop.RuleID           `json:"rule_id,omitempty"`
	Entity string                `json:"entity,omitempty"` // for a page: category, product, article
	ID     shop.Number[struct{}] `json:"id,omitempty"`     // id of the page
}

func viewShadow(s compile.Shadow) *shadowView {
	switch s.Kind {
	case compile.Redirect:
		return &shadowView{Kind: s.By.String(), RuleID: s.Rule}
	case compile.Page:
		return &shadowView{Kind: "page", Entity: s.Page.Entity.String(), ID: shop.Number[struct{}](s.Page.ID)}
	case compile.File:
		return &shadowView{Kind: "file"}
	case compile.Search:
		return &shadowView{Kind: "search"}
	case compile.Service:
		return &shadowView{Kind: "service"}
	}
	return &shadowView{Kind: "missing"} // an address for which rules are not consulted
}

func (rs *Redirects) rules(ctx context.Context, c *api.Call, _ api.None) (rulesAnswer, error) {
	return rs.listRules(ctx, c.Company, nil)
}

// listRules lists the set, or for a dry run the set it would result in.
func (rs *Redirects) listRules(ctx context.Context, company shop.CompanyID, preview *ruleSet) (rulesAnswer, error) {
	out := rulesAnswer{Result: []ruleView{}, RulesCeiling: rulesCeiling, PatternsCeiling: masksCeiling}
	err := rs.store.Snapshot(ctx, company, func(r store.Reader) error {
		cached, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		rows, err := redirectdb.Rules(ctx, r)
		site := cached.Site
		if preview != nil {
			site = preview.site()
			preview.copyOrder(rows)
		}
		matchingOrder(rows)
		shadows := site.Shadowed()
		for _, row := range rows {
			out.Result = append(out.Result, viewRead(row, shadows))
		}
		info := cached.Company
		out.Version, out.MissFallback = shop.Int64(info.RulesVersion), info.MissFallback
		out.RulesLimit, out.PatternsLimit = info.Limits[store.LimitRedirects], info.Limits[store.LimitMasks]
		return err
	})
	return out, err
}

// copyOrder sets the order of rows to that of the set.
func (s *ruleSet) copyOrder(rows []redirectdb.Rule) {
	place := make(map[shop.RuleID]int, len(s.rows))
	for _, row := range s.rows {
		place[row.ID] = row.SortOrder
	}
	for i := range rows {
		rows[i].SortOrder = cmp.Or(place[rows[i].ID], rows[i].SortOrder)
	}
}

// matchingOrder sorts rules in the order in which they are matched: first those over live pages,
// then exact ones with a condition, other exact ones, masks, prefixes (CONTRACT, "Redirects").
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
