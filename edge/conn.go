package edge

import (
	"github.com/valyala/fasthttp"

	"vitrine/internal/gate"
)

// joinWrites tells the connection that a response larger than the write buffer is coming,
// so that its first part can be joined with what follows. A response without a body is left
// out.
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
