package webhook

import (
	"sync"

	"vitrine/internal/shop"
	webhookdb "vitrine/internal/store/webhook"
)

// Attempts that may be under way at once, in one process.
const (
	ofHost    = 64
	ofCompany = 128
	atOnce    = 512 // of all
)

// rooms counts what is under way, so that no receiver is flooded, and none that does not
// answer takes everybody's place. The bounds of hosts and shops are looked at once a
// claim, which may go beyond them by what it takes.
type rooms struct {
	mu        sync.Mutex
	webhooks  map[shop.WebhookID]int
	hosts     map[string]int
	companies map[shop.CompanyID]int
	given     map[shop.WebhookID]int // by the claim in the making
	short     map[shop.WebhookID]int // subscriptions that may have more than they had room for, and how many these may have under way
	full      bool                   // a host or a shop had no room
}

func newRooms() *rooms {
	return &rooms{
		webhooks: map[shop.WebhookID]int{}, hosts: map[string]int{}, companies: map[shop.CompanyID]int{},
		given: map[shop.WebhookID]int{}, short: map[shop.WebhookID]int{},
	}
}

// of is how many deliveries of a subscription may begin now. One that is gone is given
// some, for these are not sent.
func (r *rooms) of(w webhookdb.Waiting) int {
	if w.Room == 0 {
		return atOnce
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := max(w.Room-r.webhooks[w.Webhook], 0)
	if around := min(ofHost-r.hosts[w.Host], ofCompany-r.companies[w.Company]); around < n {
		n, r.full = max(around, 0), true
	}
	r.given[w.Webhook], r.short[w.Webhook] = n, w.Room
	return n
}

// taken counts what a claim has taken. Who had less than there was room for has no more.
func (r *rooms) taken(due []webhookdb.DueDelivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range due {
		r.webhooks[d.Webhook]++
		r.hosts[d.Host]++
		r.companies[d.Company]++
		r.given[d.Webhook]--
	}
	for id, left := range r.given {
		if left > 0 || r.webhooks[id] == 0 {
			delete(r.short, id)
		}
	}
	clear(r.given)
}

// done counts an attempt that is over, and reports whether there is room for more that
// may be there.
func (r *rooms) done(d webhookdb.DueDelivery) (more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	less(r.webhooks, d.Webhook)
	less(r.hosts, d.Host)
	less(r.companies, d.Company)
	if room, short := r.short[d.Webhook]; short && r.webhooks[d.Webhook] <= room/2 {
		delete(r.short, d.Webhook)
		return true
	}
	if r.full && r.hosts[d.Host] <= ofHost/2 && r.companies[d.Company] <= ofCompany/2 {
		r.full = false
		return true
	}
	return false
}

func less[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}
