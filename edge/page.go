package edge

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/cookie"
	"vitrine/internal/shop"
	"vitrine/render"
)

const htmlType = "text/html; charset=utf-8"

// Cache-Control of what the edge draws (CONTRACT, "Storefront host").
const (
	pageCaching    = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
	sessionCaching = "private, no-cache"
	missingCaching = "no-cache"
	guardedCaching = "private, no-store"
)

// maxPage is the last page of a listing that is asked for.
const maxPage = 10_000

// page answers a live page.
func (v *visit) page(ref compile.PageRef) (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	number := v.number(ref)
	if number > maxPage {
		return v.missing()
	}
	lists := v.listsClosed(ref)
	if lists && !v.inside {
		opened, _, err := v.opens()
		if err != nil {
			return v.outage(err), cacheNone
		}
		v.inside, v.opened = opened != "", opened
	}
	want := render.Want{Page: ref, Number: number, Variant: v.variant(ref), Search: v.search(ref), Remarks: v.remarks(ref), Narrow: v.narrow(ref), Opened: v.opened}
	if want.Search != "" || v.inside {
		return v.found(want)
	}
	first := number > 1 && (v.text(ref) || v.home(ref))
	if first { // it says how many pages there are, so that none is drawn for each number
		want.Number = 1
	}
	e, how, err := v.entry(want)
	if err == nil && e.gone && (want.Variant != "" || want.Remarks != render.RemarksAsked{}) { // an old link shows the product all the same
		want.Variant, want.Remarks = "", render.RemarksAsked{}
		e, how, err = v.entry(want)
	}
	switch {
	case err != nil || !first:
	case number <= e.pages:
		want.Number = number
		e, how, err = v.entry(want)
	case !v.text(ref):
		return v.missing()
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	if v.shortens() && !lists { // the short way asks nobody what he has opened
		v.t.targets.put(v.target, e, e.path, v.st.gen)
	}
	if v.ctx.IsGet() && !v.st.closed {
		e.read()
	}
	v.viewed(e.path)
	return v.send(e), how
}

// listsClosed reports whether a page is an open list of a shop that closes something: who
// has opened what is closed finds it in its list too, on a page drawn for him alone.
func (v *visit) listsClosed(ref compile.PageRef) bool {
	if ref.Entity != compile.EntityCategory || v.invited || !v.st.site.Closes() {
		return false
	}
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return c.Type == compile.TypeProduct || c.Type == compile.TypeNews
}

// send writes an entry as this visitor may have it.
func (v *visit) send(e *entry) int {
	status := e.answer.send(v.ctx, cookie.Session.In(&v.ctx.Request.Header))
	switch {
	case v.private():
		v.keepPrivate()
	case e.once:
		v.keepNowhere()
	}
	return status
}

// keepPrivate marks an answer that is closed to others.
func (v *visit) keepPrivate() {
	v.keepNowhere()
	v.ctx.Response.Header.Set("X-Robots-Tag", "noindex")
}

// keepNowhere marks an answer that was made for one visitor. What search engines may
// do with it, the page says itself.
func (v *visit) keepNowhere() {
	h := &v.ctx.Response.Header
	h.Set(fasthttp.HeaderCacheControl, guardedCaching)
	h.Del("Surrogate-Key")
}

// number is the page of a listing that the query names; only sections have
// pages, so that other pages are not drawn once for each number. A page of text has some
// where a grid of articles stands on it, and is the same for every number where none does.
func (v *visit) number(ref compile.PageRef) int {
	if v.query == "" || ref.Entity == compile.EntityProduct || ref.Entity == compile.EntityArticle {
		return 1
	}
	if n := v.listPage(); n <= maxPage || !v.text(ref) {
		return n
	}
	return 1
}

// text reports whether a page is a section of text.
func (v *visit) text(ref compile.PageRef) bool {
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return ref.Entity == compile.EntityCategory && c.Type == compile.TypePage
}

// home reports whether a page is the first one of the shop.
func (v *visit) home(ref compile.PageRef) bool {
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return ref.Entity == 0 || ref.Entity == compile.EntityCategory && c.Home
}

// listPage is the page number that the query names, 1 where it names none.
func (v *visit) listPage() int {
	text, ok := queryValue(v.query, "page")
	if !ok || len(text) > 9 {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || text[0] == '+' {
		return 1
	}
	return n
}

// maxVariant bounds the name of a variant in an address.
const maxVariant = 64

// variant is what the query chooses on the page of a product.
func (v *visit) variant(ref compile.PageRef) string {
	if v.query == "" || ref.Entity != compile.EntityProduct {
		return ""
	}
	text, _ := queryValue(v.query, "variant")
	name, err := url.QueryUnescape(text)
	if err != nil || len(name) > maxVariant {
		return ""
	}
	return strings.Clone(name)
}

// remarks is which reviews and questions the query of a product's page asks for. One of
// them is turned to a later page at a time, so that a product has few pages.
func (v *visit) remarks(ref compile.PageRef) (asked render.RemarksAsked) {
	if v.query == "" || ref.Entity != compile.EntityProduct {
		return asked
	}
	sort, _ := queryValue(v.query, render.RemarkSort)
	if slices.Contains(render.RemarkSorts[1:], sort) {
		asked.Sort = strings.Clone(sort)
	}
	page := func(name string) int {
		text, _ := queryValue(v.query, name)
		if n, ok := clamped(text, 1, render.MaxRemarkPage); ok && n > 1 {
			return n
		}
		return 0
	}
	if asked.Reviews = page(render.RemarkReviews); asked.Reviews == 0 {
		asked.Questions = page(render.RemarkQuestions)
	}
	return asked
}

// search is what the query looks for on a page that may have articles.
func (v *visit) search(ref compile.PageRef) string {
	if v.query == "" || ref.Entity != compile.EntityCategory {
		return ""
	}
	if c, _ := v.st.site.Category(shop.CategoryID(ref.ID)); c.Type == compile.TypeProduct {
		return ""
	}
	return strings.Clone(render.SearchOf(v.query))
}

// found answers a page with what a visitor is looking for, or one that is closed to
// others. Everybody looks for something else, so it is drawn for this one and not
// kept.
func (v *visit) found(want render.Want) (int, outcome) {
	e, err := v.s.drawOnce(v.work(), v.t, v.st, want)
	if err == nil && e.gone && (want.Variant != "" || want.Number > 1 && v.text(want.Page)) {
		want.Variant, want.Number = "", 1
		e, err = v.s.drawOnce(v.work(), v.t, v.st, want)
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	v.viewed(e.path)
	if e.nothing {
		v.searchedInVain(want.Search)
	}
	status := v.send(e)
	v.keepNowhere()
	if want.Opened != "" {
		v.keepPrivate()
	}
	return status, cacheNone
}

// maxShortcut bounds the targets that are remembered; /a//////… is a spelling
// of /a too.
const maxShortcut = 512

// shortens reports whether the target may be remembered: it was sent to the
// canonical host and has no query but the page number, spelled the usual way.
func (v *visit) shortens() bool {
	if v.st.closed || v.t.draft || len(v.target) > maxShortcut || string(v.host) != v.st.host || strings.Contains(v.target, "#") {
		return false
	}
	if v.query == "" {
		return len(v.target) == len(v.path)
	}
	digits, ok := strings.CutPrefix(v.query, "page=")
	return ok && len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}

// entry returns the page that is wanted: from the cache while it is valid, else
// drawn once for all who wait. While the Source is away a stale one will do.
func (v *visit) entry(want render.Want) (*entry, outcome, error) {
	if v.t.draft {
		e, err := v.s.drawOnce(v.work(), v.t, v.st, want)
		return e, cacheNone, err
	}
	v.name = appendName(v.name[:0], want)
	name := view(v.name)
	hash := v.s.cache.hash(v.t, name)
	old := v.s.cache.find(hash, v.t, name)
	if old != nil && old.fresh(v.st) {
		return old, cacheHit, nil
	}
	e, err := v.s.drawn(v.work(), v.t, v.st, want, string(v.name), hash)
	switch {
	case err == nil:
		return e, cacheMiss, nil
	case old != nil:
		return old, cacheStale, nil
	}
	return nil, cacheNone, err
}

// drawn draws a page and keeps it. The generation is part of the flight's name:
// a visitor who comes after a write never waits for a page begun before it.
func (s *Server) drawn(ctx context.Context, t *tenant, st *state, want render.Want, name string, hash uint64) (*entry, error) {
	flight := "page " + t.company.String() + " " + strconv.FormatUint(st.gen, 10) + " " + name
	found, err := s.flights.do(ctx, flight, func() (any, error) {
		leave, err := t.slotFor(ctx, want)
		if err != nil {
			return nil, err
		}
		defer leave()
		if e := s.cache.find(hash, t, name); e != nil && e.fresh(st) {
			return e, nil // drawn while this one waited
		}
		e, err := s.draw(ctx, t, st, want)
		if err != nil {
			return nil, err
		}
		e.tenant, e.name, e.hash, e.born = t, name, hash, st.gen
		e.views = s.views.of(t.company, want.Page)
		e.seen.Store(st.gen)
		if !e.once && t.ledger.valid(e.keys, e.born) {
			s.cache.put(e, s.cfg.Now())
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*entry), nil
}

// draw asks the Source for a page and prints it.
func (s *Server) draw(ctx context.Context, t *tenant, st *state, want render.Want) (*entry, error) {
	page, keys, err := s.page(ctx, t, st, want)
	if errors.Is(err, shop.ErrNotFound) {
		return &entry{gone: true, keys: append(keys, absentKeys(want)...)}, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := s.print(page)
	if err != nil {
		return nil, err
	}
	e := &entry{keys: keys, answer: pageAnswer(want, keys, body, t.company), nothing: render.FrameOf(page).Nothing, once: render.FrameOf(page).Once, pages: render.FrameOf(page).Pages}
	switch want.Kind {
	case render.WantPage:
		e.path = st.site.URL(want.Page)
	case render.WantSearch:
		e.path = render.SearchPath
	}
	return e, nil
}

// maxSheet is the largest sheet that is kept for the next page.
const maxSheet = 4 << 20

// print draws a page on a sheet that is used again, so that what the cache
// keeps has the page's size and no page pays for the growing of a buffer.
func (s *Server) print(page render.Page) ([]byte, error) {
	sheet := s.sheets.Get().(*[]byte)
	defer s.sheets.Put(sheet)
	draw := render.Append
	if _, json := page.(*render.Suggestions); json {
		draw = render.AppendSuggestions
	}
	drawn, err := draw((*sheet)[:0], page)
	if cap(drawn) <= maxSheet {
		*sheet = drawn
	}
	return bytes.Clone(drawn), err
}

// page asks the Source for a page and hangs its html documents in. The keys are
// what it was made of, also of one that is not there.
func (s *Server) page(ctx context.Context, t *tenant, st *state, want render.Want) (render.Page, []shop.Key, error) {
	content, err := t.source.Content(ctx, st.site, want)
	keys := append([]shop.Key{{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}}, content.Keys...)
	if err != nil {
		return nil, keys, err
	}
	if t.draft {
		render.FrameOf(content.Page).Preview = true // the bar of the preview
	}
	more, err := s.mount(ctx, t, st, want, content)
	return content.Page, unique(append(keys, more...)), err
}

// absentKeys are what could bring a page into being that is not there.
func absentKeys(want render.Want) []shop.Key {
	keys := []shop.Key{{Kind: shop.KeyProducts}, {Kind: shop.KeyDesign}}
	switch want.Page.Entity {
	case compile.EntityCategory:
		keys = append(keys, shop.Key{Kind: shop.KeyCategory, ID: want.Page.ID})
	case compile.EntityProduct:
		keys = append(keys, shop.Key{Kind: shop.KeyProduct, ID: want.Page.ID})
	case compile.EntityArticle:
		keys = append(keys, shop.Key{Kind: shop.KeyArticle, ID: want.Page.ID})
	}
	return keys
}

// appendName spells a want as the name of its entry.
func appendName(dst []byte, want render.Want) []byte {
	dst = append(dst, "page "...)
	dst = strconv.AppendInt(dst, int64(want.Kind), 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(want.Page.Entity), 10)
	dst = strconv.AppendInt(append(dst, '/'), want.Page.ID, 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(want.Number), 10)
	dst = append(append(dst, '/'), want.Zone...)
	if r := want.Remarks; r != (render.RemarksAsked{}) {
		dst = append(append(dst, "/said "...), r.Sort...)
		dst = strconv.AppendInt(append(dst, ' '), int64(r.Reviews), 10)
		dst = strconv.AppendInt(append(dst, ' '), int64(r.Questions), 10)
	}
	if want.Variant != "" {
		dst = append(append(dst, '?'), want.Variant...)
	}
	if want.Narrow != "" {
		dst = append(append(dst, "/narrow "...), want.Narrow...)
	}
	if want.Search != "" {
		dst = append(append(dst, "/search "...), want.Search...)
	}
	return dst
}
