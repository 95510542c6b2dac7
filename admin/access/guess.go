package access

import (
	"context"
	"net/netip"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/store/people"
)

// Limits on wrong passwords per quarter of an hour. Right ones do not count. The limit of a
// network is high enough that an office rarely reaches it, and low enough to stop trying one
// password at forty accounts.
const (
	guessesOfPair    = attemptsPerWindow // for one account from one network
	guessesOfNetwork = 30                // from one network for all accounts
	guessesOfAccount = 50                // for one account from all networks

	// knownFor is how long a network from which an account signed in is remembered: as long as
	// a session lasts.
	knownFor = sessionLifetime
)

// guesses limits password guessing both per account from all networks and per network for all
// accounts, without locking the owner out: a network from which the account has signed in
// before is only limited by the pair of account and network (OWASP, "Authentication Cheat
// Sheet", device cookies; the network stands for the device, because API clients keep no
// cookies). Known networks are kept as marks in memory, which hold no addresses, and are lost
// when the process ends.
type guesses struct {
	pairs    *budget.Budgets[pair]
	networks *budget.Budgets[netip.Prefix]
	accounts *budget.Budgets[string]
	known    *budget.Marks[pair]
}

// pair is an account, identified by the lower-case email that the caller sent, and a network.
// Emails without an account are counted the same way, so that limits do not reveal which emails
// have one.
type pair struct {
	email string
	from  netip.Prefix
}

func newGuesses(known *budget.Marks[pair], now func() time.Time) guesses {
	return guesses{
		pairs:    budget.New[pair](guessesOfPair, attemptWindow, now),
		networks: budget.New[netip.Prefix](guessesOfNetwork, attemptWindow, now),
		accounts: budget.New[string](guessesOfAccount, attemptWindow, now),
		known:    known,
	}
}

// Limits on wrong codes of second factors. A code of an app is one of a million, and three are
// accepted at a time, so an account gets few guesses a day, except from networks that it has
// signed in from.
const (
	factorGuessesOfPair    = 5  // per quarter of an hour
	factorGuessesOfAccount = 30 // per day
)

func newFactorGuesses(known *budget.Marks[pair], now func() time.Time) guesses {
	return guesses{
		pairs:    budget.New[pair](factorGuessesOfPair, attemptWindow, now),
		networks: budget.New[netip.Prefix](guessesOfNetwork, attemptWindow, now),
		accounts: budget.New[string](factorGuessesOfAccount, 24*time.Hour, now),
		known:    known,
	}
}

// guess is an attempt counted before its password is compared, so that concurrent attempts
// cannot exceed the limits.
type guess struct{ taken []budget.Attempt }

// take counts a guess in all applicable budgets, or in none of them.
func (g *guesses) take(who pair) (made guess, err error) {
	if err := add(&made, g.pairs, who); err != nil || g.known.Has(who) {
		return made, err
	}
	if err := add(&made, g.networks, who.from); err != nil {
		return made, err
	}
	return made, add(&made, g.accounts, who.email)
}

// precheck refuses a guess that take would refuse for its network, before the account is read,
// so that a flood of sign-ins causes no load on the database.
func (g *guesses) precheck(who pair) error {
	if g.known.Has(who) {
		return nil
	}
	if wait := g.networks.Wait(who.from); wait > 0 {
		return tooManyAttempts(wait)
	}
	return nil
}

// add counts a guess in one more budget. If the budget is exhausted, it undoes the guess.
func add[K comparable](g *guess, to *budget.Budgets[K], key K) error {
	taken, wait := to.Take(key)
	if wait > 0 {
		g.giveBack()
		return tooManyAttempts(wait)
	}
	g.taken = append(g.taken, taken)
	return nil
}

func (g *guess) giveBack() {
	for _, taken := range g.taken {
		taken.GiveBack()
	}
}

// priority returns the queue position for hashing: first if the account has signed in from the
// network before, otherwise the later, the more attempts from the network or for the account
// have failed recently.
func (g *guesses) priority(who pair) priority {
	if g.known.Has(who) {
		return priority{rank: highestRank}
	}
	return priority{from: who.from, rank: max(g.networks.Spent(who.from), g.accounts.Spent(who.email))}
}

// verify compares a password with an account's hash and counts it as one guess, unless it is
// right. The network becomes known only once a session is opened, after the second factor. On an error
// other than errWrong nothing was compared and nothing counts.
func (a *Access) verify(ctx context.Context, who pair, phc, password string) error {
	if phc == people.NoPassword {
		phc = dummyHash // do the same work for accounts without a password
	}
	made, err := a.guesses.take(who)
	if err != nil {
		return err
	}
	release, err := a.hashing.acquire(ctx, a.guesses.priority(who))
	if err != nil {
		made.giveBack()
		return err
	}
	defer release()
	if !secret.CheckPassword(phc, password) {
		return errWrong
	}
	made.giveBack()
	return nil
}
