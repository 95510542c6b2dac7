package compile

import (
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Shadow is what answers at every address of a rule, so that the rule never does: another rule,
// or a live page, a site file, a path of the platform.
type Shadow struct {
	Kind Kind        // Redirect for another rule or hop; Page, File, Search or Service
	By   By          // of a redirect
	Rule shop.RuleID // of another rule
	Page PageRef
	File shop.SiteFileID
}

// Shadowed lists the enabled rules that never answer, and why (document 3, 4.5).
//
// It is exact among rules: an address whose stars hold texts that no rule mentions is answered by
// as few rules as any address of the source, so a rule that does not answer there answers
// nowhere. A page shadows a rule when its address is the source as written; a mask or prefix is
// shadowed by pages only where a site folder contains all of it.
func (s *Site) Shadowed() map[shop.RuleID]Shadow {
	shadows := map[shop.RuleID]Shadow{}
	w, depth := &Walk{}, s.set.Depth()
	for rank := range int32(s.set.Len()) {
		if shadow, never := s.shadow(w, rank, depth); never {
			shadows[s.set.Rule(rank).ID] = shadow
		}
	}
	return shadows
}

// shadow resolves the addresses of a rule that others are least likely to answer. depth is the
// number of segments of the longest mask: a tail longer than that makes no difference.
func (s *Site) shadow(w *Walk, rank int32, depth int) (first Shadow, never bool) {
	rule := s.set.Rule(rank)
	if !s.set.Tailed(rank) {
		return s.shadowAt(w, rule, s.set.Probe(rank, 0))
	}
	for n := range depth + 2 {
		shadow, taken := s.shadowAt(w, rule, s.set.Probe(rank, n))
		if !taken {
			return Shadow{}, false
		}
		if n == 0 || first.Rule == 0 && shadow.Rule != 0 {
			first = shadow
		}
	}
	return first, true
}

func (s *Site) shadowAt(w *Walk, rule *redirect.Rule, address string) (Shadow, bool) {
	d := s.Resolve(w, s.host(), address)
	if d.By == ByRule && d.Rule == rule.ID {
		return Shadow{}, false
	}
	return Shadow{Kind: d.Kind, By: d.By, Rule: d.Rule, Page: d.Page, File: d.File}, true
}
