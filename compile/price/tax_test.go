package price

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func germany() *shop.Taxes {
	return &shop.Taxes{TaxTable: &shop.TaxTable{DefaultCountry: "DE", ExemptEUBusiness: true, Rates: []shop.TaxRule{
		rule("DE", "", shop.TaxStandard, 19000), rule("DE", "", shop.TaxReduced, 7000), rule("DE", "", shop.TaxZero, 0),
		rule("FR", "", shop.TaxStandard, 20000), rule("US", "NY", shop.TaxStandard, 8875), rule("US", "", shop.TaxStandard, 1000),
		rule("US", "Ny", shop.TaxReduced, 8875),
	}}}
}

func rule(country, region string, class shop.TaxClass, percent shop.Percent) shop.TaxRule {
	return shop.TaxRule{Country: country, Region: region, Class: class, TaxRate: shop.TaxRate{Name: "VAT", Percent: percent}}
}

func taxText(r *Receipt) (text string) {
	for _, t := range r.Taxes {
		text += fmt.Sprintf("%s%%: %d on %d, ", t.Percent, t.Amount, t.Base)
	}
	return text + fmt.Sprintf("%d of %d", r.TaxTotal, r.Grand)
}

// A cup of 1000 and a book of 500, which is in the reduced class, with a gift, a discount of the
// order and a delivery for 490.
func taxedCart() *Cart {
	cup, book := &Product{ID: 1, Price: 1000}, &Product{ID: 2, Price: 500, Class: shop.TaxReduced}
	return &Cart{
		Lines: []Line{{Product: cup, Quantity: 1}, {Product: book, Quantity: 3}}, At: noon, Taxes: germany(),
		Deliveries: []Delivery{{ID: 1, Price: 490}, {ID: 2}}, To: shop.NewDestination("de", "", ""),
		Gifts: map[shop.ProductID]*GiftGood{1: {Product: cup}},
	}
}

func TestTaxIsThatOfDestinationAndClass(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		change func(*Cart)
		want   string
	}{
		"added":           {func(*Cart) {}, "19%: 283 on 1490, 7%: 105 on 1500, 388 of 3378"},
		"included":        {func(c *Cart) { c.Taxes.Included = true }, "19%: 238 on 1252, 7%: 98 on 1402, 336 of 2990"},
		"free delivery":   {func(c *Cart) { c.Delivery = 2 }, "19%: 190 on 1000, 7%: 105 on 1500, 295 of 2795"},
		"only reduced":    {func(c *Cart) { c.Lines, c.Delivery = c.Lines[1:], 2 }, "7%: 105 on 1500, 105 of 1605"},
		"zero":            {func(c *Cart) { c.Lines[0].Product.Class = shop.TaxZero }, "19%: 93 on 490, 7%: 105 on 1500, 0%: 0 on 1000, 198 of 3188"},
		"no reduced rate": {func(c *Cart) { c.To = shop.NewDestination("FR", "", "") }, "20%: 298 on 1490, 298 of 3288"},
		"no rate":         {func(c *Cart) { c.To = shop.NewDestination("CH", "", "") }, "0 of 2990"},
		"no country":      {func(c *Cart) { c.To = shop.NewDestination("Mars", "", "") }, "0 of 2990"},
		"a region":        {func(c *Cart) { c.To = shop.NewDestination("us", "US-NY", "") }, "8.875%: 265 on 2990, 265 of 3255"},
		"another region":  {func(c *Cart) { c.To = shop.NewDestination("us", "TX", "") }, "1%: 15 on 1490, 15 of 3005"},
		"no taxes":        {func(c *Cart) { c.Taxes = nil }, "0 of 2990"},
		"one rate": {func(c *Cart) {
			c.Taxes = &shop.Taxes{TaxRate: &shop.TaxRate{Name: "VAT", Percent: 19000}, Included: true}
		}, "19%: 477 on 2513, 477 of 2990"},
		"one rate of 0":    {func(c *Cart) { c.Taxes = &shop.Taxes{TaxRate: &shop.TaxRate{Name: "VAT"}, Included: true} }, "0 of 2990"},
		"an empty cart":    {func(c *Cart) { c.Lines, c.Delivery = nil, 2 }, "0 of 0"},
		"a free cart":      {func(c *Cart) { c.Lines[0].Product.Price, c.Lines[1].Product.Price, c.Delivery = 0, 0, 2 }, "19%: 0 on 0, 7%: 0 on 0, 0 of 0"},
		"the own business": {func(c *Cart) { c.VATNumber = "DE123456789" }, "19%: 283 on 1490, 7%: 105 on 1500, 388 of 3378"},
		"a business":       {func(c *Cart) { c.VATNumber, c.To = "FR12123456789", shop.NewDestination("FR", "", "") }, "0 of 2990"},
		"a Greek business": {func(c *Cart) { c.VATNumber, c.To = "EL123456789", shop.NewDestination("GR", "", "") }, "0 of 2990"},
		"elsewhere":        {func(c *Cart) { c.VATNumber, c.To = "AT123456789", shop.NewDestination("FR", "", "") }, "20%: 298 on 1490, 298 of 3288"},
		"nowhere":          {func(c *Cart) { c.VATNumber, c.To = "FR12123456789", shop.Destination{}.Or("DE") }, "19%: 283 on 1490, 7%: 105 on 1500, 388 of 3378"},
		"not exempt": {func(c *Cart) {
			c.VATNumber, c.To, c.Taxes.ExemptEUBusiness = "FR12123456789", shop.NewDestination("FR", "", ""), false
		}, "20%: 298 on 1490, 298 of 3288"},
		"exempt, included": {func(c *Cart) {
			c.VATNumber, c.To, c.Taxes.Included = "FR12123456789", shop.NewDestination("FR", "", ""), true
		}, "0 of 2990"},
		"a British business": {func(c *Cart) {
			c.VATNumber, c.To = "GB123456789", shop.NewDestination("GB", "", "")
			c.Taxes.Rates = append(c.Taxes.Rates, rule("GB", "", shop.TaxStandard, 20000))
		}, "20%: 298 on 1490, 298 of 3288"},
		"a discount of the order": {func(c *Cart) {
			c.Offers = NewOffers(nil, []Promotion{{ID: 1, Kind: KindOrder, Amount: 501}}, nil)
		}, "19%: 245 on 1290, 7%: 84 on 1199, 329 of 2818"},
		"a discount of the books": {func(c *Cart) {
			c.Offers = NewOffers(nil, []Promotion{{ID: 1, Kind: KindOrder, Points: 10_000, Scope: Scope{Products: map[shop.ProductID]bool{2: true}}}}, nil)
		}, "19%: 283 on 1490, 7%: 0 on 0, 283 of 1773"},
		"a gift": {func(c *Cart) {
			c.Offers = NewOffers(nil, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 1, Quantity: 1}}}, nil)
		}, "19%: 283 on 1490, 7%: 105 on 1500, 388 of 3378"},
		"a set": {func(c *Cart) {
			c.Lines[0].Product = &Product{ID: 3, Class: shop.TaxReduced, Set: []Component{{Product: c.Lines[0].Product, Quantity: 1}}}
		}, "19%: 93 on 490, 7%: 175 on 2500, 268 of 3258"},
	} {
		cart := taxedCart()
		c.change(cart)
		if got := taxText(Price(cart)); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// Each line has the rate of its class; gifts have none.
func TestLinesHaveTheirRate(t *testing.T) {
	t.Parallel()
	c := taxedCart()
	c.Offers = NewOffers(nil, []Promotion{{ID: 1, Kind: KindGift, Gift: Gift{Product: 1, Quantity: 1}}}, nil)
	var got []string
	for _, l := range Price(c).Lines {
		got = append(got, fmt.Sprint(l.TaxRates()))
	}
	if fmt.Sprint(got) != "[[{VAT 19}] [] [{VAT 7}]]" {
		t.Errorf("%v", got)
	}
}

// The largest order that can be made, with the highest rates and an expensive delivery, has exact
// sums.
func TestTaxesOfTheLargestOrderAreExact(t *testing.T) {
	t.Parallel()
	c := &Cart{At: noon, Taxes: germany(), To: shop.Destination{Country: "DE"}, Deliveries: []Delivery{{ID: 1, Price: MaxTotal}}}
	c.Taxes.Rates[0].Percent = shop.MaxPercent
	for range 300 {
		c.Lines = append(c.Lines, Line{Product: &Product{ID: 1, Price: MaxTotal}, Quantity: MaxQuantity})
	}
	goods := int64(300 * MaxTotal * MaxQuantity)
	if r := Price(c); r.TaxTotal != goods+MaxTotal || r.Grand != 2*(goods+MaxTotal) || !r.TooLarge() {
		t.Error(taxText(r))
	}
	c.Taxes.Included = true
	if r := Price(c); r.TaxTotal != (goods+MaxTotal)/2 || r.Grand != goods+MaxTotal {
		t.Error(taxText(r))
	}
}

// With another delivery a receipt has the sums that a cart with that delivery has.
func TestAnotherDeliveryHasItsOwnTax(t *testing.T) {
	t.Parallel()
	for i := range *carts / 10 {
		r := rand.New(rand.NewPCG(6, uint64(i)))
		c := cartAtRandom(r)
		taxAtRandom(r, c)
		first := Price(c)
		before := taxText(first)
		for _, id := range []shop.DeliveryID{1, 2, 3, 0} {
			got := taxText(first.With(c, id))
			with := *c
			with.Delivery = id
			if want := taxText(Price(&with)); got != want {
				t.Fatalf("cart %d with delivery %d: %s, want %s", i, id, got, want)
			}
		}
		if taxText(first) != before {
			t.Fatalf("cart %d: its receipt has changed", i)
		}
	}
}

// taxAtRandom adds taxes, a destination and deliveries to a cart.
func taxAtRandom(r *rand.Rand, c *Cart) {
	countries, regions := []string{"", "DE", "FR", "GR", "US", "Mars"}, []string{"", "ny", "CA", "us-NY"}
	numbers := []string{"", "", "DE123456789", "FR12123456789", "EL123456789", "GB123456789"}
	c.To, c.VATNumber = shop.NewDestination(countries[r.IntN(6)], regions[r.IntN(4)], "").Or("DE"), numbers[r.IntN(6)]
	c.Deliveries = nil
	for i := range r.IntN(3) {
		c.Deliveries = append(c.Deliveries, Delivery{ID: shop.DeliveryID(i + 1), Price: int64(r.IntN(3) * r.IntN(900))})
	}
	c.Delivery = shop.DeliveryID(r.IntN(3))
	for _, l := range c.Lines {
		l.Product.Class = append(shop.TaxClasses, "")[r.IntN(4)]
	}
	if r.IntN(6) == 0 {
		c.Taxes = &shop.Taxes{TaxRate: &shop.TaxRate{Name: "VAT", Percent: shop.Percent(r.IntN(100_001))}, Included: true}
		return
	}
	t := &shop.TaxTable{DefaultCountry: "DE", ExemptEUBusiness: r.IntN(2) == 0}
	for _, country := range countries[1:5] {
		for _, region := range regions[:3] {
			for _, class := range shop.TaxClasses {
				if r.IntN(2) == 0 {
					t.Rates = append(t.Rates, rule(country, shop.RegionName(country, region), class, shop.Percent(r.IntN(4)*r.IntN(25_000))))
				}
			}
		}
	}
	r.Shuffle(len(t.Rates), func(i, j int) { t.Rates[i], t.Rates[j] = t.Rates[j], t.Rates[i] })
	c.Taxes = &shop.Taxes{TaxTable: t, Included: r.IntN(2) == 0}
}

// The taxes agree with a second implementation, written differently, on every random cart.
func TestTaxesAgreeWithReference(t *testing.T) {
	taxed := 0
	for i := range *carts {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		c := cartAtRandom(r)
		taxAtRandom(r, c)
		receipt := Price(c)
		if got, want := taxText(receipt), taxReference(c); got != want {
			t.Fatalf("cart %d: %s\nwant %s\n%+v\n%s", i, got, want, c.Taxes, describe(c))
		}
		if len(receipt.Taxes) > 1 {
			taxed++
		}
	}
	if taxed < *carts/10 {
		t.Errorf("only %d carts have several rates", taxed)
	}
}

// taxReference computes taxes by the text of the contract, with exact fractions and a search for
// the rate of each thing that is paid.
func taxReference(c *Cart) (text string) {
	_, left := reference(c)
	grand, total := new(big.Rat), new(big.Rat)
	rateOf := func(class shop.TaxClass) (found shop.TaxRate, ok bool) {
		switch {
		case c.Taxes.TaxTable == nil:
			return *c.Taxes.TaxRate, c.Taxes.Percent > 0
		case c.Taxes.ExemptEUBusiness && c.VATNumber != "" && c.To.Country != "DE":
			home := map[string]string{"DE": "DE", "FR": "FR", "EL": "GR"}[c.VATNumber[:2]]
			if home == c.To.Country {
				return found, false
			}
		}
		for _, region := range []string{c.To.Region, ""} {
			for _, r := range c.Taxes.Rates {
				if r.Country == c.To.Country && strings.ToLower(r.Region) == region && (r.Class == class || class == "" && r.Class == shop.TaxStandard) {
					return r.TaxRate, true
				}
			}
		}
		return found, false
	}
	sums, paid := map[shop.TaxRate]*big.Rat{}, map[shop.TaxClass]bool{}
	pay := func(class shop.TaxClass, sum *big.Rat) {
		grand.Add(grand, sum)
		if rate, ok := rateOf(class); ok {
			if sums[rate] == nil {
				sums[rate] = new(big.Rat)
			}
			sums[rate].Add(sums[rate], sum)
			paid[cmp.Or(class, shop.TaxStandard)] = true
		}
	}
	for i, l := range c.Lines {
		pay(l.Product.Class, left[i])
	}
	for _, d := range c.Deliveries {
		if c.Delivery == 0 || c.Delivery == d.ID {
			if d.Price > 0 {
				pay(shop.TaxStandard, big.NewRat(d.Price, 1))
			}
			break
		}
	}
	half := big.NewRat(1, 2)
	for _, class := range shop.TaxClasses {
		rate, ok := rateOf(class)
		if !ok || !paid[class] || sums[rate] == nil {
			continue
		}
		percent := big.NewRat(int64(rate.Percent), 100_000)
		exact := new(big.Rat).Mul(sums[rate], percent)
		if c.Taxes.Included {
			exact.Quo(exact, new(big.Rat).Add(big.NewRat(1, 1), percent))
		}
		exact.Add(exact, half)
		amount := new(big.Rat).SetInt(new(big.Int).Quo(exact.Num(), exact.Denom()))
		base := sums[rate]
		if c.Taxes.Included {
			base = new(big.Rat).Sub(base, amount)
		} else {
			grand.Add(grand, amount)
		}
		total.Add(total, amount)
		text += fmt.Sprintf("%s%%: %s on %s, ", rate.Percent, amount.RatString(), base.RatString())
		delete(sums, rate)
	}
	return text + total.RatString() + " of " + grand.RatString()
}
