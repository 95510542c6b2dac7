package order_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/admin/order"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// fixture is a shop with products and buyers.
type fixture struct {
	t     testing.TB
	store *store.Store
	sites *load.Sites
	shop  shop.CompanyID

	walker shop.UserID // the buyer of the model
}

func open(t testing.TB) *fixture {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := &fixture{t: t, store: s, sites: load.NewSites(shop.Storefronts{}, time.Now)}
	if c.shop, err = company.CreateCompany(t.Context(), s, "tea", "Tea", "EUR", c.buyer("owner"), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *fixture) buyer(name string) shop.UserID {
	c.t.Helper()
	id, err := people.CreatePerson(c.t.Context(), c.store, name+"@people.test", name, "x")
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

func (c *fixture) write(fn func(context.Context, *store.Tx) error) {
	c.t.Helper()
	ctx := c.t.Context()
	if err := c.store.Write(ctx, c.shop, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		c.t.Fatal(err)
	}
}

// product creates a product for sale at 14 with a stock; a stock below 0 is not tracked.
func (c *fixture) product(name string, stock int) shop.ProductID {
	c.t.Helper()
	p := &catalog.Product{Kind: "standard", Name: name, Price: 14, IsPublished: true, SEO: catalog.SEO{Slug: name}, Tags: []string{}}
	c.write(func(ctx context.Context, tx *store.Tx) error {
		if err := catalog.InsertProduct(ctx, tx, p, true, 0); err != nil || stock < 0 {
			return err
		}
		quantity := &stock
		_, err := catalog.SetStock(ctx, tx, catalog.StockItem{Product: p.ID}, catalog.StockEdit{Quantity: &quantity})
		return err
	})
	return p.ID
}

func (c *fixture) fill(buyer shop.UserID, lines ...sales.CartLine) {
	c.t.Helper()
	c.write(func(ctx context.Context, tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, buyer); err != nil {
			return err
		}
		_, err := sales.AddToCart(ctx, tx, buyer, lines...)
		return err
	})
}

func one(id shop.ProductID) sales.CartLine {
	return sales.CartLine{Product: id, Key: "default", Quantity: 1}
}

var checkoutInput = order.Checkout{Contact: sales.Contact{Name: "Ann", Phone: "1"}}

func (c *fixture) place(buyer shop.UserID) (sales.Order, error) {
	return order.Place(c.t.Context(), c.store, order.All(c.store, c.sites), c.shop, buyer, checkoutInput, time.Now())
}

// balanced fails unless the ledger of a product is an unbroken chain that ends at its stock.
func (c *fixture) balanced(id shop.ProductID, want int64) {
	c.t.Helper()
	goods, err := catalog.CartProducts(c.t.Context(), c.store.Shop(c.shop), []shop.ProductID{id})
	if err != nil {
		c.t.Fatal(err)
	}
	ledger, err := catalog.Movements(c.t.Context(), c.store.Shop(c.shop), id, 100_000)
	if err != nil {
		c.t.Fatal(err)
	}
	if got := int64(*goods[id].Stock); got != want || len(ledger) > 0 && ledger[0].Balance != got {
		c.t.Errorf("product %d: stock %d, the ledger ends at %+v, want %d", id, got, ledger[:min(1, len(ledger))], want)
	}
	for i, m := range ledger[:max(0, len(ledger)-1)] {
		if m.Balance-m.Delta != ledger[i+1].Balance {
			c.t.Errorf("movement %d: %d after %+d does not follow %d", m.ID, m.Balance, m.Delta, ledger[i+1].Balance)
		}
	}
}

func TestTenUnitsAreSoldExactlyTenTimes(t *testing.T) {
	t.Parallel()
	c := open(t)
	tea := c.product("oolong", 10)
	buyers := make([]shop.UserID, 200)
	for i := range buyers {
		buyers[i] = c.buyer(fmt.Sprint("b", i))
		c.fill(buyers[i], one(tea))
	}
	var sold atomic.Int64
	var wait sync.WaitGroup
	for _, b := range buyers {
		wait.Go(func() {
			o, err := c.place(b)
			switch {
			case err == nil && o.ItemsTotal == 14 && o.Number > 1000:
				sold.Add(1)
			case !errors.Is(err, catalog.ErrOutOfStock):
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
	wait.Wait()
	if sold.Load() != 10 {
		t.Errorf("%d units sold", sold.Load())
	}
	c.balanced(tea, 0)
}

func TestConcurrentConfirmsOfACartPlaceOneOrder(t *testing.T) {
	t.Parallel()
	c := open(t)
	tea := c.product("oolong", -1)
	ann := c.buyer("ann")
	c.fill(ann, one(tea))
	var placed atomic.Int64
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			switch _, err := c.place(ann); {
			case err == nil:
				placed.Add(1)
			case !errors.Is(err, order.ErrCartEmpty):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if placed.Load() != 1 {
		t.Errorf("%d orders", placed.Load())
	}
}

// Two carts with the same products in a different order never deadlock.
func TestCartsWithTheSameProductsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	c := open(t)
	a, b := c.product("a", 10_000), c.product("b", 10_000)
	ann, bob := c.buyer("ann"), c.buyer("bob")
	const rounds = 200
	for range rounds {
		c.fill(ann, one(a), one(b))
		c.fill(bob, one(b), one(a))
		var wait sync.WaitGroup
		for _, who := range []shop.UserID{ann, bob} {
			wait.Go(func() {
				if _, err := c.place(who); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
	c.balanced(a, 10_000-2*rounds)
	c.balanced(b, 10_000-2*rounds)
}

func TestConcurrentAddsToACartLoseNothing(t *testing.T) {
	t.Parallel()
	c := open(t)
	tea := c.product("oolong", -1)
	ann := c.buyer("ann")
	var wait sync.WaitGroup
	for range 30 {
		wait.Go(func() { c.fill(ann, sales.CartLine{Product: tea, Key: "default", Quantity: 1}) })
	}
	wait.Wait()
	cart, err := sales.GetCart(t.Context(), c.store.Shop(c.shop), ann)
	if err != nil || len(cart.Lines) != 1 || cart.Lines[0].Quantity != 30 || cart.Version != 30 {
		t.Errorf("%+v, %v", cart, err)
	}
}
