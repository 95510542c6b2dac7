package demo

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/order"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

const (
	sold     = 40 // orders
	soldDays = 90
)

// seller places the orders of a shop.
type seller struct {
	*client
	ways     []way
	sites    *load.Sites
	goods    map[string]shop.ProductID // by sku
	accounts map[string]shop.UserID    // by email
}

// sales places the buyers' orders over the last days, and processes them as the owner would
// have done. Orders placed by an earlier start are only completed.
func (d *client) sales(ctx context.Context, c *content) error {
	if len(c.Buyers) == 0 {
		return nil
	}
	t := seller{client: d, sites: load.NewSites(shop.Storefronts{}, time.Now), goods: map[string]shop.ProductID{}, accounts: map[string]shop.UserID{}}
	there, err := d.productsBySKU(ctx)
	if err != nil {
		return err
	}
	for sku, p := range there {
		t.goods[sku] = p.ID
	}
	if t.ways, err = d.ways(ctx); err != nil {
		return err
	}
	made, _, err := sales.Orders(ctx, d.store, sales.OrderFilter{Company: d.who.Company}, sales.OrderSort{Field: "number", Asc: true}, sold, 0)
	if err != nil {
		return err
	}
	for n := range sold {
		var o sales.Order
		if n < len(made) {
			o = made[n]
		} else if o, err = t.place(ctx, n, c.Buyers[n%len(c.Buyers)]); err != nil {
			return err
		}
		if n >= len(made)-1 {
			if err := t.finish(ctx, n, o, c.Buyers[n%len(c.Buyers)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// account returns the buyer's account, created once, or a new guest.
func (t *seller) account(ctx context.Context, b buyer) (id shop.UserID, err error) {
	if b.Email == "" {
		return people.CreateGuest(ctx, t.store)
	}
	if id = t.accounts[b.Email]; id != 0 {
		return id, nil
	}
	known, found, err := people.PersonByEmail(ctx, t.store, b.Email)
	switch {
	case err != nil:
		return 0, err
	case found:
		id = known.ID
	case b.Email == buyerEmail:
		id, err = t.api.Access.EnsurePerson(ctx, b.Email, Password)
	default:
		id, err = people.CreatePerson(ctx, t.store, b.Email, b.Name, people.NoPassword)
	}
	if err == nil && b.Email == buyerEmail && known.Name == "" && b.Name != "" { // the account page greets by name
		who := &client{seeding: t.seeding, who: api.Identity{Person: id, Contour: shop.Prod}}
		err = who.send(ctx, "PUT", "/v1/auth/me", nil, object{"name": b.Name, "phone": b.Phone})
	}
	t.accounts[b.Email] = id
	return id, err
}

// place fills the cart of a buyer and checks out.
func (t *seller) place(ctx context.Context, n int, b buyer) (o sales.Order, err error) {
	who, err := t.account(ctx, b)
	if err != nil {
		return o, err
	}
	lines := []sales.CartLine{{Product: t.goods[b.Buys[n%len(b.Buys)]], Key: "default", Quantity: int64(1 + n%3)}}
	if n%2 == 0 {
		lines = append(lines, sales.CartLine{Product: t.goods[b.Buys[(n+1)%len(b.Buys)]], Key: "default", Quantity: 1})
	}
	err = t.store.Write(ctx, t.who.Company, func(tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, who); err != nil {
			return err
		}
		if err := sales.EmptyCart(ctx, tx, who); err != nil { // left by an interrupted start
			return err
		}
		if n == 0 {
			if err := sales.SetPromoCode(ctx, tx, who, "OPENING"); err != nil {
				return err
			}
		}
		_, err := sales.AddToCart(ctx, tx, who, lines...)
		return err
	})
	if err != nil {
		return o, err
	}
	address, err := json.Marshal(object{"street": b.Street, "postcode": b.Postcode, "city": b.City, "country": b.Country})
	if err != nil {
		return o, err
	}
	return order.Place(ctx, t.store, order.All(t.store, t.sites), t.who.Company, who, order.Checkout{
		Contact: sales.Contact{Name: b.Name, Phone: b.Phone, Email: b.Email}, Address: address, Delivery: t.ways[n%2].ID, PaymentMethod: "manual",
	}, t.now)
}

// statusToday is the state of an order today, depending on its age.
func statusToday(n int) (to shop.OrderStatus, paid, refunded bool) {
	switch {
	case n >= sold-4:
		return shop.OrderNew, n == sold-1, false
	case n >= sold-8:
		return shop.OrderProcessing, n%2 == 0, false
	case n%7 == 3:
		return shop.OrderCancelled, n == 10, n == 10
	}
	return shop.OrderCompleted, true, false
}

// finish processes the order as the owner would have done, and backdates it: first, because its
// papers keep its date, and again with what was done.
func (t *seller) finish(ctx context.Context, n int, o sales.Order, b buyer) error {
	to, paid, refunded := statusToday(n)
	err := t.store.Write(ctx, t.who.Company, func(tx *store.Tx) error {
		if err := sales.BackdateOrder(ctx, tx, o.ID, t.date(n)); err != nil {
			return err
		}
		if paid {
			if err := sales.ConfirmPayment(ctx, tx, o, shop.MinorUnits(o.GrandTotal, o.Currency, 0), t.who.Person); err != nil {
				return err
			}
		}
		if refunded {
			if _, err := sales.IssueInvoice(ctx, tx, o.ID); err != nil { // a credit note reverses it
				return err
			}
			all, err := sales.Payments(ctx, tx.Reader, []shop.OrderID{o.ID})
			if err != nil {
				return err
			}
			if err := sales.MarkRefund(ctx, tx, all[o.ID].Main(), t.who.Person); err != nil {
				return err
			}
		}
		return t.writeMessages(ctx, tx, o, b, to == shop.OrderNew)
	})
	if err != nil {
		return err
	}
	if o.Status != to {
		if _, err := order.Move(ctx, t.store, t.who.Company, o.ID, t.who.Person, order.Status{To: to}); err != nil {
			return err
		}
	}
	if err := t.fulfil(ctx, n, o); err != nil {
		return err
	}
	return t.store.Write(ctx, t.who.Company, func(tx *store.Tx) error { return sales.BackdateOrder(ctx, tx, o.ID, t.date(n)) })
}

// writeMessages writes the messages of buyer and seller; a new order has no answer yet.
func (t *seller) writeMessages(ctx context.Context, tx *store.Tx, o sales.Order, b buyer, waits bool) error {
	said, err := sales.Messages(ctx, tx.Reader, o.ID, 0, 1)
	if err != nil || b.Asks == "" || len(said) > 0 {
		return err
	}
	if err := sales.AddMessage(ctx, tx, &o, &sales.Message{ByBuyer: true, Person: o.Person, Text: b.Asks}); err != nil || waits {
		return err
	}
	return sales.AddMessage(ctx, tx, &o, &sales.Message{Person: t.who.Person, Text: b.Answer})
}

// date spreads the orders evenly, at varying hours of the day.
func (t *seller) date(n int) time.Time {
	step := soldDays * 24 * time.Hour / sold
	return t.now.Add(-time.Duration(sold-n)*step + time.Duration(1+n*7%24)*time.Hour).Truncate(time.Minute)
}
