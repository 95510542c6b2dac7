package order_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/order"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// model is the expected stock of one product and the orders of it.
type model struct {
	stock  int64 // -1: not tracked
	gone   bool  // the product was deleted
	orders []ordered
}

type ordered struct {
	id     shop.OrderID
	units  int64
	left   int64 // taken from the stock
	status shop.OrderStatus
}

// After any sequence of orders, cancellations, reopenings and manual changes, the stock equals
// that of the model, the ledger is an unbroken chain and no quantity is negative.
func TestTheStockFollowsItsModel(t *testing.T) {
	t.Parallel()
	c := open(t)
	made := 0
	rapid.Check(t, func(r *rapid.T) {
		made++
		tea := c.product(fmt.Sprint("tea", made), -1)
		m := &model{stock: -1}
		steps := rapid.IntRange(1, 60).Draw(r, "steps")
		for range steps {
			c.step(r, m, tea)
		}
	})
}

func (c *fixture) step(r *rapid.T, m *model, tea shop.ProductID) {
	switch rapid.SampledFrom([]string{"set", "untrack", "order", "order", "move", "move", "move", "move", "delete"}).Draw(r, "step") {
	case "set":
		c.setStep(r, m, tea, rapid.IntRange(0, 6).Draw(r, "stock"))
	case "untrack":
		c.setStep(r, m, tea, -1)
	case "delete":
		if !m.gone && rapid.IntRange(0, 3).Draw(r, "really") == 0 {
			c.delete(tea)
			m.gone = true
		}
	case "order":
		c.orderStep(r, m, tea)
	case "move":
		if len(m.orders) > 0 {
			at := rapid.IntRange(0, len(m.orders)-1).Draw(r, "which")
			c.moveStep(r, m, &m.orders[at])
		}
	}
	product, err := catalog.GetProduct(c.t.Context(), c.store.Shop(c.shop), tea)
	if err != nil {
		r.Fatal(err)
	}
	got := int64(-1)
	if product.StockQuantity != nil {
		got = int64(*product.StockQuantity)
	}
	if got != m.stock {
		r.Fatalf("stock %d, want %d", got, m.stock)
	}
	ledger, err := catalog.Movements(c.t.Context(), c.store.Shop(c.shop), tea, 1)
	if err != nil || len(ledger) > 0 && m.stock >= 0 && ledger[0].Balance < 0 {
		r.Fatalf("%+v %v", ledger, err)
	}
}

// setStep sets the stock by hand; below 0 it stops tracking.
func (c *fixture) setStep(r *rapid.T, m *model, id shop.ProductID, stock int) {
	quantity := &stock
	if stock < 0 {
		quantity = nil
	}
	err := c.store.Write(c.t.Context(), c.shop, func(tx *store.Tx) error {
		_, err := catalog.SetStock(c.t.Context(), tx, catalog.StockItem{Product: id}, catalog.StockEdit{Quantity: &quantity})
		return err
	})
	switch {
	case m.gone && !errors.Is(err, catalog.ErrProductNotFound), !m.gone && err != nil:
		r.Fatal(err)
	case !m.gone:
		m.stock = int64(stock)
	}
}

func (c *fixture) delete(id shop.ProductID) {
	c.t.Helper()
	c.write(func(ctx context.Context, tx *store.Tx) error {
		old, err := catalog.LockProduct(ctx, tx, id)
		gone, now := old, time.Now()
		gone.DeletedAt = &now
		if err == nil {
			err = catalog.UpdateProduct(ctx, tx, old, gone)
		}
		return err
	})
}

func (c *fixture) orderStep(r *rapid.T, m *model, tea shop.ProductID) {
	units := rapid.Int64Range(1, 4).Draw(r, "units")
	if c.walker == 0 {
		c.walker = c.buyer("walker")
	}
	c.write(func(ctx context.Context, tx *store.Tx) error { return sales.EmptyCart(ctx, tx, c.walker) })
	c.fill(c.walker, sales.CartLine{Product: tea, Key: "default", Quantity: units})
	o, err := order.Place(c.t.Context(), c.store, order.All(c.store, c.sites), c.shop, c.walker, checkoutInput, time.Now())
	fits := m.stock < 0 || m.stock >= units
	switch {
	case m.gone:
		if !errors.Is(err, order.ErrCartEmpty) {
			r.Fatalf("a deleted product: %v", err)
		}
		return
	case fits && err != nil, !fits && !errors.Is(err, catalog.ErrOutOfStock):
		r.Fatalf("%d of %d: %v", units, m.stock, err)
	case !fits:
		return
	}
	made := ordered{id: o.ID, units: units, status: shop.OrderNew}
	if m.stock >= 0 {
		m.stock, made.left = m.stock-units, units
	}
	m.orders = append(m.orders, made)
}

func (c *fixture) moveStep(r *rapid.T, m *model, o *ordered) {
	to := rapid.SampledFrom(shop.OrderStatuses).Draw(r, "to")
	_, err := order.Move(c.t.Context(), c.store, c.shop, o.id, 1, order.Status{To: to})
	need := int64(0)
	if o.status == shop.OrderCancelled && to != shop.OrderCancelled && m.stock >= 0 {
		need = o.units - o.left
	}
	if need > 0 && need > m.stock {
		if !errors.Is(err, catalog.ErrOutOfStock) {
			r.Fatalf("reopening %d of %d: %v", need, m.stock, err)
		}
		return
	}
	if err != nil {
		r.Fatal(err)
	}
	if need > 0 {
		m.stock, o.left = m.stock-need, o.left+need
	}
	if to == shop.OrderCancelled && o.status != shop.OrderCancelled && m.stock >= 0 {
		m.stock, o.left = m.stock+o.left, 0
	}
	o.status = to
}
