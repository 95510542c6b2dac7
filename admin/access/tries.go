package access

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
)

const (
	triesPerWindow = 10
	tryWindow      = 15 * time.Minute
)

// tries limits what is no guess at a password and still tells something or makes
// something, by who does it: ten in a quarter of an hour.
type tries struct {
	*budget.Budgets[string]
}

func newTries(now func() time.Time) tries {
	return tries{budget.New[string](triesPerWindow, tryWindow, now)}
}

// try counts a try, or refuses it with the seconds to wait. Take back with
// GiveBack what turned out to be none.
func (a *Access) try(who string) (budget.Taken, error) {
	taken, wait := a.tries.Take(who)
	if wait > 0 {
		return taken, tooManyTries(wait)
	}
	return taken, nil
}

func tooManyTries(wait time.Duration) error {
	return ErrTooManyTries.With("too many tries").RetryAfter(budget.Seconds(wait))
}

// How many letters with codes and links an address gets.
const (
	lettersOfPair    = 5  // an hour, asked for from one network
	lettersOfAddress = 60 // a day, asked for from networks that nobody signed in from
)

// pace bounds the letters to an address, by the network that asks for them. Strangers
// neither flood the address nor use up its owner's letters: a network from which the
// account has signed in has a budget of its own.
type pace struct {
	pairs     *budget.Budgets[pair]
	addresses *budget.Budgets[string]
}

func newPace(now func() time.Time) pace {
	return pace{budget.New[pair](lettersOfPair, time.Hour, now), budget.New[string](lettersOfAddress, 24*time.Hour, now)}
}

// mayWrite counts a letter to an address that a call asks for, or reports that it is one
// too many. trusted is whether the call comes from a network that the person has used.
func (a *Access) mayWrite(c *api.Call, email string) (may, trusted bool) {
	who := pairOf(c, email)
	if _, wait := a.pace.pairs.Take(who); wait > 0 {
		return false, false
	}
	if a.guesses.known.Has(who) {
		return true, true
	}
	_, wait := a.pace.addresses.Take(who.email)
	return wait == 0, false
}
