// Package webhook is subscriptions to events (document 2, 2.4, 3, 6; CONTRACT-COMMERCE,
// "Webhooks and events"): their endpoints, their journal, and in a worker the carrier
// that sends events to receivers.
//
// Who receives an event is fixed by the statement that records it, as rows of the
// journal. The carrier claims these fairly, sends what it claimed outside of any
// transaction, and writes down how it ended, many at a time. An attempt counts from its
// claim, so a process that dies costs an attempt and loses nothing.
package webhook

import (
	"context"
	"fmt"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/outbound"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

// Config is what webhooks stand on.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	Client *outbound.Client // made for receivers
	Now    func() time.Time
}

// Webhooks answers the endpoints of this package.
type Webhooks struct {
	Config
	pings *budget.Budgets[shop.CompanyID]
}

// pingsAMinute is how many test pings a shop may send.
const pingsAMinute = 10

// New makes the slice.
func New(cfg Config) *Webhooks {
	return &Webhooks{Config: cfg, pings: budget.New[shop.CompanyID](pingsAMinute, time.Minute, cfg.Now)}
}

// Refusals of webhooks.
var (
	errURL      = shop.Refuse(shop.InvalidArgument, "URL_NOT_ALLOWED").When("url is no http or https address of the public internet with at most 1024 characters; VITRINE_OUTBOUND_ALLOW is where the operator allows others")
	errEvent    = shop.Refuse(shop.InvalidArgument, "INVALID_EVENT").When("events is not 1 to 32 names of events")
	errSecret   = shop.Refuse(shop.InvalidArgument, "WEBHOOK_SECRET_INVALID").When("secret has not 16 to 64 characters")
	errInactive = shop.Refuse(shop.FailedPrecondition, "WEBHOOK_INACTIVE").When("the subscription is switched off")
)

// Endpoints is the table of this slice.
func (ws *Webhooks) Endpoints() []api.Endpoint {
	one := api.Refuses(api.ErrRole, webhookdb.ErrNotFound)
	row := func(method, path string, class api.Class, errors api.Refusals, do api.Handler, summary string) api.Endpoint {
		return api.Endpoint{
			Method: method, Path: path, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: class, Errors: errors, Do: do, Summary: summary,
			Secret: method == "POST" && path == "/webhooks",
		}
	}
	return []api.Endpoint{
		row("GET", "/webhooks", api.Read, api.Refuses(api.ErrRole), api.Handle(ws.list),
			"The subscriptions of the shop, newest first"),
		row("POST", "/webhooks", api.Write, api.Refuses(api.ErrRole, errURL, errEvent, errSecret, webhookdb.ErrTooMany), api.Handle(ws.create),
			"Subscribe an address to events; the answer alone shows the secret"),
		row("GET", "/webhooks/{id}", api.Read, one, api.Handle(ws.get),
			"One subscription"),
		row("PUT", "/webhooks/{id}", api.Write, one.And(errURL, errEvent, errSecret), api.Handle(ws.change),
			"Change a subscription; what is not sent stays"),
		row("DELETE", "/webhooks/{id}", api.Write, one, api.Handle(ws.remove),
			"End a subscription; what is queued for it is dead, and its journal can be read for 90 days"),
		row("POST", "/webhooks/{id}/test", api.Write, one, api.Handle(ws.ping),
			"Send a test ping now, once, and answer what came back"),
		row("GET", "/webhooks/{id}/deliveries", api.Read, one, api.Handle(ws.deliveries),
			"The journal of a subscription, newest first"),
		row("POST", "/webhooks/{id}/deliveries/{delivery_id}/redeliver", api.Write, one.And(webhookdb.ErrDeliveryNotFound, errInactive), api.Handle(ws.redeliver),
			"Send one delivery once more"),
		row("POST", "/webhooks/{id}/replay", api.Write, one.And(errInactive), api.Handle(ws.replay),
			"Queue the events since a moment whose deliveries are dead"),
		{Method: "GET", Path: "/events", Auth: api.Person, Scopes: []shop.Scope{"orders:read"}, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrRole), Do: api.Handle(ws.events), Summary: "Events behind a sequence number, those that the caller may subscribe to"},
	}
}

// own refuses who is no member of the shop.
func own(c *api.Call) error {
	if c.Company == 0 || !c.Role.Known() {
		return api.ErrRole.With("webhooks are for the people of a shop")
	}
	return nil
}

// belongs is what a secret is sealed to: a row that is moved does not open.
func belongs(company shop.CompanyID, id shop.WebhookID) string {
	return fmt.Sprintf("shop %d webhook %d", company, id)
}

// opened are sealed secrets in the clear.
func (ws *Webhooks) opened(company shop.CompanyID, id shop.WebhookID, sealed [][]byte) ([]string, error) {
	list := make([]string, len(sealed))
	for i, s := range sealed {
		text, err := ws.Sealer.Open(s, belongs(company, id))
		if err != nil {
			return nil, err
		}
		list[i] = string(text)
	}
	return list, nil
}

// lookTime is how long a name may take that is checked when it is saved.
const lookTime = 2 * time.Second

// checkURL refuses addresses that no delivery would reach. It does not say where a name
// leads: it may be one that only this network knows.
func (ws *Webhooks) checkURL(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if url == "" || ws.Client.Check(ctx, url) != nil {
		return errURL.At("url")
	}
	return nil
}
