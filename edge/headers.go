package edge

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// safety is what every page tells browsers: the type is as declared, other
// sites learn no more than the origin, and no other site may frame a page.
var safety = []field{
	{fasthttp.HeaderXContentTypeOptions, "nosniff"},
	{fasthttp.HeaderReferrerPolicy, "strict-origin-when-cross-origin"},
	{fasthttp.HeaderXFrameOptions, "SAMEORIGIN"},
}

// drawn says that the edge itself drew a page, which the storefront's script asks
// before it puts anything into the page that a visitor is on: what stands there
// runs with the visitor's session. No answer that serves something uploaded may
// have it.
var drawn = append(slices.Clip(safety), field{drawnHeader, "drawn"})

const drawnHeader = "X-Vitrine-Page"

// guarding lets no script run where people pay and log in but the files of this
// host, of which the storefront's is the only one that a guarded page names. What
// a document brings is taken out before (document 3, 4.6.6); this holds if one
// day something is overlooked. No page frames them or keeps hold of their window.
var guarding = []field{
	safety[0],
	{fasthttp.HeaderReferrerPolicy, "origin"},
	{fasthttp.HeaderXFrameOptions, "DENY"},
	{openerHeader, "same-origin"},
	{fasthttp.HeaderContentSecurityPolicy, "script-src 'self'; base-uri 'none'; " + noFrames},
}

const openerHeader = "Cross-Origin-Opener-Policy"

const noFrames = "frame-ancestors 'none'"

// unframed keeps an answer out of frames and out of reach of the window that opened
// it: a page of the shop's owner is of the same origin, so it would read what the
// visitor types there. It holds for the guarded zones, the API and the pages that
// ask for a secret. Their addresses may carry one too, such as the key of an order:
// the owner's pages learn the origin alone, from the referrer and from the history.
func unframed(h *fasthttp.ResponseHeader) {
	if string(h.Peek(fasthttp.HeaderReferrerPolicy)) != "no-referrer" {
		h.Set(fasthttp.HeaderReferrerPolicy, "origin")
	}
	h.Set(fasthttp.HeaderXFrameOptions, "DENY")
	h.Set(openerHeader, "same-origin")
	policy := string(h.Peek(fasthttp.HeaderContentSecurityPolicy))
	switch {
	case policy == "":
		policy = noFrames
	case !strings.Contains(policy, "frame-ancestors"):
		policy += "; " + noFrames
	}
	h.Set(fasthttp.HeaderContentSecurityPolicy, policy)
}

// maxSurrogates bounds the keys in one header; a page built from more is
// covered by the collective ones, which come first.
const maxSurrogates = 100

// pageAnswer is a page ready to be sent.
func pageAnswer(want render.Want, keys []shop.Key, body []byte, company shop.CompanyID) *answer {
	a := &answer{mime: htmlType, packs: true}
	if want.Kind == render.WantMissing {
		a.status, a.caching = fasthttp.StatusNotFound, missingCaching
	} else {
		a.tag, a.caching, a.private = tagOf(body), pageCaching, sessionCaching
	}
	if want.Guarded() {
		a.tag, a.caching, a.private, a.fields = "", guardedCaching, "", guarding
		return a.finish(body)
	}
	named := field{"Surrogate-Key", surrogates(keys, company)}
	if want.Kind == render.WantFeed {
		a.mime, a.fields = "application/rss+xml; charset=utf-8", append(slices.Clip(safety), named)
		return a.finish(body)
	}
	if want.Kind == render.WantSuggest {
		a.mime = "application/json"
		a.fields = []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {"X-Robots-Tag", "noindex"}, named}
		return a.finish(body)
	}
	a.fields = append(slices.Clip(drawn), named)
	return a.finish(body)
}

// secluded is unframed for a page that is always loaded in full: the storefront's
// script may not put it into the page that the visitor is on.
func secluded(h *fasthttp.ResponseHeader) {
	unframed(h)
	h.Del(drawnHeader)
}

// surrogates names what an answer was built from, for a cache in front. A key
// means the same in every shop, so the shop's own name stands with them.
func surrogates(keys []shop.Key, company shop.CompanyID) string {
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(a, b shop.Key) int {
		switch {
		case a.ID == 0 && b.ID != 0:
			return -1
		case a.ID != 0 && b.ID == 0:
			return 1
		}
		return 0
	})
	var b strings.Builder
	b.WriteString("company-" + company.String())
	for _, k := range sorted[:min(len(sorted), maxSurrogates)] {
		b.WriteByte(' ')
		b.WriteString(k.String())
	}
	return b.String()
}

// unique drops repeated keys and keeps the order.
func unique(keys []shop.Key) []shop.Key {
	seen := make(map[shop.Key]bool, len(keys))
	return slices.DeleteFunc(keys, func(k shop.Key) bool {
		was := seen[k]
		seen[k] = true
		return was
	})
}
