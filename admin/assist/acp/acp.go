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

	"vitrine/admin/api"
	"vitrine/admin/assist"
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

// ACP answers the calls of assistants.
type ACP struct {
	Assist *assist.Assist // the engine
	calls  assist.Calls
}

// New returns an ACP.
func New(engine *assist.Assist) *ACP {
	return &ACP{engine, assist.NewCalls("acp", engine.Now, engine.Store.CountAttempts)}
}

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
