package compile

import "vitrine/compile/redirect"

// SearchPath is the address of the shop's search.
const SearchPath = "/search"

// searchPage answers the shop's search where the owner has nothing else: pages, files and website
// folders come before it, and so does a rule that names the address itself. A mask or a prefix
// that happens to cover it does not, because otherwise a catch-all rule for missing pages would
// break the search in every page's header. No section, product or article can have the slug.
func searchPage(s *Site, w *Walk) (Decision, bool) {
	if w.key != SearchPath || w.ruleOnly {
		return Decision{}, false
	}
	if m, ok := s.set.Match(redirect.Plain, &w.addr); ok && m.Rule.Kind == redirect.Exact {
		return Decision{}, false
	}
	if w.path != SearchPath || w.slashes != 0 {
		return w.send(SearchPath, ByCanonical), true
	}
	return Decision{Kind: Search}, true
}
