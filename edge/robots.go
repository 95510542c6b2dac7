package edge

import (
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// robots answers /robots.txt. A closed shop disallows crawling.
func (v *visit) robots() int {
	return v.ownText(render.RobotsTxt(v.st.site.Shop().Origin, v.st.closed))
}

// llmsPath is where programs look for what they should read first. The owner's own file goes before
// the platform's.
const llmsPath = "/llms.txt"

// ownText answers a text that the platform makes of the shop.
func (v *visit) ownText(body []byte) int {
	if status := v.readsOnly(); status != 0 {
		return status
	}
	a := &answer{mime: "text/plain; charset=utf-8", tag: tagOf(body), caching: "public, max-age=300",
		fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {surrogateHeader, surrogates([]shop.Key{{Kind: shop.KeyShop}}, v.t.company)}}}
	if v.st.closed {
		a.caching = "no-cache"
	}
	return a.finish(body).send(v.ctx, false)
}

// sitemap answers /sitemap.xml, and its parts in a large shop. It is cached like a page and
// made again when an address may have changed.
func (v *visit) sitemap(string) (int, outcome) {
	part := 0
	if text, ok := queryValue(v.query, "page"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
		}
		part = n
	}
	if v.t.draft {
		e := drawSitemap(v.st, part)
		if e == nil {
			return v.plainNotFound("")
		}
		return e.answer.send(v.ctx, false), cacheNone
	}
	name := "sitemap " + strconv.Itoa(part)
	hash := v.s.cache.hash(v.t, name)
	if e := v.s.cache.find(hash, v.t, name); e != nil && e.fresh(v.st) {
		return e.answer.send(v.ctx, false), cacheHit
	}
	t, st, s := v.t, v.st, v.s
	found, err := s.flights.Do(v.work(), name+" "+t.company.String()+" "+strconv.FormatUint(st.gen, 10), func() (any, error) {
		e := drawSitemap(st, part)
		if e == nil {
			return nil, shop.ErrNotFound
		}
		e.tenant, e.name, e.hash, e.madeAt = t, name, hash, st.gen
		e.validAt.Store(st.gen)
		s.cache.put(e, s.cfg.Now())
		return e, nil
	})
	if err != nil {
		return v.fail(err)
	}
	return found.(*entry).answer.send(v.ctx, false), cacheMiss
}

// drawSitemap draws /sitemap.xml (part 0), which is an index of parts if it would have too many
// addresses, or a part. It returns nil if there is no such part.
func drawSitemap(st *state, part int) *entry {
	site, origin := st.site.ViewFor(""), st.site.Shop().Origin
	parts := site.ListedParts(render.SitemapLimit)
	if part > parts {
		return nil
	}
	var body []byte
	if part == 0 && parts > 1 {
		body = render.SitemapIndex(origin, parts)
	} else {
		body = render.Sitemap(origin, site.Listed(max(part-1, 0), render.SitemapLimit))
	}
	keys := []shop.Key{{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}, {Kind: shop.KeyProduct}, {Kind: shop.KeyArticle}, {Kind: shop.KeyFiles}, {Kind: shop.KeyRules}}
	return &entry{
		keys: keys,
		answer: (&answer{mime: "application/xml", tag: tagOf(body), caching: "public, max-age=300", packs: true,
			fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {surrogateHeader, surrogates(keys, st.site.Shop().ID)}}}).finish(body),
	}
}
