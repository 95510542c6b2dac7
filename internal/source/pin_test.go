package source

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// However many networks try PINs at once, only two are compared concurrently, and a waiting
// request ends with its timeout.
func TestAtMostTwoPINsAreComparedAtOnce(t *testing.T) {
	t.Parallel()
	hash, err := secret.HashPassword("4711")
	if err != nil {
		t.Fatal(err)
	}
	s := New(nil, nil, shop.Storefronts{})
	d := s.Draft() // both share one semaphore
	if !s.hashing.TryAcquire(maxPINChecks) {
		t.Fatal("the semaphore is in use before the first PIN")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if right, err := d.compare(ended, hash, "4711"); right || !errors.Is(err, context.Canceled) {
		t.Errorf("with a full semaphore: %t, %v", right, err)
	}
	s.hashing.Release(1)
	for pin, want := range map[string]bool{"4711": true, "4712": false} { // each releases its slot
		if right, err := s.compare(t.Context(), hash, pin); right != want || err != nil {
			t.Errorf("%s: %t, %v", pin, right, err)
		}
	}
	if !s.hashing.TryAcquire(1) || s.hashing.TryAcquire(1) {
		t.Error("a slot was not released, or released twice")
	}
}
