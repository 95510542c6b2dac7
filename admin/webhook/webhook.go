// Package webhook manages subscriptions to events (document 2, 2.4, 3, 6; CONTRACT-COMMERCE,
// "Webhooks and events"): their endpoints, their journal and, in a worker, the carrier that sends
// events to receivers. Platforms through which people buy are receivers too: each is told of the orders
// that it made, in the form of its protocol.
//
// The statement that records an event also determines its receivers, as rows of the journal. The
// carrier claims these rows fairly, sends the claimed deliveries outside of any transaction, and
// stores the results in batches. An attempt counts from its claim, so a process that dies costs
// an attempt but loses nothing.
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

// Config holds the dependencies of Webhooks.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	Client *outbound.Client // client for calls to receivers
	Now    func() time.Time

	// Order makes the request that tells a platform of an order: its headers and its body. Only the carrier
	// needs it.
	Order func(ctx context.Context, change OrderChange) (header map[string]string, body []byte, err error)
}

// OrderChange is a change of an order that the platform which made it is told.
type OrderChange struct {
	Company  shop.CompanyID `json:"-"`
	Order    shop.OrderID   `json:"order_id"`
	Platform int64          `json:"-"`
	Protocol string         `json:"-"` // of the platform
	Sealed   []byte         `json:"-"` // the secret that the platform has; nil: none
	URL      string         `json:"-"` // where it is sent
	ID       string         `json:"-"` // of the event, the same in every attempt
	What     string         `json:"-"` // created, paid, refunded, status, or shipment_ and what happened to it
}

// Webhooks serves the endpoints of this package.
type Webhooks struct {
	Config
	pings *budget.Budgets[shop.CompanyID]
}

// pingsAMinute is how many test pings a shop may send per minute.
const pingsAMinute = 10

// New returns Webhooks with the given dependencies.
func New(cfg Config) *Webhooks {
	return &Webhooks{Config: cfg, pings: budget.Shared[shop.CompanyID]("pings", pingsAMinute, time.Minute, cfg.Now, cfg.Store.CountAttempts)}
}

// Refusals of webhooks.
var (
	errURL      = shop.Refuse(shop.InvalidArgument, "URL_NOT_ALLOWED").When("the URL is too long, is not http or https, or leads to an address that is not on the public internet and that the operator has not allowed with VITRINE_OUTBOUND_ALLOW")
	errEvent    = shop.Refuse(shop.InvalidArgument, "INVALID_EVENT").When("events is not a list of 1 to 32 names of events")
	errSecret   = shop.Refuse(shop.InvalidArgument, "WEBHOOK_SECRET_INVALID").When("secret does not have 16 to 64 characters")
	errInactive = shop.Refuse(shop.FailedPrecondition, "WEBHOOK_INACTIVE").When("the subscription is disabled")
)

// Endpoints lists the endpoints of this package.
func (ws *Webhooks) Endpoints() []api.Endpoint {
	one := api.Refuses(api.ErrRole, webhookdb.ErrNotFound)
	row := func(method, path string, class api.Class, errors api.Refusals, do api.Handler, summary string) api.Endpoint {
		e := api.Endpoint{
			Method: method, Path: path, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: class, Errors: errors, Do: do, Summary: summary,
			Secret: method == "POST" && path == "/webhooks",
		}
		if method == "PUT" {
			e.Edits = path
		}
		return e
	}
	return []api.Endpoint{
		row("GET", "/webhooks", api.Read, api.Refuses(api.ErrRole), api.Handle(ws.list),
			"The subscriptions of the shop, newest first"),
		row("POST", "/webhooks", api.Write, api.Refuses(api.ErrRole, errURL, errEvent, errSecret, webhookdb.ErrTooMany), api.Handle(ws.create),
			"Subscribe a URL to events; only this response contains the secret"),
		row("GET", "/webhooks/{id}", api.Read, one, api.Handle(ws.get),
			"One subscription"),
		row("PUT", "/webhooks/{id}", api.Write, one.And(errURL, errEvent, errSecret), api.Handle(ws.change),
			"Change a subscription; fields that are not sent stay unchanged"),
		row("DELETE", "/webhooks/{id}", api.Write, one, api.Handle(ws.remove),
			"Delete a subscription; its queued deliveries become dead, and its journal can be read for 90 days"),
		row("POST", "/webhooks/{id}/test", api.Write, one, api.Handle(ws.ping),
			"Send a single test ping now and return the result"),
		row("GET", "/webhooks/{id}/deliveries", api.Read, one, api.Handle(ws.deliveries),
			"The journal of a subscription, newest first"),
		row("POST", "/webhooks/{id}/deliveries/{delivery_id}/redeliver", api.Write, one.And(webhookdb.ErrDeliveryNotFound, errInactive), api.Handle(ws.redeliver),
			"Send one delivery again"),
		row("POST", "/webhooks/{id}/replay", api.Write, one.And(errInactive), api.Handle(ws.replay),
			"Queue the events since a given time whose deliveries are dead"),
		{Method: "GET", Path: "/events", Auth: api.Person, Scopes: []shop.Scope{"orders:read"}, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrRole), Do: api.Handle(ws.events), Summary: "Events after a sequence number that the caller may subscribe to"},
	}
}

// requireMember refuses callers who are not members of the shop.
func requireMember(c *api.Call) error {
	if c.Company == 0 || !c.Role.Known() {
		return api.ErrRole.With("only members of the shop manage webhooks")
	}
	return nil
}

// sealContext returns the context that a secret is sealed with: a row copied elsewhere cannot be
// unsealed.
func sealContext(company shop.CompanyID, id shop.WebhookID) string {
	return fmt.Sprintf("shop %d webhook %d", company, id)
}

// unseal unseals secrets.
func (ws *Webhooks) unseal(company shop.CompanyID, id shop.WebhookID, sealed [][]byte) ([]string, error) {
	list := make([]string, len(sealed))
	for i, s := range sealed {
		text, err := ws.Sealer.Open(s, sealContext(company, id))
		if err != nil {
			return nil, err
		}
		list[i] = string(text)
	}
	return list, nil
}

// lookupTimeout bounds the resolution of a host name when a URL is saved.
const lookupTimeout = 2 * time.Second

// checkURL refuses URLs that no delivery would reach. It does not reveal the address of a host
// name, because the name may exist only in the internal network.
func (ws *Webhooks) checkURL(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if url == "" || ws.Client.Check(ctx, url) != nil {
		return errURL.At("url")
	}
	return nil
}
