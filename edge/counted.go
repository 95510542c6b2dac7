package edge

import (
	"bytes"
	"hash/maphash"

	"github.com/valyala/fasthttp"

	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// Definitions. A page view is a GET that answers a page of the live, open shop with its
// body or with a 304: a page drawn by the edge, a page of a guarded zone, or an html page
// of a site folder. It counts under the canonical path of the page. Fetches by a browser or
// our script ahead of a click, requests of robots, previews of the draft and all other
// responses are no page views. A visit is one visitor on one day. The shop's own staff
// count like everybody else: nothing distinguishes them on the shop's host.

// recordView counts a page view of a visitor, with the campaign that led there. It does not
// allocate for returning visitors.
func (s *Server) recordView(ctx *fasthttp.RequestCtx, d *shopDay, st *state, path, campaign string) {
	var space [768]byte
	r, prefetch := s.readHead(ctx, space[:0])
	if prefetch {
		return
	}
	key, isRobot := s.identify(ctx, d, r.origin)
	if d.ignored || isRobot {
		return
	}
	d.addView(&s.counting, path)
	if len(r.referrer) > 0 && !onHost(r.referrer, st.host) {
		if host := hostOfReferrer(r.referrer); host != nil && !owns(st, host) {
			s.recordSource(ctx, d, key, visitstats.Referred, view(host))
		}
	}
	if campaign != "" {
		s.recordSource(ctx, d, key, visitstats.Campaigned, campaign)
	}
}

// requestHead is what the statistics read from the head of a request.
type requestHead struct {
	origin   []byte // equal for two requests only if they come from the same visitor
	referrer []byte
}

// hopBytes bounds what is read of a proxy's header field: trusted proxies append to its
// end.
const hopBytes = 128

// readHead reads the head of a request in one pass. It reports whether the page is a
// prefetch, by the browser or by our script (render/assets/script/fetch.js), which may not
// announce it as browsers do.
func (s *Server) readHead(ctx *fasthttp.RequestCtx, origin []byte) (r requestHead, prefetch bool) {
	socket, trusted := s.cfg.Proxies.Socket(ctx)
	from := socket.As16()
	r.origin = append(origin, from[:]...)
	for name, value := range ctx.Request.Header.All() {
		switch string(name) {
		case fasthttp.HeaderReferer:
			r.referrer = value
		case "Sec-Purpose", "Purpose":
			prefetch = prefetch || bytes.Contains(value, []byte("prefetch"))
		case fasthttp.HeaderUserAgent:
			r.origin = append(append(r.origin, 0), value[:min(len(value), maxAgent)]...)
		default:
			if trusted && forwarded.Hop(name) {
				r.origin = append(append(r.origin, name[0]), value[max(len(value)-hopBytes, 0):]...)
			}
		}
	}
	return r, prefetch
}

// identify finds out whether a visitor is a robot, and counts a human seen for the first
// time today. The key stands for the visitor within this process.
func (s *Server) identify(ctx *fasthttp.RequestCtx, d *shopDay, origin []byte) (key uint64, isRobot bool) {
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	key = maphash.Bytes(d.seed, origin)
	isRobot, known := d.visitors.find(key)
	if known || d.ignored {
		return key, isRobot
	}
	if isRobot = robot(agent); isRobot || d.addMark(&s.counting, s.cfg.Proxies.Client(ctx).Network(), agent, visitstats.Visitor, "") {
		d.visitors.put(key, isRobot, &s.counting.rows)
	}
	return key, isRobot
}

// recordSource counts a visitor for a referring host or a campaign, once a day.
func (s *Server) recordSource(ctx *fasthttp.RequestCtx, d *shopDay, visitor uint64, kind visitstats.Kind, name string) {
	key := visitor ^ maphash.String(d.seed, name) ^ uint64(kind)<<40
	if _, known := d.visitors.find(key); known {
		return
	}
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	if d.addMark(&s.counting, s.cfg.Proxies.Client(ctx).Network(), agent, kind, name) {
		d.visitors.put(key, false, &s.counting.rows)
	}
}

// onHost reports whether an address, in the spelling of browsers, is on a host.
func onHost(address []byte, host string) bool {
	_, rest, ok := bytes.Cut(address, []byte("://"))
	if !ok || len(rest) < len(host) || string(rest[:len(host)]) != host {
		return false
	}
	return len(rest) == len(host) || rest[len(host)] == '/' || rest[len(host)] == ':'
}

// owns reports whether a host belongs to the shop.
func owns(st *state, host []byte) bool {
	for _, own := range st.hosts {
		if string(host) == own {
			return true
		}
	}
	return false
}

// countable reports whether the visit can count: it reads the live shop, and the shop is
// open.
func (v *visit) countable() bool {
	return v.ctx.IsGet() && !v.st.closed && !v.t.draft && !v.previewing
}

// countView counts a page that answered this visit.
func (v *visit) countView(path string) {
	if v.countable() && path != "" {
		d := v.s.day(v.ctx, v.t, v.st)
		if !d.ready() {
			v.s.loadSalt(v.work(), d)
		}
		v.s.recordView(v.ctx, d, v.st, path, campaignOf(v.query))
	}
}

// countMissing counts an address that does not exist.
func (v *visit) countMissing() {
	if d := v.humanDay(); d != nil {
		d.addName(&v.s.counting, &d.lists.Missing, missingName(v.path))
	}
}

// countFailedSearch counts search words that found nothing: of ?q= on a rubric, and of the
// other searches.
func (v *visit) countFailedSearch(words string) {
	if d := v.humanDay(); d != nil {
		if words = wordsOf(words); words != "" {
			d.addName(&v.s.counting, &d.lists.Searches, words)
		}
	}
}

// humanDay is the day that the visit counts on. It is nil for robots, prefetches and visits
// that cannot count.
func (v *visit) humanDay() *shopDay {
	if !v.countable() {
		return nil
	}
	_, prefetch := v.s.readHead(v.ctx, nil)
	d := v.s.day(v.ctx, v.t, v.st)
	if prefetch || d.ignored || robot(v.ctx.Request.Header.UserAgent()) {
		return nil
	}
	return d
}

// zonePath is the path that pages of a guarded zone count under. The rest of the path is
// left out: it identifies orders and people.
func zonePath(z shop.Zone) string { return "/" + string(z) }
