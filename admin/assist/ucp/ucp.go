// Package ucp lets assistants search, read and buy in shops through the Universal Commerce Protocol,
// release 2026-04-08. Its addresses are on the hosts of shops:
//
//	GET  /.well-known/ucp    what the shop offers to platforms: its profile
//	any  /api/ucp/…          the operations over REST, see the table in operation.go
//	POST /api/ucp/mcp        the same operations as tools of the Model Context Protocol
//	GET  /api/ucp/openapi.json
//
// A platform names itself by the address of its own profile, which is fetched and cached (Profiles);
// no platform registers. Each call is answered with the capabilities that both have (negotiate.go).
//
// Its calls are for guests, or for a buyer who has linked it with their account of the shop (admin/oauth)
// and whose token it sends (identity.go).
//
// The package only translates. What can be found and what it costs are decided by the search, the
// policies and the prices of the storefront.
//
// Texts of shops are data: they only stand inside of answers, never in descriptions of tools.
package ucp

import (
	"context"
	"sync"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/limiter"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

// Config has what the package takes from the API around it.
type Config struct {
	Assist *assist.Assist // the engine
	Fetch  Fetch          // reads profiles of platforms

	Methods func(context.Context, shop.CompanyID) ([]sales.PaymentMethod, error)

	// Buyer returns for whom the bearer of a token acts in a shop. One that is not valid gets
	// people.ErrIdentity.
	Buyer func(ctx context.Context, company shop.CompanyID, token string) (people.Linked, error)
}

// UCP answers the calls of platforms.
type UCP struct {
	Config
	profiles  *Profiles
	published published
	mcp       *mcpServer
	cards     cardHandlers
	finds     *limiter.PerShop // searches, which need most CPU time
	calls     assist.Calls
}

// New returns a UCP.
func New(cfg Config) *UCP {
	u := &UCP{Config: cfg, profiles: NewProfiles(cfg.Fetch, cfg.Assist.Now), published: newPublished(), finds: limiter.New(limiter.HalfOfCPUs()), calls: assist.NewCalls("ucp", cfg.Assist.Now, cfg.Assist.Store.CountAttempts)}
	u.cards = cardHandlers{&sync.Mutex{}, lru.New[shop.CompanyID, versionedHandler](maxPublished)}
	u.mcp = newMCPServer(u)
	return u
}

// Routes lists the addresses.
func (u *UCP) Routes() []assist.Route {
	list := []assist.Route{
		assist.NewRoute("GET", "/.well-known/ucp", u.profile),
		assist.NewRoute("GET", "/ucp/openapi.json", u.document),
		assist.NewRoute("POST", "/ucp/mcp", u.mcp.answer),
	}
	for i := range operations {
		op := &operations[i]
		list = append(list, assist.NewRoute(op.Method, root+op.Path, func(ctx context.Context, c *api.Call) (api.Response, error) {
			return u.rest(ctx, c, op)
		}))
	}
	return list
}

// root is the path of the operations; public is how platforms call it.
const (
	root   = "/ucp"
	public = "/api/ucp"
)
