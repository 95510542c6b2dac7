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
	"vitrine/internal/span"
	"vitrine/render"
)

const htmlType = "text/html; charset=utf-8"

// Cache-Control of pages that the edge draws (CONTRACT, "Storefront host").
const (
	pageCaching    = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
	sessionCaching = "private, no-cache"
	missingCaching = "no-cache"
	guardedCaching = "private, no-store"
)

// maxPage is the last page of a listing that the Source is asked for.
const maxPage = 10_000

// page answers a live page.
func (v *visit) page(ref compile.PageRef) (int, outcome) {
	if v.t.draft && v.ctx.IsPost() {
		return v.pageAsEdited(ref), cacheNone
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	number := v.number(ref)
	if number > maxPage {
		return v.missing()
	}
	lists := v.listsClosed(ref)
	if lists && !v.inside {
		opened, _, err := v.openedPolicies()
		if err != nil {
			return v.outage(err), cacheNone
		}
		v.inside, v.opened = opened != "", opened
	}
	want := render.PageRequest{Page: ref, Number: number, Variant: v.variant(ref), Search: v.search(ref), Remarks: v.remarks(ref), Narrow: v.narrow(ref), Opened: v.opened}
	if want.Search != "" || v.inside {
		return v.privatePage(want)
	}
	first := number > 1 && (v.isText(ref) || v.isHome(ref))
	if first { // page 1 holds the number of pages, so that no page is drawn for numbers beyond it
		want.Number = 1
	}
	e, how, err := v.entry(want)
	if err == nil && e.gone && (want.Variant != "" || want.Remarks != render.RemarksQuery{}) { // an outdated link still shows the product
		want.Variant, want.Remarks = "", render.RemarksQuery{}
		e, how, err = v.entry(want)
	}
	switch {
	case err != nil || !first:
	case number <= e.pages:
		want.Number = number
		e, how, err = v.entry(want)
	case !v.isText(ref):
		return v.missing()
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	if v.rememberable() && !lists { // the hot path does not check which policies the visitor has opened
		v.t.targets.put(v.target, e, e.path, v.st.gen)
	}
	if v.ctx.IsGet() && !v.st.closed {
		e.countRead()
	}
	v.countView(e.path)
	return v.send(e), how
}

// listsClosed reports whether a page is an open list in a shop that closes something: a
// visitor with access finds the closed items in the list too, on a page drawn individually.
func (v *visit) listsClosed(ref compile.PageRef) bool {
	if ref.Entity != compile.EntityCategory || v.previewing || !v.st.site.HasClosed() {
		return false
	}
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return c.Type == compile.TypeProduct || c.Type == compile.TypeNews
}

// send writes an entry with the caching that applies to this visitor.
func (v *visit) send(e *entry) int {
	status := e.answer.send(v.ctx, cookie.Session.Present(&v.ctx.Request.Header))
	switch {
	case v.private():
		v.keepPrivate()
	case e.once:
		v.noStore()
	}
	return status
}

// keepPrivate marks a response that is closed to others.
func (v *visit) keepPrivate() {
	v.noStore()
	v.ctx.Response.Header.Set("X-Robots-Tag", "noindex")
}

// noStore marks a response made for one visitor. The page itself tells search engines
// whether they may index it.
func (v *visit) noStore() {
	h := &v.ctx.Response.Header
	h.Set(fasthttp.HeaderCacheControl, guardedCaching)
	h.Del(surrogateHeader)
}

// number is the page number in the query. Products and articles have no pages, so that they
// are not drawn once per number. A page of text has several if a grid of articles is on it;
// otherwise it is the same for every number.
func (v *visit) number(ref compile.PageRef) int {
	if v.query == "" || ref.Entity == compile.EntityProduct || ref.Entity == compile.EntityArticle {
		return 1
	}
	if n := v.listPage(); n <= maxPage || !v.isText(ref) {
		return n
	}
	return 1
}

// isText reports whether a page is a section of text.
func (v *visit) isText(ref compile.PageRef) bool {
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return ref.Entity == compile.EntityCategory && c.Type == compile.TypePage
}

// isHome reports whether a page is the home page of the shop.
func (v *visit) isHome(ref compile.PageRef) bool {
	c, _ := v.st.site.Category(shop.CategoryID(ref.ID))
	return ref.Entity == 0 || ref.Entity == compile.EntityCategory && c.Home
}

// listPage is the page number in the query, 1 if there is none.
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

// variant is the variant that the query selects on the page of a product.
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

// remarks are the reviews and questions that the query of a product's page asks for. Only
// one of the two lists can be on a later page at a time, so that a product has few pages.
func (v *visit) remarks(ref compile.PageRef) (asked render.RemarksQuery) {
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

// search are the words that the query searches for on a page that may list articles.
func (v *visit) search(ref compile.PageRef) string {
	if v.query == "" || ref.Entity != compile.EntityCategory {
		return ""
	}
	if c, _ := v.st.site.Category(shop.CategoryID(ref.ID)); c.Type == compile.TypeProduct {
		return ""
	}
	return strings.Clone(render.SearchOf(v.query))
}

// privatePage answers a search, or a page that is closed to others. It is drawn for this
// visitor and not cached: searches differ between visitors.
func (v *visit) privatePage(want render.PageRequest) (int, outcome) {
	e, err := v.s.drawOnce(v.work(), v.t, v.st, want)
	if err == nil && e.gone && (want.Variant != "" || want.Number > 1 && v.isText(want.Page)) {
		want.Variant, want.Number = "", 1
		e, err = v.s.drawOnce(v.work(), v.t, v.st, want)
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	if e.gone {
		return v.missing()
	}
	v.countView(e.path)
	if e.noResults {
		v.countFailedSearch(want.Search)
	}
	status := v.send(e)
	v.noStore()
	if want.Opened != "" {
		v.keepPrivate()
	}
	return status, cacheNone
}

// maxShortcut bounds the length of targets that are remembered; /a//////… is also a
// spelling of /a.
const maxShortcut = 512

// rememberable reports whether the target may be remembered: it was sent to the canonical
// host and has no query but the page number, spelled the usual way.
func (v *visit) rememberable() bool {
	if v.st.closed || v.t.draft || len(v.target) > maxShortcut || string(v.host) != v.st.host || strings.Contains(v.target, "#") {
		return false
	}
	if v.query == "" {
		return len(v.target) == len(v.path)
	}
	digits, ok := strings.CutPrefix(v.query, "page=")
	return ok && len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}

// entry returns a page: from the cache while it is valid, else drawn once for all who wait.
// While the Source is unavailable or answers nothing, it returns a stale entry if there is one.
func (v *visit) entry(want render.PageRequest) (*entry, outcome, error) {
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
	if old != nil && v.s.pulse.stopped() {
		return old, cacheStale, nil
	}
	ctx := v.work()
	if old != nil {
		var stop func()
		ctx, stop = v.s.pulse.during(ctx)
		defer stop()
	}
	e, err := v.s.drawShared(ctx, v.t, v.st, want, string(v.name), hash)
	switch {
	case err == nil:
		return e, cacheMiss, nil
	case old != nil:
		return old, cacheStale, nil
	}
	return nil, cacheNone, err
}

// drawShared draws a page and caches it. The generation is part of the flight's name: a
// request that arrives after a write never waits for a page begun before it.
func (s *Server) drawShared(ctx context.Context, t *tenant, st *state, want render.PageRequest, name string, hash uint64) (*entry, error) {
	flight := "page " + t.company.String() + " " + strconv.FormatUint(st.gen, 10) + " " + name
	found, err := s.flights.Do(ctx, flight, func() (any, error) {
		release, err := t.acquireSlotFor(ctx, want)
		if err != nil {
			return nil, err
		}
		defer release()
		if e := s.cache.find(hash, t, name); e != nil && e.fresh(st) {
			return e, nil // drawn while this request waited for a slot
		}
		e, err := s.draw(ctx, t, st, want)
		if err != nil {
			return nil, err
		}
		e.tenant, e.name, e.hash, e.madeAt = t, name, hash, st.gen
		if want.Page.Entity == compile.EntityArticle {
			e.reads = s.counters.Article(t.company, shop.ArticleID(want.Page.ID))
		}
		e.validAt.Store(st.gen)
		if !e.once && t.ledger.valid(e.keys, e.madeAt) {
			s.cache.put(e, s.cfg.Now())
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*entry), nil
}

// draw reads a page from the Source and renders it.
func (s *Server) draw(ctx context.Context, t *tenant, st *state, want render.PageRequest) (*entry, error) {
	ctx, traced := span.Begin(ctx, "draw page")
	defer traced.End()
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
	e := &entry{keys: keys, answer: pageAnswer(want, keys, body, t.company), noResults: render.FrameOf(page).Nothing, once: render.FrameOf(page).Once, pages: render.FrameOf(page).Pages}
	switch want.Kind {
	case render.WantPage:
		e.path = st.site.URL(want.Page)
	case render.WantSearch:
		e.path = render.SearchPath
	}
	return e, nil
}

// maxPageBuffer is the capacity up to which a buffer is kept for the next page.
const maxPageBuffer = 4 << 20

// print renders a page into a reused buffer, so that the cached copy has exactly the page's
// size and no page pays for growing a buffer.
func (s *Server) print(page render.Page) ([]byte, error) {
	buffer := s.pageBuffers.Get().(*[]byte)
	defer s.pageBuffers.Put(buffer)
	draw := render.Append
	if _, json := page.(*render.Suggestions); json {
		draw = render.AppendSuggestions
	}
	drawn, err := draw((*buffer)[:0], page)
	if cap(drawn) <= maxPageBuffer {
		*buffer = drawn
	}
	return bytes.Clone(drawn), err
}

// page reads a page from the Source and inserts its html documents. The keys are those it
// depends on, also if the page does not exist.
func (s *Server) page(ctx context.Context, t *tenant, st *state, want render.PageRequest) (render.Page, []shop.Key, error) {
	content, err := t.source.Content(ctx, st.site, want)
	keys := append([]shop.Key{{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}}, content.Keys...)
	if err != nil {
		return nil, keys, err
	}
	if t.draft {
		frame := render.FrameOf(content.Page)
		frame.Preview, frame.Cabinet = true, s.cfg.AdminOrigin
	}
	more, err := s.mount(ctx, t, st, want, content)
	return content.Page, unique(append(keys, more...)), err
}

// absentKeys are the keys whose change could create a page that does not exist.
func absentKeys(want render.PageRequest) []shop.Key {
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

// appendName appends the name of the entry of a want.
func appendName(dst []byte, want render.PageRequest) []byte {
	dst = append(dst, "page "...)
	dst = strconv.AppendInt(dst, int64(want.Kind), 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(want.Page.Entity), 10)
	dst = strconv.AppendInt(append(dst, '/'), want.Page.ID, 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(want.Number), 10)
	dst = append(append(dst, '/'), want.Zone...)
	if r := want.Remarks; r != (render.RemarksQuery{}) {
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
