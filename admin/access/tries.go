package access

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
)

const (
	attemptsPerWindow = 10
	attemptWindow     = 15 * time.Minute
)

// attempts limits calls that do not guess a password but reveal or create something, by caller:
// ten in a quarter of an hour.
type attempts struct {
	*budget.Budgets[string]
}

func newAttempts(now func() time.Time) attempts {
	return attempts{budget.New[string](attemptsPerWindow, attemptWindow, now)}
}

// attempt counts an attempt, or refuses it with the seconds to wait. GiveBack undoes an attempt
// that should not count.
func (a *Access) attempt(who string) (budget.Attempt, error) {
	taken, wait := a.attempts.Take(who)
	if wait > 0 {
		return taken, tooManyAttempts(wait)
	}
	return taken, nil
}

func tooManyAttempts(wait time.Duration) error {
	return ErrTooManyAttempts.With("too many attempts").RetryAfter(budget.Seconds(wait))
}

// Limits on the letters with codes and links that an address gets.
const (
	lettersOfPair    = 5  // per hour, requested from one network
	lettersOfAddress = 60 // per day, requested from networks that the account has not signed in from
)

// letterLimits limits the letters to an address by the network that requests them. Strangers
// can neither flood the address nor use up its owner's letters: a network from which the
// account has signed in has its own budget.
type letterLimits struct {
	pairs     *budget.Budgets[pair]
	addresses *budget.Budgets[string]
}

func newLetterLimits(now func() time.Time) letterLimits {
	return letterLimits{budget.New[pair](lettersOfPair, time.Hour, now), budget.New[string](lettersOfAddress, 24*time.Hour, now)}
}

// maySendLetter counts a letter that a call requests for an address, or reports that the limit is
// reached. trusted reports whether the account has signed in from the caller's network.
func (a *Access) maySendLetter(c *api.Call, email string) (may, trusted bool) {
	who := pairOf(c, email)
	if _, wait := a.letterLimits.pairs.Take(who); wait > 0 {
		return false, false
	}
	if a.guesses.known.Has(who) {
		return true, true
	}
	_, wait := a.letterLimits.addresses.Take(who.email)
	return wait == 0, false
}
