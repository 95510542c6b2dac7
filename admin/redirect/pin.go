package redirect

import (
	"context"
	"errors"
	"slices"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// pinNote is the note of rules created by a category move (document 3, 2.6).
const pinNote = "category move"

// pinning creates an exact rule for each URL that a category move changes and that no rule covers
// yet (document 3, 4.4). The storefront itself redirects most of them by their last segment;
// pinned rules also work after the page is deleted.
type pinning struct {
	set       *ruleSet
	ruleCount int               // number of rules before the move
	moved     map[string]string // old path -> new path
	was       []redirectdb.Rule // the previous form of earlier pins that follow the move
	pins      []shop.RuleID     // ids of new pins
	taken     map[string]bool   // DupKeys of the set
	old       map[shop.RuleID]string
}

func newPinning(set *ruleSet, changes []urlChange) *pinning {
	p := &pinning{
		set: set, ruleCount: len(set.rows), moved: make(map[string]string, len(changes)), taken: map[string]bool{},
		old: map[shop.RuleID]string{},
	}
	for _, change := range changes {
		p.moved[change.OldPath] = change.NewPath
	}
	for _, row := range set.rows {
		p.taken[row.DupKey] = true
	}
	return p
}

// pin applies the pins to the set, all or nothing.
func (p *pinning) pin(changes []urlChange) (created int, err error) {
	p.follow()
	for _, change := range changes {
		if change.CoveredBy == "rule" || change.Kind == "folder" { // the slug journal redirects into a folder
			continue
		}
		if err := p.add(change); err != nil {
			return 0, err
		}
	}
	p.dropRuleLoops()
	p.dropLoops()
	before := ruleSet{rows: p.set.rows[:p.ruleCount], limits: p.set.limits}
	if err := before.checkLimits(len(p.pins), 0); err != nil {
		return 0, err
	}
	return len(p.pins), nil
}

// storeMove stores what a move changed of the set, and returns its version, or 0 if nothing changed.
func (s *ruleSet) storeMove(ctx context.Context, tx *store.Tx) (version shop.Int64, err error) {
	change := redirectdb.RulesChange{Kind: redirectdb.RulesMove, Rules: s.changes()}
	if len(change.Rules) == 0 {
		return 0, nil
	}
	for _, c := range change.Rules {
		if c.Old == nil {
			c.New.ID = 0 // the id is assigned when it is stored
		}
	}
	stored, err := redirectdb.ChangeRules(ctx, tx, change)
	return shop.Int64(stored), err
}

// unpin takes back what an earlier move did to the rules, which is a version of the set. Rules that
// were changed since stay.
func (s *ruleSet) unpin(ctx context.Context, r store.Reader, version shop.Int64) error {
	made, edits, err := redirectdb.GetRulesVersion(ctx, r, int64(version))
	switch {
	case errors.Is(err, redirectdb.ErrRuleVersionNotFound):
		return redirectdb.ErrRuleVersionNotFound.At("unpin_version")
	case err != nil:
		return err
	case made.Kind != redirectdb.RulesMove:
		return redirectdb.ErrRuleVersionNotFound.At("unpin_version").With("this version was not made by the move of a section")
	}
	if edits, err = redirectdb.Standing(s.rows, edits); err != nil {
		return err
	}
	rows, err := redirectdb.UndoRules(s.rows, [][]redirectdb.RuleEdit{edits})
	if err == nil {
		s.setRows(rows)
	}
	return err
}

// follow redirects the pins of earlier moves to the current URL of the page, so that each old URL
// needs only one redirect, however often its page has moved.
func (p *pinning) follow() {
	for i, row := range p.set.rows {
		to, moved := p.moved[row.To]
		own := row.Note == pinNote && row.Kind == string(redirect.Exact) && !row.OverrideLive && row.QueryMatch == ""
		if !moved || !own || load.Rule(row).Key() == (redirect.Rule{From: to}).Key() {
			continue
		}
		p.was = append(p.was, row)
		row.To = to
		p.set.setRow(i, row)
	}
}

// add pins one URL. It skips URLs whose source already has a rule or that may not have one.
func (p *pinning) add(change urlChange) error {
	rule, err := redirect.Normalize(redirect.Rule{From: change.OldPath, To: change.NewPath, Enabled: true, Note: pinNote})
	if err != nil || rule.Kind != redirect.Exact || compile.Reserved(rule.Key()) {
		return nil
	}
	row := rowOf(rule)
	if p.taken[row.DupKey] {
		return nil
	}
	p.taken[row.DupKey] = true
	if row.ID, err = p.set.newID(); err != nil {
		return err
	}
	row.SortOrder = p.set.last + 1
	p.set.setRow(len(p.set.rows), row)
	p.pins = append(p.pins, row.ID)
	p.old[row.ID] = change.OldPath
	return nil
}

// dropRuleLoops removes pins whose redirects form a loop or too long a chain when only the rules
// are considered. dropLoops would find them too, but only one at a time: a section that moves
// back has a loop for each of its products.
func (p *pinning) dropRuleLoops() {
	in := compile.Input{Shop: p.set.before.Shop(), Rules: p.set.site().Rules()}
	bare := compile.New(in)
	p.drop(func(id shop.RuleID) bool { return bare.Check(p.old[id]).TooLong })
}

// dropLoops removes pins until there is no redirect loop that did not exist before; finally it
// reverts earlier pins that follow the move.
func (p *pinning) dropLoops() {
	for {
		circle, found := p.set.site().FindLoop(p.set.before)
		if !found {
			return
		}
		if n := len(p.pins); n > 0 {
			involved := slices.IndexFunc(p.pins, func(id shop.RuleID) bool { return slices.Contains(circle.Rules, id) })
			if involved >= 0 {
				id := p.pins[involved]
				p.drop(func(pin shop.RuleID) bool { return pin == id })
				continue
			}
		}
		if len(p.was) == 0 {
			return // not caused by pins: the move is refused
		}
		row := p.was[len(p.was)-1]
		p.set.setRow(p.set.byID(row.ID), row)
		p.was = p.was[:len(p.was)-1]
	}
}

func (p *pinning) drop(bad func(shop.RuleID) bool) {
	gone := map[shop.RuleID]bool{}
	p.pins = slices.DeleteFunc(p.pins, func(id shop.RuleID) bool {
		gone[id] = bad(id)
		return gone[id]
	})
	p.set.setRows(slices.DeleteFunc(p.set.rows, func(r redirectdb.Rule) bool { return gone[r.ID] }))
}
