package loop

import (
	"iter"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Shop is what the prover sees of a shop: its rules, and the steps that the
// compiler's Resolve takes.
type Shop struct {
	Set      *redirect.Set
	Host     string                                                     // the canonical one, without port
	Walk     func() Walk                                                // with a memory of its own
	Local    func(location, host string) (next, target string, ok bool) // reads a Location on a host; fails when it leaves the shop
	Reserved func(key redirect.Open) bool                               // the key is the platform's own
	Pages    func(covers func(base string) bool) iter.Seq[string]       // addresses of the home page, of sections, and of pages below a key that is covered
}

// Walk decides one address; without pages as if the shop had none.
type Walk func(host, target string, pages bool) Hop

// Hop is what one address answers. It is good until the Walk is used again but
// for one: the Location may be walked next.
type Hop struct {
	Kind     Kind
	Location string      // of a redirect
	Rule     shop.RuleID // the rule that answered, if any
	Address  *redirect.Address
}

// Kind is what a Hop means to a chain.
type Kind uint8

// The kinds of hops.
const (
	End      Kind = iota // the chain ends here, whatever is shown
	Redirect             // it goes on at Location
	TooLong              // the address is longer than any may be
)
