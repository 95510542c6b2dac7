package webhook

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

const (
	pollInterval   = 2 * time.Second  // between two polls of the journal (document 2, section 8)
	batch          = 32               // deliveries per claim (document 2, section 8)
	lease          = 15 * time.Second // longer than an attempt takes
	recordTimeout  = 10 * time.Second
	stopTimeout    = 2 * time.Second // for attempts in progress when the process stops
	quickAttempt   = 250 * time.Millisecond
	maxRetryAfter  = 30 * time.Minute // maximum of Retry-After
	letterLifetime = 7 * 24 * time.Hour
	lockRetry      = 5 * time.Millisecond // delay before retrying a locked subscription
	timerLimit     = time.Minute          // earlier retries have a timer; later ones wait for a poll
)

// pauses are the minimum delays between attempts (document 2, 6.4).
var pauses = [...]time.Duration{
	time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 30 * time.Minute,
}

// Carrier returns the background loop that sends events to receivers. It is woken by events that
// this process records.
func (ws *Webhooks) Carrier() *deliver.Loop[webhookdb.DueDelivery] {
	c := &carrier{Webhooks: ws, inFlight: newInFlight()}
	c.loop = &deliver.Loop[webhookdb.DueDelivery]{
		Name: "webhooks", Workers: maxConcurrent, PerWorker: 1, Batch: batch, Lease: lease, Interval: pollInterval, Claim: c.claim, Deliver: c.attempt,
	}
	c.recorder.write = c.record
	ws.Store.OnEvents(c.loop.Wake)
	return c.loop
}

type carrier struct {
	*Webhooks
	inFlight    *inFlight
	loop        *deliver.Loop[webhookdb.DueDelivery]
	recorder    recorder
	lastWebhook shop.WebhookID
}

// claim passes once over all subscriptions, or stops when it has enough.
func (c *carrier) claim(ctx context.Context, most int) (due []webhookdb.DueDelivery, err error) {
	from, around := c.lastWebhook, false
	for len(due) < most {
		got, next, skipped, err := webhookdb.ClaimDeliveries(ctx, c.Store, c.lastWebhook, c.inFlight.allowance, c.Now(), lease, most-len(due))
		if err != nil {
			return due, err
		}
		c.inFlight.started(got)
		if skipped {
			time.AfterFunc(lockRetry, c.loop.Wake)
		}
		due, c.lastWebhook = append(due, got...), next
		if next == 0 {
			if around || from == 0 {
				break
			}
			around = true
		} else if around && next >= from {
			break
		}
	}
	return due, nil
}

// attempt makes one attempt and records the result.
func (c *carrier) attempt(ctx context.Context, _ int, d webhookdb.DueDelivery) error {
	again := time.Duration(0)
	defer func() {
		if c.inFlight.finished(d) {
			c.loop.Wake()
		}
		if again > 0 && again < timerLimit {
			time.AfterFunc(again, c.loop.Wake)
		}
	}()
	// If the process is asked to stop, an attempt in progress has a moment to finish.
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTimeout, cancel) })()
	end := webhookdb.DeliveryResult{Due: d, At: c.Now()}
	began := time.Now()
	a := c.deliver(sending, d)
	if sending.Err() != nil {
		return nil // result unknown; it is attempted again when the lease expires
	}
	end.Ended, end.OK, end.Quick, end.Permanent, end.Code, end.Error = c.Now(), a.why == "", time.Since(began) < quickAttempt, a.abort, a.status, a.why
	if !end.OK && d.Attempt < d.MaxAttempts {
		again = max(pause(d.Attempt), min(a.delay, maxRetryAfter))
		end.Again = end.Ended.Add(again)
	}
	return c.recorder.add(end)
}

// deliver sends a delivery once.
func (c *carrier) deliver(ctx context.Context, d webhookdb.DueDelivery) answer {
	if d.Platform == 0 {
		m, err := c.message(d)
		if err != nil {
			return answer{why: "the secret was sealed with another key of this server"}
		}
		return c.send(ctx, m)
	}
	m, err := c.orderMessage(ctx, d)
	if err != nil {
		return answer{why: "the order could not be read"}
	}
	a := c.send(ctx, m)
	if a.status == conflict && d.Attempt > 1 {
		a.why = "" // an earlier attempt arrived, though its answer did not
	}
	return a
}

// conflict is the status by which a platform says that it knows the key of a request with another body:
// the order has changed between two attempts.
const conflict = 409

// pause returns the delay before the next attempt: the documented one plus a little jitter, so
// that deliveries that failed together are not retried together.
func pause(attempt int) time.Duration {
	p := pauses[min(attempt, len(pauses))-1]
	return p + time.Duration(rand.Int64N(int64(min(p/10, pollInterval))))
}

// message returns the content of a delivery.
func (c *carrier) message(d webhookdb.DueDelivery) (m message, err error) {
	queuedSecret, err := c.unseal(d.Company, d.Webhook, [][]byte{d.Secret})
	if err != nil {
		return m, err
	}
	secrets, err := c.unseal(d.Company, d.Webhook, d.Secrets)
	return message{
		company: d.Company, webhook: d.Webhook, url: d.URL, event: d.Event, eventID: d.EventID,
		body: hook.Envelope(d.Event, d.EventID, d.At, d.Body), queuedSecret: queuedSecret[0], secrets: secrets,
		delivery: d.ID, attempt: d.Attempt, sequence: d.Sequence,
	}, err
}

// orderMessage returns the content of a delivery to a platform: the order as it is now, so that a late
// delivery never replaces a newer state.
func (c *carrier) orderMessage(ctx context.Context, d webhookdb.DueDelivery) (m message, err error) {
	change := OrderChange{
		Company: d.Company, Platform: d.Platform, Protocol: d.Protocol, Sealed: d.Shared, URL: d.URL, ID: d.EventID, What: strings.TrimPrefix(d.Event, store.OrderChange),
	}
	if err := json.Unmarshal(d.Body, &change); err != nil {
		return m, err
	}
	m = message{company: d.Company, webhook: d.Webhook, url: d.URL}
	m.fields, m.body, err = c.Order(ctx, change)
	return m, err
}

// record stores the results of attempts, even while the process stops, and notifies owners of
// failing subscriptions.
func (c *carrier) record(ends []webhookdb.DeliveryResult) error {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	failing, err := webhookdb.RecordDeliveries(ctx, c.Store, ends)
	if err != nil {
		return err
	}
	for _, f := range failing {
		if !f.Notify {
			continue
		}
		now := c.Now().UTC()
		err := c.Store.Write(ctx, f.Company, func(tx *store.Tx) error {
			return webhookdb.NotifyFailing(ctx, tx, f.ID, store.PlatformLetter{
				Kind: store.LetterWebhookFailing, CreatedAt: now, ExpiresAt: now.Add(letterLifetime),
				Subject: "A webhook of your shop is failing",
				Text: "Since " + f.Since.UTC().Format(time.RFC1123) + " no delivery to " + f.URL + " was accepted: " + f.Error +
					".\n\nIt stays active. GET /webhooks/" + f.ID.String() + "/deliveries lists the failed deliveries; once the receiver works again, " +
					"POST /webhooks/" + f.ID.String() + "/replay sends them again.\n",
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
