package edge

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/internal/drain"
	"vitrine/internal/hostname"
	"vitrine/internal/shop"
	"vitrine/render"
)

// A form of the shop has its own page, to which form:<id> leads (document 3, 4.6.8). It
// works without scripts: the page posts, the edge passes the values to the API's
// form-leads, which alone decides about them, and the visitor gets the result as a page,
// with everything typed still there. The storefront's script posts the same and gets the
// form alone, with which it replaces the one that was sent. Files are passed to the API
// while they arrive, and the form remembers them when it is shown again.
//
// Query parameters prefill the fields of the same name, so that a link can state its
// subject; they do not tick consents and bring no files. Nothing of this is cached.

// formPost limits what a form may send: what the API accepts, and files.
var formPost = postLimits{
	Fields: 2*lead.MaxFields + 10, Text: 256 << 10, Files: 2 * lead.MaxFiles, File: lead.MaxFile, Body: drain.MaxRefused, Time: 15 * time.Minute,
}

const maxFormFrom = 2000 // bytes of the page address in a lead

// leadForm answers the addresses of forms.
func (v *visit) leadForm(path string) (int, outcome) {
	digits, part := path[len(shop.FormPrefix):], ""
	if i := strings.IndexByte(digits, '/'); i >= 0 {
		digits, part = digits[:i], digits[i:]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || digits != strconv.FormatInt(n, 10) {
		return v.formMissing()
	}
	id := shop.FormID(n)
	if v.st.closed && !v.admitted() {
		return v.showPIN(pinFirst, 0, render.FormPath(id)), cacheNone
	}
	sends := part == "" && v.ctx.IsPost()
	if !sends {
		if status := v.readsOnly(); status != 0 {
			return status, cacheNone
		}
	}
	f, err := v.t.source.Form(v.work(), v.t.company, id)
	if err != nil {
		return v.formFailed(err)
	}
	switch part {
	case "":
		if sends {
			return v.submitForm(f)
		}
		f.Prefill(v.queryValues())
		return v.showForm(fasthttp.StatusOK, &render.FormPage{Form: f, From: v.referringPage(), Token: v.formToken(id)})
	case render.FormThanks:
		return v.showForm(
			fasthttp.StatusOK,
			&render.FormPage{Form: f, State: render.FormSent, From: localAddress(v.queryValues().Get(render.FormFrom))},
		)
	case render.FormDialog:
		f.Prefill(v.queryValues())
		return v.formDialog(f)
	}
	return v.formMissing()
}

func (v *visit) formFailed(err error) (int, outcome) {
	if r, ok := shop.AsRefusal(err); ok && r.Class == shop.NotFound {
		return v.formMissing()
	}
	return v.outage(err), cacheNone
}

// formMissing is the shop's 404 for visitors with access to the shop, else a plain one.
func (v *visit) formMissing() (int, outcome) {
	if v.st.closed && !v.admitted() {
		return v.plainNotFound("")
	}
	return v.missing()
}

// showForm draws a page with a form, or with the result of sending it, in the shop's frame.
func (v *visit) showForm(status int, page *render.FormPage) (int, outcome) {
	body, err := v.drawWithin(render.PageRequest{Kind: render.WantForm}, func(frame render.Page) render.Page {
		page.Frame = *render.FrameOf(frame)
		from, _, _ := strings.Cut(page.From, "?")
		page.Frame.Path, page.Frame.Menu = render.FormPath(page.Form.ID), render.MenuAt(page.Frame.Menu, from) // the menu marks the section of the page that led to the form
		return page
	})
	if err != nil {
		return v.outage(err), cacheNone
	}
	return v.sendPrivate(status, body), cacheNone
}

// formDialog answers with the form alone.
func (v *visit) formDialog(f render.Form) (int, outcome) {
	page := &render.FormPage{Form: f, Frame: render.Frame{Shop: render.ShopOf(v.st.site.Shop())}, Token: v.formToken(f.ID)}
	body, err := render.AppendFormDialog(nil, page)
	if err != nil {
		return v.outage(err), cacheNone
	}
	return v.sendPrivate(fasthttp.StatusOK, body), cacheNone
}

// formAgain answers a form that was not accepted: the form alone for the script, else its
// page.
func (v *visit) formAgain(status int, page *render.FormPage) (int, outcome) {
	if !v.byScript() {
		return v.showForm(status, page)
	}
	page.Frame = render.Frame{Shop: render.ShopOf(v.st.site.Shop())}
	body, err := render.AppendFormAlone(nil, page)
	if err != nil {
		return v.outage(err), cacheNone
	}
	return v.sendPrivate(status, body), cacheNone
}

// byScript reports whether the storefront's script sent the form.
func (v *visit) byScript() bool { return len(v.ctx.Request.Header.Peek("X-Requested-With")) > 0 }

// submitForm handles a form that was sent.
func (v *visit) submitForm(f render.Form) (int, outcome) {
	page := &render.FormPage{Form: f}
	files := uploads{}
	sent, err := v.readPost(formPost, func(file *sentFile) error { return v.uploadFile(&f, file, files) })
	if err != nil {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	page.From, page.Token = localAddress(sent.Get(render.FormFrom)), sent.Get(render.FormToken)
	if string(v.ctx.Request.Header.Peek("X-Requested-With")) == render.FormInPlace {
		page.Place = render.FormInPlace
	}
	page.Form.Fill(sent)
	status := files.apply(page)
	if status == 0 {
		status, page.State = v.sendLead(page, sent)
	}
	if page.Token == "" {
		page.Token = v.formToken(f.ID) // for the form that is shown again
	}
	switch {
	case status == fasthttp.StatusOK:
		return v.formAccepted(page)
	case status == fasthttp.StatusNotFound:
		return v.formMissing()
	case status == fasthttp.StatusTooManyRequests || status == fasthttp.StatusServiceUnavailable:
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "60")
	}
	return v.formAgain(status, page)
}

// formAccepted sends the visitor to the page that the form names, or to the thanks.
func (v *visit) formAccepted(page *render.FormPage) (int, outcome) {
	to := page.Form.Leads()
	switch {
	case v.byScript():
		if to != "" {
			v.ctx.Response.Header.Set("X-Location", to)
		}
		return v.sendPrivate(fasthttp.StatusOK, nil), cacheNone
	case to == "":
		to = render.FormPath(page.Form.ID) + render.FormThanks + "?" + url.Values{render.FormFrom: {page.From}}.Encode()
	}
	return v.seeOther(to), cacheNone
}

// queryValues are the values of the query; none if it cannot be parsed.
func (v *visit) queryValues() url.Values {
	values, err := url.ParseQuery(v.query)
	if err != nil {
		return nil
	}
	return values
}

// referringPage is the page of this shop from which the visitor followed a link, with its
// query; "" for any other referrer.
func (v *visit) referringPage() string {
	u, err := url.Parse(string(v.ctx.Request.Header.Referer()))
	if err != nil {
		return ""
	}
	host, err := hostname.Parse([]byte(u.Host))
	if err != nil || string(host) != string(v.host) {
		return ""
	}
	return localAddress(u.RequestURI())
}

// localAddress returns an address on this host unchanged, "" for anything else.
func localAddress(address string) string {
	if local := localPath(address); local == address && len(local) <= maxFormFrom {
		return local
	}
	return ""
}
