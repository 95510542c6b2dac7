package loop

import (
	"iter"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Shop is the part of a shop that the check needs.
type Shop struct {
	Set *redirect.Set

	// Chain resolves an address and then each address that it is redirected to,
	// without pages as if the shop had none. It numbers them from 0.
	Chain func(start string, pages bool) iter.Seq2[int, Hop]

	// Pages lists the addresses of the home page, of sections, and of the pages below
	// those keys that are wanted.
	Pages func(wanted func(section string) bool) iter.Seq[string]
}

// Hop is the answer of one address of a chain. It is valid during its iteration.
type Hop struct {
	Host     string
	Address  *redirect.Address
	TooLong  bool        // the address is longer than any may be
	Location string      // of a redirect, else empty
	Rule     shop.RuleID // the rule that answered, if any
}

// endsInTime reports whether the chain from an address has at most MaxHops
// redirects. One that grows until its address is too long has more.
func (s *Shop) endsInTime(start string, pages bool) bool {
	for n, hop := range s.Chain(start, pages) {
		if n > MaxHops || hop.TooLong && n > 0 {
			return false
		}
	}
	return true
}
