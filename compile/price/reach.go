package price

import "vitrine/internal/shop"

// reach is an index of the discounts that may apply to a product, so that others need not be
// checked.
type reach struct {
	all       []*Promotion
	ofProduct map[shop.ProductID][]*Promotion
	ofSection map[shop.CategoryID][]*Promotion
}

func newReach(discounts []*Promotion) reach {
	r := reach{ofProduct: map[shop.ProductID][]*Promotion{}, ofSection: map[shop.CategoryID][]*Promotion{}}
	for _, p := range discounts {
		switch {
		case p.Scope.Products != nil:
			for id := range p.Scope.Products {
				r.ofProduct[id] = append(r.ofProduct[id], p)
			}
		case p.Scope.Categories != nil:
			for id := range p.Scope.Categories {
				r.ofSection[id] = append(r.ofSection[id], p)
			}
		default:
			r.all = append(r.all, p)
		}
	}
	return r
}

// firing evaluates lazily which discounts fire on a cart.
type firing struct {
	c     *Cart
	lines []Priced
	state []fireState // by rank
}

// fireState caches whether a promotion fires; 0 is unknown.
type fireState uint8

const (
	yes fireState = iota + 1
	no
)

func (f *firing) fires(p *Promotion) bool {
	if f.state[p.rank] == 0 {
		f.state[p.rank] = yes
		if sum, units := f.sums(p); p.barrier(f.c, sum, units) != "" {
			f.state[p.rank] = no
		}
	}
	return f.state[p.rank] == yes
}

// sums returns the total and units of the lines in the scope of a discount. It skips the addition
// for discounts without a minimum.
func (f *firing) sums(p *Promotion) (sum, units int64) {
	if p.MinTotal == 0 && p.MinUnits == 0 {
		return 0, 0
	}
	return sums(f.lines, &p.Scope)
}

// cheapest returns the discount that makes a line cheapest, the first one of equals; nil if none
// makes it cheaper.
func (r *reach) cheapest(on *firing, line *Priced) (best *Promotion) {
	if line.Source == FromSet || line.Source == FromConfiguration || line.Source == FromAgreement {
		return nil
	}
	least := line.Unit
	look := func(list []*Promotion) {
		for _, p := range list {
			to := p.off(line.Unit)
			if (to < least || to == least && best != nil && p.rank < best.rank) && p.Scope.holds(line.Product) && on.fires(p) {
				best, least = p, to
			}
		}
	}
	look(r.all)
	look(r.ofProduct[line.Product.ID])
	for _, c := range line.Product.Categories {
		look(r.ofSection[c])
	}
	return best
}
