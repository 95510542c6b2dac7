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

// A preview is the storefront as the shop's draft has it. The people of the
// shop get a signed address from the API; opening it sets a cookie on the
// shop's host, and with the cookie every page of the host is drawn from the
// draft, which is read again whenever it was written. Such answers are private,
// hidden from crawlers and never cached here, they count neither misses nor hits
// of rules, and they carry a bar with the way out. Media, pictures and the API
// have no draft. The link opens a shop behind a PIN too.
//
// The token in the cookie is checked at each visit, so a preview ends with its
// time and with the access of who gave it; the visitor sees the live shop then.

const previewPrefix = "/_vitrine/preview/" // before the token

var previewCookie = cookie.Named("vitrine-preview")

// preview answers the signed addresses and the form that leaves. What is no
// valid token looks like any address that is not there.
func (v *visit) preview(path string) int {
	if path == render.LeavePreview {
		if !v.ctx.IsPost() {
			return v.refuseMethod("POST")
		}
		return v.keepCookie("", time.Time{})
	}
	if status := v.readsOnly(); status != 0 {
		return status
	}
	token := strings.Clone(path[len(previewPrefix):])
	until, err := v.invitation(token)
	if err != nil {
		return v.outage(err)
	}
	if until.IsZero() {
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	return v.keepCookie(token, until)
}

// invitation is until when a token opens the draft of this shop.
func (v *visit) invitation(token string) (until time.Time, err error) {
	if v.s.cfg.Draft == nil || v.s.cfg.Preview == nil {
		return until, nil
	}
	return v.s.cfg.Preview(v.work(), v.t.company, token)
}

// keepCookie sets the cookie until a time, or ends it, and goes on to the home
// page.
func (v *visit) keepCookie(token string, until time.Time) int {
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

// enterDraft puts the draft in the place of the live shop for a visitor with the
// cookie. A status other than 0 has been answered.
func (v *visit) enterDraft() int {
	token := v.cookies().Of(&v.ctx.Request.Header, previewCookie)
	if len(token) == 0 || strings.HasPrefix(v.path, apiPrefix) || strings.HasPrefix(v.path, assetPrefix) {
		return 0
	}
	until, err := v.invitation(string(token))
	if err != nil {
		return v.outage(err)
	}
	if until.IsZero() {
		return 0
	}
	v.invited = true
	if strings.HasPrefix(v.path, shop.FilesPrefix) || strings.HasPrefix(v.path, widthPrefix) || strings.HasPrefix(v.path, filePrefix) {
		return 0
	}
	t := v.s.drafts.get(v.t.company)
	st, err := v.s.latest(v.work(), t)
	if err != nil {
		return v.outage(err)
	}
	t.use()
	v.t, v.st = t, st
	return 0
}

// latest is the state of a draft now. One that cannot be read is not served as
// it was: who previews wants to see the last edit.
func (s *Server) latest(ctx context.Context, t *tenant) (*state, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.catchUp(ctx, t); err != nil {
		return nil, err
	}
	return t.state.Load(), nil
}

// drawOnce draws a page for one visit: of a draft, or with what a visitor is
// looking for.
func (s *Server) drawOnce(ctx context.Context, t *tenant, st *state, want render.Want) (*entry, error) {
	leave, err := t.slotFor(ctx, want)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.draw(ctx, t, st, want)
}
