package price

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

func amount(n int64) *int64 { return &n }

// tea is sold as a plain product, in variants with their own price or the product's, and by
// configuration.
func tea() *Product {
	return &Product{ID: 1, Price: 14, Configurable: true, Variants: []Variant{{ID: 50, Price: amount(20)}, {ID: 51}, {ID: 52, Price: amount(0)}}}
}

func TestUnitPriceComesFromTheFirstSource(t *testing.T) {
	cup := &Product{ID: 2, Price: 9}
	fixed := tea()
	fixed.Configurable = false
	set := &Product{ID: 3, Price: 1000, Set: []Component{{Product: tea(), Variant: 50, Quantity: 2}, {Product: cup, Quantity: 1}}}
	reduced := &Product{ID: 4, Set: set.Set, Percent: 1050}
	for name, c := range map[string]struct {
		product *Product
		data    string
		unit    int64
		source  Source
	}{
		"a product":                           {tea(), ``, 14, FromProduct},
		"data without a price":                {tea(), `{"engraving":"x"}`, 14, FromProduct},
		"a variant":                           {tea(), `{"variant_id":50}`, 20, FromVariant},
		"a variant by a string":               {tea(), `{"variant_id":"50"}`, 20, FromVariant},
		"a variant without its own price":     {tea(), `{"variant_id":51}`, 14, FromVariant},
		"a variant that is free":              {tea(), `{"variant_id":52}`, 0, FromVariant},
		"a variant wins over a configuration": {tea(), `{"variant_id":50,"price":{"total":1}}`, 20, FromVariant},
		"a deleted variant":                   {tea(), `{"variant_id":99}`, 14, FromProduct},
		"a deleted variant and a price":       {tea(), `{"variant_id":99,"price":{"total":1}}`, 14, FromProduct},
		"a variant_id that is no id":          {tea(), `{"variant_id":"blue","price":{"total":1}}`, 14, FromProduct},
		"a variant of 0":                      {tea(), `{"variant_id":0,"price":{"total":1}}`, 14, FromProduct},
		"a variant of null":                   {tea(), `{"variant_id":null,"price":{"total":7}}`, 7, FromConfiguration},
		"a configuration":                     {tea(), `{"price":{"total":777}}`, 777, FromConfiguration},
		"a configuration of a fixed price":    {fixed, `{"price":{"total":777}}`, 14, FromProduct},
		"a configuration is rounded":          {tea(), `{"price":{"total":777.5}}`, 778, FromConfiguration},
		"a configuration of zero":             {tea(), `{"price":{"total":0}}`, 0, FromConfiguration},
		"a negative configuration":            {tea(), `{"price":{"total":-5}}`, 0, FromConfiguration},
		"a configuration above the maximum":   {tea(), `{"price":{"total":1e308}}`, MaxTotal, FromConfiguration},
		"a configuration beyond float64":      {tea(), `{"price":{"total":1e999}}`, MaxTotal, FromConfiguration},
		"a configuration that is no number":   {tea(), `{"price":{"total":"dear"}}`, 14, FromProduct},
		"a configuration without a total":     {tea(), `{"price":{}}`, 14, FromProduct},
		"a price that is no object":           {tea(), `{"price":5}`, 14, FromProduct},
		"data that is no object":              {tea(), `[1]`, 14, FromProduct},
		"data that is no JSON":                {tea(), `{"price"`, 14, FromProduct},
		"a set ignores its stored price":      {set, ``, 49, FromSet},
		"a set wins over everything":          {set, `{"variant_id":50,"price":{"total":1}}`, 49, FromSet},
		"a set with a discount, rounded":      {reduced, ``, 44, FromSet}, // 49 - 10.5% = 43.855
	} {
		r := Price(&Cart{Lines: []Line{{Product: c.product, Quantity: 3, Choice: ReadChoice(json.RawMessage(c.data))}}})
		if got := r.Lines[0]; got.Unit != c.unit || got.Source != c.source || r.Subtotal != 3*c.unit || r.Before != r.Subtotal {
			t.Errorf("%s: %d from %s, subtotal %d; want %d from %s", name, got.Unit, got.Source, r.Subtotal, c.unit, c.source)
		}
	}
}

func TestEchoRemovesPricesOfADeletedVariant(t *testing.T) {
	for data, want := range map[string]string{
		`{"variant_id":99,"price":{"total":1},"breakdown":[1],"display":"x","note":"n"}`: `{"note":"n","variant_id":99}`,
		`{"variant_id":50,"price":{"total":1}}`:                                          `{"variant_id":50,"price":{"total":1}}`,
		`{"price":{"total":1},"note":"n"}`:                                               `{"price":{"total":1},"note":"n"}`,
		`{"price":5}`:                                                                    `{"price":5}`,
		``:                                                                               ``,
	} {
		r := Price(&Cart{Lines: []Line{{Product: tea(), Quantity: 1, Choice: ReadChoice(json.RawMessage(data))}}})
		if got := Echo(&r.Lines[0], json.RawMessage(data)); string(got) != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
}

func TestChosenIsAnExistingVariant(t *testing.T) {
	set := &Product{ID: 3, Set: []Component{{Product: tea(), Quantity: 1}}, Variants: tea().Variants}
	for want, line := range map[shop.VariantID]Line{
		50: {Product: tea(), Choice: Choice{Variant: 50}},
		0:  {Product: tea(), Choice: Choice{Variant: 99}},
	} {
		if got := line.Chosen(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	if line := (Line{Product: set, Choice: Choice{Variant: 50}}); line.Chosen() != 0 {
		t.Error("a set has a variant")
	}
}

func TestOrdersAreBoundedBeforeDiscounts(t *testing.T) {
	for price, tooLarge := range map[int64]bool{MaxTotal / 2: false, MaxTotal/2 + 1: true} {
		r := Price(&Cart{Lines: []Line{{Product: &Product{Price: price}, Quantity: 2}}})
		if r.TooLarge() != tooLarge {
			t.Errorf("2 at %d: %v", price, r.TooLarge())
		}
	}
}

func TestNoCartOverflows(t *testing.T) {
	dear := &Product{Price: MaxTotal}
	set := &Product{Set: make([]Component, 20)}
	for i := range set.Set {
		set.Set[i] = Component{Product: dear, Quantity: MaxQuantity}
	}
	lines := make([]Line, 10*MaxLines)
	for i := range lines {
		lines[i] = Line{Product: set, Quantity: MaxQuantity}
	}
	if r := Price(&Cart{Lines: lines}); r.Subtotal <= 0 || float64(r.Subtotal) > math.MaxInt64/4 || !r.TooLarge() {
		t.Errorf("%d", r.Subtotal)
	}
}

func TestUnknownCodeIsNotFound(t *testing.T) {
	lines := []Line{{Product: tea(), Quantity: 1}}
	if r := Price(&Cart{Lines: lines, Code: "SPRING"}); r.Rejected != NotFound || r.Subtotal != 14 {
		t.Errorf("%+v", r)
	}
	if r := Price(&Cart{Lines: lines}); r.Rejected != "" {
		t.Errorf("%+v", r)
	}
}

func TestEveryNumberIsExplained(t *testing.T) {
	r := Explain(&Cart{Lines: []Line{{Product: tea(), Key: "v50", Quantity: 2, Choice: Choice{Variant: 50}}}})
	want := Note{Key: "v50", Product: 1, Step: "unit_price", Rule: "variant", Before: 20, After: 20, Why: whySource[FromVariant]}
	if len(r.Explain) != 1 || r.Explain[0] != want {
		t.Errorf("%+v", r.Explain)
	}
	if r := Price(&Cart{Lines: []Line{r.Lines[0].Line}}); len(r.Explain) != 0 {
		t.Errorf("Price explains without being asked: %+v", r.Explain)
	}
}

// For any data, the sum of a cart is the sum of its lines, no unit price is negative, and
// explaining changes nothing.
func TestSubtotalIsTheSumOfTheLines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cart := randomCart(r)
		got, explained := Price(cart), Explain(cart)
		var sum int64
		for i, line := range got.Lines {
			sum += line.Total()
			if line.Unit < 0 || line.Unit != explained.Lines[i].Unit {
				r.Fatalf("line %d: %d, explained %d", i, line.Unit, explained.Lines[i].Unit)
			}
		}
		if got.Subtotal != sum || got.Before-got.Discount() != got.Subtotal || got.Subtotal != explained.Subtotal {
			r.Fatalf("%d, the lines %d, explained %d", got.Subtotal, sum, explained.Subtotal)
		}
	})
}

func randomCart(r *rapid.T) *Cart {
	cart := &Cart{}
	for range rapid.IntRange(0, 20).Draw(r, "lines") {
		p := tea()
		p.Price = rapid.Int64Range(0, MaxTotal).Draw(r, "price")
		if rapid.Bool().Draw(r, "set") {
			p.Set = []Component{{Product: tea(), Variant: shop.VariantID(rapid.Int64Range(0, 60).Draw(r, "component")), Quantity: 2}}
			p.Percent = rapid.Int64Range(0, 10_000).Draw(r, "percent")
		}
		data := rapid.SampledFrom([]string{``, `{"variant_id":50}`, `{"variant_id":7}`, `{"price":{"total":3.5}}`, `{"price":{"total":-1e300}}`}).Draw(r, "data")
		cart.Lines = append(cart.Lines, Line{
			Product: p, Quantity: rapid.Int64Range(1, MaxQuantity).Draw(r, "quantity"), Choice: ReadChoice(json.RawMessage(data)),
		})
	}
	return cart
}

func FuzzReadChoice(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"variant_id":1e400,"price":{"total":1e400}}`, `{"price":{"total":null}}`, `{"variant_id":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := ReadChoice(data)
		if c.Variant < 0 && !c.Unresolved || c.Configured != nil && (*c.Configured < 0 || *c.Configured > MaxTotal) {
			t.Errorf("%q: %+v", data, c)
		}
		r := Price(&Cart{Lines: []Line{{Product: tea(), Quantity: 1, Choice: c}}})
		if echo := Echo(&r.Lines[0], data); json.Valid(data) && len(data) > 0 && !json.Valid(echo) {
			t.Errorf("%q: %q", data, echo)
		}
	})
}

// Near names what is missing for a promotion only if the buyer may use it, the cart already has a
// product in its scope, and hints are requested.
func TestNearPromotions(t *testing.T) {
	t.Parallel()
	cup := &Product{ID: 1, Price: 100}
	only := Scope{Products: map[shop.ProductID]bool{1: true}}
	for name, x := range map[string]struct {
		promotion Promotion
		want      []Near
	}{
		"money for an order discount": {Promotion{Kind: KindOrder, MinTotal: 250, Amount: 5}, []Near{{7, "P", "order_discount", 50, 0}}},
		"units for a gift":            {Promotion{Kind: KindGift, Scope: only, MinUnits: 5, Gift: Gift{Product: 1, Quantity: 1}}, []Near{{7, "P", "gift", 0, 3}}},
		"units for the next gift":     {Promotion{Kind: KindGift, Scope: only, Gift: Gift{Product: 1, Quantity: 1, Per: 3}}, []Near{{7, "P", "gift", 0, 1}}},
		"money for a discount":        {Promotion{Kind: KindDiscount, MinTotal: 201, Points: 100}, []Near{{7, "P", "discount", 1, 0}}},
		"a code that was typed":       {Promotion{Kind: KindCoupon, Code: "C", MinTotal: 300, Points: 100}, []Near{{7, "P", "coupon", 100, 0}}},
		"no product in scope":         {Promotion{Kind: KindOrder, Scope: Scope{Products: map[shop.ProductID]bool{2: true}}, MinTotal: 250, Amount: 5}, nil},
		"another customer group":      {Promotion{Kind: KindOrder, Groups: []shop.CustomerGroupID{4}, MinTotal: 250, Amount: 5}, nil},
		"first orders only":           {Promotion{Kind: KindOrder, FirstOnly: true, MinTotal: 250, Amount: 5}, nil},
		"expired":                     {Promotion{Kind: KindOrder, Ends: noon, MinTotal: 250, Amount: 5}, nil},
		"used up":                     {Promotion{Kind: KindOrder, Limits: Limits{Total: 1}, MinTotal: 250, Amount: 5}, nil},
	} {
		x.promotion.ID, x.promotion.Name = 7, "P"
		c := &Cart{
			Lines: []Line{{Product: cup, Quantity: 2}}, At: noon, Code: "C", Offers: NewOffers(nil, []Promotion{x.promotion}, nil), Hints: true,
			Buyer: Buyer{ID: 1, Ordered: true}, Usage: map[int64]Usage{7: {Used: 1}}, Gifts: map[shop.ProductID]*GiftGood{1: {Product: cup}},
		}
		if got := Price(c).Near; !slices.Equal(got, x.want) {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
		c.Hints = false
		if got := Price(c).Near; got != nil {
			t.Errorf("%s: %+v without Hints", name, got)
		}
	}
}

// Explain gives the reason for every promotion that does not fire.
func TestPromotionsThatDoNotFireHaveAReason(t *testing.T) {
	t.Parallel()
	cup := &Product{ID: 1, Price: 100}
	left := int64(0)
	for want, p := range map[string]Promotion{
		"NOT_STARTED": {Kind: KindDiscount, Starts: noon.Add(1), Points: 100}, "EXPIRED": {Kind: KindOrder, Ends: noon, Points: 100},
		"EXHAUSTED": {Kind: KindDiscount, Limits: Limits{Total: 2}, Points: 100}, "BUDGET_SPENT": {Kind: KindDiscount, Limits: Limits{Budget: 10}, Points: 1000},
		"ALREADY_USED": {Kind: KindOrder, Limits: Limits{PerBuyer: 1}, Points: 100}, "MIN_TOTAL": {Kind: KindDiscount, MinTotal: 500, Points: 100},
		"MIN_QUANTITY": {Kind: KindGift, MinUnits: 9, Gift: Gift{Product: 1, Quantity: 1}}, "NOT_APPLICABLE": {Kind: KindOrder, FirstOnly: true, Points: 100},
		"there are too few of the gift": {Kind: KindGift, Gift: Gift{Product: 1, Quantity: 1}},
	} {
		p.ID, p.Name = 7, "P"
		r := Explain(&Cart{
			Lines: []Line{{Product: cup, Quantity: 2}}, At: noon, Offers: NewOffers(nil, []Promotion{p}, nil), Buyer: Buyer{ID: 1, Ordered: true},
			Usage: map[int64]Usage{7: {Used: 2, Spent: 1, ByBuyer: 1}}, Gifts: map[shop.ProductID]*GiftGood{1: {Product: cup, Left: &left}},
		})
		if !slices.ContainsFunc(r.Explain, func(n Note) bool { return n.Rule == "P" && n.Why == want }) {
			t.Errorf("%s: %+v", want, r.Explain)
		}
	}
}

// A discount that fires but loses a line to a better one is explained on that line, with the name
// of the winner.
func TestAPromotionThatLostIsExplained(t *testing.T) {
	cup, pot := &Product{ID: 1, Price: 100}, &Product{ID: 2, Price: 100}
	r := Explain(&Cart{
		Lines: []Line{{Product: cup, Key: "a", Quantity: 1}, {Product: pot, Key: "b", Quantity: 1}}, At: noon,
		Offers: NewOffers(nil, []Promotion{
			{ID: 1, Name: "Ten", Kind: KindDiscount, Points: 1000},
			{ID: 2, Name: "Cups", Kind: KindDiscount, Points: 2000, Scope: Scope{Products: map[shop.ProductID]bool{1: true}}},
			{ID: 3, Name: "Plates", Kind: KindDiscount, Points: 5000, Scope: Scope{Products: map[shop.ProductID]bool{3: true}}},
			{ID: 4, Name: "Two off", Kind: KindOrder, Amount: 2}, {ID: 5, Name: "Nine off", Kind: KindOrder, Amount: 9, Exclusive: true},
		}, nil),
	})
	reasons := map[string]string{}
	for _, n := range r.Explain {
		if n.Step != "unit_price" {
			reasons[n.Rule+" "+n.Key] = n.Why
		}
	}
	want := map[string]string{
		"Cups a": "the lowest price of this line", "Ten b": "the lowest price of this line", "Plates ": "NOT_APPLICABLE",
		"Ten a":    "another promotion makes this line as cheap or cheaper: Cups",
		"Two off ": "other promotions take more off the order", "Nine off ": "taken off the remaining amount",
	}
	golden.Map(t, "reasons", reasons, want)
}

func TestEchoRemovesPricesOfAFixedPriceProduct(t *testing.T) {
	fixed := tea()
	fixed.Configurable = false
	for data, want := range map[string]string{
		`{"price":{"total":1},"breakdown":[1],"display":"x","note":"n"}`: `{"note":"n"}`,
		`{"variant_id":50,"price":{"total":1}}`:                          `{"variant_id":50}`,
		`{"note": "n"}`:                                                  `{"note": "n"}`,
		``:                                                               ``,
	} {
		r := Price(&Cart{Lines: []Line{{Product: fixed, Quantity: 1, Choice: ReadChoice(json.RawMessage(data))}}})
		if got := Echo(&r.Lines[0], json.RawMessage(data)); string(got) != want {
			t.Errorf("%s is shown as %s, want %s", data, got, want)
		}
	}
}
