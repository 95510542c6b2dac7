package redirect

import (
	"context"
	"slices"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// pinNote is the note of rules that a category move writes (document 3, 2.6).
const pinNote = "category move"

// pinning writes down where the addresses went that a category move changes:
// one exact rule each, for those that no rule answers yet (document 3, 4.4). The
// storefront finds most of them by their last segment; who asks for rules wants
// them to hold when the page is gone too.
type pinning struct {
	set   *ruleSet
	there int               // rules before the move
	moved map[string]string // old path -> new path
	was   []redirectdb.Rule // earlier pins that follow the move, as they were
	pins  []shop.RuleID     // new ones
	taken map[string]bool   // DupKeys of the set
	old   map[shop.RuleID]string
}

func newPinning(set *ruleSet, changes []urlChange) *pinning {
	p := &pinning{
		set: set, there: len(set.rows), moved: make(map[string]string, len(changes)), taken: map[string]bool{},
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

// pin changes the set and writes it, all or nothing.
func (p *pinning) pin(ctx context.Context, tx *store.Tx, changes []urlChange) (created int, err error) {
	p.follow()
	for _, change := range changes {
		if change.CoveredBy == "rule" || change.Kind == "folder" { // the journal leads into a folder
			continue
		}
		if err := p.add(change); err != nil {
			return 0, err
		}
	}
	p.dropEndless()
	p.dropCircles()
	before := ruleSet{rows: p.set.rows[:p.there], limits: p.set.limits}
	if err := before.room(len(p.pins), 0); err != nil {
		return 0, err
	}
	change := redirectdb.RulesChange{Kind: redirectdb.RulesMove, Rules: p.set.changes()}
	for _, c := range change.Rules {
		if c.Was == nil {
			c.Now.ID = 0 // it gets one now
		}
	}
	if len(change.Rules) > 0 {
		_, err = redirectdb.ChangeRules(ctx, tx, change)
	}
	return len(p.pins), err
}

// follow leads the pins of earlier moves to where the page stands now, so that
// an address needs one redirect however often its page has moved.
func (p *pinning) follow() {
	for i, row := range p.set.rows {
		to, moved := p.moved[row.To]
		own := row.Note == pinNote && row.Kind == string(redirect.Exact) && !row.OverrideLive && row.QueryMatch == ""
		if !moved || !own || load.Rule(row).Key() == (redirect.Rule{From: to}).Key() {
			continue
		}
		p.was = append(p.was, row)
		row.To = to
		p.set.put(i, row)
	}
}

// add pins one address. One whose key is taken, or that no rule may have as its
// source, is left out.
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
	p.set.put(len(p.set.rows), row)
	p.pins = append(p.pins, row.ID)
	p.old[row.ID] = change.OldPath
	return nil
}

// dropEndless leaves out pins whose visitors would run in a circle, or too far,
// were the rules alone there. dropCircles would find them too, but one at a time:
// a section that moves back has a circle for each of its products.
func (p *pinning) dropEndless() {
	in := compile.Input{Shop: p.set.before.Shop(), Rules: p.set.site().Rules()}
	bare := compile.New(in)
	p.drop(func(id shop.RuleID) bool { return bare.Check(p.old[id]).TooLong })
}

// dropCircles leaves pins out until nothing runs in a circle that did not
// before; last, earlier pins stay where they led.
func (p *pinning) dropCircles() {
	for {
		circle, found := p.set.site().FindCircle(p.set.before)
		if !found {
			return
		}
		if n := len(p.pins); n > 0 {
			guilty := slices.IndexFunc(p.pins, func(id shop.RuleID) bool { return slices.Contains(circle.Rules, id) })
			if guilty >= 0 {
				id := p.pins[guilty]
				p.drop(func(pin shop.RuleID) bool { return pin == id })
				continue
			}
		}
		if len(p.was) == 0 {
			return // not the pins' fault: the move is refused
		}
		row := p.was[len(p.was)-1]
		p.set.put(p.set.byID(row.ID), row)
		p.was = p.was[:len(p.was)-1]
	}
}

func (p *pinning) drop(bad func(shop.RuleID) bool) {
	gone := map[shop.RuleID]bool{}
	p.pins = slices.DeleteFunc(p.pins, func(id shop.RuleID) bool {
		gone[id] = bad(id)
		return gone[id]
	})
	p.set.take(slices.DeleteFunc(p.set.rows, func(r redirectdb.Rule) bool { return gone[r.ID] }))
}
