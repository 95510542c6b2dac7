package compile

import "strings"

// feedName is the last segment of the address where a rubric has its articles as
// RSS: /journal/rss.xml.
const feedName = "rss.xml"

// articleFeed is the step behind all that the shop itself has at an address: a
// file, a page, a former address, a rule. What nobody took below a live rubric is
// its articles for readers of feeds.
func articleFeed(s *Site, w *Walk) (Decision, bool) {
	base, ok := strings.CutSuffix(w.path, "/"+feedName)
	if !ok || w.slashes != 0 || w.ruleOnly {
		return Decision{}, false
	}
	n := s.tree.paths[base]
	if base == "" {
		n = s.tree.liveHome()
	}
	if n == nil || n.Type != TypeNews {
		return Decision{}, false
	}
	return Decision{Kind: Feed, Page: PageRef{EntityCategory, int64(n.ID)}}, true
}

// FeedURL is the shop path of a rubric's articles as RSS; "" where it has none,
// because it is no rubric, visitors do not see it, or something else of the shop
// has the address.
func (s *Site) FeedURL(ref PageRef) string {
	if ref.Entity != EntityCategory {
		return ""
	}
	n := s.tree.live(categoryID(ref.ID))
	if n == nil || n.Type != TypeNews {
		return ""
	}
	url := strings.TrimSuffix(n.url, "/") + "/" + feedName
	var w Walk
	if d := s.decide(&w, s.host(), url); d.Kind != Feed || d.Page != ref {
		return ""
	}
	return url
}
