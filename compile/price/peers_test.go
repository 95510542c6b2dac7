package price

import (
	"testing"

	"vitrine/internal/shop"
)

// What other shop systems got wrong, by the name of the report. Each is a cart whose
// sum would be another one here if it were made again.
func TestWhatPeersGotWrong(t *testing.T) {
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
		"saleor 17453: a code of 70 % looks at what a discount of 40 % left": {
			[]Line{of(1, 100, 10)}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 4000}, {ID: 2, Kind: KindCoupon, Code: "C", Points: 7000}}, nil, "C", 180, 0},
		"saleor 14920: of two discounts one line has the better one, not both": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 2000}, {ID: 2, Kind: KindDiscount, Amount: 30}}, nil, "", 70, 0},
		"shopware 13674: an exclusive one is alone whatever its priority, and only when it is the better one": {
			[]Line{of(1, 1000, 1)}, []Promotion{
				{ID: 1, Kind: KindOrder, Priority: 1, Points: 1000}, {ID: 2, Kind: KindOrder, Priority: 2, Points: 1000},
				{ID: 3, Kind: KindOrder, Priority: 0, Exclusive: true, Points: 1500},
			}, nil, "", 810, 0},
		"shopware 13674: and then the others give nothing": {
			[]Line{of(1, 1000, 1)}, []Promotion{
				{ID: 1, Kind: KindOrder, Priority: 1, Points: 1000}, {ID: 3, Kind: KindOrder, Priority: 9, Exclusive: true, Points: 1500},
			}, nil, "", 850, 0},
		"prestashop 11722, 20690, thirtybees 1675: a gift is in the base of nothing": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindOrder, Points: 1500}}, nil, "", 85, 2},
		"prestashop 34464: a gift does not count for the sum that another promotion asks for": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindOrder, MinTotal: 101, Points: 5000}}, nil, "", 100, 2},
		"prestashop 19862: one gift by two rules is free twice": {
			[]Line{of(1, 100, 1)}, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}, {ID: 2, Kind: KindGift, Gift: Gift{Product: 9, Quantity: 1}}}, nil, "", 100, 3},
		"medusa 8829, 14432: what comes for nothing does not count for what brings it": {
			[]Line{of(9, 100, 2)}, []Promotion{{ID: 1, Kind: KindGift, Scope: only(9), Gift: Gift{Product: 9, Quantity: 1, Per: 3}}}, nil, "", 200, 0},
		"medusa 13265: buy two, get one, twice for four": {
			[]Line{of(1, 100, 4)}, []Promotion{{ID: 1, Kind: KindGift, Scope: only(1), Gift: Gift{Product: 9, Quantity: 1, Per: 2}}}, nil, "", 400, 2},
		"medusa 14934: an amount is no percentage": {
			[]Line{of(1, 200_000, 1)}, []Promotion{{ID: 1, Kind: KindDiscount, Amount: 50_000}}, nil, "", 150_000, 0},
		"medusa 12226: a hundred percent leaves exactly nothing": {
			[]Line{of(1, 399, 1), of(2, 7, 3)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 10_000}}, nil, "", 0, 0},
		"medusa 12789, 13971, 14818: a share is rounded once, to a whole unit": {
			[]Line{of(1, 333, 3)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 3333}}, nil, "", 999 - 333, 0},
		"vendure 1773: the decimals of a percentage count": {
			[]Line{of(1, 2500, 1)}, []Promotion{{ID: 1, Kind: KindOrder, Points: 1050}}, nil, "", 2500 - 263, 0},
		"vendure 2995: an amount off an order is that amount, whatever the quantity": {
			[]Line{of(1, 33, 7)}, []Promotion{{ID: 1, Kind: KindOrder, Amount: 10}}, nil, "", 221, 0},
		"vendure 3091, 1237, woocommerce 16305: an amount is taken once, from the sum and not unit by unit or beside a tax": {
			[]Line{of(1, 33, 3), of(2, 34, 1)}, []Promotion{{ID: 1, Kind: KindCoupon, Code: "C", Amount: 50}}, nil, "C", 83, 0},
		"saleor 12040: a discount above the price leaves nothing, not less": {
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

// A card says what a cart with the product alone says, at every moment, and what a
// limit that is used up leaves of it.
func TestACardCostsWhatACartDoes(t *testing.T) {
	t.Parallel()
	p := &Product{ID: 1, Price: 100, Categories: []shop.CategoryID{4}}
	for name, x := range map[string]struct {
		promotion Promotion
		used      Usage
		price     int64
	}{
		"a discount":                         {Promotion{Points: 1000}, Usage{}, 90},
		"one of its section":                 {Promotion{Amount: 5, Scope: Scope{Categories: map[shop.CategoryID]bool{4: true}}}, Usage{}, 95},
		"one of another":                     {Promotion{Amount: 5, Scope: Scope{Categories: map[shop.CategoryID]bool{5: true}}}, Usage{}, 100},
		"for more than one unit":             {Promotion{Points: 1000, MinUnits: 2}, Usage{}, 100},
		"for a larger cart":                  {Promotion{Points: 1000, MinTotal: 101}, Usage{}, 100},
		"for a group":                        {Promotion{Points: 1000, Groups: []shop.CustomerGroupID{1}}, Usage{}, 100},
		"a first order":                      {Promotion{Points: 1000, FirstOnly: true}, Usage{}, 90},
		"not yet":                            {Promotion{Points: 1000, Starts: noon.Add(1)}, Usage{}, 100},
		"to the last moment":                 {Promotion{Points: 1000, Ends: noon.Add(1)}, Usage{}, 90},
		"no longer":                          {Promotion{Points: 1000, Ends: noon}, Usage{}, 100},
		"used up":                            {Promotion{Points: 1000, Limits: Limits{Total: 3}}, Usage{Used: 3}, 100},
		"a budget that covers one unit":      {Promotion{Points: 1000, Limits: Limits{Budget: 30}}, Usage{Spent: 20}, 90},
		"a budget that covers none":          {Promotion{Points: 1000, Limits: Limits{Budget: 30}}, Usage{Spent: 21}, 100},
		"to nothing, which is a price":       {Promotion{Points: 10_000}, Usage{}, 0},
		"so little that it rounds to naught": {Promotion{Points: 1}, Usage{}, 100},
	} {
		x.promotion.ID, x.promotion.Name, x.promotion.Kind = 7, "Spring", KindDiscount
		o := NewOffers(nil, []Promotion{x.promotion}, map[int64]Usage{7: x.used})
		tag := o.Tag(p, p.Price, noon)
		cart := Price(&Cart{Lines: []Line{{Product: p, Quantity: 1}}, At: noon, Offers: o, Usage: map[int64]Usage{7: x.used}})
		reduced := x.price < 100
		if tag.Price != x.price || cart.Subtotal != x.price || (tag.Was == 100) != reduced || (tag.Promotion == "Spring") != reduced {
			t.Errorf("%s: %+v, the cart %d", name, tag, cart.Subtotal)
		}
	}
}

// The prices from quantities on are those that a line of so many units has.
func TestLevelsArePricesOfALine(t *testing.T) {
	t.Parallel()
	p := &Product{ID: 1, Path: []shop.CategoryID{4, 2}}
	o := NewOffers([]Rule{
		{ID: 1, Categories: []shop.CategoryID{2}, Count: CountLine, Tiers: []Tier{{From: 2, Points: 5000}}},
		{ID: 2, Categories: []shop.CategoryID{4}, Count: CountProduct, Tiers: []Tier{{From: 3, Points: 1000}, {From: 6, Price: ptr(95)}, {From: 9, Price: ptr(60)}}},
	}, []Promotion{{ID: 1, Kind: KindDiscount, Points: 1000}}, nil)
	got := o.Levels(p, 100, noon)
	if len(got) != 2 || got[0] != (Level{3, 81}) || got[1] != (Level{9, 54}) { // that from 6 on is no less
		t.Errorf("%v", got)
	}
	dear := NewOffers([]Rule{{ID: 1, Products: []shop.ProductID{1}, Tiers: []Tier{{From: 2, Price: ptr(100)}, {From: 3, Price: ptr(120)}}}}, nil, nil)
	if got := dear.Levels(p, 100, noon); got != nil {
		t.Errorf("tiers that lower nothing: %v", got)
	}
	if (*Offers)(nil).Levels(p, 100, noon) != nil || o.Levels(&Product{ID: 5}, 100, noon) != nil {
		t.Error("a product without a rule has levels")
	}
}
