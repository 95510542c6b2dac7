package compile

import (
	"errors"
	"strings"

	"vitrine/compile/redirect"
)

// A step answers an address or passes it on.
type step func(*Site, *Walk) (Decision, bool)

// steps lists the steps in order. The first one that answers wins (document 3, 4.5). Site files
// are where CONTRACT puts them, before the .html hop; the shop's search comes after all pages,
// and the RSS of a rubric after everything else of the shop.
var steps = []step{overrideRules, siteFile, dotHTML, canonicalHost, livePage, slugJournal, searchPage, plainRules, articleFeed, missFallback}

// Walk is the working memory of Resolve: a parsed address and buffers for the Location. The zero
// value is ready; reusing one avoids allocations. A Walk is not safe for concurrent use.
type Walk struct {
	Trace bool   // record every redirect in Steps
	Steps []Step // of a traced walk; the caller empties it

	addr     redirect.Address
	host     string
	path     string // decoded, slashes collapsed, no trailing slash; "" is the root
	key      string // path in lower case, as rules compare it
	slashes  int    // number of slashes sent beyond those of path
	named    bool   // the last segment may be a slug of something
	ruleOnly bool   // resolve as if the shop had no pages: see CheckLoops

	rest      []byte    // buffer of Decision.Rest
	target    []byte    // buffer of a Location without the visitor's query
	locations [2][]byte // used alternately, so that a Location can be resolved with the same Walk
	turn      int
}

// Resolve decides the answer of an address. host is the requested host in any case, without its
// port; target is path and query as sent. Both must not change while the Decision is in use.
// Apart from traces, Resolve does not allocate once w has grown to the size of the addresses.
func (s *Site) Resolve(w *Walk, host, target string) Decision {
	return s.setClosed(w, s.decide(w, host, target))
}

// decide is Resolve without the access policies.
func (s *Site) decide(w *Walk, host, target string) Decision {
	if err := w.addr.Parse(target); err != nil {
		if errors.Is(err, redirect.ErrAddressTooLong) {
			return Decision{Kind: TooLong}
		}
		return Decision{Kind: BadAddress}
	}
	w.begin(host)
	w.named = s.names.has(w.last())
	switch {
	case w.addr.Dots:
		return Decision{Kind: NotFound}
	case Reserved(w.key):
		return Decision{Kind: Service}
	}
	for _, answer := range steps {
		if d, ok := answer(s, w); ok {
			w.note(target, d)
			return d
		}
	}
	return Decision{Kind: NotFound, Log: true}
}

// setClosed sets the policies that close a decision.
func (s *Site) setClosed(w *Walk, d Decision) Decision {
	if s.closing != nil {
		if d.Closed = s.closedAt(w, d); d.Closed != nil {
			d.Log = false // the log must not reveal what a closed section lacks
		}
	}
	return d
}

// begin derives the spellings of the parsed address that the steps need.
func (w *Walk) begin(host string) {
	w.host = host
	w.path = strings.TrimSuffix(unsafeString(w.addr.Decoded), "/")
	w.key = strings.TrimSuffix(unsafeString(w.addr.Key), "/")
	w.slashes = len(w.addr.Path) - 2*strings.Count(w.addr.Path, "%") - len(w.addr.Decoded)
}

// last returns the last segment of the path, decoded.
func (w *Walk) last() string { return w.path[strings.LastIndexByte(w.path, '/')+1:] }

// location builds a Location: the target followed by the visitor's query.
func (w *Walk) location(target string) string {
	w.turn ^= 1
	dst := w.locations[w.turn][:0]
	if w.addr.Query == "" {
		dst = append(dst, target...)
	} else {
		dst = redirect.AppendQuery(dst, target, w.addr.Query, false)
	}
	w.locations[w.turn] = dst
	return unsafeString(dst)
}

// send returns a redirect by the platform itself, which keeps the method and carries the query.
func (w *Walk) send(target string, by By) Decision {
	return Decision{Kind: Redirect, Status: 308, Location: w.location(target), By: by}
}

// sendTo redirects to a live page; it fails when the page is not live.
func (s *Site) sendTo(w *Walk, ref PageRef, by By) (Decision, bool) {
	w.target = s.appendURL(w.target[:0], ref)
	if len(w.target) == 0 {
		return Decision{}, false
	}
	d := w.send(unsafeString(w.target), by)
	d.Page = ref
	return d, true
}

// sendRule returns the redirect of a rule.
func (w *Walk) sendRule(m redirect.Match, status int) Decision {
	w.turn ^= 1
	w.locations[w.turn] = m.AppendLocation(w.locations[w.turn][:0], &w.addr)
	r := m.Rule
	return Decision{
		Kind: Redirect, Status: status, Location: unsafeString(w.locations[w.turn]),
		By: ByRule, Rule: r.ID, Code: storedCode(r), Override: r.OverrideLive,
	}
}

// storedCode returns a rule's code; 0 means 301 (document 3, 2.6).
func storedCode(r *redirect.Rule) int {
	if r.Code == 302 {
		return 302
	}
	return 301
}

// overrideRules is step 1: rules that act over live pages send their own code.
func overrideRules(s *Site, w *Walk) (Decision, bool) {
	m, ok := s.set.Match(redirect.Override, &w.addr)
	if !ok {
		return Decision{}, false
	}
	return w.sendRule(m, storedCode(m.Rule)), true
}

// plainRules is step 5: the other rules act where there is no page, with the status codes that
// keep the method.
func plainRules(s *Site, w *Walk) (Decision, bool) {
	m, ok := s.set.Match(redirect.Plain, &w.addr)
	if !ok {
		return Decision{}, false
	}
	if storedCode(m.Rule) == 302 {
		return w.sendRule(m, 307), true
	}
	return w.sendRule(m, 308), true
}

// siteFile answers the exact address of a published site file, on every host of the shop.
func siteFile(s *Site, w *Walk) (Decision, bool) {
	if len(s.paths) == 0 || w.slashes != 0 || w.ruleOnly {
		return Decision{}, false
	}
	if i, ok := s.paths[w.path]; ok {
		return Decision{Kind: File, File: s.files[i].ID}, true
	}
	return Decision{}, false
}

// inFolders reports whether an address is in a site folder, or was in one that has since moved.
func (s *Site) inFolders(w *Walk) bool {
	if s.tree.folderOf(w.path) != nil {
		return true
	}
	n, _ := s.movedFolder(w)
	return n != nil
}

// dotHTML is the first half of step 2: /page.html redirects to /page, whether or not that exists,
// unless a rule was written for the .html address or the address is in a site folder, which
// serves its own files.
func dotHTML(s *Site, w *Walk) (Decision, bool) {
	if !strings.HasSuffix(w.key, ".html") || !w.ruleOnly && s.inFolders(w) {
		return Decision{}, false
	}
	if m, ok := s.set.Match(redirect.HTML, &w.addr); ok {
		return w.sendRule(m, storedCode(m.Rule)), true
	}
	if w.key == "/index.html" {
		return w.send("/", ByHTML), true
	}
	w.target = appendSpelling(w.target[:0], redirect.Stripped(w.addr.Path))
	return w.send(unsafeString(w.target), ByHTML), true
}

// canonicalHost is the second half of step 2: other hosts of the shop redirect to the canonical
// one.
func canonicalHost(s *Site, w *Walk) (Decision, bool) {
	if len(s.shop.Hosts) < 2 || w.ruleOnly || equalFold(w.host, s.shop.Hosts[0]) {
		return Decision{}, false
	}
	for _, host := range s.shop.Hosts[1:] {
		if equalFold(w.host, host) {
			w.target = appendSpelling(append(w.target[:0], s.shop.Origin...), w.addr.Path)
			return w.send(unsafeString(w.target), ByCanonical), true
		}
	}
	return Decision{}, false
}
