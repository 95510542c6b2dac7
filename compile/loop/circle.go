package loop

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Refusals of a rule set (document 3, sections 4.5 and 7). Their details name an
// address that shows the fault and the chain from there.
var (
	ErrLoop         = shop.Refuse(shop.InvalidArgument, "REDIRECT_LOOP").When("an address would lead back to itself")
	ErrChainTooLong = shop.Refuse(shop.InvalidArgument, "REDIRECT_CHAIN_TOO_LONG").When("an address would take too many hops")
)

// Circle is a fault of a rule set: a chain that never ends, or one of more than
// MaxHops redirects.
type Circle struct {
	Chain   []string      // addresses from the first one on; an endless chain is cut where it repeats or has grown
	Rules   []shop.RuleID // rules that answer along the chain, each once; if it ends, only up to the first hop too many
	Endless bool
	Grown   bool // endless, because its addresses grow until they are too long
}

// Refusal is ErrLoop or ErrChainTooLong with the fault in words, and with the fields
// witness, the address that shows it, and chain, the addresses from there on.
func (c Circle) Refusal() *shop.Refusal {
	refusal, what := ErrChainTooLong, " is redirected more than "+strconv.Itoa(MaxHops)+" times: "
	switch {
	case c.Grown:
		refusal, what = ErrLoop, " is redirected to longer and longer addresses: "
	case c.Endless:
		refusal, what = ErrLoop, " is redirected in a circle: "
	}
	chain := c.Chain[:min(len(c.Chain), MaxHops+2)]
	return refusal.With("a visitor of "+c.Chain[0]+what+c.String()).WithField("witness", c.Chain[0]).WithField("chain", chain)
}

// MaxHops is how many redirects in a row a rule set may send (document 3, 4.5).
const MaxHops = 10

// farthest is how many redirects are followed to tell an endless chain from a long
// one.
const farthest = 1000

// follow describes the chain from an address that has too many redirects. repeats is
// the hop at which the repeating part of an endless chain begins. A chain that ends may
// be cut at an address of an earlier chain, unless whole is set.
func (f *finder) follow(start string, whole bool) (c Circle, repeats int) {
	c.Chain = []string{start}
	seen := map[string]int{}  // the hop of each state; a chain that reaches one again is endless
	var answers []shop.RuleID // by hop
	location := ""
	for n, hop := range f.s.Chain(start, f.pages) {
		if n > 0 {
			c.Chain = append(c.Chain, location)
		}
		state := strconv.FormatBool(f.pages) + hop.Host + string(hop.Address.Key) + "?" + hop.Address.Query
		c.Grown = hop.TooLong // no chain of sane addresses grows that long
		if _, ends := f.ended[state]; ends && !whole || n == farthest || hop.Location == "" {
			break
		}
		if repeats, c.Endless = seen[state]; c.Endless {
			break
		}
		seen[state], answers, location = n, append(answers, hop.Rule), strings.Clone(hop.Location)
	}
	c.Rules = distinct(answers)
	if c.Endless {
		return c, repeats
	}
	// If few rules sent that many redirects and made the address longer, assume that it
	// grows forever. (That is not certain, but a chain of a thousand redirects is refused
	// in any case.)
	grown := len(location) - len(start)
	c.Endless = c.Grown || len(answers) == farthest && (grown > farthest/4 || grown > 0 && len(c.Rules) < farthest/4)
	if c.Endless {
		for n, id := range answers {
			if id != 0 && slices.Contains(answers[n+1:], id) {
				return c, n
			}
		}
		return c, 0
	}
	c.Rules = distinct(answers[:min(len(answers), MaxHops+1)])
	maps.Copy(f.ended, seen)
	return c, 0
}

// distinct returns the rules of some hops, each once.
func distinct(hops []shop.RuleID) (rules []shop.RuleID) {
	for _, id := range hops {
		if id != 0 && !slices.Contains(rules, id) {
			rules = append(rules, id)
		}
	}
	return rules
}

// String formats the chain for people and shortens a long one.
func (c Circle) String() string {
	const shown = MaxHops + 2
	if len(c.Chain) <= shown {
		return strings.Join(c.Chain, " -> ")
	}
	return strings.Join(c.Chain[:shown], " -> ") + " and " + strconv.Itoa(len(c.Chain)-shown) + " more"
}
