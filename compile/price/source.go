package price

import "vitrine/internal/shop"

// Source is where a unit price comes from, in order of priority (document 2, 2.1).
type Source uint8

// The sources.
const (
	FromAgreement     Source = iota + 1 // agreed with the buyer of a manual order
	FromSet                             // the sum of the components
	FromVariant                         // the variant's price, else the product's
	FromConfiguration                   // set by the client, stored with the line
	FromProduct
)

var sourceNames = [...]string{FromAgreement: "agreement", FromSet: "set", FromVariant: "variant", FromConfiguration: "configuration", FromProduct: "product"}

func (s Source) String() string { return sourceNames[s] }

// unitPrices sets the unit price of every line.
func unitPrices(_ *Cart, r *Receipt, explain *notes) {
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.Unit, line.Source = unit(line.Product, line.Choice); line.Agreed != nil {
			line.Unit, line.Source = *line.Agreed, FromAgreement
		}
		explain.add(line, line.Source.String(), line.Unit, line.Unit, whySource[line.Source])
		r.Before += line.Total()
	}
	r.Subtotal = r.Before
}

var whySource = [...]string{
	FromAgreement:     "the shop agreed on this price with the buyer",
	FromSet:           "a set costs what its components cost",
	FromVariant:       "the variant has this price, or leaves it to the product",
	FromConfiguration: "the configuration names its price",
	FromProduct:       "the product has this price",
}

func unit(p *Product, c Choice) (int64, Source) {
	if len(p.Set) > 0 {
		return setPrice(p), FromSet
	}
	if c.Variant != 0 || c.Unresolved {
		v := p.variant(c.Variant)
		switch {
		case v == nil:
			return p.Price, FromProduct // price fields of the data are void without their variant
		case v.Price != nil:
			return *v.Price, FromVariant
		}
		return p.Price, FromVariant
	}
	if c.Configured != nil && p.Configurable {
		return *c.Configured, FromConfiguration
	}
	return p.Price, FromProduct
}

// setPrice returns the sum of the effective prices of the components, less the discount of the
// set; a stored price of the set is ignored.
func setPrice(p *Product) int64 { return less(ComponentsTotal(p), p.Percent) }

// ComponentsTotal returns the undiscounted sum of a set's components. Sets must not be nested; a
// nested one counts with its own stored price.
func ComponentsTotal(p *Product) int64 {
	var sum int64
	for _, c := range p.Set {
		each := c.Product.Price
		if v := c.Product.variant(c.Variant); v != nil && v.Price != nil {
			each = *v.Price
		}
		sum += each * c.Quantity
	}
	return min(sum, maxUnit)
}

// variant returns the live, active variant with an id, or nil.
func (p *Product) variant(id shop.VariantID) *Variant {
	for i := range p.Variants {
		if p.Variants[i].ID == id && id != 0 {
			return &p.Variants[i]
		}
	}
	return nil
}

// Chosen returns the variant that a line buys, 0 for none.
func (l *Line) Chosen() shop.VariantID {
	if len(l.Product.Set) == 0 && l.Product.variant(l.Choice.Variant) != nil {
		return l.Choice.Variant
	}
	return 0
}

// maxUnit caps the sum of a set, far above what an order may cost, so that sums of carts do not
// overflow.
const maxUnit = 100_000_000_000

// less deducts a percentage in basis points from a price, rounded half up to a whole unit once.
func less(price, points int64) int64 { return (price*(10_000-points) + 5_000) / 10_000 }
