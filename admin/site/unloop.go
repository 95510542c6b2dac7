package site

import (
	"context"
	"slices"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// unloop takes lines back until no chain runs in a circle or too long: of those
// at fault the last one in the file, as if the lines had come one by one.
func (m *merge) unloop(ctx context.Context) error {
	for m.unloopSources() {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for {
		circle, found := m.set.site().FindCircle(m.set.before)
		if !found {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		reason, guilty := redirect.Loop, circle.Rules
		if !circle.Endless { // what follows after the hop too many is not at fault
			reason, guilty = redirect.ChainTooLong, guilty[:min(len(guilty), compile.MaxHops+1)]
		}
		if !m.takeBack(guilty, reason) && !m.takeBack(nil, reason) {
			return nil // nothing of the import is left
		}
	}
}

// unloopSources takes back what runs in plain circles through the sources of
// the lines themselves, and reports whether there was any. FindCircle would
// find them too, but one at a time and each by way of the whole set: a file with
// swapped columns has hundreds.
func (m *merge) unloopSources() (any bool) {
	site, before := m.set.site(), m.set.before
	gone := map[shop.RuleID]bool{}
	for i := range m.moves {
		if m.moves[i].id == 0 {
			continue
		}
		for _, start := range m.lines[i].Rule.Probes() {
			rules := circleOf(site.Check(start))
			solved := slices.ContainsFunc(rules, func(id shop.RuleID) bool { return gone[id] })
			if len(rules) == 0 || solved || before.Check(start).TooLong {
				continue
			}
			if id, ok := m.last(rules); ok {
				gone[id], any = true, true
				m.takeBack(rules, redirect.Loop)
				break
			}
		}
	}
	return any
}

// circleOf lists the rules of a trace that comes back to an address it has left.
func circleOf(t compile.Trace) (rules []shop.RuleID) {
	left, returns := map[string]bool{}, false
	for _, step := range t.Steps {
		returns = returns || left[step.From]
		left[step.From] = true
		if step.RuleID != 0 && !slices.Contains(rules, step.RuleID) {
			rules = append(rules, step.RuleID)
		}
	}
	if !returns {
		return nil
	}
	return rules
}
