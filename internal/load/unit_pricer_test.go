package load

import (
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/shop"
)

// A shelf returns the prices of a cart: a discount of a section applies to the sections
// below it and through extra sections; a set gets no discount, but prices by quantity.
func TestAShelfPricesLikeACart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	offers := price.NewOffers(
		[]price.Rule{{ID: 1, Categories: []shop.CategoryID{1}, Count: price.CountLine, Tiers: []price.Tier{{From: 3, Points: 1000}}}},
		[]price.Promotion{{ID: 1, Name: "Spring", Kind: price.KindDiscount, Points: 2000, Ends: at.Add(time.Hour), Scope: price.Scope{
			Categories: map[shop.CategoryID]bool{1: true}}}}, nil)
	site := compile.New(compile.Input{Offers: offers, Categories: []compile.Category{{ID: 1, Slug: "a"}, {ID: 2, Parent: 1, Slug: "b"}, {ID: 3, Slug: "c"}}})
	for name, x := range map[string]struct {
		placed Placement
		at     time.Time
		unit   int64
		levels []price.Level
	}{
		"below the section":   {Placement{ID: 5, Category: 2}, at, 80, []price.Level{{From: 3, Price: 72}}},
		"in an extra section": {Placement{ID: 5, Category: 3, Extra: []shop.CategoryID{2}}, at, 80, nil},
		"in another section":  {Placement{ID: 5, Category: 3}, at, 100, nil},
		"after its end":       {Placement{ID: 5, Category: 2}, at.Add(time.Hour), 100, []price.Level{{From: 3, Price: 90}}},
		"a set":               {Placement{ID: 5, Category: 2, Set: true}, at, 100, []price.Level{{From: 3, Price: 90}}},
	} {
		shelf := NewUnitPricer(site, x.at)
		tag, levels := shelf.Unit(x.placed, 100), shelf.Levels(x.placed, 100)
		if tag.Price != x.unit || (tag.Was > 0) != (x.unit < 100) || len(levels) != len(x.levels) || len(levels) > 0 && levels[0] != x.levels[0] {
			t.Errorf("%s: %+v, %v", name, tag, levels)
		}
	}
	shelf := NewUnitPricer(site, at)
	for name, x := range map[string]struct {
		own, old int64
		choices  []shop.Choice
		want     Span
	}{
		"its own price":            {100, 130, nil, span(80, 100, 0, "Spring")},
		"choices":                  {100, 130, []shop.Choice{{Price: 100}, {Price: 150}}, span(80, 100, 120, "Spring")},
		"a choice's old price":     {100, 130, []shop.Choice{{Price: 2, Old: 9}, {Price: 150, Old: 300}}, span(2, 9, 120, "")},
		"replaced by a discount":   {100, 130, []shop.Choice{{Price: 100, Old: 400}}, span(80, 100, 0, "Spring")},
		"one that is not reduced":  {2, 3, nil, span(2, 3, 0, "")},
		"a product without prices": {0, 0, nil, span(0, 0, 0, "")},
	} {
		if got := shelf.Span(Placement{ID: 5, Category: 2}, shop.Choice{Price: x.own, Old: x.old}, x.choices); got != x.want {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
	}
}

func span(low, old, high int64, promotion string) (s Span) {
	s.Low, s.Old, s.High, s.Promotion = low, old, high, promotion
	return s
}
