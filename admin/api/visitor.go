package api

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/shop"
)

// Calls of visitors per minute and class: of one client network, of one person, and of all
// visitors of one shop together. A network may be an office behind one address; the limit of a
// shop allows ten networks at their limit, and more below it.
var (
	networkLimits = map[Class]int{Read: 600, Write: 120, Storage: 180}
	buyerLimits   = map[Class]int{Read: 600, Write: 120}
	shopLimits    = map[Class]int{Read: 6000, Write: 1200}
)

// visitors limits calls without a company: anonymous ones, those of buyers, and those about no
// shop, such as a login or the guides (CONTRACT-COMMERCE, "Calls of buyers"). They never count
// for a company, whose classes are for its keys and staff, so that visitors cannot use those
// up; and a network that has used up its share leaves the rest of the shop's to others.
type visitors struct {
	networks map[Class]*budget.Budgets[netip.Prefix]
	buyers   map[Class]*budget.Budgets[shop.UserID]
	shops    map[Class]*budget.Budgets[shop.CompanyID]
}

func newVisitors(now func() time.Time, count budget.Count) visitors {
	return visitors{
		minutely[netip.Prefix]("calls of network", networkLimits, now, count), minutely[shop.UserID]("calls of person", buyerLimits, now, count),
		minutely[shop.CompanyID]("calls of visitors", shopLimits, now, count),
	}
}

func minutely[K budget.Key](name string, limits map[Class]int, now func() time.Time, count budget.Count) map[Class]*budget.Budgets[K] {
	each := map[Class]*budget.Budgets[K]{}
	for class, limit := range limits {
		each[class] = budget.Shared[K](fmt.Sprint(name, class), limit, time.Minute, now, count)
	}
	return each
}

// spend counts a call in the budgets of its class, if the class is limited.
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
	return shop.ErrRateLimited.With(fmt.Sprintf("at most %d calls of this class per minute and %s", limit, who)).RetryAfter(budget.Seconds(wait))
}

const address = "address"

// count counts an admitted call: for the company of a key or member, else for the network and,
// if there is one, the person.
func (l *Limiter) count(ctx context.Context, c *Call) error {
	if c.Company != 0 {
		return l.Take(ctx, c.Company, c.endpoint.Class)
	}
	if c.byAddress() {
		return l.checkNetwork(c)
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

// byAddress reports whether the address of the call authorizes it. One release has thousands of
// upload addresses, so only calls with an invalid address count for the network; after too many
// of those, the network has to wait.
func (c *Call) byAddress() bool { return c.endpoint.Auth == Link && c.endpoint.Class == Storage }

func (l *Limiter) checkNetwork(c *Call) error {
	class := c.endpoint.visitorClass()
	if wait := l.networks[class].Wait(c.Network()); wait > 0 {
		return tooMany(networkLimits[class], address, wait)
	}
	return nil
}

// CountForNetwork counts the call for its network, for calls whose address authorizes a visitor
// and not a member of the shop.
func (c *Call) CountForNetwork() error {
	if c.limiter == nil {
		return nil
	}
	return spend(c.limiter.networks, networkLimits, c.endpoint.visitorClass(), c.Network(), address)
}

// countRefused counts a call with an invalid token or address. It returns the final reason of
// the refusal.
func (l *Limiter) countRefused(c *Call, why error) error {
	refusal, ok := shop.AsRefusal(why)
	if !ok || refusal.Class != shop.Unauthenticated && refusal.Class != shop.NotFound {
		return why
	}
	if err := spend(l.networks, networkLimits, c.endpoint.visitorClass(), c.Network(), address); err != nil {
		return err
	}
	return why
}

// visitorClass returns the endpoint's class, or one chosen by its method if calls of companies
// are free.
func (e *Endpoint) visitorClass() Class {
	switch {
	case e.Class != Free && e.Class != Pictures:
		return e.Class
	case e.Method == "GET":
		return Read
	}
	return Write
}

// countForShop counts a visitor's call for the shop that it is about.
func (c *Call) countForShop(company shop.CompanyID) error {
	if c.limiter == nil {
		return nil
	}
	return spend(c.limiter.shops, shopLimits, c.endpoint.visitorClass(), company, "shop")
}
