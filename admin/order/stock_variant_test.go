package order_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/order"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// counted is the expected stock of a product with two variants, counted in either way, and the
// orders of it. -1: not tracked.
type counted struct {
	by     shop.StockBy
	whole  int64
	sets   [2]int64
	orders []takenOrder
}

type takenOrder struct {
	id     shop.OrderID
	units  [2]int64
	taken  [2]int64 // from the stock
	status shop.OrderStatus
}

// After any sequence of orders, cancellations, reopenings, manual changes and changes of how a
// product is counted, its stock and that of each variant equal those of the model. By variant,
// the product has as many units as its tracked variants together, and each chain of balances
// is unbroken between two manual changes.
func TestTheStockOfVariantsFollowsItsModel(t *testing.T) {
	t.Parallel()
	c := open(t)
	made := 0
	rapid.Check(t, func(r *rapid.T) {
		made++
		shirt := c.product(fmt.Sprint("shirt", made), -1)
		ids := c.variants(shirt, 2)
		m := &counted{by: shop.StockByProduct, whole: -1, sets: [2]int64{-1, -1}}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			c.variantStep(r, m, shirt, ids)
			c.agree(r, m, shirt, ids)
		}
	})
}

// variants gives a product new variant sets.
func (c *fixture) variants(product shop.ProductID, n int) (ids []shop.VariantID) {
	c.t.Helper()
	c.write(func(ctx context.Context, tx *store.Tx) error {
		sets := []catalog.Variant{}
		for i := range n {
			sets = append(sets, catalog.Variant{Title: fmt.Sprint("Size ", i), IsActive: true, Options: map[string]string{}})
		}
		if err := catalog.SetVariants(ctx, tx, product, sets); err != nil {
			return err
		}
		saved, err := catalog.Variants(ctx, tx.Reader, product)
		for _, v := range saved {
			ids = append(ids, v.ID)
		}
		return err
	})
	return ids
}

// setVariants sets the stock of each variant.
func (c *fixture) setVariants(product shop.ProductID, ids []shop.VariantID, n int) {
	c.t.Helper()
	quantity := &n
	for _, id := range ids {
		c.write(func(ctx context.Context, tx *store.Tx) error {
			_, err := catalog.SetStock(ctx, tx, catalog.StockItem{Product: product, Variant: id}, catalog.StockEdit{Quantity: &quantity})
			return err
		})
	}
}

// countBy changes how a product is counted.
func (c *fixture) countBy(id shop.ProductID, by shop.StockBy) {
	c.t.Helper()
	c.write(func(ctx context.Context, tx *store.Tx) error {
		old, err := catalog.LockProduct(ctx, tx, id)
		if err != nil {
			return err
		}
		edited := old
		edited.StockBy = by
		return catalog.UpdateProduct(ctx, tx, old, edited)
	})
}

func (c *fixture) variantStep(r *rapid.T, m *counted, shirt shop.ProductID, ids []shop.VariantID) {
	switch rapid.SampledFrom([]string{"set", "set", "untrack", "order", "order", "order", "move", "move", "move", "move", "switch"}).Draw(r, "step") {
	case "set":
		c.setVariantStep(r, m, shirt, ids, rapid.IntRange(0, 6).Draw(r, "stock"))
	case "untrack":
		c.setVariantStep(r, m, shirt, ids, -1)
	case "order":
		c.orderVariantsStep(r, m, shirt, ids)
	case "move":
		if len(m.orders) > 0 {
			c.moveVariantsStep(r, m, &m.orders[rapid.IntRange(0, len(m.orders)-1).Draw(r, "which")])
		}
	case "switch":
		if m.by == shop.StockByProduct {
			m.by, m.sets = shop.StockByVariant, [2]int64{-1, -1}
		} else {
			m.whole, m.by = m.sum(), shop.StockByProduct
		}
		c.countBy(shirt, m.by)
	}
}

// sum returns how many units the product has.
func (m *counted) sum() int64 {
	switch {
	case m.by == shop.StockByProduct:
		return m.whole
	case m.sets == [2]int64{-1, -1}:
		return -1
	}
	return max(m.sets[0], 0) + max(m.sets[1], 0)
}

func (c *fixture) setVariantStep(r *rapid.T, m *counted, shirt shop.ProductID, ids []shop.VariantID, stock int) {
	item, quantity := catalog.StockItem{Product: shirt}, &stock
	if stock < 0 {
		quantity = nil
	}
	to := &m.whole
	if m.by == shop.StockByVariant {
		n := rapid.IntRange(0, 1).Draw(r, "set")
		item.Variant, to = ids[n], &m.sets[n]
	}
	if err := c.store.Write(c.t.Context(), c.shop, func(tx *store.Tx) error {
		_, err := catalog.SetStock(c.t.Context(), tx, item, catalog.StockEdit{Quantity: &quantity})
		return err
	}); err != nil {
		r.Fatal(err)
	}
	*to = int64(stock)
}

func (c *fixture) orderVariantsStep(r *rapid.T, m *counted, shirt shop.ProductID, ids []shop.VariantID) {
	if c.walker == 0 {
		c.walker = c.buyer("walker")
	}
	made := takenOrder{units: [2]int64{rapid.Int64Range(0, 3).Draw(r, "of one"), rapid.Int64Range(0, 3).Draw(r, "of two")}, status: shop.OrderNew}
	if made.units == [2]int64{} {
		return
	}
	c.write(func(ctx context.Context, tx *store.Tx) error { return sales.EmptyCart(ctx, tx, c.walker) })
	for i, n := range made.units {
		if n > 0 {
			c.fill(c.walker, sales.CartLine{Product: shirt, Key: fmt.Sprint(i), Quantity: n, Data: fmt.Appendf(nil, `{"variant_id":"%d"}`, ids[i])})
		}
	}
	o, err := order.Place(c.t.Context(), c.store, order.All(c.store, c.sites), c.shop, c.walker, checkoutInput, time.Now())
	if !m.take(&made) {
		if !errors.Is(err, catalog.ErrOutOfStock) {
			r.Fatalf("%v of %+v: %v", made.units, *m, err)
		}
		return
	}
	if err != nil {
		r.Fatalf("%v of %+v: %v", made.units, *m, err)
	}
	made.id = o.ID
	m.orders = append(m.orders, made)
}

// take takes what an order has not taken yet, and reports whether there is enough.
func (m *counted) take(o *takenOrder) bool {
	need := [2]int64{o.units[0] - o.taken[0], o.units[1] - o.taken[1]}
	if m.by == shop.StockByProduct {
		switch all := need[0] + need[1]; {
		case m.whole < 0:
			return true
		case m.whole < all:
			return false
		default:
			m.whole, o.taken = m.whole-all, o.units
			return true
		}
	}
	for i, n := range need {
		if m.sets[i] >= 0 && m.sets[i] < n {
			return false
		}
	}
	for i, n := range need {
		if m.sets[i] >= 0 {
			m.sets[i], o.taken[i] = m.sets[i]-n, o.units[i]
		}
	}
	return true
}

// giveBack returns what an order has taken to what is tracked now.
func (m *counted) giveBack(o *takenOrder) {
	if m.by == shop.StockByProduct {
		if m.whole >= 0 {
			m.whole, o.taken = m.whole+o.taken[0]+o.taken[1], [2]int64{}
		}
		return
	}
	for i := range m.sets {
		if m.sets[i] >= 0 {
			m.sets[i], o.taken[i] = m.sets[i]+o.taken[i], 0
		}
	}
}

func (c *fixture) moveVariantsStep(r *rapid.T, m *counted, o *takenOrder) {
	to := rapid.SampledFrom(shop.OrderStatuses).Draw(r, "to")
	_, err := order.Move(c.t.Context(), c.store, c.shop, o.id, 1, order.Status{To: to})
	if o.status == shop.OrderCancelled && to != shop.OrderCancelled && !m.take(o) {
		if !errors.Is(err, catalog.ErrOutOfStock) {
			r.Fatalf("reopening %+v of %+v: %v", *o, *m, err)
		}
		return
	}
	if err != nil {
		r.Fatal(err)
	}
	if to == shop.OrderCancelled && o.status != shop.OrderCancelled {
		m.giveBack(o)
	}
	o.status = to
}

// agree compares the stored stock with the model.
func (c *fixture) agree(r *rapid.T, m *counted, shirt shop.ProductID, ids []shop.VariantID) {
	reader := c.store.Shop(c.shop)
	product, err := catalog.GetProduct(c.t.Context(), reader, shirt)
	if err != nil {
		r.Fatal(err)
	}
	if got := trackedOf(product.StockQuantity); got != m.sum() {
		r.Fatalf("the product has %d, want %d: %+v", got, m.sum(), *m)
	}
	sets, err := catalog.Variants(c.t.Context(), reader, shirt)
	if err != nil {
		r.Fatal(err)
	}
	anyLeft := false
	for i, v := range sets {
		want := int64(-1)
		if m.by == shop.StockByVariant {
			want = m.sets[i]
		}
		if got := trackedOf(v.Stock); got != want {
			r.Fatalf("variant %d has %d, want %d: %+v", i, got, want, *m)
		}
		anyLeft = anyLeft || m.sets[i] != 0
	}
	if m.by == shop.StockByProduct {
		anyLeft = m.whole != 0
	}
	if product.InStock() != anyLeft {
		r.Fatalf("in stock: %v, want %v: %+v", product.InStock(), anyLeft, *m)
	}
	ledger, err := catalog.Movements(c.t.Context(), reader, shirt, 1)
	if err != nil {
		r.Fatal(err)
	}
	for _, line := range ledger {
		var sum int64
		for _, part := range line.Variants {
			sum += part.Delta
			if !slices.Contains(ids, part.Variant) {
				r.Fatalf("a movement of an unknown variant: %+v", line)
			}
		}
		if len(line.Variants) > 0 && sum != line.Delta {
			r.Fatalf("the parts of a movement make %d: %+v", sum, line)
		}
	}
}

func trackedOf(n *int) int64 {
	if n == nil {
		return -1
	}
	return int64(*n)
}

// Buyers of one size that is short get no unit of another, and no size is oversold while they all
// buy at once.
func TestTenUnitsOfEachSizeAreSoldExactlyTenTimes(t *testing.T) {
	t.Parallel()
	c := open(t)
	shirt := c.product("shirt", -1)
	ids := c.variants(shirt, 3)
	c.countBy(shirt, shop.StockByVariant)
	c.setVariants(shirt, ids, 10)
	var sold [3]atomic.Int64
	var all sync.WaitGroup
	for n := range 150 {
		buyer := c.buyer(fmt.Sprint("b", n))
		c.fill(buyer, sales.CartLine{Product: shirt, Key: "default", Quantity: 1, Data: fmt.Appendf(nil, `{"variant_id":"%d"}`, ids[n%3])})
		all.Go(func() {
			switch _, err := c.place(buyer); {
			case err == nil:
				sold[n%3].Add(1)
			case !errors.Is(err, catalog.ErrOutOfStock):
				t.Error(err)
			}
		})
	}
	all.Wait()
	for n := range sold {
		if got := sold[n].Load(); got != 10 {
			t.Errorf("size %d was sold %d times", n, got)
		}
	}
	c.balanced(shirt, 0)
	ledger, err := catalog.Movements(t.Context(), c.store.Shop(c.shop), shirt, 100)
	if err != nil {
		t.Fatal(err)
	}
	left := map[shop.VariantID]int64{}
	for _, id := range ids {
		left[id] = 10
	}
	slices.Reverse(ledger)
	for _, line := range ledger {
		for _, part := range line.Variants {
			if left[part.Variant] += part.Delta; part.Balance == nil || *part.Balance != left[part.Variant] {
				t.Errorf("%+v does not follow %d", part, left[part.Variant]-part.Delta)
			}
		}
	}
}

// An order from before movements named variants returns its units to the variants of its lines.
func TestAnOrderFromBeforeMovementsNamedVariantsReturnsItsUnits(t *testing.T) {
	t.Parallel()
	c := open(t)
	shirt := c.product("shirt", 9)
	ids := c.variants(shirt, 2)
	buyer := c.buyer("ann")
	for i, id := range ids {
		c.fill(buyer, sales.CartLine{Product: shirt, Key: fmt.Sprint(i), Quantity: int64(i + 1), Data: fmt.Appendf(nil, `{"variant_id":"%d"}`, id)})
	}
	o, err := c.place(buyer)
	if err != nil {
		t.Fatal(err)
	}
	c.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.PG.Exec(ctx, `UPDATE stock_movement SET variants = '[]' WHERE company_id = $1 AND order_id = $2`, c.shop, o.ID)
		return err
	})
	c.countBy(shirt, shop.StockByVariant)
	c.setVariants(shirt, ids, 0)
	for _, step := range []struct {
		to   shop.OrderStatus
		want [2]int64
	}{{shop.OrderCancelled, [2]int64{1, 2}}, {shop.OrderNew, [2]int64{}}, {shop.OrderCancelled, [2]int64{1, 2}}} {
		if _, err := order.Move(t.Context(), c.store, c.shop, o.ID, 1, order.Status{To: step.to}); err != nil {
			t.Fatal(err)
		}
		sets, err := catalog.Variants(t.Context(), c.store.Shop(c.shop), shirt)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int64{trackedOf(sets[0].Stock), trackedOf(sets[1].Stock)}; got != step.want {
			t.Errorf("%s: %v, want %v", step.to, got, step.want)
		}
	}
}

// The check before a checkout begins adds up the units of each variant over all lines, and names
// the product once.
func TestTheCheckBeforeACheckoutCountsEachVariant(t *testing.T) {
	t.Parallel()
	c := open(t)
	shirt := c.product("shirt", -1)
	ids := c.variants(shirt, 3)
	c.countBy(shirt, shop.StockByVariant)
	c.setVariants(shirt, ids[:2], 3)
	line := func(key string, variant shop.VariantID, n int64) sales.CartLine {
		return sales.CartLine{Product: shirt, Key: key, Quantity: n, Data: fmt.Appendf(nil, `{"variant_id":"%d"}`, variant)}
	}
	for _, tc := range []struct {
		what  string
		lines []sales.CartLine
		want  []shop.ProductID
	}{
		{"as many as there are", []sales.CartLine{line("a", ids[0], 3), line("b", ids[1], 3)}, nil},
		{"more of one than there are", []sales.CartLine{line("a", ids[0], 4)}, []shop.ProductID{shirt}},
		{"more over two lines", []sales.CartLine{line("a", ids[0], 2), line("b", ids[0], 2)}, []shop.ProductID{shirt}},
		{"more of two", []sales.CartLine{line("a", ids[0], 4), line("b", ids[1], 4)}, []shop.ProductID{shirt}},
		{"an untracked one", []sales.CartLine{line("a", ids[2], 50)}, nil},
	} {
		buyer := c.buyer(tc.what)
		c.fill(buyer, tc.lines...)
		got, err := sales.OutOfStockInCart(t.Context(), c.store.Shop(c.shop), buyer)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
	}
}
