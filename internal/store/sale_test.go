package store_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	salesdb "vitrine/internal/store/sales"
)

// randomOrder returns an order of random lines, with a discount on the whole order.
func randomOrder(r *rand.Rand, products int) *salesdb.Order {
	o := &salesdb.Order{
		Person: 1, Currency: "EUR", Contact: salesdb.Contact{Name: "A", Phone: "1"}, Promotions: []byte("[]"),
	}
	if r.IntN(10) == 0 {
		o.Currency = "USD"
	}
	sum := int64(0)
	for range 1 + r.IntN(5) {
		l := salesdb.OrderLine{
			Product: shop.ProductID(1 + r.IntN(products)), Key: "k", Name: "P", Quantity: int64(1 + r.IntN(9)), Unit: int64(r.IntN(1000)), Data: []byte("null"),
		}
		if r.IntN(8) == 0 {
			l.Unit, l.Gift = 0, true
		}
		sum += l.Quantity * l.Unit
		o.Lines = append(o.Lines, l)
	}
	if sum > 0 && r.IntN(2) == 0 {
		o.DiscountTotal = r.Int64N(sum + 1)
	}
	o.ItemsTotal = sum - o.DiscountTotal
	o.GrandTotal = o.ItemsTotal + 5
	return o
}

// lineRevenues returns the revenue of each line of an order, after the largest remainder method.
func lineRevenues(o *salesdb.Order) []int64 {
	totals, whole := make([]int64, len(o.Lines)), int64(0)
	for i, l := range o.Lines {
		totals[i] = l.Quantity * l.Unit
		whole += totals[i]
	}
	out := slices.Clone(totals)
	if whole == 0 {
		return out
	}
	remaining, places := o.DiscountTotal, []int{}
	for i := range out {
		part := o.DiscountTotal * totals[i] / whole
		out[i] -= part
		remaining -= part
		places = append(places, i)
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Compare(o.DiscountTotal*totals[b]%whole, o.DiscountTotal*totals[a]%whole)
	})
	for _, i := range places[:remaining] {
		out[i]--
	}
	return out
}

type soldOn struct {
	day      shop.Day
	currency string
	product  shop.ProductID // 0: orders
}

type soldSum struct{ count, revenue int64 }

// expectedSales holds the expected sums.
type expectedSales map[soldOn]soldSum

func (b expectedSales) add(o *salesdb.Order, day shop.Day) {
	put := func(product shop.ProductID, count, revenue int64) {
		at := soldOn{day, o.Currency, product}
		b[at] = soldSum{b[at].count + count, b[at].revenue + revenue}
	}
	put(0, 1, o.ItemsTotal)
	for i, revenue := range lineRevenues(o) {
		put(o.Lines[i].Product, o.Lines[i].Quantity, revenue)
	}
}

// After ten thousand random steps (orders, cancellations, reopenings, orders of other days,
// other time zones of the shop), some of them concurrent, the sums match the orders.
func TestSalesSumsMatchTheOrders(t *testing.T) {
	t.Parallel()
	const steps, atOnce, crowd, products = 10_000, 40, 4, 40
	s, id := open(t, planOnce)
	want := expectedSales{}
	work := func(seed uint64, steps, atOnce int) (own []*placed) {
		r := rand.New(rand.NewPCG(seed, 56))
		for range steps / atOnce {
			err := s.Write(t.Context(), id, func(tx *store.Tx) (err error) {
				for range atOnce {
					err = cmp.Or(err, step(t.Context(), tx, r, &own, products))
				}
				return err
			})
			if err != nil {
				t.Error(err)
				break
			}
		}
		return own
	}
	var mu sync.Mutex
	var working sync.WaitGroup
	all := work(0, steps, atOnce)
	for worker := range crowd {
		working.Go(func() {
			own := work(uint64(worker+1), 50, 1)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	working.Wait()
	for _, p := range all {
		if p.status != shop.OrderCancelled {
			want.add(p.Order, p.day)
		}
	}
	first, last := shop.Day(0), shop.DayOf(time.Now().AddDate(1, 0, 0), time.UTC)
	sales, err := salesdb.Sales(t.Context(), s.Shop(id), first, last)
	check(t, err)
	got := expectedSales{}
	for _, sale := range sales {
		got[soldOn{sale.Day, sale.Currency, 0}] = soldSum{sale.Orders, sale.Revenue}
	}
	for at := range want {
		if at.product != 0 {
			continue
		}
		list, err := salesdb.TopProducts(t.Context(), s.Shop(id), at.day, at.day, at.currency, 1000)
		check(t, err)
		for _, p := range list {
			got[soldOn{at.day, at.currency, p.Product}] = soldSum{p.Quantity, p.Revenue}
		}
	}
	for at, sum := range want {
		if got[at] != sum {
			t.Errorf("%s %s product %d: %v, want %v as in the orders", at.day, at.currency, at.product, got[at], sum)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d sums, want %d", len(got), len(want))
	}
	t.Logf("%d steps, %d sums", steps, len(want))
}

type placed struct {
	*salesdb.Order
	day    shop.Day
	status shop.OrderStatus
}

var zones = []string{"UTC", "Europe/Berlin", "Asia/Tokyo", "America/St_Johns", "Pacific/Kiritimati"}

func step(ctx context.Context, tx *store.Tx, r *rand.Rand, own *[]*placed, products int) error {
	n := r.IntN(20)
	if n >= 10 && len(*own) > 0 {
		p := (*own)[r.IntN(len(*own))]
		p.status = shop.OrderStatuses[r.IntN(len(shop.OrderStatuses))]
		o, err := salesdb.LockOrder(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		return salesdb.SetOrderStatus(ctx, tx, &o, p.status, 0)
	}
	settings, err := company.LockSettings(ctx, tx) // no concurrent change of the shop's time zone
	clock := shop.Clock(settings.Timezone)
	switch {
	case err != nil:
		return err
	case n == 0:
		settings.Timezone = zones[r.IntN(len(zones))]
		return company.SaveSettings(ctx, tx, &settings)
	case n < 8 || len(*own) == 0:
		p := &placed{Order: randomOrder(r, products), status: shop.OrderNew}
		err := salesdb.PlaceOrder(ctx, tx, p.Order)
		p.day = shop.DayOf(p.CreatedAt, clock)
		*own = append(*own, p)
		return err
	}
	p := (*own)[r.IntN(len(*own))] // backdate an imported order
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(60*24*60)) * time.Minute)
	p.day = shop.DayOf(at, clock)
	return salesdb.BackdateOrder(ctx, tx, p.ID, at)
}
