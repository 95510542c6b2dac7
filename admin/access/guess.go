package access

import (
	"context"
	"net/netip"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/store"
)

// How many wrong passwords fit into a quarter of an hour. Right ones do not
// count. A network is small enough that an office rarely meets its limit and that
// trying one password at forty accounts does.
const (
	guessesOfPair    = triesPerWindow // at one account from one network
	guessesOfNetwork = 30             // from one network at all accounts
	guessesOfAccount = 50             // at one account from all networks

	// knownFor is how long a network from which an account signed in is
	// remembered; as long as a session.
	knownFor = sessionLifetime
)

// guesses limits guessing at passwords, so that neither one account from
// everywhere nor all accounts from one place are open to it, and nobody's
// guessing shuts the owner out: a network from which the account has signed in
// before is held to the budget of the pair alone (OWASP, "Authentication Cheat
// Sheet", device cookies; the network stands for the device, since API clients
// keep no cookies). Which networks those are is kept as marks in memory, that is,
// as no addresses at all, and forgotten when the process ends.
type guesses struct {
	pairs    *budget.Budgets[pair]
	networks *budget.Budgets[netip.Prefix]
	accounts *budget.Budgets[string]
	known    *budget.Marks[pair]
}

// pair is an account, by the email as it was typed in lower case, and a network.
// Emails that nobody has are counted alike, so that no limit tells them apart.
type pair struct {
	email string
	from  netip.Prefix
}

func newGuesses(now func() time.Time) guesses {
	return guesses{
		pairs:    budget.New[pair](guessesOfPair, tryWindow, now),
		networks: budget.New[netip.Prefix](guessesOfNetwork, tryWindow, now),
		accounts: budget.New[string](guessesOfAccount, tryWindow, now),
		known:    budget.NewMarks[pair](knownFor, now),
	}
}

// guess is a try that was counted before its password is compared, so that many
// at once do not get around the limit.
type guess struct {
	of    *guesses
	who   pair
	taken []budget.Taken
}

// take counts a guess in all budgets that hold for it, or in none.
func (g *guesses) take(who pair) (guess, error) {
	made := guess{of: g, who: who}
	if err := add(&made, g.pairs, who); err != nil || g.known.Has(who) {
		return made, err
	}
	if err := add(&made, g.networks, who.from); err != nil {
		return made, err
	}
	return made, add(&made, g.accounts, who.email)
}

// room refuses a guess that take would refuse for its network, before anything is read:
// a flood of sign-ins costs the database nothing.
func (g *guesses) room(who pair) error {
	if g.known.Has(who) {
		return nil
	}
	if wait := g.networks.Wait(who.from); wait > 0 {
		return tooManyTries(wait)
	}
	return nil
}

// add counts a guess in one more budget; without room there it is no guess.
func add[K comparable](g *guess, to *budget.Budgets[K], key K) error {
	taken, wait := to.Take(key)
	if wait > 0 {
		g.giveBack()
		return tooManyTries(wait)
	}
	g.taken = append(g.taken, taken)
	return nil
}

func (g *guess) giveBack() {
	for _, taken := range g.taken {
		taken.GiveBack()
	}
}

// right takes back a guess that was right and remembers the network.
func (g *guess) right() {
	g.giveBack()
	g.of.known.Set(g.who)
}

// priority is where the next hashing for who belongs in the line: first where the
// account has signed in from the network before, else the later the more often the
// network, or anybody at the account, has failed lately.
func (g *guesses) priority(who pair) priority {
	if g.known.Has(who) {
		return priority{behind: first}
	}
	return priority{from: who.from, behind: max(g.networks.Used(who.from), g.accounts.Used(who.email))}
}

// verify compares a password with an account's hash as one guess of who.
// An error means that nothing was compared and nothing counts.
func (a *Access) verify(ctx context.Context, who pair, phc, password string) error {
	if phc == store.NoPassword {
		phc = nobody // the same work where there is none
	}
	made, err := a.guesses.take(who)
	if err != nil {
		return err
	}
	release, err := a.hashing.enter(ctx, a.guesses.priority(who))
	if err != nil {
		made.giveBack()
		return err
	}
	defer release()
	if !secret.CheckPassword(phc, password) {
		return errWrong
	}
	made.right()
	return nil
}
