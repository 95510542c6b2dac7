package edge

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/cookie"
	"vitrine/internal/hostname"
	"vitrine/internal/shop"
	"vitrine/render"
)

// A preview is the storefront in the state of the shop's draft. The staff of the shop get a
// signed address from the API; opening it sets a cookie on the shop's host, and with the
// cookie every page of the host is drawn from the draft, which is read again after each
// edit. These responses are private, hidden from crawlers and never cached here, they count
// neither misses nor hits of rules, and they show a bar with a way to leave. Media,
// pictures and the API have no draft. The link opens a shop behind a PIN too.
//
// The token in the cookie is checked at each visit, so a preview ends when it expires or
// when the person who issued it loses access; the visitor then sees the live shop.

const previewPrefix = "/_vitrine/preview/" // before the token

var previewCookie = cookie.Named("vitrine-preview")

// preview answers the signed addresses and the form that leaves a preview. An invalid token
// gets the same response as a missing address.
func (v *visit) preview(path string) int {
	if path == render.LeavePreview {
		if !v.ctx.IsPost() {
			return v.refuseMethod("POST")
		}
		return v.setPreviewCookie("", time.Time{}, "/")
	}
	if status := v.readsOnly(); status != 0 {
		return status
	}
	token := strings.Clone(path[len(previewPrefix):])
	until, err := v.previewUntil(token)
	if err != nil {
		return v.outage(err)
	}
	if until.IsZero() {
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	to, status := previewed(v.query)
	if status != 0 {
		return plain(v.ctx, status)
	}
	return v.setPreviewCookie(token, until, to)
}

// previewed is the target that the address of a preview leads to: a path of the shop with its
// query, in ASCII. If it returns a status other than 0, the query has no such path: one that
// browsers resolve to another host, one with dot segments, or one of the platform's own, of which
// there is no draft.
func previewed(query string) (to string, status int) {
	raw, _ := queryValue(query, "path")
	if raw == "" {
		return "/", 0
	}
	text, err := url.QueryUnescape(raw)
	if err != nil || text == "" || text[0] != '/' || !printable(text) || strings.Contains(text, `\`) {
		return "", fasthttp.StatusBadRequest
	}
	path, _ := splitQuery(text)
	decoded, ok := decodePath(path)
	if !ok || strings.HasPrefix(decoded, "//") || strings.HasPrefix(decoded, assetPrefix) || strings.HasPrefix(decoded+"/", apiPrefix) {
		return "", fasthttp.StatusBadRequest
	}
	for segment := range strings.SplitSeq(decoded, "/") {
		if segment == "." || segment == ".." {
			return "", fasthttp.StatusBadRequest
		}
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() > redirect.MaxPath {
		return "", fasthttp.StatusRequestURITooLong
	}
	return b.String(), 0
}

// previewUntil is the time until which a token opens the draft of this shop; zero if it
// does not.
func (v *visit) previewUntil(token string) (until time.Time, err error) {
	if v.s.cfg.Draft == nil || v.s.cfg.Preview == nil {
		return until, nil
	}
	return v.s.cfg.Preview(v.work(), v.t.company, token)
}

// setPreviewCookie sets the cookie until a time, or deletes it, and redirects to a target on this
// host.
func (v *visit) setPreviewCookie(token string, until time.Time, to string) int {
	age := until.Sub(v.s.cfg.Now())
	if token == "" {
		age = 0
	}
	h := &v.ctx.Response.Header
	v.cookies().SetFramed(h, previewCookie, token, age)
	h.Set(fasthttp.HeaderLocation, to)
	h.Set(fasthttp.HeaderReferrerPolicy, "no-referrer") // the address is a secret
	v.ctx.SetStatusCode(fasthttp.StatusSeeOther)
	v.keepPrivate()
	return fasthttp.StatusSeeOther
}

// enterDraft replaces the live shop with the draft for a visitor with the cookie. If it
// returns a status other than 0, it has written the response.
func (v *visit) enterDraft() int {
	token := v.cookies().Value(&v.ctx.Request.Header, previewCookie)
	if len(token) == 0 || strings.HasPrefix(v.path, apiPrefix) || strings.HasPrefix(v.path, assetPrefix) {
		return 0
	}
	until, err := v.previewUntil(string(token))
	if err != nil {
		return v.outage(err)
	}
	if until.IsZero() {
		return 0
	}
	v.previewing = true
	if strings.HasPrefix(v.path, shop.FilesPrefix) || strings.HasPrefix(v.path, widthPrefix) || strings.HasPrefix(v.path, filePrefix) {
		return 0
	}
	t := v.s.drafts.get(v.t.company)
	st, err := v.s.latest(v.work(), t)
	if err != nil {
		return v.outage(err)
	}
	t.markUsed(v.s.turn.Load())
	v.t, v.st = t, st
	return 0
}

// sealPreview marks a response of a preview: it is private, and only the admin origin may frame it,
// unless nothing may.
func (v *visit) sealPreview() {
	v.keepPrivate()
	h := &v.ctx.Response.Header
	policy := string(h.Peek(fasthttp.HeaderContentSecurityPolicy))
	if strings.Contains(policy, "frame-ancestors") {
		return
	}
	if policy != "" {
		policy += "; "
	}
	h.Set(fasthttp.HeaderContentSecurityPolicy, policy+"frame-ancestors "+cmp.Or(v.s.cfg.AdminOrigin, "'none'"))
	h.Del(fasthttp.HeaderXFrameOptions) // it cannot name another origin
}

// framed reports whether the response will be shown inside of another page.
func framed(h *fasthttp.RequestHeader) bool {
	switch string(h.Peek("Sec-Fetch-Dest")) {
	case "iframe", "frame", "embed", "object":
		return true
	}
	return false
}

// zoneApart stands for a page of a guarded zone in the frame of a preview. It has neither a form nor
// anything of the visitor.
func (v *visit) zoneApart(z shop.Zone) (int, outcome) {
	body, err := v.drawWithin(render.PageRequest{Kind: render.WantZone, Zone: z}, func(frame render.Page) render.Page {
		page := *frame.(*render.ZonePage)
		page.Apart = true
		return &page
	})
	if err != nil {
		return v.outage(err), cacheNone
	}
	status := v.sendPrivate(fasthttp.StatusForbidden, body)
	v.ctx.Response.Header.Set(fasthttp.HeaderContentSecurityPolicy, zoneScripts)
	v.ctx.Response.Header.Del(drawnHeader)
	return status, cacheNone
}

// stays returns where a redirect of a preview leads: to the same host if it is to any of the
// shop's, because the preview is of this one.
func (v *visit) stays(location string) string {
	host, rest, ok := splitAbsolute([]byte(location))
	if !ok {
		return location
	}
	name, err := hostname.Parse(host)
	ours := slices.ContainsFunc(v.st.site.Shop().Hosts, func(own string) bool { return strings.EqualFold(own, string(name)) })
	if err != nil || !ours || bytes.HasPrefix(rest, []byte("//")) {
		return location
	}
	return string(rest)
}

// ownHost is the host for which addresses are resolved: in a preview the canonical one, so that no
// other host redirects to it.
func (v *visit) ownHost() string {
	if v.previewing {
		return v.st.host
	}
	return view(v.host)
}

// decide asks the compiled site for a decision. In a preview, an unpublished page is found at
// its address by id.
func (v *visit) decide() compile.Decision {
	if path, ok := decodePath(v.path); ok && v.t.draft {
		if site, d, ok := v.st.site.Reveal(path); ok {
			st := v.st
			v.st = &state{site: site, version: st.version, gen: st.gen, host: st.host, closed: st.closed, place: st.place}
			return d
		}
	}
	return v.st.site.Resolve(&v.walk, v.ownHost(), v.target)
}

// latest is the current state of a draft. It fails if the draft cannot be read, instead of
// serving an older state: a preview must show the last edit.
func (s *Server) latest(ctx context.Context, t *tenant) (*state, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.catchUp(ctx, t); err != nil {
		return nil, err
	}
	return t.state.Load(), nil
}

// drawOnce draws a page for one visit without caching it.
func (s *Server) drawOnce(ctx context.Context, t *tenant, st *state, want render.PageRequest) (*entry, error) {
	release, err := t.acquireSlotFor(ctx, want)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.draw(ctx, t, st, want)
}
