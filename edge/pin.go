package edge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/budget"
	"vitrine/internal/cookie"
	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/render"
)

// A closed shop requires a PIN and is hidden from crawlers (document 3, section 5). The
// right PIN sets a cookie that opens this shop for some hours.

const (
	pinValid   = 12 * time.Hour
	maxPINBody = 4 << 10
	maxPIN     = 64
)

// pinAsk is why the PIN page is shown.
type pinAsk uint8

const (
	pinFirst pinAsk = iota
	pinWrong
	pinWait
)

// showPIN answers the PIN page, which shows nothing of the shop but its name.
func (v *visit) showPIN(why pinAsk, wait time.Duration, next string) int {
	page := &render.PinPage{
		Frame:  render.Frame{Shop: render.ShopOf(v.st.site.Shop()), Path: "/"},
		Action: pinPath, Next: localPath(next), Wrong: why == pinWrong, Wait: wait,
	}
	page.SEO.NoIndex, page.NoCookies = true, v.cookies() == cookie.None
	return v.sendClosed(page, why)
}

// sendClosed answers with the page that asks for a PIN or password.
func (v *visit) sendClosed(page render.Page, why pinAsk) int {
	body, err := v.s.print(page)
	if err != nil {
		return v.outage(err)
	}
	status := fasthttp.StatusForbidden
	if why == pinWait {
		status = fasthttp.StatusTooManyRequests
	}
	defer secluded(&v.ctx.Response.Header)
	return v.sendPrivate(status, body)
}

// sendPrivate answers a page drawn for this visitor only.
func (v *visit) sendPrivate(status int, body []byte) int {
	v.ctx.SetStatusCode(status)
	v.ctx.SetContentType(htmlType)
	for _, x := range drawnFields {
		v.ctx.Response.Header.Set(x.name, x.value)
	}
	v.keepPrivate()
	v.ctx.SetBody(body)
	return status
}

// enterPIN handles the form of the PIN page.
func (v *visit) enterPIN() int {
	if !v.ctx.IsPost() {
		return v.refuseMethod("POST")
	}
	form, ok := v.readForm(maxPINBody)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest)
	}
	next := localPath(form.Get("next"))
	if v.st.closed {
		pin := strings.TrimSpace(form.Get("pin"))
		if pin == "" || len(pin) > maxPIN {
			return v.showPIN(pinWrong, 0, next)
		}
		who := visitor{lock{v.t.company, 0}, v.client().Network()}
		right, wait, err := v.s.pins.try(v.work(), who, func() (bool, error) { return v.s.cfg.Source.CheckPIN(v.work(), v.t.company, pin) })
		switch {
		case err != nil:
			return v.outage(err)
		case wait > 0:
			v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(budget.Seconds(wait)))
			return v.showPIN(pinWait, wait, next)
		case !right:
			return v.showPIN(pinWrong, 0, next)
		}
		v.admit()
	}
	return v.seeOther(next)
}

// seeOther redirects to a page after a form of ours was accepted.
func (v *visit) seeOther(path string) int {
	v.ctx.SetStatusCode(fasthttp.StatusSeeOther)
	v.ctx.Response.Header.Set(fasthttp.HeaderLocation, path)
	v.ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	return fasthttp.StatusSeeOther
}

// readForm reads a post of one of our forms. It returns false if the post is too large or
// malformed.
func (v *visit) readForm(most int) (url.Values, bool) {
	raw, ok := v.readBody(most)
	if !ok {
		return nil, false
	}
	form, err := url.ParseQuery(string(raw))
	return form, err == nil
}

// readBody returns the body of the request, or false if it is too large or ends too early.
func (v *visit) readBody(most int) ([]byte, bool) {
	var raw []byte
	defer v.endWork() // receiving the body must not use up the time for the work
	if stream := v.ctx.RequestBodyStream(); stream != nil {
		var err error
		if raw, err = io.ReadAll(io.LimitReader(stream, int64(most)+1)); err != nil {
			return nil, false
		}
	} else {
		raw = v.ctx.Request.Body()
	}
	return raw, len(raw) <= most
}

// localPath returns untrusted input if browsers resolve it to a path on the same host, and
// "/" otherwise.
func localPath(next string) string {
	if next == "" || next[0] != '/' || len(next) > 2048 || len(next) > 1 && next[1] == '/' {
		return "/"
	}
	for i := 0; i < len(next); i++ {
		if next[i] <= ' ' || next[i] >= 0x7f || next[i] == '\\' {
			return "/"
		}
	}
	return strings.Clone(next)
}

// admit sets the PIN cookie.
func (v *visit) admit() {
	until := v.s.cfg.Now().Add(pinValid).Unix()
	value := strconv.FormatInt(until, 10) + "." + v.s.pinMark(v.t.company, v.st.site.Shop().PIN, until)
	v.cookies().Set(&v.ctx.Response.Header, pinCookie, value, pinValid)
}

// admitted reports whether the visitor has entered the PIN, or previews the draft: the link
// of a preview was signed for a member of the shop's staff.
func (v *visit) admitted() bool {
	if v.previewing {
		return true
	}
	value := string(v.cookies().Value(&v.ctx.Request.Header, pinCookie))
	text, mark, ok := strings.Cut(value, ".")
	if !ok {
		return false
	}
	until, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v.s.cfg.Now().Unix() >= until {
		return false
	}
	return hmac.Equal([]byte(mark), []byte(v.s.pinMark(v.t.company, v.st.site.Shop().PIN, until)))
}

// secure reports whether the visitor came by https: always if the shop's address is https,
// else if a trusted proxy says so.
func (v *visit) secure() bool {
	return strings.HasPrefix(v.st.site.Shop().Origin, "https://") || v.client().HTTPS
}

// client is the address and protocol that the visitor came with.
func (v *visit) client() forwarded.Client { return v.s.cfg.Proxies.Client(v.ctx) }

// cookies is the rule for cookies of this visitor.
func (v *visit) cookies() cookie.Rule { return cookie.For(v.secure(), view(v.host)) }

var pinCookie = cookie.Named("vitrine-pin")

// pinMark signs a cookie for a shop, its current PIN (compile.Shop.PIN), and an expiry
// time: changing the PIN invalidates the cookies of the old one.
func (s *Server) pinMark(company shop.CompanyID, pin string, until int64) string {
	mac := hmac.New(sha256.New, s.cfg.Secret)
	mac.Write([]byte("pin " + company.String() + " " + pin + " " + strconv.FormatInt(until, 10))) // never fails (hash.Hash)
	return hex.EncodeToString(mac.Sum(nil))
}
