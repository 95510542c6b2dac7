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
	for range checkedAtOnce {
		s.checking <- struct{}{}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if right, err := d.compare(over, hash, "4711"); right || !errors.Is(err, context.Canceled) {
		t.Errorf("with no place: %t, %v", right, err)
	}
	<-s.checking
	for pin, want := range map[string]bool{"4711": true, "4712": false} { // each gives its place back
		if right, err := s.compare(t.Context(), hash, pin); right != want || err != nil {
			t.Errorf("%s: %t, %v", pin, right, err)
		}
	}
	if len(s.checking) != checkedAtOnce-1 {
		t.Errorf("%d places are taken", len(s.checking))
	}
}
