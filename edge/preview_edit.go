package edge

import (
	"encoding/json"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
	"vitrine/render"
)

// maxUnsaved bounds the blocks that somebody edits at once: sixteen of the largest.
const maxUnsaved = 1 << 20

// pageAsEdited answers a page of the preview with blocks as the cabinet is about to save them. The
// cabinet hands them to the script of the page in its frame, which posts them to the page's own
// address: a JSON object of sections by the ids of blocks. Nothing is stored. Pages of other sites
// cannot post this: browsers name the sender, and send JSON across sites only if a preflight allows it.
func (v *visit) pageAsEdited(ref compile.PageRef) int {
	h := &v.ctx.Request.Header
	kind, _, _ := strings.Cut(string(h.ContentType()), ";")
	if string(h.Peek("Sec-Fetch-Site")) != "same-origin" || kind != "application/json" {
		return plain(v.ctx, fasthttp.StatusForbidden)
	}
	raw, ok := v.readBody(maxUnsaved)
	if !ok {
		return plain(v.ctx, fasthttp.StatusRequestEntityTooLarge)
	}
	var blocks map[shop.BlockID][]json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return plain(v.ctx, fasthttp.StatusBadRequest)
	}
	for _, sections := range blocks {
		if len(sections) > widget.MaxSections {
			return plain(v.ctx, fasthttp.StatusBadRequest)
		}
	}
	want := render.PageRequest{Page: ref, Number: v.number(ref), Variant: v.variant(ref), Narrow: v.narrow(ref), Unsaved: string(raw)}
	e, err := v.s.drawOnce(v.work(), v.t, v.st, want)
	if err != nil {
		return v.outage(err)
	}
	if e.gone {
		status, _ := v.missing()
		return status
	}
	return v.send(e)
}
