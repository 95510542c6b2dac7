package source

import (
	"context"
	"fmt"
	"time"

	"vitrine/edge"
	"vitrine/internal/store"
)

var pinPace = store.Pace{Typos: edge.PINTypos, Soonest: edge.PINSoonest, Slower: edge.PINSlower}

// attempt returns what a guess counts as.
func attempt(g edge.PINGuess) store.Attempt {
	lock := fmt.Sprintf("%d %d", g.Company, g.Policy)
	if g.From.IsValid() {
		return store.Attempt{Kind: store.PINsOfNetwork, Key: lock + " " + g.From.String(), Limit: edge.PINOwn, Window: edge.PINOwn * edge.PINLatest}
	}
	return store.Attempt{Kind: store.PINsOfLock, Key: lock, Limit: edge.PINWrongs, Window: time.Duration(edge.PINWrongs) * edge.PINLatest}
}

// GuessPIN implements edge.Source.
func (s *Source) GuessPIN(ctx context.Context, g edge.PINGuess) (wait time.Duration, err error) {
	if g.From.IsValid() {
		_, wait, err = s.store.TakeAttempts(ctx, attempt(g))
		return wait, err
	}
	return s.store.TakePaced(ctx, attempt(g), pinPace)
}

// ForgivePIN implements edge.Source.
func (s *Source) ForgivePIN(ctx context.Context, g edge.PINGuess, made time.Time) error {
	return s.store.ReturnAttempts(ctx, time.Since(made), attempt(g))
}
