package price

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/shop"
)

// fullCart is a cart of 100 lines, a third of them sets.
func fullCart() *Cart {
	set := &Product{ID: 3, Percent: 1250, Set: []Component{{Product: tea(), Variant: 50, Quantity: 2}, {Product: &Product{ID: 2, Price: 9}, Quantity: 1}}}
	c := &Cart{At: noon, Gifts: map[shop.ProductID]*GiftGood{2: {Product: &Product{ID: 2, Price: 9}}}}
	for i := range MaxLines {
		plain := *tea()
		plain.ID = shop.ProductID(10 + i)
		plain.Categories = []shop.CategoryID{shop.CategoryID(i % 20), 100, 101}
		plain.Path = plain.Categories
		line := Line{Product: &plain, Quantity: int64(i + 1), Choice: Choice{Variant: 50}}
		if i%3 == 0 {
			line = Line{Product: set, Quantity: 2}
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// manyPromotions returns n promotions of all kinds, wide and narrow, with and without limits.
func manyPromotions(n int) *Offers {
	var list []Promotion
	for i := range n {
		p := Promotion{ID: int64(i + 1), Name: "p", Kind: []Kind{KindDiscount, KindDiscount, KindOrder, KindGift, KindCoupon}[i%5], Points: int64(1 + i%900), Code: fmt.Sprint("C", i)}
		switch i % 4 {
		case 0:
			p.Scope.Categories = map[shop.CategoryID]bool{shop.CategoryID(i % 20): true}
		case 1:
			p.Scope.Products = map[shop.ProductID]bool{shop.ProductID(10 + i%100): true}
		case 2:
			p.MinTotal = 1 << 40
		}
		if p.Kind == KindGift {
			p.Gift, p.Points = Gift{Product: 2, Quantity: 1}, 0
		}
		if i%7 == 0 {
			p.Limits = Limits{Total: 1000, Budget: 1 << 50}
		}
		list = append(list, p)
	}
	rules := []Rule{{ID: 1, Name: "r", Categories: []shop.CategoryID{100}, Count: CountRule, Tiers: []Tier{{From: 2, Points: 500}, {From: 100, Points: 700}}}}
	return NewOffers(rules, list, nil)
}

// BenchmarkPrice prices a cart of 100 lines with n active promotions.
func BenchmarkPrice(b *testing.B) {
	for _, n := range []int{0, 50, 1000} {
		b.Run(fmt.Sprint("promotions=", n), func(b *testing.B) {
			c := fullCart()
			if c.Code = "C4"; n > 0 {
				c.Offers = manyPromotions(n)
			}
			b.ReportAllocs()
			for b.Loop() {
				if Price(c).Subtotal == 0 {
					b.Fatal("free")
				}
			}
		})
	}
}

// BenchmarkCards prices a listing of 24 cards with three prices each under 50 promotions.
func BenchmarkCards(b *testing.B) {
	o, at := manyPromotions(50), noon.Add(time.Hour)
	products := make([]*Product, 24)
	for i := range products {
		products[i] = &Product{ID: shop.ProductID(10 + i), Categories: []shop.CategoryID{shop.CategoryID(i % 20), 100}}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range products {
			for _, unit := range []int64{100, 140, 200} {
				o.Tag(p, unit, at)
			}
		}
	}
}

// BenchmarkTaxes computes the taxes of a cart of 100 lines in a shop with 500 rates.
func BenchmarkTaxes(b *testing.B) {
	c := fullCart()
	c.Taxes = germany()
	for i := range 500 {
		c.Taxes.Rates = append(c.Taxes.Rates, rule("US", fmt.Sprint("county ", i), shop.TaxStandard, shop.Percent(i)))
	}
	c.To = shop.NewDestination("US", "county 499", "")
	r := Price(c)
	b.ReportAllocs()
	for b.Loop() {
		r.Taxes = nil
		if taxes(c, r, nil); len(r.Taxes) == 0 {
			b.Fatal("not taxed")
		}
	}
}
