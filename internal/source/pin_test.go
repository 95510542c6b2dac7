package source

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// However many networks try PINs at once, two are compared, and who waits goes
// when the visit's time is over.
func TestPINsAreComparedTwoAtOnce(t *testing.T) {
	t.Parallel()
	hash, err := secret.HashPassword("4711")
	if err != nil {
		t.Fatal(err)
	}
	s := New(nil, nil, shop.Storefronts{})
	d := s.Draft() // the same place for both
	if !s.checking.TryAcquire(checkedAtOnce) {
		t.Fatal("places are taken before the first PIN")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if right, err := d.compare(over, hash, "4711"); right || !errors.Is(err, context.Canceled) {
		t.Errorf("with no place: %t, %v", right, err)
	}
	s.checking.Release(1)
	for pin, want := range map[string]bool{"4711": true, "4712": false} { // each gives its place back
		if right, err := s.compare(t.Context(), hash, pin); right != want || err != nil {
			t.Errorf("%s: %t, %v", pin, right, err)
		}
	}
	if !s.checking.TryAcquire(1) || s.checking.TryAcquire(1) {
		t.Error("a place was not given back, or twice")
	}
}
