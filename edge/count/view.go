package count

import (
	"bytes"
	"hash/maphash"

	"github.com/valyala/fasthttp"

	"vitrine/internal/forwarded"
	"vitrine/internal/visitstats"
)

// View counts a page view on the day under the canonical path of the page, with the campaign
// in the query of the request. Prefetches and robots do not count. It does not allocate for
// returning visitors.
func (d *Day) View(ctx *fasthttp.RequestCtx, at *Place, path, query string) {
	var space [768]byte
	r, prefetch := d.c.readHead(ctx, space[:0])
	if prefetch {
		return
	}
	key, isRobot := d.identify(ctx, r.origin)
	if d.ignored || isRobot {
		return
	}
	d.addView(path)
	if len(r.referrer) > 0 && !onHost(r.referrer, at.Host) {
		if host := hostOfReferrer(r.referrer); host != nil && !at.owns(host) {
			d.recordSource(ctx, key, visitstats.FromReferrer, host)
		}
	}
	if campaign := campaignOf(query); campaign != "" {
		d.recordSource(ctx, key, visitstats.FromCampaign, []byte(campaign))
	}
}

// Missing counts a request for an address that does not exist.
func (d *Day) Missing(ctx *fasthttp.RequestCtx, path string) {
	if d.byHuman(ctx) {
		d.addName(&d.lists.Missing, missingName(path))
	}
}

// FailedSearch counts the words of a search that found nothing.
func (d *Day) FailedSearch(ctx *fasthttp.RequestCtx, words string) {
	if !d.byHuman(ctx) {
		return
	}
	if words = wordsOf(words); words != "" {
		d.addName(&d.lists.Searches, words)
	}
}

// byHuman reports whether a request counts on the day: it is no prefetch, and no robot sent
// it.
func (d *Day) byHuman(ctx *fasthttp.RequestCtx) bool {
	_, prefetch := d.c.readHead(ctx, nil)
	return !prefetch && !d.ignored && !robot(ctx.Request.Header.UserAgent())
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
func (c *Counters) readHead(ctx *fasthttp.RequestCtx, origin []byte) (r requestHead, prefetch bool) {
	socket, trusted := c.proxies.Socket(ctx)
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
			if trusted && forwarded.IsHopHeader(name) {
				r.origin = append(append(r.origin, name[0]), value[max(len(value)-hopBytes, 0):]...)
			}
		}
	}
	return r, prefetch
}

// identify finds out whether a visitor is a robot, and counts a human seen for the first
// time today. The key stands for the visitor within this process.
func (d *Day) identify(ctx *fasthttp.RequestCtx, origin []byte) (key uint64, isRobot bool) {
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	key = maphash.Bytes(d.seed, origin)
	isRobot, known := d.visitors.find(key)
	if known || d.ignored {
		return key, isRobot
	}
	if isRobot = robot(agent); isRobot || d.addMark(d.c.proxies.Client(ctx).Network(), agent, visitstats.Visitor, nil) {
		d.visitors.put(key, isRobot, &d.c.rows)
	}
	return key, isRobot
}

// recordSource counts a visitor for a referring host or a campaign, once a day.
func (d *Day) recordSource(ctx *fasthttp.RequestCtx, visitor uint64, kind visitstats.Kind, name []byte) {
	key := visitor ^ maphash.Bytes(d.seed, name) ^ uint64(kind)<<40
	if _, known := d.visitors.find(key); known {
		return
	}
	agent := ctx.Request.Header.UserAgent()
	agent = agent[:min(len(agent), maxAgent)]
	if d.addMark(d.c.proxies.Client(ctx).Network(), agent, kind, name) {
		d.visitors.put(key, false, &d.c.rows)
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
func (p *Place) owns(host []byte) bool {
	for _, own := range p.Hosts {
		if string(host) == own {
			return true
		}
	}
	return false
}
