package webhook

import (
	"context"
	"math/rand/v2"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

const (
	look       = 2 * time.Second  // between two looks at the journal (document 2, section 8)
	batch      = 32               // deliveries of one claim, as above
	lease      = 15 * time.Second // longer than an attempt takes
	noteTime   = 10 * time.Second
	stopTime   = 2 * time.Second // that attempts have to end when the process stops
	quick      = 250 * time.Millisecond
	latest     = 30 * time.Minute // that Retry-After may ask for
	tellAfter  = 7 * 24 * time.Hour
	soon       = 5 * time.Millisecond // a subscription that somebody held is looked at again
	timerUntil = time.Minute          // a retry that is due sooner has a timer; others wait for a look
)

// pauses are how long it is at least from an attempt to the next one (document 2, 6.4).
var pauses = [...]time.Duration{
	time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 30 * time.Minute,
}

// Carrier sends events to receivers: the work of a worker. It is woken by what this
// process records.
func (ws *Webhooks) Carrier() *deliver.Loop[webhookdb.DueDelivery] {
	c := &carrier{Webhooks: ws, rooms: newRooms()}
	c.loop = &deliver.Loop[webhookdb.DueDelivery]{
		What: "webhooks", Workers: atOnce, Ahead: 1, Batch: batch, Lease: lease, Every: look, Claim: c.claim, Do: c.carry,
	}
	c.notes.write = c.note
	ws.Store.OnEvents(c.loop.Wake)
	return c.loop
}

type carrier struct {
	*Webhooks
	rooms  *rooms
	loop   *deliver.Loop[webhookdb.DueDelivery]
	notes  notes
	behind shop.WebhookID
}

// claim passes once around the subscriptions, or until it has enough.
func (c *carrier) claim(ctx context.Context, most int) (due []webhookdb.DueDelivery, err error) {
	from, around := c.behind, false
	for len(due) < most {
		got, next, skipped, err := webhookdb.ClaimDeliveries(ctx, c.Store, c.behind, c.rooms.of, c.Now(), lease, most-len(due))
		if err != nil {
			return due, err
		}
		c.rooms.taken(got)
		if skipped {
			time.AfterFunc(soon, c.loop.Wake)
		}
		due, c.behind = append(due, got...), next
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

// carry makes one attempt and notes how it ended.
func (c *carrier) carry(ctx context.Context, _ int, d webhookdb.DueDelivery) error {
	again := time.Duration(0)
	defer func() {
		if c.rooms.done(d) {
			c.loop.Wake()
		}
		if again > 0 && again < timerUntil {
			time.AfterFunc(again, c.loop.Wake)
		}
	}()
	// The process may be asked to stop: what is under way has a moment to end.
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })()
	end := webhookdb.DeliveryEnd{Due: d, At: c.Now()}
	began := time.Now()
	a := answer{why: "its secret was sealed with another key of this server"}
	if m, err := c.message(d); err == nil {
		a = c.send(sending, m)
	}
	if sending.Err() != nil {
		return nil // nobody knows; it is tried again when the lease is over
	}
	end.Ended, end.OK, end.Quick, end.Never, end.Code, end.Error = c.Now(), a.why == "", time.Since(began) < quick, a.never, a.status, a.why
	if !end.OK && d.Attempt < d.Most {
		again = max(pause(d.Attempt), min(a.later, latest))
		end.Again = end.Ended.Add(again)
	}
	return c.notes.add(end)
}

// pause is how long it is to the next attempt: what is documented and a little more, so
// that what failed together does not come back together.
func pause(attempt int) time.Duration {
	p := pauses[min(attempt, len(pauses))-1]
	return p + time.Duration(rand.Int64N(int64(min(p/10, look))))
}

// message is what a delivery sends.
func (c *carrier) message(d webhookdb.DueDelivery) (m message, err error) {
	frozen, err := c.opened(d.Company, d.Webhook, [][]byte{d.Secret})
	if err != nil {
		return m, err
	}
	secrets, err := c.opened(d.Company, d.Webhook, d.Secrets)
	return message{
		company: d.Company, webhook: d.Webhook, url: d.URL, event: d.Event, eventID: d.EventID,
		body: hook.Envelope(d.Event, d.EventID, d.At, d.Body), frozen: frozen[0], secrets: secrets,
		delivery: d.ID, attempt: d.Attempt, sequence: d.Sequence,
	}, err
}

// note writes down how attempts ended, also while the process stops, and tells owners of
// subscriptions that fail.
func (c *carrier) note(ends []webhookdb.DeliveryEnd) error {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	failing, err := webhookdb.NoteDeliveries(ctx, c.Store, ends)
	if err != nil {
		return err
	}
	for _, f := range failing {
		if !f.Tell {
			continue
		}
		now := c.Now().UTC()
		err := c.Store.Write(ctx, f.Company, func(tx *store.Tx) error {
			return webhookdb.TellFailing(ctx, tx, f.ID, store.Letter{
				Kind: store.LetterWebhookFailing, CreatedAt: now, ExpiresAt: now.Add(tellAfter),
				Subject: "A webhook of your shop does not take what happens there",
				Text: "Since " + f.Since.UTC().Format(time.RFC1123) + " nothing that was sent to " + f.URL + " was taken: " + f.Error +
					".\n\nIt stays switched on. GET /webhooks/" + f.ID.String() + "/deliveries shows what failed; when the receiver works again, " +
					"POST /webhooks/" + f.ID.String() + "/replay sends it once more.\n",
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
