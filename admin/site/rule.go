package site

import (
	"context"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ruleView is a rule as the API shows it (document 3, 2.6): what may be sent of
// it, its id and its place.
type ruleView struct {
	ID shop.RuleID `json:"id"`
	ruleItem
	SortOrder int `json:"sort_order"`
	*hitsView     // in lists only
}

type hitsView struct {
	Hits      shop.Int64 `json:"hits"` // approximate
	LastHitAt *time.Time `json:"last_hit_at"`
}

func viewRule(r store.Rule) ruleView {
	return ruleView{ID: r.ID, SortOrder: r.SortOrder, ruleItem: ruleItem{
		Kind: r.Kind, FromPath: r.From, ToTarget: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, Note: r.Note,
	}}
}

// ruleItem is what may be sent of a rule: all of it, always. An absent field is
// its default; a sort_order is not read (document 3, section 7).
type ruleItem struct {
	Kind         string `json:"kind"`
	FromPath     string `json:"from_path"`
	ToTarget     string `json:"to_target"`
	External     bool   `json:"external"`
	Code         int    `json:"code"`
	Enabled      bool   `json:"enabled"`
	OverrideLive bool   `json:"override_live"`
	DropQuery    bool   `json:"drop_query"`
	QueryMatch   string `json:"query_match"`
	Note         string `json:"note"`
}

// rule checks the item for itself; whether it fits into the set is the set's
// question.
func (i ruleItem) rule() (redirect.Rule, error) {
	return redirect.Normalize(redirect.Rule{
		Kind: redirect.Kind(i.Kind), From: i.FromPath, To: i.ToTarget, External: i.External, Code: i.Code, Enabled: i.Enabled,
		OverrideLive: i.OverrideLive, DropQuery: i.DropQuery, QueryMatch: i.QueryMatch, Note: i.Note,
	})
}

type ruleRequest struct {
	Item ruleItem `json:"item"`
}

type ruleAnswer struct {
	Result  ruleView   `json:"result"`
	Version shop.Int64 `json:"version"` // of the set with this rule in it
}

func (s *Site) createRule(ctx context.Context, c *api.Call, in ruleRequest) (ruleAnswer, error) {
	var out ruleAnswer
	rule, err := in.Item.rule()
	if err != nil {
		return out, err
	}
	out.Version, err = s.changeRules(ctx, c.Company, func(tx *store.Tx, set *ruleSet) error {
		row, err := set.add(rule)
		if err != nil {
			return err
		}
		if err := set.check(); err != nil {
			return err
		}
		err = tx.InsertRules(ctx, []*store.Rule{&row})
		out.Result = viewRule(row)
		return err
	})
	return out, err
}

type updateRule struct {
	ID   shop.RuleID `path:"id" json:"-"`
	Item ruleItem    `json:"item"`
}

func (s *Site) updateRule(ctx context.Context, c *api.Call, in updateRule) (ruleAnswer, error) {
	var out ruleAnswer
	rule, err := in.Item.rule()
	if err != nil {
		return out, err
	}
	out.Version, err = s.changeRules(ctx, c.Company, func(tx *store.Tx, set *ruleSet) error {
		row, err := set.replace(in.ID, rule)
		if err != nil {
			return err
		}
		if err := set.check(); err != nil {
			return err
		}
		out.Result = viewRule(row)
		return tx.UpdateRules(ctx, []store.Rule{row})
	})
	return out, err
}

type ruleIDs struct {
	IDs []shop.RuleID `json:"ids"`
}

type deletedRules struct {
	Deleted int `json:"deleted"`
}

func (s *Site) deleteRules(ctx context.Context, c *api.Call, in ruleIDs) (deletedRules, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(in.IDs)))
	if len(ids) == 0 {
		return deletedRules{}, shop.ErrInvalidRequest.With("ids is empty")
	}
	_, err := s.changeRules(ctx, c.Company, func(tx *store.Tx, set *ruleSet) error {
		if err := set.remove(ids); err != nil {
			return err
		}
		if err := set.check(); err != nil {
			return err
		}
		return tx.DeleteRules(ctx, ids)
	})
	if err != nil {
		return deletedRules{}, err
	}
	return deletedRules{Deleted: len(ids)}, nil
}

func (s *Site) orderRules(ctx context.Context, c *api.Call, in ruleIDs) (rulesAnswer, error) {
	_, err := s.changeRules(ctx, c.Company, func(tx *store.Tx, set *ruleSet) error {
		if err := set.order(in.IDs); err != nil {
			return err
		}
		if err := set.check(); err != nil {
			return err
		}
		return tx.OrderRules(ctx, in.IDs)
	})
	if err != nil {
		return rulesAnswer{}, err
	}
	return s.rules(ctx, c, api.None{})
}

// changeRules runs one mutation of the redirect set: locked, read together with
// the shop around it, and written in one transaction. It returns the version
// that the set then has.
func (s *Site) changeRules(ctx context.Context, company shop.CompanyID, change func(*store.Tx, *ruleSet) error) (version shop.Int64, err error) {
	err = s.store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		set, err := s.readSet(ctx, tx.Reader)
		if err != nil {
			return err
		}
		if err := change(tx, set); err != nil {
			return err
		}
		info, err := tx.Info(ctx)
		version = shop.Int64(info.RulesVersion)
		return err
	})
	return version, err
}

// readSet reads the set with everything that its rules meet on the way.
func (s *Site) readSet(ctx context.Context, r store.Reader) (*ruleSet, error) {
	info, err := r.Info(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Rules(ctx)
	if err != nil {
		return nil, err
	}
	site, err := load.Site(ctx, r, s.hosts)
	return &ruleSet{rows: rows, limits: info.Limits, before: site}, err
}
