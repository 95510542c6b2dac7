package webhook

import (
	"context"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

// deliveryView is an entry of the journal.
type deliveryView struct {
	ID          shop.WebhookDeliveryID     `json:"id"`
	Event       string                     `json:"event"`
	EventID     string                     `json:"event_id"`
	Sequence    *shop.Int64                `json:"sequence" doc:"the X-Service-Sequence; null before the first attempt"`
	State       deliveryState              `json:"state"`
	Reason      string                     `json:"reason" doc:"why the delivery is dead"`
	ByHand      bool                       `json:"by_hand" doc:"a redelivery by hand, which is attempted once"`
	Attempts    []webhookdb.WebhookAttempt `json:"attempts"`
	NextAttempt *time.Time                 `json:"next_attempt_at"`
	CreatedAt   time.Time                  `json:"created_at"`
	DeliveredAt *time.Time                 `json:"delivered_at"`
	DeadAt      *time.Time                 `json:"dead_at"`
}

func viewDelivery(d webhookdb.Delivery) deliveryView {
	return deliveryView{
		d.ID, d.Event, d.EventID, (*shop.Int64)(d.Sequence), deliveryState(d.State), d.Reason, d.ByHand, d.Log, shop.UTC(d.DueAt), d.CreatedAt.UTC(), shop.UTC(d.DeliveredAt), shop.UTC(d.DeadAt),
	}
}

const (
	deliveriesPageSize = 20 // deliveries per page
	defaultEvents      = 100
	maxEvents          = 1000
)

var states = []string{"queued", "retrying", "delivered", "dead"}

type deliveryState string

// Values lists the states.
func (deliveryState) Values() []string { return states }

type deliveriesRequest struct {
	api.Paging
	ID    shop.WebhookID `path:"id" json:"-"`
	State string         `query:"filter.state" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"queued, delivered, retrying or dead"`
}

func (ws *Webhooks) deliveries(ctx context.Context, c *api.Call, in deliveriesRequest) (out api.Result[api.Page[deliveryView]], err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	number, limit, err := in.Page(deliveriesPageSize)
	if err != nil {
		return out, err
	}
	if in.State != "" && !slices.Contains(states, in.State) {
		return out, shop.ErrInvalidRequest.At("filter.state").With("queued, delivered, retrying or dead")
	}
	list, total, err := webhookdb.Deliveries(ctx, ws.Store.Shop(c.Company), in.ID, in.State, limit, (number-1)*limit)
	out = api.NewPage(list, viewDelivery, total, number)
	return out, err
}

type redeliverRequest struct {
	ID       shop.WebhookID         `path:"id" json:"-"`
	Delivery shop.WebhookDeliveryID `path:"delivery_id" json:"-"`
}

func (ws *Webhooks) redeliver(ctx context.Context, c *api.Call, in redeliverRequest) (out api.Result[deliveryView], err error) {
	err = ws.repair(ctx, c, in.ID, func(tx *store.Tx, w webhookdb.Webhook) error {
		d, err := webhookdb.Redeliver(ctx, tx, w, in.Delivery)
		out = api.Wrap(viewDelivery(d))
		return err
	})
	return out, err
}

type replayRequest struct {
	ID    shop.WebhookID `path:"id" json:"-"`
	Since string         `json:"since" required:"always" len:"64" refuse:"INVALID_REQUEST" doc:"a time in RFC 3339; replays events from then on"`
}

type replayed struct {
	Queued int64 `json:"queued"`
	More   bool  `json:"more" doc:"there may be more; replay again after these were delivered"`
}

func (ws *Webhooks) replay(ctx context.Context, c *api.Call, in replayRequest) (out api.Result[replayed], err error) {
	since, err := time.Parse(time.RFC3339, in.Since)
	if err != nil || since.After(ws.Now()) || since.Year() < 1 {
		return out, shop.ErrInvalidRequest.At("since").With("expected a past time in RFC 3339, such as 2026-01-31T08:00:00Z")
	}
	err = ws.repair(ctx, c, in.ID, func(tx *store.Tx, w webhookdb.Webhook) error {
		n, err := webhookdb.Replay(ctx, tx, w, since)
		out = api.Wrap(replayed{n, n == webhookdb.MaxReplay})
		return err
	})
	return out, err
}

// repair queues deliveries of an active subscription, or to a platform, again.
func (ws *Webhooks) repair(ctx context.Context, c *api.Call, id shop.WebhookID, do func(*store.Tx, webhookdb.Webhook) error) error {
	if err := requireMember(c); err != nil {
		return err
	}
	return ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		w, err := webhookdb.LockJournal(ctx, tx, id)
		if err == nil {
			err = maySubscribe(c, w.Events)
		}
		if err == nil && !w.Active {
			err = errInactive
		}
		if err != nil {
			return err
		}
		return do(tx, w)
	})
}

// eventView is an event as sent to receivers, with its number in the shop.
type eventView struct {
	Seq       shop.Int64  `json:"seq" doc:"consecutive number of the shop's events"`
	Event     string      `json:"event"`
	EventID   string      `json:"event_id"`
	CreatedAt time.Time   `json:"created_at"`
	Data      shop.Object `json:"data" doc:"the fields that /docs/events.json lists for the event"`
}

type eventsRequest struct {
	After shop.Int64 `query:"after" json:"-" doc:"a seq; returns the events after it"`
	Limit *int       `query:"limit" json:"-" doc:"1 to 1000; 100 by default"`
}

// events lists events, so that receivers can catch up on missed deliveries.
func (ws *Webhooks) events(ctx context.Context, c *api.Call, in eventsRequest) (out api.Result[[]eventView], err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	limit := defaultEvents
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > maxEvents {
		return out, shop.ErrInvalidRequest.With("limit must be 1 to 1000").About("limit")
	}
	if in.After < 0 {
		return out, shop.ErrInvalidRequest.With("after must not be negative").About("after")
	}
	list, err := webhookdb.EventsAfter(ctx, ws.Store, c.Company, int64(in.After), hook.Names(c.Role.CanManage()), limit)
	out.Result = []eventView{}
	for _, e := range list {
		out.Result = append(out.Result, eventView{shop.Int64(e.Seq), e.Name, e.EventID, e.At.UTC(), shop.Object(e.Body)})
	}
	return out, err
}
