package price

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// deliveryText formats the deliveries of a receipt.
func deliveryText(r *Receipt) string {
	text := fmt.Sprint(" grand ", r.Grand)
	for i := range r.Deliveries {
		d := &r.Deliveries[i]
		text += fmt.Sprintf(" <%d %d %v>", d.ID, d.Price, d == r.Delivery)
	}
	return text
}

// deliveriesAtRandom draws few places, weights and sums, so that rates overlap and leave gaps.
func deliveriesAtRandom(r *rand.Rand, c *Cart) {
	some := func(n int64) *int64 { v := r.Int64N(n); return &v }
	pick := func(all ...string) (list []string) {
		for _, one := range all {
			if r.IntN(3) == 0 {
				list = append(list, one)
			}
		}
		return list
	}
	for i := range c.Lines {
		p := c.Lines[i].Product
		p.Grams = r.Int64N(400)
		for k := range p.Variants {
			if r.IntN(2) == 0 {
				p.Variants[k].Grams = some(900)
			}
		}
	}
	c.To = shop.NewDestination([]string{"", "DE", "US", "us", "Nowhere"}[r.IntN(5)], []string{"", "ny", "US-NY", "Bayern"}[r.IntN(4)], []string{"", "80 331", "8033", "10001"}[r.IntN(4)])
	for i := range r.IntN(4) {
		d := Delivery{ID: shop.DeliveryID(i + 1), Name: "way", Price: *some(100)}
		if r.IntN(3) == 0 {
			d.FreeFrom = some(6000)
		}
		for range r.IntN(4) {
			rate := shop.DeliveryRate{Countries: pick("DE", "US"), Regions: pick("NY", "Bayern"), Postcodes: pick("80", "1000", "10001"), Price: *some(100)}
			for _, bound := range []**int64{&rate.MinTotal, &rate.MaxTotal, &rate.MinWeight, &rate.MaxWeight} {
				if r.IntN(4) == 0 {
					*bound = some(5000)
				}
			}
			d.Rates = append(d.Rates, rate)
		}
		c.Deliveries = append(c.Deliveries, d)
	}
	c.Delivery = shop.DeliveryID(r.IntN(4))
}

// deliveryReference finds the deliveries by the text of the contract: it drops what a rate excludes
// and takes the first of the others.
func deliveryReference(c *Cart, sub *big.Rat, goods []Line) string {
	weight := new(big.Rat)
	weigh := func(p *Product, variant shop.VariantID, n int64) {
		each := p.Grams
		for _, v := range p.Variants {
			if v.ID == variant && variant != 0 && v.Grams != nil {
				each = *v.Grams
			}
		}
		weight.Add(weight, new(big.Rat).Mul(big.NewRat(each, 1), big.NewRat(n, 1)))
	}
	for _, l := range goods {
		for _, part := range l.Product.Set {
			weigh(part.Product, part.Variant, part.Quantity*l.Quantity)
		}
		if l.Product.Set == nil {
			weigh(l.Product, l.Choice.Variant, l.Quantity)
		}
	}
	named := func(list []string, means func(string) bool) bool {
		for _, one := range list {
			if means(one) {
				return true
			}
		}
		return len(list) == 0
	}
	below := func(x *big.Rat, n *int64) bool { return n != nil && x.Cmp(big.NewRat(*n, 1)) < 0 }
	grand, chosen, text := sub, false, ""
	for _, d := range c.Deliveries {
		var costs []int64
		for _, r := range d.Rates {
			excluded := below(sub, r.MinTotal) || r.MaxTotal != nil && !below(sub, r.MaxTotal) ||
				below(weight, r.MinWeight) || r.MaxWeight != nil && !below(weight, r.MaxWeight) ||
				!named(r.Countries, func(s string) bool { return s == c.To.Country }) ||
				!named(r.Regions, func(s string) bool { return strings.ToLower(s) == c.To.Region }) ||
				!named(r.Postcodes, func(s string) bool { return strings.Index(c.To.Postcode, s) == 0 })
			if !excluded {
				costs = append(costs, r.Price)
			}
		}
		if d.Rates == nil {
			costs = append(costs, d.Price)
		}
		if costs == nil {
			continue
		}
		if d.FreeFrom != nil && !below(sub, d.FreeFrom) {
			costs[0] = 0
		}
		paid := !chosen && (c.Delivery == 0 || c.Delivery == d.ID)
		if paid {
			chosen, grand = true, new(big.Rat).Add(sub, big.NewRat(costs[0], 1))
		}
		text += fmt.Sprintf(" <%d %d %v>", d.ID, costs[0], paid)
	}
	return " grand " + grand.RatString() + text
}

func of(n int64) *int64 { return &n }

func TestTheFirstMatchingRateDecides(t *testing.T) {
	days := 2
	rates := []shop.DeliveryRate{
		{Countries: []string{"DE"}, Postcodes: []string{"80"}, Price: 3, Days: &days},
		{Countries: []string{"DE", "AT"}, MaxWeight: of(1000), Price: 5},
		{Countries: []string{"DE", "AT"}, MinWeight: of(1000), MaxWeight: of(2000), Price: 9},
		{Countries: []string{"US"}, Regions: []string{"NY"}, MinTotal: of(100), Price: 20},
		{MinTotal: of(400), Price: 40},
	}
	for _, c := range []struct {
		country, region, postcode string
		units                     int64 // of 100 each, 500 g
		want                      string
	}{
		{"DE", "", "80 331", 1, "3 in 2"},
		{"de", "", "8", 1, "5"},
		{"AT", "", "80331", 1, "5"},
		{"AT", "", "", 2, "9"},
		{"AT", "", "", 4, "40"},
		{"AT", "", "", 3, "9"},
		{"US", "US-NY", "", 1, "20"},
		{"US", "ca", "", 1, "none"},
		{"Germany", "", "80331", 1, "none"},
		{"Germany", "", "80331", 4, "40"},
		{"", "", "", 1, "none"},
	} {
		cart := &Cart{
			Lines: []Line{{Product: &Product{ID: 1, Price: 100, Grams: 500}, Quantity: c.units}},
			To:    shop.NewDestination(c.country, c.region, c.postcode), Deliveries: []Delivery{{ID: 7, Price: 1, Rates: rates}},
		}
		got, r := "none", Price(cart)
		if r.Delivery != nil {
			got = fmt.Sprint(r.Delivery.Price)
			if r.Delivery.Days != nil {
				got += fmt.Sprint(" in ", *r.Delivery.Days)
			}
			if r.Grand != r.Subtotal+r.Delivery.Price {
				t.Errorf("%+v: grand total %d", c, r.Grand)
			}
		} else if r.Grand != r.Subtotal {
			t.Errorf("%+v: grand total %d without a delivery", c, r.Grand)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}

func TestSetsWeighWhatTheirComponentsWeighAndGiftsCount(t *testing.T) {
	plain := &Product{ID: 1, Price: 10, Grams: 100, Variants: []Variant{{ID: 5, Grams: of(250)}, {ID: 6, Grams: of(0)}, {ID: 7}}}
	set := &Product{ID: 2, Grams: 9999, Set: []Component{{plain, 5, 2}, {plain, 0, 1}}}
	r := &Receipt{Lines: []Priced{
		{Line: Line{Product: plain, Quantity: 3}},
		{Line: Line{Product: plain, Quantity: 2, Choice: Choice{Variant: 5}}},
		{Line: Line{Product: plain, Quantity: 2, Choice: Choice{Variant: 6}}},
		{Line: Line{Product: plain, Quantity: 1, Choice: Choice{Variant: 7}}, Gift: true},
		{Line: Line{Product: set, Quantity: 2}},
		{Line: Line{Product: &Product{ID: 3}, Quantity: 9999}},
	}}
	if got := r.grams(); got != 300+500+0+100+2*(2*250+100) {
		t.Errorf("%d g", got)
	}
}

// The largest cart of the heaviest goods does not overflow.
func TestWeightsDoNotOverflow(t *testing.T) {
	heavy := &Product{ID: 1, Grams: 10_000_000}
	set := &Product{ID: 2}
	for range 50 {
		set.Set = append(set.Set, Component{heavy, 0, MaxQuantity})
	}
	r := &Receipt{}
	for range MaxLines {
		r.Lines = append(r.Lines, Priced{Line: Line{Product: set, Quantity: MaxQuantity}})
	}
	if want := int64(MaxLines) * MaxQuantity * 50 * MaxQuantity * 10_000_000; r.grams() != want || want <= 0 {
		t.Errorf("%d g, want %d", r.grams(), want)
	}
}

// BenchmarkDeliver finds the deliveries of a cart of 100 lines among 10 options of 20 rates.
func BenchmarkDeliver(b *testing.B) {
	c := fullCart()
	r := Price(c)
	for i := range 10 {
		d := Delivery{ID: shop.DeliveryID(i + 1)}
		for n := range 20 {
			d.Rates = append(d.Rates, shop.DeliveryRate{Countries: []string{"AT", "DE", "FR", "GB"}, MinWeight: of(int64(n) << 40), Price: 5})
		}
		c.Deliveries = append(c.Deliveries, d)
	}
	c.To = shop.NewDestination("US", "ny", "10001")
	b.ReportAllocs()
	for b.Loop() {
		if deliver(c, r, nil); len(r.Deliveries) != 0 {
			b.Fatal("possible")
		}
	}
}
