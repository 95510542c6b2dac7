package limiter

import (
	"context"
	"testing"
)

func TestAFullShopDelaysNoOtherShop(t *testing.T) {
	p := New(2)
	first, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Acquire(ended, 1); err == nil {
		t.Error("a shop with a limit of 2 got a third slot")
	}
	other, err := p.Acquire(t.Context(), 2)
	if err != nil {
		t.Fatal("another shop waits")
	}
	first()
	again, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal("a released slot is not available")
	}
	for _, release := range []func(){second, again, other} {
		release()
	}
	if len(p.shops) != 0 {
		t.Errorf("%d idle shops are still held", len(p.shops))
	}
}
