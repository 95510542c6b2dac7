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
	"vitrine/internal/pay"
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
	Namespace string // of the shops' own ways to pay, such as localhost.vitrine
	Now       func() time.Time

	// Card returns how a shop takes payments with tokens.
	Card func(ctx context.Context, company shop.CompanyID) (pay.Handler, error)
}

// ACP answers the calls of assistants.
type ACP struct {
	Config
	calls assist.Calls
}

// New returns an ACP.
func New(cfg Config) *ACP { return &ACP{cfg, assist.NewCalls(cfg.Now)} }

// Routes lists the addresses.
func (a *ACP) Routes() []assist.Route {
	list := []assist.Route{assist.NewRoute("GET", announcement, a.discover), assist.NewRoute("GET", root+"/openapi.json", a.document)}
	for i := range operations {
		op := &operations[i]
		list = append(list, assist.NewRoute(op.Method, root+op.Path, func(ctx context.Context, c *api.Call) (api.Response, error) {
			return a.answer(ctx, c, op)
		}))
	}
	return list
}
