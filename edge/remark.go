package edge

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/edge/zone"
	"vitrine/internal/drain"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Reviews and questions about a product are sent from its page, which is cached and the
// same for everybody. The form posts to its own page, which works without scripts: the API
// is called as the visitor (package zone), 303 leads to the thanks, and a refused form is
// shown again as it was typed, with the pictures that have arrived. Nothing of this is
// cached. The storefront's script sends the same form and replaces it with the response.

// remarkLimits bound a post. They exceed the limits for reviews, so that too many or too
// large pictures are reported on the page.
var remarkLimits = postLimits{Fields: 20, Text: 128 << 10, Files: 20, File: 10 << 20, Body: drain.MaxRefused, Time: 15 * time.Minute}

// remark answers the addresses of reviews and questions.
func (v *visit) remark(path string) (int, outcome) {
	question := strings.HasPrefix(path, shop.QuestionPrefix)
	rest := strings.TrimPrefix(strings.TrimPrefix(path, shop.QuestionPrefix), shop.ReviewPrefix)
	digits, part, _ := strings.Cut(rest, "/")
	n, ok := idOf(digits, 32)
	if !ok || len(digits) < len(rest) && "/"+part != render.ThanksPath {
		return v.formMissing()
	}
	if v.st.closed && !v.admitted() {
		return v.showPIN(pinFirst, 0, "/"), cacheNone
	}
	if v.s.cfg.API == nil {
		return v.missing()
	}
	visit := v.zoneVisit("", "")
	said := zone.Remark{Product: shop.ProductID(n), Question: question}
	if part == "" && v.ctx.IsPost() {
		return v.submitRemark(visit, &said)
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	page := render.RemarkPage{Sent: part != ""}
	if part == "" {
		var err error
		if page.Who, page.Before, err = visit.OwnReview(&said); err != nil {
			return v.outage(err), cacheNone
		}
	}
	return v.showRemark(fasthttp.StatusOK, visit, &said, page)
}

// idOf reads an id in its canonical spelling.
func idOf(digits string, bits int) (int64, bool) {
	n, err := strconv.ParseInt(digits, 10, bits)
	return n, err == nil && n > 0 && digits == strconv.FormatInt(n, 10)
}

// submitRemark handles a post. Pictures are passed to the API while they arrive.
func (v *visit) submitRemark(visit *zone.Visit, said *zone.Remark) (int, outcome) {
	var trouble render.FormError
	var sent []render.RemarkPhoto
	var away error
	form, err := v.readPost(remarkLimits, func(f *sentFile) (err error) {
		switch {
		case f.Field != render.RemarkPhotos || said.Question || trouble.Code != "":
			return nil // ignored
		case len(sent) == shop.MaxReviewPhotos:
			trouble = render.FormError{Code: "PHOTOS_MANY", Field: render.RemarkPhotos}
			return nil
		}
		id, wrong, err := visit.Photo(f.Body)
		switch {
		case f.TooLarge():
			trouble = render.FormError{Code: "FILE_TOO_LARGE", Field: render.RemarkPhotos}
		case err != nil:
			away = err
			return err
		case wrong.Code != "":
			trouble = wrong
		default:
			sent = append(sent, render.RemarkPhoto{ID: id})
		}
		return nil
	})
	switch {
	case away != nil:
		return v.outage(away), cacheNone
	case err != nil:
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	case form.Get(render.RemarkTrap) != "": // a robot: thank it and store nothing
		return v.seeOther(render.RemarkPath(said.Product, said.Question) + render.ThanksPath), cacheNone
	}
	value := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	said.RemarkInput = render.RemarkInput{Author: value(render.RemarkAuthor), Text: value(render.RemarkText), Pros: value(render.RemarkPros), Cons: value(render.RemarkCons)}
	said.Rating, _ = strconv.Atoi(value(render.RemarkRating)) // 0 if none was chosen
	for _, id := range form[render.RemarkKept] {
		if uuid.Validate(id) == nil && len(said.Photos) < shop.MaxReviewPhotos {
			said.Photos = append(said.Photos, render.RemarkPhoto{ID: id})
		}
	}
	said.Photos = append(said.Photos, sent...)
	status := fasthttp.StatusBadRequest
	if trouble.Code == "" {
		if trouble, status, err = visit.SendRemark(said); err != nil {
			return v.outage(err), cacheNone
		}
	}
	if trouble.Code == "" {
		v.keepSession(visit)
		return v.seeOther(render.RemarkPath(said.Product, said.Question) + render.ThanksPath), cacheNone
	}
	return v.refusedRemark(status, visit, said, trouble)
}

// refusedRemark shows the refused form again, with the reason.
func (v *visit) refusedRemark(status int, visit *zone.Visit, said *zone.Remark, trouble render.FormError) (int, outcome) {
	if status == fasthttp.StatusTooManyRequests {
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "60")
	}
	typed := said.RemarkInput
	page := render.RemarkPage{Trouble: trouble}
	var err error
	if page.Who, page.Before, err = visit.OwnReview(said); err != nil {
		return v.outage(err), cacheNone
	}
	had := said.Photos
	for i, p := range typed.Photos {
		if at := slices.IndexFunc(had, func(h render.RemarkPhoto) bool { return h.ID == p.ID }); at >= 0 {
			typed.Photos[i].Path = had[at].Path
		}
	}
	if len(typed.Photos) > shop.MaxReviewPhotos {
		typed.Photos = typed.Photos[:shop.MaxReviewPhotos]
	}
	said.RemarkInput = typed
	return v.showRemark(status, visit, said, page)
}

// keepSession sets the cookies of a session that the API has opened or ended.
func (v *visit) keepSession(visit *zone.Visit) {
	for _, line := range visit.Backend.Cookies() {
		v.ctx.Response.Header.Add(fasthttp.HeaderSetCookie, line)
	}
}

// showRemark draws the page, or for our script only the part it asked for.
func (v *visit) showRemark(status int, visit *zone.Visit, said *zone.Remark, page render.RemarkPage) (int, outcome) {
	release, err := v.t.acquireSlot(v.work())
	if err != nil {
		return v.outage(err), cacheNone
	}
	defer release()
	opened, _, err := v.openedPolicies()
	if err != nil {
		return v.outage(err), cacheNone
	}
	want := render.PageRequest{Kind: render.WantRemark, Page: compile.PageRef{Entity: compile.EntityProduct, ID: int64(said.Product)}, Opened: opened}
	around, _, err := v.s.page(v.work(), v.t, v.st, want)
	if err != nil {
		return v.formFailed(err)
	}
	of := around.(*render.RemarkPage)
	page.Frame, page.Product, page.Remarks = of.Frame, of.Product, of.Remarks
	page.Question, page.Typed = said.Question, said.RemarkInput
	v.keepSession(visit)
	var body []byte
	if len(v.ctx.Request.Header.Peek("X-Requested-With")) > 0 {
		body, err = render.AppendRemarkForm(nil, &page)
	} else {
		body, err = v.s.print(&page)
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	return v.sendPrivate(status, body), cacheNone
}

// helpful records the vote of a visitor without scripts and redirects back to the page.
func (v *visit) helpful(path string) (int, outcome) {
	n, ok := idOf(path[len(shop.HelpfulPrefix):], 64)
	if !ok || v.s.cfg.API == nil || v.st.closed && !v.admitted() {
		return v.formMissing()
	}
	if !v.ctx.IsPost() {
		return v.refuseMethod("POST"), cacheNone
	}
	form, ok := v.readForm(zone.MaxForm)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest), cacheNone
	}
	visit := v.zoneVisit("", "")
	status, err := visit.Helpful(shop.RemarkID(n))
	switch {
	case err != nil:
		return v.outage(err), cacheNone
	case status == fasthttp.StatusNotFound:
		return v.formMissing()
	}
	v.keepSession(visit)
	back := localAddress(form.Get(render.FormFrom))
	if back == "" {
		back = "/"
	}
	return v.seeOther(back + "#review-" + strconv.FormatInt(n, 10)), cacheNone
}
