package price

import (
	"slices"

	"vitrine/internal/shop"
)

// Scope restricts a promotion to products. Nil fields don't restrict; the others must all match.
type Scope struct {
	Products   map[shop.ProductID]bool
	Categories map[shop.CategoryID]bool // any of which contains the product, directly or below
	Exclude    map[shop.ProductID]bool

	section shop.CategoryID // the only element of Categories, the usual case: comparing is cheaper than a lookup
	product shop.ProductID  // the only element of Products
}

// compile sets section and product where the maps have one element.
func (s *Scope) compile() {
	for id := range s.Categories {
		s.section = id
	}
	for id := range s.Products {
		s.product = id
	}
	if len(s.Categories) != 1 {
		s.section = 0
	}
	if len(s.Products) != 1 {
		s.product = 0
	}
}

func (s *Scope) holds(p *Product) bool {
	if s.Products != nil && s.product != p.ID && (s.product != 0 || !s.Products[p.ID]) || len(s.Exclude) > 0 && s.Exclude[p.ID] {
		return false
	}
	switch {
	case s.Categories == nil:
		return true
	case s.section != 0:
		return slices.Contains(p.Categories, s.section)
	}
	for _, c := range p.Categories {
		if s.Categories[c] {
			return true
		}
	}
	return false
}
