package compile

import (
	"iter"

	"vitrine/compile/loop"
)

// CheckLoops refuses a shop whose redirects form a loop, grow without bound or form a chain of
// more than loop.MaxHops (document 3, 4.5): loop.ErrLoop or loop.ErrChainTooLong. It walks with
// Resolve itself, so the .html hop, the journal and the fallback count like rules. before is the
// Site before the mutation, or nil: faults that already existed there do not fail the mutation.
func (s *Site) CheckLoops(before *Site) error {
	if c, found := s.FindLoop(before); found {
		return c.Refusal()
	}
	return nil
}

// FindLoop is CheckLoops for callers that need the rules at fault.
func (s *Site) FindLoop(before *Site) (loop.Circle, bool) {
	found := s.FindLoops(before, 1)
	if len(found) == 0 {
		return loop.Circle{}, false
	}
	return found[0], true
}

// FindLoops is FindLoop for up to most faults that share no rule: see loop.Shop.Find.
func (s *Site) FindLoops(before *Site, most int) []loop.Circle {
	if before == nil {
		return s.loopShop().Find(nil, most)
	}
	return s.loopShop().Find(before.loopShop(), most)
}

// loopShop adapts the Site for package loop.
func (s *Site) loopShop() *loop.Shop {
	if len(s.ahead) > 0 {
		whole := *s
		whole.ahead = nil // a page that appears later must not complete a loop then
		s = &whole
	}
	w := &Walk{}
	chain := func(start string, pages bool) iter.Seq2[int, loop.Hop] {
		return func(yield func(int, loop.Hop) bool) {
			w.ruleOnly = !pages
			host, at, here := s.local(start, s.host())
			for n := 0; here; n++ {
				d := s.Resolve(w, host, at)
				hop := loop.Hop{Host: host, Address: &w.addr, TooLong: d.Kind == TooLong, Location: d.Location, Rule: d.Rule}
				if !yield(n, hop) || d.Kind != Redirect {
					return
				}
				host, at, here = s.local(d.Location, host)
			}
		}
	}
	pages := func(wanted func(section string) bool) iter.Seq[string] {
		return func(yield func(string) bool) {
			for _, url := range s.pagesIn(func(base string) bool { return wanted(fold(base)) }) {
				if !yield(url) {
					return
				}
			}
		}
	}
	return &loop.Shop{Set: s.set, Chain: chain, Pages: pages}
}
