package price

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// For every cart, the applied amounts add up to the discount, no line costs more than before or
// less than zero, gifts are free, and pricing again gives the same receipt.
func TestPriceInvariants(t *testing.T) {
	for i := range *carts / 4 {
		c := cartAtRandom(rand.New(rand.NewPCG(2, uint64(i))))
		r := Price(c)
		var applied, before int64
		for _, a := range r.Applied {
			applied += a.Amount
			if a.Amount < 0 || a.Amount == 0 && a.Kind != string(KindGift) {
				t.Fatalf("cart %d: %+v", i, a)
			}
		}
		for _, l := range r.Lines {
			switch {
			case l.Gift && (l.Unit != 0 || l.Quantity < 1), l.Unit < 0, !l.Gift && l.Base != 0 && l.Base <= l.Unit:
				t.Fatalf("cart %d: %+v", i, l)
			case !l.Gift:
				before += max(l.Base, l.Unit) * l.Quantity
			}
		}
		if r.Subtotal < 0 || r.Discount() < 0 || applied != r.Discount() || before != r.Before {
			t.Fatalf("cart %d: before %d, %d by lines, subtotal %d, applied %d", i, r.Before, before, r.Subtotal, applied)
		}
		if again, explained := receiptText(Price(c)), receiptText(Explain(c)); again != receiptText(r) || explained != receiptText(r) {
			t.Fatalf("cart %d: %s, then %s, explained %s", i, receiptText(r), again, explained)
		}
	}
}

// Explain mentions every promotion that needs no code, whether it fired or not.
func TestEveryPromotionIsExplained(t *testing.T) {
	for i := range *carts / 8 {
		c := cartAtRandom(rand.New(rand.NewPCG(4, uint64(i))))
		if c.Offers == nil || len(c.Lines) == 0 {
			continue
		}
		r := Explain(c)
		for _, list := range [][]*Promotion{c.Offers.discounts, c.Offers.gifts, c.Offers.orders} {
			for _, p := range list {
				if !slices.ContainsFunc(r.Explain, func(n Note) bool { return n.Rule == p.Name && n.Why != "" }) {
					t.Fatalf("cart %d: no explanation for %s %+v: %+v\n%s", i, p.Kind, p, r.Explain, describe(c))
				}
			}
		}
	}
}

// Adding one unit of a line makes the cart no cheaper, unless it reaches a tier, a condition or a
// budget: while no unit price changes and the same promotions fire, the total can fall only by
// the rounding of the discounts on sums, one unit for each of them.
func TestMoreOfAProductIsNotCheaper(t *testing.T) {
	same, fell := 0, 0
	for i := range *carts / 2 {
		random := rand.New(rand.NewPCG(3, uint64(i)))
		c := cartAtRandom(random)
		less := Price(c)
		c.Lines = slices.Clone(c.Lines)
		c.Lines[random.IntN(len(c.Lines))].Quantity++
		more := Price(c)
		if firing, now := fires(less), fires(more); firing != now {
			if more.Subtotal < less.Subtotal {
				fell++ // because of promotions that fire only now
			}
			continue
		}
		same++
		rounded := int64(0)
		for _, a := range more.Applied {
			if a.Kind == string(KindOrder) || a.Kind == string(KindCoupon) || a.Kind == string(KindPersonal) {
				rounded++
			}
		}
		if more.Subtotal < less.Subtotal-rounded {
			t.Fatalf("cart %d: %s, with one unit more %s\n%s", i, receiptText(less), receiptText(more), describe(c))
		}
	}
	if same < *carts/8 || fell == 0 {
		t.Errorf("only %d carts are comparable; %d became cheaper through promotions that fire only now", same, fell)
	}
}

// fires summarizes what determined a receipt, without its sums.
func fires(r *Receipt) string {
	var units, names []string
	for _, l := range r.Lines {
		if !l.Gift {
			units = append(units, fmt.Sprint(l.Key, " ", l.Unit))
		}
	}
	for _, a := range r.Applied {
		if a.Kind != string(KindGift) {
			names = append(names, fmt.Sprint(a.Kind, a.Promotion))
		}
	}
	slices.Sort(names)
	return fmt.Sprint(units, names, r.Rejected)
}

// Promotions of equal priority apply in order of id, regardless of input order.
func TestEqualPrioritiesGoById(t *testing.T) {
	t.Parallel()
	half, ten := Promotion{ID: 4, Kind: KindOrder, Priority: 7, Points: 5000}, Promotion{ID: 9, Kind: KindOrder, Priority: 7, Amount: 10}
	sooner, later := half, ten
	sooner.ID, later.ID = 9, 4
	cup := &Product{ID: 1, Price: 100}
	for _, x := range []struct {
		list []Promotion
		pays int64
	}{{[]Promotion{half, ten}, 40}, {[]Promotion{ten, half}, 40}, {[]Promotion{sooner, later}, 45}, {[]Promotion{later, sooner}, 45}} {
		if r := Price(&Cart{Lines: []Line{{Product: cup, Quantity: 1}}, At: noon, Offers: NewOffers(nil, x.list, nil)}); r.Subtotal != x.pays {
			t.Errorf("%+v: %d, want %d", x.list, r.Subtotal, x.pays)
		}
	}
	one, two := Promotion{ID: 1, Name: "one", Kind: KindDiscount, Points: 1000}, Promotion{ID: 2, Name: "two", Kind: KindDiscount, Amount: 10}
	for _, list := range [][]Promotion{{one, two}, {two, one}} {
		if r := Price(&Cart{Lines: []Line{{Product: cup, Quantity: 1}}, At: noon, Offers: NewOffers(nil, list, nil)}); r.Lines[0].Promotion != "one" {
			t.Errorf("%s wins a tie", r.Lines[0].Promotion)
		}
	}
}
