package webhook

import (
	"testing"

	"vitrine/internal/shop"
	webhookdb "vitrine/internal/store/webhook"
)

// Whatever number of shops have receivers that do not answer, a delivery of another shop can be begun.
func TestSlowShopsLeaveRoomForOthers(t *testing.T) {
	for _, shops := range []int{1, 4, 5, 50} {
		r := newInFlight()
		hook := func(company, n int) webhookdb.Waiting {
			return webhookdb.Waiting{Company: shop.CompanyID(company), Webhook: shop.WebhookID(100*company + n), Host: string(rune(100*company + n)), Concurrency: 64}
		}
		for range 100 { // claims
			for company := 1; company <= shops; company++ {
				for n := range 8 {
					w := hook(company, n)
					var due []webhookdb.DueDelivery
					for range min(batch, r.allowance(w)) {
						due = append(due, webhookdb.DueDelivery{Company: w.Company, Webhook: w.Webhook, Host: w.Host})
					}
					r.started(due)
				}
			}
		}
		if free := r.allowance(hook(1000, 1)); free == 0 {
			t.Errorf("%d shops with slow receivers leave nothing for another", shops)
		}
		if busy := r.companies.Room(1); busy > 0 {
			t.Errorf("of %d shops one may begin %d more: nothing is saturated", shops, busy)
		}
	}
}
