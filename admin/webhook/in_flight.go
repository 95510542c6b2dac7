package webhook

import (
	"sync"

	"vitrine/internal/limiter"
	webhookdb "vitrine/internal/store/webhook"
)

// Limits of concurrent attempts in one process. The total is divided among shops (package limiter):
// however many shops have receivers that do not answer, another one finds room.
const (
	perHost       = 64
	perShop       = 128
	maxConcurrent = 512 // in total
)

// inFlight counts attempts in progress and limits them, so that no receiver is flooded and a
// receiver that does not respond does not use up all workers. The limits of hosts and shops are
// checked once per claim, which may exceed them by the number that it claims.
type inFlight struct {
	mu        sync.Mutex
	webhooks  map[webhookdb.Subscription]int
	hosts     map[string]int
	companies *limiter.PerShop
	allowed   map[webhookdb.Subscription]int // allowance given in the current claim
	limited   map[webhookdb.Subscription]int // subscriptions that may have more deliveries than their allowance, with their concurrency limit
	blocked   bool                           // the limit of a host or a shop was reached
}

func newInFlight() *inFlight {
	return &inFlight{
		webhooks: map[webhookdb.Subscription]int{}, hosts: map[string]int{}, companies: limiter.Shared(maxConcurrent, perShop),
		allowed: map[webhookdb.Subscription]int{}, limited: map[webhookdb.Subscription]int{},
	}
}

// allowance returns how many deliveries of a subscription may start now. Deliveries of a deleted
// subscription are not limited, because they are not sent.
func (r *inFlight) allowance(w webhookdb.Waiting) int {
	if w.Concurrency == 0 {
		return maxConcurrent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := webhookdb.Subscription{Company: w.Company, Webhook: w.Webhook}
	n := max(w.Concurrency-r.webhooks[of], 0)
	if shared := min(perHost-r.hosts[w.Host], r.companies.Room(w.Company)); shared < n {
		n, r.blocked = max(shared, 0), true
	}
	r.allowed[of], r.limited[of] = n, w.Concurrency
	return n
}

// started counts the claimed deliveries. A subscription that used less than its allowance has no
// more.
func (r *inFlight) started(due []webhookdb.DueDelivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range due {
		r.webhooks[d.Of()]++
		r.hosts[d.Host]++
		r.companies.Take(d.Company)
		r.allowed[d.Of()]--
	}
	for id, left := range r.allowed {
		if left > 0 || r.webhooks[id] == 0 {
			delete(r.limited, id)
		}
	}
	clear(r.allowed)
}

// finished counts a finished attempt, and reports whether the limits now allow deliveries that may
// be queued.
func (r *inFlight) finished(d webhookdb.DueDelivery) (more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	decrement(r.webhooks, d.Of())
	decrement(r.hosts, d.Host)
	r.companies.Release(d.Company)
	if limit, limited := r.limited[d.Of()]; limited && r.webhooks[d.Of()] <= limit/2 {
		delete(r.limited, d.Of())
		return true
	}
	if r.blocked && r.hosts[d.Host] <= perHost/2 && r.companies.Room(d.Company) > 0 {
		r.blocked = false
		return true
	}
	return false
}

func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}
