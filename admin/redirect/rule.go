package redirect

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// ruleView is a rule in responses (document 3, 2.6): the writable fields, the id and the
// position.
type ruleView struct {
	ID shop.RuleID `json:"id"`
	ruleItem
	SortOrder int `json:"sort_order"`
	*readRule     // in responses that read the rule
}

func viewRule(r redirectdb.Rule) ruleView {
	return ruleView{ID: r.ID, SortOrder: r.SortOrder, ruleItem: ruleItem{
		Kind: redirect.Kind(r.Kind), FromPath: r.From, ToTarget: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, Note: r.Note,
	}}
}

// ruleItem holds the writable fields of a rule. A write replaces all of them: an absent field
// gets its default. The sort_order is ignored (document 3, section 7).
type ruleItem struct {
	Kind         redirect.Kind `json:"kind"`
	FromPath     string        `json:"from_path" required:"always" len:"8192" refuse:"REDIRECT_INVALID_SOURCE"`
	ToTarget     string        `json:"to_target" required:"always" len:"8192" refuse:"REDIRECT_INVALID_TARGET"`
	External     bool          `json:"external"`
	Code         int           `json:"code"`
	Enabled      bool          `json:"enabled"`
	OverrideLive bool          `json:"override_live"`
	DropQuery    bool          `json:"drop_query"`
	QueryMatch   string        `json:"query_match" len:"2048" refuse:"REDIRECT_INVALID_QUERY"`
	Note         string        `json:"note" len:"500" refuse:"INVALID_REQUEST"`
}

// rule validates the item on its own; the set checks whether it fits among the other rules.
func (i ruleItem) rule() (redirect.Rule, error) {
	return redirect.Normalize(redirect.Rule{
		Kind: i.Kind, From: i.FromPath, To: i.ToTarget, External: i.External, Code: i.Code, Enabled: i.Enabled,
		OverrideLive: i.OverrideLive, DropQuery: i.DropQuery, QueryMatch: i.QueryMatch, Note: i.Note,
	})
}

type ruleRequest struct {
	Item   ruleItem `json:"item" required:"always"`
	DryRun bool     `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
}

type ruleAnswer struct {
	Result  ruleView   `json:"result"`
	Version shop.Int64 `json:"version"` // of the set that contains this rule
	Replay  *replay    `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

func (rs *Redirects) createRule(ctx context.Context, c *api.Call, in ruleRequest) (ruleAnswer, error) {
	return rs.saveRule(ctx, c, mutation{kind: redirectdb.RulesCreate, dry: in.DryRun}, in.Item, (*ruleSet).add)
}

// rule returns one rule of the set.
func (rs *Redirects) rule(ctx context.Context, c *api.Call, in rulePath) (out api.Result[ruleView], err error) {
	err = rs.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		row, err := redirectdb.GetRule(ctx, r, in.ID)
		if err != nil {
			return err
		}
		cached, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		out = api.Wrap(viewRead(row, cached.Site.Shadowed()))
		return nil
	})
	return out, err
}

type rulePath struct {
	ID shop.RuleID `path:"id" json:"-"`
}

type updateRule struct {
	rulePath
	api.Basis
	Item   ruleItem `json:"item"`
	DryRun bool     `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
}

func (rs *Redirects) updateRule(ctx context.Context, c *api.Call, in updateRule) (ruleAnswer, error) {
	replace := func(set *ruleSet, rule redirect.Rule) (redirectdb.Rule, error) {
		old, err := set.stored(in.ID)
		if err == nil {
			err = c.CheckBasis(old.UpdatedAt)
		}
		if err != nil {
			return old, err
		}
		return set.replace(in.ID, rule)
	}
	return rs.saveRule(ctx, c, mutation{kind: redirectdb.RulesUpdate, dry: in.DryRun}, in.Item, replace)
}

// saveRule adds or replaces one rule of the set.
func (rs *Redirects) saveRule(
	ctx context.Context, c *api.Call, m mutation, item ruleItem, put func(*ruleSet, redirect.Rule) (redirectdb.Rule, error),
) (ruleAnswer, error) {
	var out ruleAnswer
	rule, err := item.rule()
	if err != nil {
		return out, err
	}
	done, err := rs.changeRules(ctx, c.Company, m, func(set *ruleSet) error {
		row, err := put(set, rule)
		if err != nil {
			return err
		}
		if out.Result = viewRule(row); row.ID >= unsaved {
			out.Result.ID = 0
		}
		return set.check()
	})
	out.Version, out.Replay = done.version, done.replay
	return out, err
}

type ruleIDs struct {
	IDs    []shop.RuleID `json:"ids" required:"always" max:"20000"`
	DryRun bool          `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
}

type deletedRules struct {
	Deleted int     `json:"deleted"`
	Replay  *replay `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

func (rs *Redirects) deleteRules(ctx context.Context, c *api.Call, in ruleIDs) (deletedRules, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(in.IDs)))
	if len(ids) == 0 {
		return deletedRules{}, shop.ErrInvalidRequest.At("ids").With("empty")
	}
	done, err := rs.changeRules(ctx, c.Company, mutation{kind: redirectdb.RulesDelete, dry: in.DryRun}, func(set *ruleSet) error {
		if err := set.remove(ids); err != nil {
			return err
		}
		return set.check()
	})
	if err != nil {
		return deletedRules{}, err
	}
	return deletedRules{Deleted: len(ids), Replay: done.replay}, nil
}

func (rs *Redirects) orderRules(ctx context.Context, c *api.Call, in ruleIDs) (rulesAnswer, error) {
	var preview *ruleSet
	done, err := rs.changeRules(ctx, c.Company, mutation{kind: redirectdb.RulesOrder, dry: in.DryRun}, func(set *ruleSet) error {
		if err := set.order(in.IDs); err != nil {
			return err
		}
		if in.DryRun {
			preview = set
		}
		return set.check()
	})
	if err != nil {
		return rulesAnswer{}, err
	}
	answer, err := rs.listRules(ctx, c.Company, preview)
	answer.Replay = done.replay
	return answer, err
}
