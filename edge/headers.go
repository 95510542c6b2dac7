package edge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// safety is on every page: the type is as declared, other sites learn only the origin, and
// no other site may frame a page.
var safety = []field{
	{fasthttp.HeaderXContentTypeOptions, "nosniff"},
	{fasthttp.HeaderReferrerPolicy, "strict-origin-when-cross-origin"},
	{fasthttp.HeaderXFrameOptions, "SAMEORIGIN"},
}

// drawnFields mark a page that the edge itself drew. The storefront's script requires the
// mark before it inserts anything into the current page, because inserted content runs with
// the visitor's session. No response with uploaded content may have it.
var drawnFields = append(slices.Clip(safety), field{drawnHeader, "drawn"})

const drawnHeader = "X-Vitrine-Page"

// guarding restricts the pages where people pay and log in: the only scripts that run are
// files of this host, of which a guarded page names the storefront's alone. Scripts of
// documents are removed before (document 3, 4.6.6); this policy covers oversights. No page
// may frame these pages or keep a reference to their window.
var guarding = []field{
	safety[0],
	{fasthttp.HeaderReferrerPolicy, "origin"},
	{fasthttp.HeaderXFrameOptions, "DENY"},
	{openerHeader, "same-origin"},
	{fasthttp.HeaderContentSecurityPolicy, zoneScripts + "; " + noFrames},
}

const zoneScripts = "script-src 'self'; base-uri 'none'"

const openerHeader = "Cross-Origin-Opener-Policy"

const noFrames = "frame-ancestors 'none'"

// unframed keeps a response out of frames and out of reach of the window that opened it: a
// page of the shop's owner has the same origin, so it could read what the visitor types. It
// applies to the guarded zones, the API and the pages that ask for a secret. Their
// addresses may contain a secret too, such as the key of an order: the owner's pages get
// only the origin, from the referrer and from the history.
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

// maxSurrogates bounds the keys in one header. A page with more is covered by the
// collective keys, which come first.
const maxSurrogates = 100

// pageAnswer makes the answer of a page.
func pageAnswer(want render.PageRequest, keys []shop.Key, body []byte, company shop.CompanyID) *answer {
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
	named := field{surrogateHeader, surrogates(keys, company)}
	if want.Kind == render.WantFeed {
		a.mime, a.fields = "application/rss+xml; charset=utf-8", append(slices.Clip(safety), named)
		return a.finish(body)
	}
	if want.Kind == render.WantSuggest {
		a.mime = "application/json"
		a.fields = []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {"X-Robots-Tag", "noindex"}, named}
		return a.finish(body)
	}
	a.fields = append(slices.Clip(drawnFields), named)
	return a.finish(body)
}

// secluded is unframed for a page that is always loaded in full: it removes the mark, so
// that the storefront's script does not insert the page into the current one.
func secluded(h *fasthttp.ResponseHeader) {
	unframed(h)
	h.Del(drawnHeader)
}

const surrogateHeader = "Surrogate-Key"

// surrogates lists the surrogate keys of a response, for a cache in front: the collective ones
// first, in an order that does not depend on the order of reads.
func surrogates(keys []shop.Key, company shop.CompanyID) string {
	sorted := slices.SortedFunc(slices.Values(keys), func(a, b shop.Key) int {
		return cmp.Or(cmp.Compare(min(a.ID, 1), min(b.ID, 1)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	var b strings.Builder
	b.WriteString(shop.AllSurrogates + " " + shop.Surrogate(company))
	for _, k := range sorted[:min(len(sorted), maxSurrogates)] {
		b.WriteByte(' ')
		b.WriteString(k.Surrogate(company))
	}
	return b.String()
}

// tagForCache repeats the surrogate keys in the form that Cloudflare reads.
func tagForCache(h *fasthttp.ResponseHeader) {
	if names := h.Peek(surrogateHeader); len(names) > 0 {
		h.SetBytesV("Cache-Tag", bytes.ReplaceAll(names, []byte{' '}, []byte{','}))
	}
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
