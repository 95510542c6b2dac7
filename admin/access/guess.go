package access

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/store"
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

// guesses limits guessing both per account from all networks and per network for all accounts,
// without locking the owner out: a network from which the account has signed in before is only
// limited by the pair of account and network (OWASP, "Authentication Cheat Sheet", device
// cookies; the network stands for the device, because API clients keep no cookies). All processes
// count together. Known networks are kept as marks in the memory of the process that opened the
// session, which hold no addresses, and are lost when it ends.
type guesses struct {
	pair, network, account store.Attempt // without their keys
	known                  *budget.Marks[pair]
}

// pair is an account, identified by the lower-case email that the caller sent, and a network.
// Emails without an account are counted the same way, so that limits do not reveal which emails
// have one.
type pair struct {
	email string
	from  netip.Prefix
}

func newGuesses(known *budget.Marks[pair]) guesses {
	return guesses{
		pair:    store.Attempt{Kind: store.PasswordsOfPair, Limit: guessesOfPair, Window: attemptWindow},
		network: store.Attempt{Kind: store.PasswordsOfNetwork, Limit: guessesOfNetwork, Window: attemptWindow},
		account: store.Attempt{Kind: store.PasswordsOfAccount, Limit: guessesOfAccount, Window: attemptWindow},
		known:   known,
	}
}

// Limits on wrong codes of second factors. A code of an app is one of a million, and three are
// accepted at a time, so an account gets few guesses a day, except from networks that it has
// signed in from.
const (
	factorGuessesOfPair    = 5  // per quarter of an hour
	factorGuessesOfAccount = 30 // per day
)

func newFactorGuesses(known *budget.Marks[pair]) guesses {
	return guesses{
		pair:    store.Attempt{Kind: store.FactorsOfPair, Limit: factorGuessesOfPair, Window: attemptWindow},
		network: store.Attempt{Kind: store.FactorsOfNetwork, Limit: guessesOfNetwork, Window: attemptWindow},
		account: store.Attempt{Kind: store.FactorsOfAccount, Limit: factorGuessesOfAccount, Window: 24 * time.Hour},
		known:   known,
	}
}

// of returns the attempts that a guess counts as.
func (g *guesses) of(who pair) []store.Attempt {
	pair, network, account := g.pair, g.network, g.account
	pair.Key, network.Key, account.Key = who.email+" "+who.from.String(), who.from.String(), who.email
	if g.known.Has(who) {
		return []store.Attempt{pair}
	}
	return []store.Attempt{pair, network, account}
}

// guess is an attempt counted before its password is compared, so that concurrent attempts
// cannot exceed the limits.
type guess struct {
	attempts []store.Attempt
	at       time.Time
	priority priority // the queue position for hashing
}

// guess counts a guess in all budgets that apply, or in none of them.
func (a *Access) guess(ctx context.Context, by *guesses, who pair) (guess, error) {
	made := guess{attempts: by.of(who), at: a.now(), priority: priority{rank: highestRank}}
	spent, err := a.take(ctx, made.attempts...)
	if len(made.attempts) > 1 { // the account has not signed in from the network before
		made.priority = priority{from: who.from, rank: spent}
	}
	return made, err
}

// giveBack undoes a guess that must not count.
func (a *Access) giveBack(ctx context.Context, g guess) error {
	return a.store.ReturnAttempts(context.WithoutCancel(ctx), a.now().Sub(g.at), g.attempts...)
}

// verify compares a password with an account's hash and counts it as one guess, unless it is
// right. The guess is counted before the hash is read, so that a flood causes little load. The
// network becomes known only once a session is opened, after the second factor. On an error other
// than errWrong nothing was compared and nothing counts.
func (a *Access) verify(ctx context.Context, who pair, read func() (phc string, err error), password string) error {
	made, err := a.guess(ctx, &a.guesses, who)
	if err != nil {
		return err
	}
	wrong, err := a.isWrong(ctx, made.priority, read, password)
	if wrong {
		return errWrong
	}
	return errors.Join(err, a.giveBack(ctx, made))
}

func (a *Access) isWrong(ctx context.Context, at priority, read func() (phc string, err error), password string) (bool, error) {
	phc, err := read()
	if err != nil {
		return false, err
	}
	if phc == people.NoPassword {
		phc = dummyHash // do the same work for accounts without a password
	}
	release, err := a.hashing.acquire(ctx, at)
	if err != nil {
		return false, err
	}
	defer release()
	return !secret.CheckPassword(phc, password), nil
}
