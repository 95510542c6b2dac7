package compile

import (
	"iter"
	"slices"

	"vitrine/compile/loop"
	"vitrine/compile/redirect"
)

// CheckLoops refuses a shop whose redirects run in a circle, grow without
// bound or form a chain of more than loop.MaxHops (document 3, 4.5):
// loop.ErrLoop or loop.ErrChainTooLong. It walks with Resolve itself, so the
// .html hop, the journal and the fallback count like rules. before is the Site
// that the mutation starts from, or nil: what was broken there already is not
// held against the mutation.
func (s *Site) CheckLoops(before *Site) error {
	if c, found := s.FindCircle(before); found {
		return c.Refusal()
	}
	return nil
}

// FindCircle is CheckLoops for callers that need to know the rules at fault.
func (s *Site) FindCircle(before *Site) (loop.Circle, bool) {
	found := s.FindCircles(before, 1)
	if len(found) == 0 {
		return loop.Circle{}, false
	}
	return found[0], true
}

// FindCircles is FindCircle for up to so many faults that share no rule: see
// loop.Shop.Find.
func (s *Site) FindCircles(before *Site, most int) []loop.Circle {
	if before == nil {
		return s.forLoops().Find(nil, most)
	}
	return s.forLoops().Find(before.forLoops(), most)
}

// forLoops is the Site as the prover sees it.
func (s *Site) forLoops() *loop.Shop {
	if len(s.ahead) > 0 {
		whole := *s
		whole.ahead = nil // what appears later makes no circle then
		s = &whole
	}
	return &loop.Shop{
		Set: s.set, Host: s.host(), Walk: s.walkHops, Local: s.local, Pages: s.pagesUnder,
		Reserved: func(key redirect.Open) bool { return Reserved(view(key)) },
	}
}

// walkHops is Resolve, told as hops.
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

// pagesUnder is the addresses of live pages that a mask or prefix may stand
// over, by kind and id. Most sections are ruled out as a whole. An address is
// good until the next one.
func (s *Site) pagesUnder(covers func(base string) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		var url []byte
		for _, ref := range s.refsUnder(covers) {
			if url = s.appendURL(url[:0], ref); !yield(view(url)) {
				return
			}
		}
	}
}

// refsUnder is the pages of pagesUnder.
func (s *Site) refsUnder(covers func(base string) bool) (pages []PageRef) {
	if s.tree.liveHome() == nil {
		pages = append(pages, PageRef{})
	}
	covered := map[string]bool{}
	for _, n := range s.tree.order {
		if n.seen() {
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
