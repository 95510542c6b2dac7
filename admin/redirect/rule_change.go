package redirect

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// mutation is how the redirect set is about to be changed.
type mutation struct {
	kind   redirectdb.RulesEdit
	target int64 // version that a rollback goes back to
	dry    bool  // nothing is written; the answer says what would have come of it
}

// outcome is what a mutation leads to.
type outcome struct {
	version shop.Int64 // of the set; of a dry run, as it is
	replay  *replay    // of a dry run
}

// leavesEqual says that a mutation that changes nothing makes no version.
func (m mutation) leavesEqual() bool {
	return m.kind == redirectdb.RulesImport || m.kind == redirectdb.RulesRollback
}

// changeRules runs one mutation of the redirect set. The set is locked, brought
// up to date in memory together with the shop around it, edited and checked
// there, and what has become different is written as one version.
func (rs *Redirects) changeRules(
	ctx context.Context, company shop.CompanyID, m mutation, edit func(*ruleSet) error,
) (out outcome, err error) {
	if m.dry {
		return rs.tryRules(ctx, company, edit)
	}
	err = rs.store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		held, err := rs.sites.Current(ctx, tx.Reader)
		if err != nil {
			return err
		}
		set := newSet(held)
		set.reserve = func(n int) ([]shop.RuleID, error) { return redirectdb.NewRuleIDs(ctx, tx, n) }
		set.past = func(since int64) ([][]redirectdb.RuleEdit, bool, error) {
			return redirectdb.RulesSince(ctx, tx.Reader, since, held.Company.RulesVersion)
		}
		if err := edit(set); err != nil {
			return err
		}
		out.version = shop.Int64(held.Company.RulesVersion)
		changes := set.changes()
		if len(changes) == 0 && m.leavesEqual() {
			return nil
		}
		version, err := redirectdb.ChangeRules(ctx, tx, redirectdb.RulesChange{Kind: m.kind, Target: m.target, Rules: changes})
		if err != nil {
			return err
		}
		out.version = shop.Int64(version)
		next := held.With(version, set.rows, set.site())
		tx.AfterCommit(func(context.Context) { rs.sites.Keep(next) })
		return nil
	})
	return out, err
}

// tryRules runs a mutation on a snapshot, and writes nothing.
func (rs *Redirects) tryRules(ctx context.Context, company shop.CompanyID, edit func(*ruleSet) error) (out outcome, err error) {
	err = rs.store.Snapshot(ctx, company, func(r store.Reader) error {
		held, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		set := newSet(held)
		set.past = func(since int64) ([][]redirectdb.RuleEdit, bool, error) {
			return redirectdb.RulesSince(ctx, r, since, held.Company.RulesVersion)
		}
		if err := edit(set); err != nil {
			return err
		}
		out.version = shop.Int64(held.Company.RulesVersion)
		out.replay, err = set.replay(ctx, r)
		return err
	})
	return out, err
}
