package through_test

import (
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/through"
)

func TestACallKnowsWhatItCameThrough(t *testing.T) {
	var rc fasthttp.RequestCtx
	rc.Request.Header.Set("storefront", "5")
	if got := through.Of(&rc); got != (through.Storefront{}) {
		t.Errorf("an unmarked call: %+v", got)
	}
	want := through.Storefront{Shop: 5, Admitted: true}
	through.Mark(&rc, want)
	if got := through.Of(&rc); got != want {
		t.Errorf("%+v", got)
	}
}
