package edge

import (
	"bytes"
	"hash/maphash"

	"github.com/valyala/fasthttp"

	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// What counts. A page view is a GET that answers a page of the live, open shop, whole or
// as unchanged (304): one that the edge draws, one of a guarded zone, or an html page of a
// site folder, by the canonical path of the page. No page view is what a browser or our
// script fetches ahead of a click, what a robot reads, a preview of the draft, and any
// answer but these. A visit is a visitor of a day. The people of a shop count as others
// do: on the shop's host nothing tells them apart.

// saw counts a view of a page by a visitor, with the campaign that led there. It allocates
// nothing for who was here before.
func (s *Server) saw(ctx *fasthttp.RequestCtx, d *shopDay, st *state, path, campaign string) {
	var space [768]byte
	r, ahead := s.look(ctx, space[:0])
	if ahead {
		return
	}
	key, isRobot := s.meet(ctx, d, r.origin)
	if d.deaf || isRobot {
		return
	}
	d.view(&s.counting, path)
	if len(r.referrer) > 0 && !onHost(r.referrer, st.host) {
		if host := hostOfReferrer(r.referrer); host != nil && !owns(st, host) {
			s.cameBy(ctx, d, key, visitstats.Referred, view(host))
		}
	}
	if campaign != "" {
		s.cameBy(ctx, d, key, visitstats.Campaigned, campaign)
	}
}

// looks is what the head of a request says to the statistics.
type looks struct {
	origin   []byte // the same for two requests of one visitor alone
	referrer []byte
}

// hopBytes bounds what is read of a line of a proxy: its end is what trusted ones wrote.
const hopBytes = 128

// look reads the head of a request in one go, and reports whether the page is fetched for
// a visit that may come: by the browser, or by our script (render/assets/script/fetch.js),
// which may not say it as browsers do.
func (s *Server) look(ctx *fasthttp.RequestCtx, origin []byte) (r looks, ahead bool) {
	socket, trusted := s.cfg.Proxies.Socket(ctx)
	from := socket.As16()
	r.origin = append(origin, from[:]...)
	for name, value := range ctx.Request.Header.All() {
		switch string(name) {
		case fasthttp.HeaderReferer:
			r.referrer = value
		case "Sec-Purpose", "Purpose":
			ahead = ahead || bytes.Contains(value, []byte("prefetch"))
		case fasthttp.HeaderUserAgent:
			r.origin = append(append(r.origin, 0), value[:min(len(value), maxAgent)]...)
		default:
			if trusted && forwarded.Hop(name) {
				r.origin = append(append(r.origin, name[0]), value[max(len(value)-hopBytes, 0):]...)
			}
		}
	}
	return r, ahead
}

// meet finds out whether a visitor is a robot, and counts who is none and comes for the
// first time today. The key stands for the visitor in this process.
func (s *Server) meet(ctx *fasthttp.RequestCtx, d *shopDay, origin []byte) (key uint64, isRobot bool) {
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	key = maphash.Bytes(d.seed, origin)
	isRobot, known := d.seen.find(key)
	if known || d.deaf {
		return key, isRobot
	}
	if isRobot = robot(agent); isRobot || d.mark(&s.counting, s.cfg.Proxies.Client(ctx).Network(), agent, visitstats.Visitor, "") {
		d.seen.put(key, isRobot, &s.counting.rows)
	}
	return key, isRobot
}

// cameBy counts a visitor for a host or campaign, once a day.
func (s *Server) cameBy(ctx *fasthttp.RequestCtx, d *shopDay, visitor uint64, kind visitstats.Kind, name string) {
	key := visitor ^ maphash.String(d.seed, name) ^ uint64(kind)<<40
	if _, known := d.seen.find(key); known {
		return
	}
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	if d.mark(&s.counting, s.cfg.Proxies.Client(ctx).Network(), agent, kind, name) {
		d.seen.put(key, false, &s.counting.rows)
	}
}

// onHost reports whether an address is on a host, spelled as browsers spell it.
func onHost(address []byte, host string) bool {
	_, rest, ok := bytes.Cut(address, []byte("://"))
	if !ok || len(rest) < len(host) || string(rest[:len(host)]) != host {
		return false
	}
	return len(rest) == len(host) || rest[len(host)] == '/' || rest[len(host)] == ':'
}

// owns reports whether a host is one of the shop's.
func owns(st *state, host []byte) bool {
	for _, own := range st.hosts {
		if string(host) == own {
			return true
		}
	}
	return false
}

// counts reports whether the visit may count: it reads the live shop, and the shop is
// open.
func (v *visit) counts() bool {
	return v.ctx.IsGet() && !v.st.closed && !v.t.draft && !v.invited
}

// viewed counts a page that this visit was answered.
func (v *visit) viewed(path string) {
	if v.counts() && path != "" {
		d := v.s.day(v.ctx, v.t, v.st)
		if !d.ready() {
			v.s.salted(v.work(), d)
		}
		v.s.saw(v.ctx, d, v.st, path, campaignOf(v.query))
	}
}

// missed counts an address that is not there.
func (v *visit) missed() {
	if d := v.people(); d != nil {
		d.name(&v.s.counting, &d.lists.Missing, missingName(v.path))
	}
}

// searchedInVain counts words for which a page found nothing: of ?q= on a rubric, and of
// whatever else lets visitors search.
func (v *visit) searchedInVain(words string) {
	if d := v.people(); d != nil {
		if words = wordsOf(words); words != "" {
			d.name(&v.s.counting, &d.lists.Searches, words)
		}
	}
}

// people is the day of the visit, nil where a robot visits, or who fetches ahead.
func (v *visit) people() *shopDay {
	if !v.counts() {
		return nil
	}
	_, ahead := v.s.look(v.ctx, nil)
	d := v.s.day(v.ctx, v.t, v.st)
	if ahead || d.deaf || robot(v.ctx.Request.Header.UserAgent()) {
		return nil
	}
	return d
}

// zonePath is the path by which a guarded zone counts: what stands below it names orders
// and people.
func zonePath(z shop.Zone) string { return "/" + string(z) }
