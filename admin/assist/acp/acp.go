// Package acp lets assistants buy in shops through the Agentic Commerce Protocol, version 2026-04-17.
// Its addresses are on the hosts of shops:
//
//	GET  /.well-known/acp.json                        what the shop offers, for everybody
//	POST /api/acp/checkout_sessions                   create a session
//	GET  /api/acp/checkout_sessions/{id}              read it
//	POST /api/acp/checkout_sessions/{id}              change it: absent fields stay, null clears
//	POST /api/acp/checkout_sessions/{id}/complete     buy
//	POST /api/acp/checkout_sessions/{id}/cancel       give up
//	GET  /api/acp/openapi.json
//
// An assistant has a token that the shop gave it. The package only translates: what the assistant
// said is kept as one document, a change is merged into it (RFC 7386), and the session's input is
// made of it again (input.go); the state of the session becomes the answer (answer.go).
package acp

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/budget"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Version is the version of the protocol.
const Version = "2026-04-17"

// The paths of the rows, and how assistants call them.
const (
	announcement = "/.well-known/acp.json"
	root         = "/acp"
	public       = "/api/acp"
	sessions     = "/checkout_sessions"
)

// Config has what the package takes from the API around it.
type Config struct {
	Store     *store.Store
	Assist    *assist.Assist
	Sealer    *secret.Sealer // seals answers that are kept for repeats
	Namespace string         // of the shops' own ways to pay, such as localhost.vitrine
	Now       func() time.Time

	// Card returns how a shop takes payments with tokens.
	Card func(ctx context.Context, company shop.CompanyID) (pay.Handler, error)
}

// ACP answers the calls of assistants.
type ACP struct {
	Config
	calls map[api.Class]*budget.Budgets[caller]
}

// caller is an assistant in a shop.
type caller struct {
	shop     shop.CompanyID
	platform int64
}

// callLimits are the calls of one assistant in one shop per minute. They are those of a buyer.
var callLimits = map[api.Class]int{api.Read: 600, api.Write: 120}

// New returns an ACP.
func New(cfg Config) *ACP {
	a := &ACP{Config: cfg, calls: map[api.Class]*budget.Budgets[caller]{}}
	for class, limit := range callLimits {
		a.calls[class] = budget.New[caller](limit, time.Minute, cfg.Now)
	}
	return a
}

// Route is an address of the protocol.
type Route struct {
	Row    *api.Endpoint
	Answer func(ctx context.Context, c *api.Call) (api.Response, error)
}

// Routes lists the addresses.
func (a *ACP) Routes() []Route {
	row := func(method, path string) *api.Endpoint {
		return &api.Endpoint{Method: method, Path: path, Auth: api.Link, Storefront: true}
	}
	list := []Route{{row("GET", announcement), a.discover}, {row("GET", root+"/openapi.json"), a.document}}
	for i := range operations {
		op := &operations[i]
		list = append(list, Route{row(op.Method, root+op.Path), func(ctx context.Context, c *api.Call) (api.Response, error) {
			return a.answer(ctx, c, op)
		}})
	}
	return list
}
