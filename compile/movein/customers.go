package movein

import (
	"regexp"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
)

// customerColumns are the columns of Shopify's customers.
var customerColumns = map[string]func(c *Customer, cell string){
	"first name":              func(c *Customer, cell string) { c.FirstName = cell },
	"last name":               func(c *Customer, cell string) { c.LastName = cell },
	"email":                   func(c *Customer, cell string) { c.Email = cell },
	"phone":                   func(c *Customer, cell string) { c.Phone = or(identifier(cell), c.Phone) },
	"default address phone":   func(c *Customer, cell string) { c.Phone = or(c.Phone, identifier(cell)) },
	"note":                    func(c *Customer, cell string) { c.Note = cell },
	"tags":                    func(c *Customer, cell string) { c.Tags = list(cell, ",") },
	"accepts email marketing": agreed, "accepts marketing": agreed,
}

func agreed(c *Customer, cell string) {
	if yes, known := truth(cell); known {
		c.Agreed = &yes
	}
}

var emailForm = regexp.MustCompile(`^[^@\s"<>,;:\\()\[\]]+@[^@\s"<>,;:\\()\[\]]+$`)

// customers reads a table of customers.
func (e *engine) customers(name string, t table) error {
	set := make([]func(*Customer, string), len(t.names))
	known := 0
	for i, one := range t.names {
		if set[i] = customerColumns[header.Normal(one)]; set[i] != nil {
			known++
		}
	}
	e.recognised(2*known, len(t.names))
	return e.each(name, t, func(at Place, record []string) {
		c := Customer{Place: at}
		for i, cell := range record {
			if i < len(set) && set[i] != nil && cell != "" {
				set[i](&c, strings.Clone(unguard(cell)))
			}
		}
		e.customer(c)
	})
}

func (e *engine) customer(c Customer) {
	c.Email = identifier(c.Email)
	c.Key = strings.ToLower(c.Email)
	shown := c.Email
	if shown == "" {
		shown = strings.TrimSpace(c.FirstName + " " + c.LastName)
	}
	switch {
	case c.Email == "":
		e.lose(c.Place, Skipped, "EMAIL_MISSING", shown)
		return
	case len(c.Email) > 254 || !emailForm.MatchString(c.Email):
		e.lose(c.Place, Skipped, "EMAIL_INVALID", shown)
		return
	case e.emails[c.Key]:
		e.lose(c.Place, Skipped, "EMAIL_DUPLICATE", shown)
		return
	case len(e.plan.Customers) >= maxHeld:
		e.lose(c.Place, Skipped, "CUSTOMERS_TOO_MANY", shown)
		return
	}
	e.emails[c.Key] = true
	for i, tag := range c.Tags {
		c.Tags[i] = shop.Clip(line(tag), maxTags)
	}
	c.Tags = distinct(c.Tags)
	c.FirstName, c.LastName = e.short(c.Place, line(c.FirstName), 127), e.short(c.Place, line(c.LastName), 127)
	c.Phone, c.Note = e.short(c.Place, code(c.Phone), maxText), e.short(c.Place, strings.TrimSpace(dropControls(c.Note)), 4000)
	e.plan.Customers = append(e.plan.Customers, c)
}
