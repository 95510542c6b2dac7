package redirect

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// mutation describes a change of the redirect set.
type mutation struct {
	kind   redirectdb.RulesEdit
	target int64 // version that a rollback restores
	dry    bool  // nothing is written; the result is only returned
}

// outcome is the result of a mutation.
type outcome struct {
	version shop.Int64 // of the set; for a dry run the current one
	replay  *replay    // for a dry run
}

// skipsUnchanged reports whether a mutation without changes creates no version.
func (m mutation) skipsUnchanged() bool {
	return m.kind == redirectdb.RulesImport || m.kind == redirectdb.RulesRollback
}

// changeRules runs one mutation of the redirect set. It locks the set, brings it and the shop up
// to date in memory, edits and checks it there, and writes the differences as one version.
func (rs *Redirects) changeRules(
	ctx context.Context, company shop.CompanyID, m mutation, edit func(*ruleSet) error,
) (out outcome, err error) {
	if m.dry {
		return rs.dryRunRules(ctx, company, edit)
	}
	err = rs.store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		cached, err := rs.sites.Current(ctx, tx.Reader)
		if err != nil {
			return err
		}
		set := newSet(cached)
		set.reserve = func(n int) ([]shop.RuleID, error) { return redirectdb.NewRuleIDs(ctx, tx, n) }
		set.stored = func(id shop.RuleID) (redirectdb.Rule, error) { return redirectdb.GetRule(ctx, tx.Reader, id) }
		set.past = func(since int64) ([][]redirectdb.RuleEdit, bool, error) {
			return redirectdb.RulesSince(ctx, tx.Reader, since, cached.Company.RulesVersion)
		}
		if err := edit(set); err != nil {
			return err
		}
		out.version = shop.Int64(cached.Company.RulesVersion)
		changes := set.changes()
		if len(changes) == 0 && m.skipsUnchanged() {
			return nil
		}
		version, err := redirectdb.ChangeRules(ctx, tx, redirectdb.RulesChange{Kind: m.kind, Target: m.target, Rules: changes})
		if err != nil {
			return err
		}
		out.version = shop.Int64(version)
		next := cached.With(version, set.rows, set.site())
		tx.AfterCommit(func(context.Context) { rs.sites.Cache(next) })
		return nil
	})
	return out, err
}

// dryRunRules runs a mutation on a snapshot and writes nothing.
func (rs *Redirects) dryRunRules(ctx context.Context, company shop.CompanyID, edit func(*ruleSet) error) (out outcome, err error) {
	err = rs.store.Snapshot(ctx, company, func(r store.Reader) error {
		cached, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		set := newSet(cached)
		set.stored = func(id shop.RuleID) (redirectdb.Rule, error) { return redirectdb.GetRule(ctx, r, id) }
		set.past = func(since int64) ([][]redirectdb.RuleEdit, bool, error) {
			return redirectdb.RulesSince(ctx, r, since, cached.Company.RulesVersion)
		}
		if err := edit(set); err != nil {
			return err
		}
		out.version = shop.Int64(cached.Company.RulesVersion)
		out.replay, err = set.replay(ctx, r)
		return err
	})
	return out, err
}
