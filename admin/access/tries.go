package access

import (
	"time"

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
