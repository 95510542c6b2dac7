package payment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"vitrine/internal/pay"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

func TestTheWorkerEndsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	begun := func(c *chargeFixture, in pay.NewCharge) sales.Charge {
		var charge sales.Charge
		err := c.store.Write(t.Context(), c.shop, func(tx *store.Tx) (err error) {
			charge, err = sales.BeginCharge(t.Context(), tx, sales.Charge{Session: in.Session, AmountMinor: in.AmountMinor, Currency: in.Currency}, c.at.now().Add(chargeLease))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return charge
	}
	charger := func(c *chargeFixture) pay.Charger {
		charger, err := c.till.charger(t.Context(), c.shop)
		if err != nil {
			t.Fatal(err)
		}
		return charger
	}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for name, o := range map[string]struct {
		crash   func(c *chargeFixture)
		charges string
		paid    int
	}{
		"before the call": {func(c *chargeFixture) { begun(c, google("tok_ok")) }, "map[failed:1]", 0},
		"after the call": {func(c *chargeFixture) {
			in := google("tok_ok")
			_, err := charger(c).Authorize(t.Context(), begun(c, in).ID.String(), in)
			must(err)
		}, "map[voided:1]", 0},
		"after a call that requires the buyer": {func(c *chargeFixture) {
			in := google("tok_3ds")
			_, err := charger(c).Authorize(t.Context(), begun(c, in).ID.String(), in)
			if !errors.Is(err, pay.ErrActionRequired) {
				t.Error(err)
			}
		}, "map[voided:1]", 0},
		"before the order": {func(c *chargeFixture) {
			_, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
		}, "map[voided:1]", 0},
		"after the order": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			_, err = c.place(t.Context(), charge, nil)
			must(err)
		}, "map[attached:1]", 1},
		"after the money was taken": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			_, err = c.place(t.Context(), charge, nil)
			must(err)
			_, err = charger(c).Capture(t.Context(), charge.Ref, charge.ID.String()+"-capture")
			must(err)
		}, "map[attached:1]", 1},
		"after the order was refused": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			if _, err = c.place(t.Context(), charge, errors.New("sold out")); err == nil {
				t.Error("placed")
			}
		}, "map[voided:1]", 0},
		"while the money was returned": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			must(c.store.Write(t.Context(), c.shop, func(tx *store.Tx) error {
				_, _, err := sales.GiveUpCharge(t.Context(), tx, charge.ID, charge.Ref, c.at.now().Add(lease))
				return err
			}))
			_, err = charger(c).Void(t.Context(), charge.Ref, charge.ID.String()+"-void")
			must(err)
		}, "map[voided:1]", 0},
		"and the owner took the money by hand": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			c.stripe.Set(charge.Ref, "succeeded")
		}, "map[voided:1]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCharges(t, nil)
			o.crash(c)
			before := fmt.Sprint(c.charges(t), c.stripe.States())
			if _, err := c.till.Reconcile(t.Context()); err != nil {
				t.Fatal(err)
			}
			if now := fmt.Sprint(c.charges(t), c.stripe.States()); now != before && !strings.HasPrefix(name, "after the order") && !strings.HasPrefix(name, "after the money") {
				t.Errorf("the worker did not wait for the caller: %s, then %s", before, now)
			}
			c.settle(t)
			c.balanced(t)
			if got := fmt.Sprint(c.charges(t)); got != o.charges {
				t.Errorf("%s, want %s", got, o.charges)
			}
			if got := c.count(t, `SELECT count(*) FROM payment WHERE company_id = $1 AND status = 'paid'`); got != o.paid {
				t.Errorf("%d payments, want %d", got, o.paid)
			}
		})
	}
}

func TestAChargeIsAttachedOrReleased(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	late, err := c.till.Authorize(t.Context(), c.shop, google("tok_1"))
	if err != nil {
		t.Fatal(err)
	}
	c.at.ahead += 3 * time.Minute
	if _, err := c.till.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), late, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("a released charge: %v", err)
	}
	attached, err := c.till.Authorize(t.Context(), c.shop, google("tok_2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), attached, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.till.Void(t.Context(), c.shop, attached); !errors.Is(err, errAttached) {
		t.Errorf("an attached charge: %v", err)
	}
	if _, err := c.place(t.Context(), attached, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("two orders with one charge: %v", err)
	}
	other := google("tok_3")
	other.AmountMinor = 1399
	wrong, err := c.till.Authorize(t.Context(), c.shop, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), wrong, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("a charge of another amount: %v", err)
	}
	for range 2 {
		if err := c.till.Capture(t.Context(), c.shop, attached); err != nil {
			t.Error(err)
		}
	}
	c.settle(t)
	c.balanced(t)
}

func TestASlowProviderLeavesNothingReserved(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.till.Authorize(ctx, c.shop, shared("spt_slow")); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("%v", err)
	}
	c.settle(t)
	c.balanced(t)
	if got := c.charges(t); !maps.Equal(got, map[string]int{"voided": 1}) {
		t.Error(got)
	}
}
