package payment

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/pay/stripetest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// buyerEnv has the task of a process that buys once.
const buyerEnv = "VITRINE_TEST_BUYER"

type buyerTask struct {
	Database, Stripe, Token string
	Shop                    shop.CompanyID
	Who                     shop.UserID
	SoldOut                 bool
}

func TestMain(m *testing.M) {
	text := os.Getenv(buyerEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	var task buyerTask
	if err := errors.Join(json.Unmarshal([]byte(text), &task), buyOnce(task)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// buyOnce authorises, places and captures, and prints a line after each step.
func buyOnce(task buyerTask) error {
	ctx := context.Background()
	s, err := store.Open(ctx, task.Database)
	if err != nil {
		return err
	}
	defer s.Close()
	at := &clock{}
	c := &chargeFixture{tillFixture: &tillFixture{store: s, shop: task.Shop, who: task.Who}, at: at, till: tillAt(s, task.Stripe, at)}
	charge, err := c.till.Authorize(ctx, c.shop, google(task.Token))
	fmt.Println("authorised")
	if err != nil {
		return err
	}
	var fail error
	if task.SoldOut {
		fail = errors.New("sold out")
	}
	_, err = c.place(ctx, charge, fail)
	fmt.Println("placed")
	if err != nil {
		return errors.Join(err, c.till.Void(ctx, c.shop, charge))
	}
	return c.till.Capture(ctx, c.shop, charge)
}

// A process is killed at each point of a purchase: when a call arrives at Stripe, before and after its
// effect, and between the steps.
func TestAKilledProcessLeavesNothingReserved(t *testing.T) {
	t.Parallel()
	var onCall atomic.Pointer[func(path string) stripetest.Fault]
	c := openCharges(t, func(r *http.Request) stripetest.Fault {
		if f := onCall.Load(); f != nil {
			return (*f)(r.URL.Path)
		}
		return stripetest.None
	})
	for n, p := range []struct {
		at      string // the end of the path of a call, or what the process prints
		effect  bool   // the call still has its effect
		soldOut bool
		orders  int
	}{
		{"/payment_intents", false, false, 0}, {"/payment_intents", true, false, 0}, {"authorised", false, false, 0}, {"placed", false, false, 1}, {"placed", false, true, 0},
		{"/capture", false, false, 1}, {"/capture", true, false, 1}, {"/cancel", false, true, 0}, {"/cancel", true, true, 0}, {"the end", false, false, 1},
	} {
		c.another(n)
		c.stripe.Reset()
		c.at.ahead = 0
		task, err := json.Marshal(buyerTask{c.url, c.stripe.URL, fmt.Sprint("tok_", n), c.shop, c.who, p.soldOut})
		if err != nil {
			t.Fatal(err)
		}
		process := exec.CommandContext(t.Context(), os.Args[0])
		process.Env = append(os.Environ(), buyerEnv+"="+string(task))
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		killed := false
		kill := func() {
			killed = true
			_ = process.Process.Kill()
		}
		hook := func(path string) stripetest.Fault {
			if !strings.HasSuffix(path, p.at) {
				return stripetest.None
			}
			kill()
			if p.effect {
				return stripetest.Lost
			}
			return stripetest.Down
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		onCall.Store(&hook)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == p.at {
				kill()
			}
		}
		_ = process.Wait()
		onCall.Store(nil)
		if killed != (p.at != "the end") {
			t.Errorf("%+v: killed: %t", p, killed)
		}
		c.settle(t)
		c.balanced(t)
		// A process may take a step before the signal arrives.
		if orders := c.count(t, `SELECT count(*) FROM shop_order WHERE company_id = $1`); orders != p.orders && p.at != "authorised" {
			t.Errorf("%+v: %d orders", p, orders)
		}
	}
}
