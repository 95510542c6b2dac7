package price

import "vitrine/internal/shop"

// Delivery is a way in which a shop delivers.
type Delivery struct {
	ID       shop.DeliveryID
	Name     string
	Kind     shop.DeliveryKind
	Price    int64               // without rates
	FreeFrom *int64              // sum of the goods from which it is free; nil: never
	Rates    []shop.DeliveryRate // the first that matches applies; empty: Price applies everywhere
}

// Possible is a way in which the goods of a cart can be delivered.
type Possible struct {
	ID    shop.DeliveryID
	Name  string
	Kind  shop.DeliveryKind
	Price int64
	Days  *int // until the goods arrive at the latest; nil: not stated
}

// deliver finds the possible deliveries and adds the price of the chosen one.
func deliver(c *Cart, r *Receipt, explain *notes) {
	r.Grand = r.Subtotal
	if len(c.Deliveries) == 0 {
		return
	}
	r.Deliveries = make([]Possible, 0, len(c.Deliveries))
	grams := r.grams()
	for i := range c.Deliveries {
		d := &c.Deliveries[i]
		p, why := d.possible(c.To, r.Subtotal, grams)
		explain.delivery(d.Name, p.Price, why)
		if why != noRate {
			r.Deliveries = append(r.Deliveries, p)
		}
	}
	for i := range r.Deliveries {
		if p := &r.Deliveries[i]; c.Delivery == 0 || c.Delivery == p.ID {
			r.Delivery = p
			r.Grand += p.Price
			return
		}
	}
}

// grams returns the weight of the goods, gifts included.
func (r *Receipt) grams() (sum int64) {
	for i := range r.Lines {
		l := &r.Lines[i]
		each := l.Product.grams(l.Choice.Variant)
		for _, part := range l.Product.Set {
			each += part.Product.grams(part.Variant) * part.Quantity
		}
		sum += each * l.Quantity
	}
	return sum
}

// grams returns the weight of a unit of a product that is no set, or of its variant.
func (p *Product) grams(variant shop.VariantID) int64 {
	if len(p.Set) > 0 {
		return 0
	}
	if v := p.variant(variant); v != nil && v.Grams != nil {
		return *v.Grams
	}
	return p.Grams
}

const (
	flatPrice = "the price of the option applies"
	noRate    = "no rate matches the destination, the sum and the weight"
)

// possible returns the delivery with its price for goods of a sum and a weight, and the reason for
// the price. Without a matching rate it is not possible.
func (d *Delivery) possible(to shop.Destination, sum, grams int64) (p Possible, why string) {
	p, why = Possible{ID: d.ID, Name: d.Name, Kind: d.Kind, Price: d.Price}, flatPrice
	if len(d.Rates) > 0 {
		i := 0
		for i < len(d.Rates) && !d.Rates[i].Matches(to, sum, grams) {
			i++
		}
		if i == len(d.Rates) {
			return p, noRate
		}
		p.Price, p.Days, why = d.Rates[i].Price, d.Rates[i].Days, "a rate matches"
	}
	if d.FreeFrom != nil && sum >= *d.FreeFrom {
		p.Price, why = 0, "free from this sum"
	}
	return p, why
}

// delivery records the price of a delivery, or that it is not possible.
func (n *notes) delivery(name string, price int64, why string) {
	if n != nil {
		n.list = append(n.list, Note{Step: n.step, Rule: name, After: price, Why: why})
	}
}
