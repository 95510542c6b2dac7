package edge

import (
	"context"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
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
		return v.setPreviewCookie("", time.Time{})
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
	return v.setPreviewCookie(token, until)
}

// previewUntil is the time until which a token opens the draft of this shop; zero if it
// does not.
func (v *visit) previewUntil(token string) (until time.Time, err error) {
	if v.s.cfg.Draft == nil || v.s.cfg.Preview == nil {
		return until, nil
	}
	return v.s.cfg.Preview(v.work(), v.t.company, token)
}

// setPreviewCookie sets the cookie until a time, or deletes it, and redirects to the home
// page.
func (v *visit) setPreviewCookie(token string, until time.Time) int {
	age := until.Sub(v.s.cfg.Now())
	if token == "" {
		age = 0
	}
	h := &v.ctx.Response.Header
	v.cookies().SetFramed(h, previewCookie, token, age)
	h.Set(fasthttp.HeaderLocation, "/")
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
	t.markUsed()
	v.t, v.st = t, st
	return 0
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
