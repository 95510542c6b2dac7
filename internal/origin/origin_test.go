package origin_test

import (
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/origin"
)

func TestACallKnowsTheHostItCameFrom(t *testing.T) {
	var rc fasthttp.RequestCtx
	rc.Request.Header.Set("storefront", "5")
	if got := origin.Of(&rc); got != (origin.Storefront{}) {
		t.Errorf("an unmarked call: %+v", got)
	}
	want := origin.Storefront{Shop: 5, Admitted: true}
	origin.Mark(&rc, want)
	if got := origin.Of(&rc); got != want {
		t.Errorf("%+v", got)
	}
}
