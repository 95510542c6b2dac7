package api

import (
	"fmt"
	"net/netip"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/shop"
)

// What visitors may do in a minute, per class: one client network, one person,
// and all visitors of one shop together. A network holds an office behind one
// address; a shop holds ten such networks at their limit, and more that are not.
var (
	networkLimits = map[Class]int{Read: 600, Write: 120, Storage: 180}
	buyerLimits   = map[Class]int{Read: 600, Write: 120}
	shopLimits    = map[Class]int{Read: 6000, Write: 1200}
)

// visitors limits calls of no company: anonymous ones, those of buyers, and those
// about no shop, such as a login or the guides (CONTRACT-COMMERCE, "Calls of
// buyers"). They never count for a company, whose classes are for its keys and
// staff, so that no visitor can use up what they need; and one network that has
// used its share up leaves the shop's to the others. Each process counts by
// itself.
type visitors struct {
	networks map[Class]*budget.Budgets[netip.Prefix]
	buyers   map[Class]*budget.Budgets[shop.UserID]
	shops    map[Class]*budget.Budgets[shop.CompanyID]
}

func newVisitors(now func() time.Time) visitors {
	return visitors{
		minutely[netip.Prefix](networkLimits, now), minutely[shop.UserID](buyerLimits, now),
		minutely[shop.CompanyID](shopLimits, now),
	}
}

func minutely[K comparable](limits map[Class]int, now func() time.Time) map[Class]*budget.Budgets[K] {
	each := map[Class]*budget.Budgets[K]{}
	for class, limit := range limits {
		each[class] = budget.New[K](limit, time.Minute, now)
	}
	return each
}

// spend counts a call for whom it comes from, where the class is limited.
func spend[K comparable](by map[Class]*budget.Budgets[K], limits map[Class]int, class Class, key K, who string) error {
	if by[class] == nil {
		return nil
	}
	if _, wait := by[class].Take(key); wait > 0 {
		return tooMany(limits[class], who, wait)
	}
	return nil
}

func tooMany(limit int, who string, wait time.Duration) error {
	return shop.ErrRateLimited.With(fmt.Sprintf("%d calls of this class a minute and %s", limit, who)).RetryAfter(budget.Seconds(wait))
}

const address = "address"

// count counts a call that was admitted for who makes it: the company of a key or
// a member, else the network that it comes from and the person, if there is one.
func (l *Limiter) count(c *Call) error {
	if c.Company != 0 {
		return l.Take(c.Company, c.endpoint.Class)
	}
	if c.guesses() {
		return l.unspent(c)
	}
	if c.endpoint.OwnBudget {
		return nil
	}
	class := c.endpoint.visitorClass()
	if err := spend(l.networks, networkLimits, class, c.Network(), address); err != nil || c.Person == 0 {
		return err
	}
	return spend(l.buyers, buyerLimits, class, c.Person, "person")
}

// guesses reports that the address of the call authorizes it. One release has
// thousands of upload addresses, so of these calls only those count for the
// network whose address is none; who has tried too many waits.
func (c *Call) guesses() bool { return c.endpoint.Auth == Link && c.endpoint.Class == Storage }

func (l *Limiter) unspent(c *Call) error {
	class := c.endpoint.visitorClass()
	if wait := l.networks[class].Wait(c.Network()); wait > 0 {
		return tooMany(networkLimits[class], address, wait)
	}
	return nil
}

// CountVisitor counts the call for the network that it comes from, where the address
// of the call authorizes a visitor and no one of the shop.
func (c *Call) CountVisitor() error {
	if c.limiter == nil {
		return nil
	}
	return spend(c.limiter.networks, networkLimits, c.endpoint.visitorClass(), c.Network(), address)
}

// missed counts a call that nobody vouches for, since its token or its address is
// none. It answers why the call is refused in the end.
func (l *Limiter) missed(c *Call, why error) error {
	refusal, ok := shop.AsRefusal(why)
	if !ok || refusal.Class != shop.Unauthenticated && refusal.Class != shop.NotFound {
		return why
	}
	if err := spend(l.networks, networkLimits, c.endpoint.visitorClass(), c.Network(), address); err != nil {
		return err
	}
	return why
}

// visitorClass is the class of the row, or by its method where calls of companies
// are free.
func (e *Endpoint) visitorClass() Class {
	switch {
	case e.Class != Free:
		return e.Class
	case e.Method == "GET":
		return Read
	}
	return Write
}

// visit counts a call of a visitor for the shop that it is about.
func (c *Call) visit(company shop.CompanyID) error {
	if c.limiter == nil {
		return nil
	}
	return spend(c.limiter.shops, shopLimits, c.endpoint.visitorClass(), company, "shop")
}
