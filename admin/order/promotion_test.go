package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
	"vitrine/admin/order"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

func (c *fixture) promotion(p sales.Promotion) shop.PromotionID {
	c.t.Helper()
	p.Active, p.Priority, p.Stacking = true, 100, "stack"
	if p.Name == "" {
		p.Name = p.Kind
	}
	c.write(func(ctx context.Context, tx *store.Tx) (err error) {
		p, err = sales.SavePromotion(ctx, tx, p)
		return err
	})
	return p.ID
}

func (c *fixture) code(buyer shop.UserID, code string) {
	c.t.Helper()
	c.write(func(ctx context.Context, tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, buyer); err != nil {
			return err
		}
		return sales.SetPromoCode(ctx, tx, buyer, code)
	})
}

func (c *fixture) used(id shop.PromotionID) (used, spent int64) {
	c.t.Helper()
	list, _, err := sales.Promotions(c.t.Context(), c.store.Shop(c.shop), sales.PromotionFilter{}, 100, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, p := range list {
		if p.ID == id {
			return p.Used, p.Spent
		}
	}
	c.t.Fatalf("promotion %v does not exist", id)
	return 0, 0
}

func decode[T any](t testing.TB, data []byte) (out T) {
	t.Helper()
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func n64(n int64) *int64 { return &n }

// Fifty buyers compete for a promotion limited to five: five get it. Buyers with a code are told
// that it is used up; buyers of a promotion without a code pay the full price.
func TestFiveOfFiftyBuyersGetALimitedPromotion(t *testing.T) {
	t.Parallel()
	const buyers, enough = 50, 5
	half := sales.PromotionValue{Points: 5000} // 7 of 14
	for name, x := range map[string]struct {
		promotion sales.Promotion
		refusal   error // of the others; nil: they pay the full price
	}{
		"a coupon with a limit":   {sales.Promotion{Kind: "coupon", Code: "FIVE", Value: half, Total: n64(enough)}, sales.ErrPromoCodeExhausted},
		"a coupon with a budget":  {sales.Promotion{Kind: "coupon", Code: "FIVE", Value: half, Budget: n64(7*enough + 6)}, sales.ErrCampaignBudgetSpent},
		"a discount with a limit": {sales.Promotion{Kind: "discount", Value: half, Total: n64(enough)}, nil},
		"an order discount with a budget": {
			sales.Promotion{Kind: "order_discount", Value: half, Budget: n64(7*enough + 6)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t)
			tea := c.product("oolong", -1)
			id := c.promotion(x.promotion)
			var reduced, whole, refused atomic.Int64
			var wait sync.WaitGroup
			for i := range buyers {
				who := c.buyer(fmt.Sprint("b", i))
				c.fill(who, one(tea))
				c.code(who, x.promotion.Code)
				wait.Go(func() {
					switch o, err := c.place(who); {
					case err == nil && o.ItemsTotal == 7 && o.DiscountTotal == 7:
						reduced.Add(1)
					case err == nil && o.ItemsTotal == 14:
						whole.Add(1)
					case x.refusal != nil && errors.Is(err, x.refusal):
						refused.Add(1)
					default:
						t.Errorf("%+v, %v", o, err)
					}
				})
			}
			wait.Wait()
			others := refused.Load()
			if x.refusal == nil {
				others = whole.Load()
			}
			if used, spent := c.used(id); reduced.Load() != enough || others != buyers-enough || used != enough || spent != 7*enough {
				t.Errorf("%d reduced, %d whole, %d refused; used %d, spent %d", reduced.Load(), whole.Load(), refused.Load(), used, spent)
			}
		})
	}
}

// After any sequence of orders, cancellations, reopenings and completions, the counters of
// promotions equal a recount over the orders that are not cancelled, and no limit is exceeded.
func TestCountersOfPromotionsEqualARecount(t *testing.T) {
	t.Parallel()
	c := open(t)
	rounds := 0
	rapid.Check(t, func(r *rapid.T) {
		rounds++
		tea, cup := c.product(fmt.Sprint("tea", rounds), -1), c.product(fmt.Sprint("cup", rounds), rapid.IntRange(0, 6).Draw(r, "cups"))
		only := sales.PromotionConditions{Products: []shop.ProductID{tea}}
		code := fmt.Sprint("CODE-", rounds)
		ids := []shop.PromotionID{
			c.promotion(sales.Promotion{Kind: "coupon", Code: code, Value: sales.PromotionValue{Points: 1000}, Conditions: only, Total: n64(3), PerBuyer: n64(2)}),
			c.promotion(sales.Promotion{Kind: "discount", Value: sales.PromotionValue{Amount: 2}, Conditions: only, Budget: n64(13)}),
			c.promotion(sales.Promotion{Kind: "gift", Value: sales.PromotionValue{Product: cup, Quantity: 1}, Conditions: only, Total: n64(4)}),
		}
		buyers := []shop.UserID{c.buyer(fmt.Sprint("ann", rounds)), c.buyer(fmt.Sprint("bob", rounds))}
		var made []shop.OrderID
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			if len(made) == 0 || rapid.IntRange(0, 2).Draw(r, "order") == 0 {
				who := rapid.SampledFrom(buyers).Draw(r, "who")
				c.fill(who, sales.CartLine{Product: tea, Key: "default", Quantity: int64(rapid.IntRange(1, 3).Draw(r, "units"))})
				c.code(who, rapid.SampledFrom([]string{"", code}).Draw(r, "code"))
				o, err := c.place(who)
				if errors.Is(err, sales.ErrPromoCodeExhausted) {
					c.code(who, "")
					o, err = c.place(who)
				}
				if err != nil {
					r.Fatal(err)
				}
				made = append(made, o.ID)
				continue
			}
			to := rapid.SampledFrom([]shop.OrderStatus{shop.OrderCancelled, shop.OrderProcessing, shop.OrderCompleted}).Draw(r, "to")
			_, err := order.Move(t.Context(), c.store, c.shop, rapid.SampledFrom(made).Draw(r, "which"), 0, order.Status{To: to})
			if err != nil && !errors.Is(err, sales.ErrPromoCodeExhausted) && !errors.Is(err, sales.ErrCampaignBudgetSpent) && !errors.Is(err, catalog.ErrOutOfStock) {
				r.Fatal(err)
			}
		}
		c.recount(r, ids)
	})
}

// recount fails unless the counters equal a recount over the orders that are not cancelled.
func (c *fixture) recount(r *rapid.T, ids []shop.PromotionID) {
	orders, _, err := sales.Orders(c.t.Context(), c.store, sales.OrderFilter{Company: c.shop}, sales.OrderSort{}, 100_000, 0)
	if err != nil {
		r.Fatal(err)
	}
	used, spent := map[string]int64{}, map[string]int64{}
	for _, o := range orders {
		for _, p := range decode[l](c.t, o.Promotions) {
			if o.Status != shop.OrderCancelled {
				used[fmt.Sprint(p.(m)["promotion_id"])]++
				spent[fmt.Sprint(p.(m)["promotion_id"])] += int64(p.(m)["amount"].(float64))
			}
		}
	}
	for i, id := range ids {
		nowUsed, nowSpent := c.used(id)
		if name := id.String(); nowUsed != used[name] || nowSpent != spent[name] {
			r.Fatalf("promotion %d: used %d, spent %d; the orders sum up to %d, %d", i, nowUsed, nowSpent, used[name], spent[name])
		}
	}
	if n, _ := c.used(ids[0]); n > 3 {
		r.Fatalf("the coupon for three was used %d times", n)
	}
	if _, n := c.used(ids[1]); n > 13 {
		r.Fatalf("%d of a budget of 13 are spent", n)
	}
}

// A gift that is out of stock is omitted from the order, at the same total. A unit of the stock
// is never given twice, and paid units of the same product come first.
func TestAGiftIsGivenWhileInStock(t *testing.T) {
	t.Parallel()
	c := open(t)
	tea, cup := c.product("oolong", -1), c.product("cup", 4)
	c.promotion(sales.Promotion{Kind: "gift", Value: sales.PromotionValue{Product: cup, Quantity: 1}, Conditions: sales.PromotionConditions{Products: []shop.ProductID{tea}}})
	var with atomic.Int64
	var wait sync.WaitGroup
	for i := range 20 {
		who := c.buyer(fmt.Sprint("b", i))
		c.fill(who, one(tea))
		wait.Go(func() {
			o, err := c.place(who)
			if err != nil || o.ItemsTotal != 14 {
				t.Errorf("%+v, %v", o, err)
			}
			if len(o.Lines) == 2 {
				with.Add(1)
			}
		})
	}
	wait.Wait()
	if with.Load() != 4 {
		t.Errorf("%d orders have a gift", with.Load())
	}
	c.balanced(cup, 0)
}

// Paid units and a gift of the same product leave the stock in one movement. A cancellation
// returns both. A reopening takes what is available: a gift that is out of stock stays in the
// order without a reservation; a missing paid unit causes a refusal.
func TestAReopenedOrderMayLoseItsGift(t *testing.T) {
	t.Parallel()
	c := open(t)
	cup := c.product("cup", 3)
	c.promotion(sales.Promotion{Kind: "gift", Value: sales.PromotionValue{Product: cup, Quantity: 1}, Conditions: sales.PromotionConditions{MinUnits: 2}})
	ann := c.buyer("ann")
	c.fill(ann, sales.CartLine{Product: cup, Key: "default", Quantity: 2})
	o, err := c.place(ann)
	if err != nil || len(o.Lines) != 2 || !o.Lines[1].Gift || o.Lines[1].Unit != 0 || o.Lines[1].Base != 14 || o.ItemsTotal != 28 {
		t.Fatalf("%+v, %v", o, err)
	}
	c.balanced(cup, 0)
	move := func(to shop.OrderStatus) (sales.Order, error) {
		return order.Move(t.Context(), c.store, c.shop, o.ID, 0, order.Status{To: to})
	}
	stock := func(n int) {
		c.write(func(ctx context.Context, tx *store.Tx) error {
			at := &n
			_, err := catalog.SetStock(ctx, tx, catalog.StockItem{Product: cup}, catalog.StockEdit{Quantity: &at})
			return err
		})
	}
	if _, err := move(shop.OrderCancelled); err != nil {
		t.Fatal(err)
	}
	c.balanced(cup, 3)
	if ledger, _ := catalog.Movements(t.Context(), c.store.Shop(c.shop), cup, 10); len(ledger) != 2 || ledger[0].Delta != 3 || ledger[1].Delta != -3 {
		t.Errorf("%+v", ledger)
	}
	stock(1)
	if _, err := move(shop.OrderProcessing); !errors.Is(err, catalog.ErrOutOfStock) {
		t.Errorf("reopened with one cup for two: %v", err)
	}
	stock(2)
	if again, err := move(shop.OrderProcessing); err != nil || len(again.Lines) != 2 {
		t.Errorf("%+v, %v", again, err)
	}
	c.balanced(cup, 0)
	if _, err := move(shop.OrderCancelled); err != nil {
		t.Fatal(err)
	}
	c.balanced(cup, 2) // the gift had not been taken from the stock
}

// Cancelling an order frees its use of a code for others; if another order has used it since, the
// order cannot be reopened.
func TestACancelledOrderFreesItsUseOfACode(t *testing.T) {
	t.Parallel()
	c := open(t)
	tea := c.product("oolong", -1)
	id := c.promotion(sales.Promotion{Kind: "coupon", Code: "ONCE", Value: sales.PromotionValue{Amount: 4}, Total: n64(1)})
	ann, bob := c.buyer("ann"), c.buyer("bob")
	order1 := c.buys(ann, tea, "ONCE")
	if order1.ItemsTotal != 10 {
		t.Fatalf("%+v", order1)
	}
	move := func(o sales.Order, to shop.OrderStatus) error {
		_, err := order.Move(t.Context(), c.store, c.shop, o.ID, 0, order.Status{To: to})
		return err
	}
	if err := move(order1, shop.OrderCancelled); err != nil {
		t.Fatal(err)
	}
	if used, spent := c.used(id); used != 0 || spent != 0 {
		t.Errorf("used %d, spent %d", used, spent)
	}
	order2 := c.buys(bob, tea, "ONCE")
	if err := move(order1, shop.OrderNew); !errors.Is(err, sales.ErrPromoCodeExhausted) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(move(order2, shop.OrderCancelled), move(order1, shop.OrderNew), move(order1, shop.OrderCompleted)); err != nil {
		t.Error(err)
	}
	if used, spent := c.used(id); used != 1 || spent != 4 {
		t.Errorf("used %d, spent %d", used, spent)
	}
}

func (c *fixture) buys(who shop.UserID, what shop.ProductID, code string) sales.Order {
	c.t.Helper()
	c.fill(who, one(what))
	c.code(who, code)
	o, err := c.place(who)
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

// The first completion of an order issues one code of each active campaign to its buyer. It is
// reported once, however often the order is completed, and only that buyer can use it, once.
func TestACompletedOrderIssuesACode(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Oolong", "price": m{"price": 100}, "is_published": true}})["id"]
	campaign := a.Result("POST", "/promotions", a.Owner, m{"item": m{
		"name": "Thanks", "kind": "personal_coupon", "value": m{"percent": 10}, "issue": m{"on": "order_completed", "min_total": 50, "days": 30, "prefix": "thx-"},
	}})
	ann, bob := a.Session(a.Buyer("ann@people.test")), a.Session(a.Buyer("bob@people.test"))
	where := fmt.Sprintf("?company_id=%d", a.Shop.ID)
	coupons := func(who string) l { return a.OK("GET", "/v1/account/coupons"+where, who, nil)["result"].(l) }
	buy := func(who, code string) m {
		a.OK("POST", fmt.Sprintf("/cart/items/%v/default", tea), who, m{})
		if code != "" {
			a.Result("POST", "/cart/promo", who, m{"company_id": a.Shop.ID, "code": code})
		}
		return a.Result("POST", "/cart/confirm", who, m{"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})
	}
	status := func(o m, to string) { a.OK("PUT", fmt.Sprintf("/orders/%v/status", o["id"]), a.Owner, m{"status": to}) }
	first := buy(ann, "")
	for _, to := range []string{"processing", "completed", "new", "completed", "cancelled", "completed"} {
		status(first, to)
	}
	list := coupons(ann)
	if len(list) != 1 || list[0].(m)["name"] != "Thanks" || list[0].(m)["value"].(m)["percent"] != 10.0 {
		t.Fatalf("%v", list)
	}
	code := list[0].(m)["code"].(string)
	events := storetest.Events(t, a.Store.Pool, int(a.Shop.ID))
	issued := 0
	for _, e := range events {
		if e.Name == "key.issued" {
			issued++
			if body := decode[m](t, e.Body); body["code"] != code || fmt.Sprint(body["order_id"]) != fmt.Sprint(first["id"]) || body["expires_at"] == nil {
				t.Errorf("%v", body)
			}
		}
	}
	if issued != 1 {
		t.Errorf("%d events", issued)
	}
	// For another buyer the code does not exist.
	a.OK("POST", fmt.Sprintf("/cart/items/%v/default", tea), bob, m{})
	if got := a.Result("POST", "/cart/promo", bob, m{"company_id": a.Shop.ID, "code": code}); got["promo_rejected"] != "NOT_FOUND" || got["subtotal"] != 100.0 {
		t.Errorf("%v", got)
	}
	quote := m{"company_id": a.Shop.ID, "promo_code": code, "items": l{m{"product_id": tea, "key": "default", "quantity": 1}}}
	if got := a.Result("POST", "/cart/quote", "", quote); got["promo_rejected"] != "NOT_FOUND" {
		t.Errorf("%v", got)
	}
	second := buy(ann, " "+code+" ")
	if second["items_total"] != 90.0 || second["promotions"].(l)[0].(m)["code"] != code {
		t.Errorf("%v", second)
	}
	if got := a.Result("POST", "/cart/quote", ann, quote); got["promo_rejected"] != "ALREADY_USED" {
		t.Errorf("%v", got)
	}
	if len(coupons(ann)) != 0 {
		t.Errorf("%v", coupons(ann))
	}
	status(second, "cancelled")
	if len(coupons(ann)) != 1 {
		t.Error("cancelling the order did not free the code")
	}
	codes := a.Result("GET", fmt.Sprintf("/promotions/%v/codes", campaign["id"]), a.Owner, nil)
	if codes["total"] != 1.0 || codes["items"].(l)[0].(m)["used_order_id"] != nil {
		t.Errorf("%v", codes)
	}
}
