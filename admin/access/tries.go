package access

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/store"
)

const (
	attemptsPerWindow = 10
	attemptWindow     = 15 * time.Minute
)

// take counts attempts in all budgets of a list, or refuses with the seconds to wait. spent is the
// highest number of attempts of one of them.
func (a *Access) take(ctx context.Context, list ...store.Attempt) (spent int, err error) {
	spent, wait, err := a.store.TakeAttempts(ctx, list...)
	if wait > 0 {
		err = tooManyAttempts(wait)
	}
	return spent, err
}

// attempt counts a call that guesses no password but reveals or creates something, by caller: ten in
// a quarter of an hour.
func (a *Access) attempt(ctx context.Context, who string) (spent int, err error) {
	return a.take(ctx, store.Attempt{Kind: store.RequestsOfCaller, Key: who, Limit: attemptsPerWindow, Window: attemptWindow})
}

func tooManyAttempts(wait time.Duration) error {
	return ErrTooManyAttempts.With("too many attempts").RetryAfter(budget.Seconds(wait))
}

// Limits on the letters with codes and links that an address gets.
const (
	lettersOfPair    = 5  // per hour, requested from one network
	lettersOfAddress = 60 // per day, requested from networks that the account has not signed in from
)

// maySendLetter counts a letter that a call requests for an address, or reports that the limit is
// reached. Strangers can neither flood the address nor use up its owner's letters: a network from
// which the account has signed in has its own budget. trusted reports whether it has.
func (a *Access) maySendLetter(ctx context.Context, c *api.Call, email string) (may, trusted bool, err error) {
	who := pairOf(c, email)
	pair := store.Attempt{Kind: store.LettersOfPair, Key: who.email + " " + who.from.String(), Limit: lettersOfPair, Window: time.Hour}
	address := store.Attempt{Kind: store.LettersOfAddress, Key: who.email, Limit: lettersOfAddress, Window: 24 * time.Hour}
	if trusted = a.guesses.known.Has(who); trusted { // the same work as for strangers
		address.Key, address.Limit = pair.Key, 24*lettersOfPair
	}
	_, wait, err := a.store.TakeAttempts(ctx, pair, address)
	return wait == 0 && err == nil, trusted, err
}
