package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// A checkout whose cart cannot be read says so. It neither looks like one with an empty cart nor
// leads to an earlier order.
func TestACheckoutThatCannotBeReadSaysSo(t *testing.T) {
	status, code := 0, ""
	w := newWorld(t, func(cfg *Config) {
		cfg.API = func(ctx *fasthttp.RequestCtx) {
			switch string(ctx.Path()) {
			case "/inside/checkout":
				ctx.Error(fmt.Sprintf(`{"error":"rpc error: code = Unknown desc = %s: x"}`, code), status)
			case "/orders":
				ctx.SetBodyString(`{"result":{"items":[{"id":"1","status":"new","payment_method":"stripe","created_at":"2999-01-01T00:00:00Z"}]}}`)
			default:
				ctx.SetBodyString(`{"result":{}}`)
			}
		}
	})
	for _, c := range []struct {
		refused, answered int
		code, shown       string
	}{
		{429, 200, "RATE_LIMITED", "Too many attempts"},
		{403, 200, "FORBIDDEN", "That did not work"},
		{503, 503, "UNAVAILABLE", ""},
		{401, 303, "UNAUTHENTICATED", ""}, // nobody is refused: the session has ended
	} {
		status, code = c.refused, c.code
		got := w.get("/checkout", "Cookie: vitrine-session=ann")
		if got.Status != c.answered || !strings.Contains(got.Body, c.shown) {
			t.Errorf("%d %s: %d %s", c.refused, c.code, got.Status, got.Body)
		}
	}
}
