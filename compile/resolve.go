package compile

import (
	"errors"
	"strings"

	"vitrine/compile/redirect"
)

// A step looks at an address and answers it or passes it on.
type step func(*Site, *Walk) (Decision, bool)

// steps is the order of handling an address. The first step that answers wins
// (document 3, 4.5). Site files stand where CONTRACT puts them, before the
// .html hop; the shop's search stands behind all pages,
// the RSS of a rubric where nothing of the shop does.
var steps = []step{overrideRules, siteFile, dotHTML, canonicalHost, livePage, slugJournal, searchPage, plainRules, articleFeed, missFallback}

// Walk is the working memory of Resolve: an address taken apart and a buffer
// for the Location. The zero value is ready; one that is used again costs no
// allocation. A Walk serves one goroutine at a time.
type Walk struct {
	Trace bool   // note every redirect in Steps
	Steps []Step // of a traced walk; the caller empties it

	addr     redirect.Address
	host     string
	path     string // decoded, slashes collapsed, without a trailing one: "" is the root
	key      string // path in lower case, as rules compare it
	slashes  int    // how many slashes the visitor sent beyond those of path
	named    bool   // the last segment may be a slug of something
	ruleOnly bool   // as if the shop had no pages: see CheckLoops

	rest      []byte    // backs Decision.Rest
	target    []byte    // a Location before the visitor's query
	locations [2][]byte // in turn, so that a Location can be resolved in its own Walk
	turn      int
}

// Resolve decides what an address answers. host is the requested host in any
// case, without its port; target is path and query as sent. Both must not
// change while the Decision is in use. Resolve never allocates once w has
// grown to the addresses it sees, except for a trace.
func (s *Site) Resolve(w *Walk, host, target string) Decision {
	return s.closeOff(w, s.decide(w, host, target))
}

// decide is Resolve without what is closed.
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

// closeOff says by what a decision is closed.
func (s *Site) closeOff(w *Walk, d Decision) Decision {
	if s.closing != nil {
		if d.Closed = s.closedAt(w, d); d.Closed != nil {
			d.Log = false // nobody learns of a closed section what it does not have
		}
	}
	return d
}

// begin spells the parsed address in the ways the steps need.
func (w *Walk) begin(host string) {
	w.host = host
	w.path = strings.TrimSuffix(view(w.addr.Decoded), "/")
	w.key = strings.TrimSuffix(view(w.addr.Key), "/")
	w.slashes = len(w.addr.Path) - 2*strings.Count(w.addr.Path, "%") - len(w.addr.Decoded)
}

// last is the last segment of the path, decoded.
func (w *Walk) last() string { return w.path[strings.LastIndexByte(w.path, '/')+1:] }

// location closes a Location: the target with the visitor's query behind it.
func (w *Walk) location(target string) string {
	w.turn ^= 1
	dst := w.locations[w.turn][:0]
	if w.addr.Query == "" {
		dst = append(dst, target...)
	} else {
		dst = redirect.AppendQuery(dst, target, w.addr.Query, false)
	}
	w.locations[w.turn] = dst
	return view(dst)
}

// send is a redirect of the platform's own, which keeps the method and carries
// the query.
func (w *Walk) send(target string, by By) Decision {
	return Decision{Kind: Redirect, Status: 308, Location: w.location(target), By: by}
}

// sendTo redirects to a live page; it fails when there is none.
func (s *Site) sendTo(w *Walk, ref PageRef, by By) (Decision, bool) {
	w.target = s.appendURL(w.target[:0], ref)
	if len(w.target) == 0 {
		return Decision{}, false
	}
	d := w.send(view(w.target), by)
	d.Page = ref
	return d, true
}

// sendRule is the redirect of a rule.
func (w *Walk) sendRule(m redirect.Match, status int) Decision {
	w.turn ^= 1
	w.locations[w.turn] = m.AppendLocation(w.locations[w.turn][:0], &w.addr)
	r := m.Rule
	return Decision{
		Kind: Redirect, Status: status, Location: view(w.locations[w.turn]),
		By: ByRule, Rule: r.ID, Code: storedCode(r), Override: r.OverrideLive,
	}
}

// storedCode reads a rule's code; 0 means 301 (document 3, 2.6).
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

// plainRules is step 5: the other rules act where no page is, with the codes
// that keep the method.
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

// siteFile answers the address of a published site file, on every host of the
// shop and in its exact spelling.
func siteFile(s *Site, w *Walk) (Decision, bool) {
	if len(s.paths) == 0 || w.slashes != 0 || w.ruleOnly {
		return Decision{}, false
	}
	if i, ok := s.paths[w.path]; ok {
		return Decision{Kind: File, File: s.files[i].ID}, true
	}
	return Decision{}, false
}

// inFolders reports whether an address stands in a site folder, or stood in one that was
// moved since.
func (s *Site) inFolders(w *Walk) bool {
	if s.tree.folderOf(w.path) != nil {
		return true
	}
	n, _ := s.movedFolder(w)
	return n != nil
}

// dotHTML is the first half of step 2: /page.html is /page, whatever is there,
// unless a rule was written for the .html address or the address stands in a
// site folder, which serves its own files.
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
	return w.send(view(w.target), ByHTML), true
}

// canonicalHost is the second half of step 2: another host of the shop sends
// its visitors to the canonical one.
func canonicalHost(s *Site, w *Walk) (Decision, bool) {
	if len(s.shop.Hosts) < 2 || w.ruleOnly || equalFold(w.host, s.shop.Hosts[0]) {
		return Decision{}, false
	}
	for _, host := range s.shop.Hosts[1:] {
		if equalFold(w.host, host) {
			w.target = appendSpelling(append(w.target[:0], s.shop.Origin...), w.addr.Path)
			return w.send(view(w.target), ByCanonical), true
		}
	}
	return Decision{}, false
}
