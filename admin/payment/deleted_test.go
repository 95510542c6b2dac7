package payment_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
)

// Money that arrives for an order of a deleted shop is recorded, by a notification as well as by the
// worker's own query, and is there when the shop is restored.
func TestPaymentsOfADeletedShopAreRecorded(t *testing.T) {
	t.Parallel()
	for how, arrive := range map[string]func(c *fixture){
		"notification": func(c *fixture) {
			const body = `{"type":"checkout.session.completed","data":{"object":{"id":"cs_1","object":"checkout.session"}}}`
			got := c.send("POST", "/v1/payments/stripe/"+c.Shop.ID.String(), body, signed("whsec_very-secret", body, c.Clock.Now()))
			if got.Status != 200 {
				c.t.Errorf("%d %s", got.Status, got.Body)
			}
		},
		"query": func(c *fixture) {
			c.Clock.Advance(time.Minute)
			c.runWorker()
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := &bank{}
			at := httptest.NewServer(b)
			defer at.Close()
			c := open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = at.URL })
			c.stripe("Card")
			order := c.order()
			id := fmt.Sprint(c.Result("POST", order+"/payment", c.buyer, m{"method": "stripe"})["payment_id"])
			waiting := c.order() // no payment was started, so the provider is not called for it
			c.OK("DELETE", "/v1/shop", c.owner, m{"slug": "tea"})
			c.Refused("POST", waiting+"/payment", c.buyer, m{"method": "stripe"}, 404, "ORDER_NOT_FOUND")
			b.locked(func() {
				b.paid = `{"id":"cs_1","status":"complete","payment_status":"paid","amount_total":1400,"currency":"eur","client_reference_id":"` + id + `"}`
			})
			arrive(c)
			c.OK("POST", "/v1/shop/restore", c.owner, nil)
			if said := c.history(order); !strings.Contains(said, "paid") || c.events("order.paid") != 1 {
				t.Errorf("%q, %d events", said, c.events("order.paid"))
			}
		})
	}
}
