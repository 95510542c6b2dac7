package compile

import (
	"iter"
	"slices"

	"vitrine/compile/loop"
	"vitrine/compile/redirect"
)

// CheckLoops refuses a shop whose redirects form a loop, grow without bound or form a chain of
// more than loop.MaxHops (document 3, 4.5): loop.ErrLoop or loop.ErrChainTooLong. It walks with
// Resolve itself, so the .html hop, the journal and the fallback count like rules. before is the
// Site before the mutation, or nil: faults that already existed there do not fail the mutation.
func (s *Site) CheckLoops(before *Site) error {
	if c, found := s.FindCircle(before); found {
		return c.Refusal()
	}
	return nil
}

// FindCircle is CheckLoops for callers that need the rules at fault.
func (s *Site) FindCircle(before *Site) (loop.Circle, bool) {
	found := s.FindCircles(before, 1)
	if len(found) == 0 {
		return loop.Circle{}, false
	}
	return found[0], true
}

// FindCircles is FindCircle for up to most faults that share no rule: see loop.Shop.Find.
func (s *Site) FindCircles(before *Site, most int) []loop.Circle {
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
	return &loop.Shop{
		Set: s.set, Host: s.host(), Walk: s.walkHops, Local: s.local, Pages: s.pagesUnder,
		Reserved: func(key redirect.Open) bool { return Reserved(unsafeString(key)) },
	}
}

// walkHops adapts Resolve to loop.Walk.
func (s *Site) walkHops() loop.Walk {
	w := &Walk{}
	return func(host, target string, pages bool) loop.Hop {
		w.ruleOnly = !pages
		d := s.Resolve(w, host, target)
		hop := loop.Hop{Location: d.Location, Rule: d.Rule, Address: &w.addr}
		switch d.Kind {
		case Redirect:
			hop.Kind = loop.Redirect
		case TooLong:
			hop.Kind = loop.TooLong
		}
		return hop
	}
}

// pagesUnder yields the addresses of live pages that a mask or prefix may cover, by kind and id.
// Most sections are excluded as a whole. An address is valid until the next one.
func (s *Site) pagesUnder(covers func(base string) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		var url []byte
		for _, ref := range s.refsUnder(covers) {
			if url = s.appendURL(url[:0], ref); !yield(unsafeString(url)) {
				return
			}
		}
	}
}

// refsUnder returns the pages for pagesUnder.
func (s *Site) refsUnder(covers func(base string) bool) (pages []PageRef) {
	if s.tree.liveHome() == nil {
		pages = append(pages, PageRef{})
	}
	covered := map[string]bool{}
	for _, n := range s.tree.order {
		if n.visible() {
			pages = append(pages, PageRef{EntityCategory, int64(n.ID)})
			covered[n.base] = covers(fold(n.base))
		}
	}
	for kind := EntityProduct; kind <= EntityArticle; kind++ {
		flat := covers("/" + flatRoots[kind])
		var ids []int64
		for _, x := range s.entriesOf(kind).byID.all() {
			n := s.section(x)
			if x.shown && (n == nil && flat || n != nil && covered[n.base]) {
				ids = append(ids, int64(x.id))
			}
		}
		slices.Sort(ids)
		for _, id := range ids {
			pages = append(pages, PageRef{kind, id})
		}
	}
	return pages
}
