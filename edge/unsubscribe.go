package edge

import (
	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// Reminders of carts name an address at which they end: a mail program posts to it without showing
// anything (RFC 8058), and a visitor who opens it gets a page with a button, because programs that
// check links open them too. Nothing of this is cached.

// unsubscribe answers these addresses.
func (v *visit) unsubscribe(path string) (int, outcome) {
	key := path[len(shop.UnsubscribePrefix):]
	if v.s.cfg.API == nil || key == "" {
		return v.formMissing()
	}
	if !v.ctx.IsPost() {
		if v.st.closed && !v.admitted() {
			return v.showPIN(pinFirst, 0, path), cacheNone
		}
		if status := v.readsOnly(); status != 0 {
			return status, cacheNone
		}
		return v.showUnsubscribe(&render.UnsubscribePage{Key: key})
	}
	visit := v.zoneVisit("", "")
	refused, err := visit.Backend.RefuseReminders(key)
	switch {
	case err != nil:
		return v.outage(err), cacheNone
	case refused != nil && refused.Status == fasthttp.StatusNotFound:
		return v.formMissing()
	case refused != nil:
		return plain(v.ctx, refused.Status), cacheNone
	case v.st.closed && !v.admitted():
		return plain(v.ctx, fasthttp.StatusOK), cacheNone
	}
	return v.showUnsubscribe(&render.UnsubscribePage{Done: true})
}

func (v *visit) showUnsubscribe(page *render.UnsubscribePage) (int, outcome) {
	body, err := v.drawWithin(render.PageRequest{Kind: render.WantForm}, func(frame render.Page) render.Page {
		page.Frame = *render.FrameOf(frame)
		page.Frame.Path = shop.UnsubscribePrefix + page.Key
		return page
	})
	if err != nil {
		return v.outage(err), cacheNone
	}
	return v.sendPrivate(fasthttp.StatusOK, body), cacheNone
}
