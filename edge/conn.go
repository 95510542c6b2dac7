package edge

import (
	"github.com/valyala/fasthttp"

	"vitrine/internal/gate"
)

// joinWrites announces an answer that fills the write buffer. The rest of it is
// sure to follow, unless the answer turns out to have no body.
func joinWrites(ctx *fasthttp.RequestCtx) {
	resp := &ctx.Response
	if resp.IsBodyStream() || len(resp.Body()) < writeBuffer || resp.SkipBody || ctx.IsHead() || ctx.Hijacked() {
		return
	}
	switch status := resp.StatusCode(); {
	case status < fasthttp.StatusOK, status == fasthttp.StatusNoContent, status == fasthttp.StatusNotModified:
		return
	}
	if c, ok := ctx.Conn().(*gate.Conn); ok {
		c.Join()
	}
}
