package compile

import "strings"

// feedName is the last segment of a rubric's RSS address: /journal/rss.xml.
const feedName = "rss.xml"

// articleFeed is the step after everything that the shop itself has at an address: a file, a
// page, a former address, a rule. If none of them answers below a live rubric, the address is the
// rubric's RSS feed.
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

// FeedURL returns the shop path of a rubric's RSS feed; "" when it has none, because the section
// is not a rubric, is not visible, or something else of the shop has the address.
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
