package place

import (
	"context"
	"testing"
)

func TestAShopHasItsPlacesAndNoOtherWaits(t *testing.T) {
	p := New(2)
	first, err := p.Place(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Place(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Place(ended, 1); err == nil {
		t.Error("a third place")
	}
	other, err := p.Place(t.Context(), 2)
	if err != nil {
		t.Fatal("another shop waits")
	}
	first()
	again, err := p.Place(t.Context(), 1)
	if err != nil {
		t.Fatal("a place that was given back is not there")
	}
	for _, leave := range []func(){second, again, other} {
		leave()
	}
	if len(p.shops) != 0 {
		t.Errorf("%d shops without work are remembered", len(p.shops))
	}
}
