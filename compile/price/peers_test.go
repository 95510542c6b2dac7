package price

import (
	"testing"

	"vitrine/internal/shop"
)

// Pricing bugs of other shop systems, by the name of the report. Each case is a cart whose sum
// would differ if this engine had the same bug.
func TestBugsOfOtherShopSystems(t *testing.T) {
	t.Parallel()
	of := func(id shop.ProductID, price, units int64) Line {
		return Line{Product: &Product{ID: id, Price: price}, Key: "k" + id.String(), Quantity: units}
	}
	only := func(ids ...shop.ProductID) Scope {
		s := Scope{Products: map[shop.ProductID]bool{}}
		for _, id := range ids {
			s.Products[id] = true
		}
		return s
	}
	gift := &GiftGood{Product: &Product{ID: 9, Price: 100}}
	for name, x := range map[string]struct {
		lines      []Line
		promotions []Promotion
		rules      []Rule
		code       string
		pays       int64
		lines0     int // lines with the gifts; 0: as many as there were
	}{
		"saleor 17453: a code of 70 % applies to the price after a discount of 40 %": {
			[]Line{of(1, 100, 10)}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 4000}, {ID: 2, Kind: KindCoupon, Code: "C", Points: 7000}}, nil, "C", 180, 0},
		"saleor 14920: a line gets the better of two discounts, not both": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 2000}, {ID: 2, Kind: KindDiscount, Amount: 30}}, nil, "", 70, 0},
		"shopware 13674: an exclusive promotion applies alone at any priority, and only if it is the better one": {
			[]Line{of(1, 1000, 1)}, []Promotion{
				{ID: 1, Kind: KindOrder, Priority: 1, Points: 1000}, {ID: 2, Kind: KindOrder, Priority: 2, Points: 1000},
				{ID: 3, Kind: KindOrder, Priority: 0, Exclusive: true, Points: 1500},
			}, nil, "", 810, 0},
		"shopware 13674: and then the others do not apply": {
			[]Line{of(1, 1000, 1)}, []Promotion{
				{ID: 1, Kind: KindOrder, Priority: 1, Points: 1000}, {ID: 3, Kind: KindOrder, Priority: 9, Exclusive: true, Points: 1500},
			}, nil, "", 850, 0},
		"prestashop 11722, 20690, thirtybees 1675: no promotion is computed on a gift": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindOrder, Points: 1500}}, nil, "", 85, 2},
		"prestashop 34464: a gift does not count towards the minimum of another promotion": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindOrder, MinTotal: 101, Points: 5000}}, nil, "", 100, 2},
		"prestashop 19862: the same gift from two rules is free twice": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}}, nil, "", 100, 3},
		"medusa 8829, 14432: a gift does not count towards its own condition": {
			[]Line{of(9, 100, 2)}, []Promotion{{ID: 1, Kind: KindGift, Scope: only(9), Gift: Gift{Product: 9, Quantity: 1, Per: 3}}}, nil, "", 200, 0},
		"medusa 13265: buy two, get one, twice for four": {
			[]Line{of(1, 100, 4)}, []Promotion{{ID: 1, Kind: KindGift, Scope: only(1), Gift: Gift{Product: 9, Quantity: 1, Per: 2}}}, nil, "", 400, 2},
		"medusa 14934: an amount is not a percentage": {
			[]Line{of(1, 200_000, 1)}, []Promotion{{ID: 1, Kind: KindDiscount, Amount: 50_000}}, nil, "", 150_000, 0},
		"medusa 12226: a hundred percent leaves exactly zero": {
			[]Line{of(1, 399, 1), of(2, 7, 3)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 10_000}}, nil, "", 0, 0},
		"medusa 12789, 13971, 14818: a percentage is rounded once, to a whole unit": {
			[]Line{of(1, 333, 3)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 3333}}, nil, "", 999 - 333, 0},
		"vendure 1773: the decimals of a percentage count": {
			[]Line{of(1, 2500, 1)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 1050}}, nil, "", 2500 - 263, 0},
		"vendure 2995: an amount off an order is that amount, whatever the quantity": {
			[]Line{of(1, 33, 7)}, []Promotion{{ID: 1, Kind: KindOrder, Amount: 10}}, nil, "", 221, 0},
		"vendure 3091, 1237, woocommerce 16305: an amount is deducted once, from the sum, not per unit or next to a tax": {
			[]Line{of(1, 33, 3), of(2, 34, 1)}, []Promotion{{ID: 1, Kind: KindCoupon, Code: "C", Amount: 50}}, nil, "C", 83, 0},
		"saleor 12040: a discount above the price leaves zero, not less": {
			[]Line{of(1, 5, 2)}, []Promotion{{ID: 1, Kind: KindDiscount, Amount: 9}, {ID: 2, Kind: KindOrder, Amount: 9}}, nil, "", 0, 0},
		"a tier never raises a price": {
			[]Line{of(1, 10, 5)}, nil, []Rule{{ID: 1, Products: []shop.ProductID{1}, Count: CountLine, Tiers: []Tier{{From: 2, Price: ptr(12)}}}}, "", 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cart{Lines: x.lines, Code: x.code, At: noon, Offers: NewOffers(x.rules, x.promotions, nil), Gifts: map[shop.ProductID]*GiftGood{9: gift}}
			r := Price(c)
			want := x.lines0
			if want == 0 {
				want = len(x.lines)
			}
			var taken int64
			for _, a := range r.Applied {
				taken += a.Amount
			}
			if r.Subtotal != x.pays || len(r.Lines) != want || taken != r.Discount() {
				t.Errorf("pays %d, want %d; %d lines, want %d; %d applied of %d: %+v", r.Subtotal, x.pays, len(r.Lines), want, taken, r.Discount(), r.Applied)
			}
		})
	}
}

func ptr(n int64) *int64 { return &n }

// A card shows the price of a cart with the product alone, at every moment and for every state of
// the promotion's limits.
func TestCardPriceEqualsCartPrice(t *testing.T) {
	t.Parallel()
	p := &Product{ID: 1, Price: 100, Categories: []shop.CategoryID{4}}
	for name, x := range map[string]struct {
		promotion Promotion
		used      Usage
		price     int64
	}{
		"a discount":                     {Promotion{Points: 1000}, Usage{}, 90},
		"a discount of its section":      {Promotion{Amount: 5, Scope: Scope{Categories: map[shop.CategoryID]bool{4: true}}}, Usage{}, 95},
		"a discount of another section":  {Promotion{Amount: 5, Scope: Scope{Categories: map[shop.CategoryID]bool{5: true}}}, Usage{}, 100},
		"for more than one unit":         {Promotion{Points: 1000, MinUnits: 2}, Usage{}, 100},
		"a minimum total":                {Promotion{Points: 1000, MinTotal: 101}, Usage{}, 100},
		"a group only":                   {Promotion{Points: 1000, Groups: []shop.CustomerGroupID{1}}, Usage{}, 100},
		"a first order":                  {Promotion{Points: 1000, FirstOnly: true}, Usage{}, 90},
		"not started":                    {Promotion{Points: 1000, Starts: noon.Add(1)}, Usage{}, 100},
		"to the last moment":             {Promotion{Points: 1000, Ends: noon.Add(1)}, Usage{}, 90},
		"expired":                        {Promotion{Points: 1000, Ends: noon}, Usage{}, 100},
		"used up":                        {Promotion{Points: 1000, Limits: Limits{Total: 3}}, Usage{Used: 3}, 100},
		"a budget that covers one unit":  {Promotion{Points: 1000, Limits: Limits{Budget: 30}}, Usage{Spent: 20}, 90},
		"a budget that covers none":      {Promotion{Points: 1000, Limits: Limits{Budget: 30}}, Usage{Spent: 21}, 100},
		"to zero, which is a price":      {Promotion{Points: 10_000}, Usage{}, 0},
		"a discount that rounds to zero": {Promotion{Points: 1}, Usage{}, 100},
	} {
		x.promotion.ID, x.promotion.Name, x.promotion.Kind = 7, "Spring", KindDiscount
		o := NewOffers(nil, []Promotion{x.promotion}, map[int64]Usage{7: x.used})
		tag := o.Tag(p, p.Price, noon)
		cart := Price(&Cart{Lines: []Line{{Product: p, Quantity: 1}}, At: noon, Offers: o, Usage: map[int64]Usage{7: x.used}})
		reduced := x.price < 100
		if tag.Price != x.price || cart.Subtotal != x.price || (tag.Was == 100) != reduced || (tag.Promotion == "Spring") != reduced {
			t.Errorf("%s: tag %+v, cart %d", name, tag, cart.Subtotal)
		}
	}
}

// The quantity prices equal those of a line with that many units.
func TestLevelsArePricesOfALine(t *testing.T) {
	t.Parallel()
	p := &Product{ID: 1, Path: []shop.CategoryID{4, 2}}
	o := NewOffers([]Rule{
		{ID: 1, Categories: []shop.CategoryID{2}, Count: CountLine, Tiers: []Tier{{From: 2, Points: 5000}}},
		{ID: 2, Categories: []shop.CategoryID{4}, Count: CountProduct, Tiers: []Tier{{From: 3, Points: 1000}, {From: 6, Price: ptr(95)}, {From: 9, Price: ptr(60)}}},
	}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 1000}}, nil)
	got := o.Levels(p, 100, noon)
	if len(got) != 2 || got[0] != (Level{3, 81}) || got[1] != (Level{9, 54}) { // the tier from 6 on is not cheaper
		t.Errorf("%v", got)
	}
	dear := NewOffers([]Rule{{ID: 1, Products: []shop.ProductID{1}, Tiers: []Tier{{From: 2, Price: ptr(100)}, {From: 3, Price: ptr(120)}}}}, nil, nil)
	if got := dear.Levels(p, 100, noon); got != nil {
		t.Errorf("levels of tiers that lower nothing: %v", got)
	}
	if (*Offers)(nil).Levels(p, 100, noon) != nil || o.Levels(&Product{ID: 5}, 100, noon) != nil {
		t.Error("a product without a rule has levels")
	}
}
