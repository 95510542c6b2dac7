package price

import ()

// code applies the code of the cart, or records why it is rejected.
func code(c *Cart, r *Receipt, explain *notes) {
	if c.Code == "" {
		return
	}
	p, why := c.codePromotion()
	if why == "" {
		var amount int64
		if amount, why = r.take(c, p); why == "" {
			a := p.applied(amount)
			a.Code = c.Code
			explain.order(a, r.Subtotal, r.Subtotal-amount)
			r.Subtotal -= amount
			r.apply(a)
			return
		}
	}
	r.Rejected = why
	if p != nil {
		explain.skip(p, string(why))
		r.nearRest(c, p, why)
	}
}

// codePromotion returns the promotion that the code of the cart belongs to.
func (c *Cart) codePromotion() (p *Promotion, why Rejection) {
	if c.Offers == nil {
		return nil, NotFound
	}
	if p := c.Offers.codes[c.Code]; p != nil {
		return p, ""
	}
	own := c.Personal
	if own == nil || own.Buyer != c.Buyer.ID || c.Buyer.ID == 0 || c.Offers.campaigns[own.Campaign] == nil {
		return nil, NotFound
	}
	p = c.Offers.campaigns[own.Campaign]
	switch {
	case c.At.Before(p.Starts):
		return p, NotStarted
	case !own.Ends.IsZero() && !c.At.Before(own.Ends):
		return p, Expired
	case own.Used:
		return p, AlreadyUsed
	}
	return p, ""
}
