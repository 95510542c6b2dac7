package ucp

import (
	"context"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/httpsig"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
)

const (
	maxPublished = 10_000 // shops whose profiles are kept
	publishedAge = time.Hour
	profileCache = "public, max-age=300"
)

// published keeps the profiles of shops by the version of the shop that they were made of, so that
// reading one needs nothing of the database.
type published struct {
	*sync.Mutex
	cached *lru.Weighted[shop.CompanyID, publishedProfile]
}

type publishedProfile struct {
	version int64
	made    time.Time
	text    []byte // nil: the shop has nothing for assistants
}

func newPublished() published {
	return published{&sync.Mutex{}, lru.New[shop.CompanyID, publishedProfile](maxPublished)}
}

// Service is a way to call the shop.
type Service struct {
	Version   string `json:"version"`
	Spec      string `json:"spec"`
	Transport string `json:"transport"`
	Endpoint  string `json:"endpoint"`
	Schema    string `json:"schema"`
}

// shopProfile is what a shop publishes.
type shopProfile struct {
	UCP struct {
		Version      string               `json:"version"`
		Services     map[string][]Service `json:"services"`
		Capabilities map[string][]Entry   `json:"capabilities"`
		Handlers     map[string][]Handler `json:"payment_handlers"`
	} `json:"ucp"`
	SigningKeys []httpsig.JWK `json:"signing_keys,omitempty"`
}

// profile answers /.well-known/ucp.
func (u *UCP) profile(ctx context.Context, c *api.Call) (api.Response, error) {
	now, version := u.Assist.Now(), c.StorefrontVersion()
	u.published.Lock()
	p, kept := u.published.cached.Get(c.Storefront)
	u.published.Unlock()
	if !kept || p.version != version || now.Sub(p.made) >= publishedAge {
		var err error
		if p, err = u.publish(ctx, c); err != nil {
			return api.Response{}, err
		}
		u.published.Lock()
		u.published.cached.Put(c.Storefront, p, 1)
		u.published.Unlock()
	}
	if p.text == nil {
		return api.Response{}, shop.ErrNotFound.With("GET /.well-known/ucp")
	}
	return api.Response{Status: 200, ContentType: jsonType, Body: p.text, Header: map[string]string{"Cache-Control": profileCache}}, nil
}

// publish makes the profile of a shop. The version is read before the shop, which may be newer.
func (u *UCP) publish(ctx context.Context, c *api.Call) (publishedProfile, error) {
	out := publishedProfile{version: c.StorefrontVersion(), made: u.Assist.Now()}
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return out, err
	}
	r := request{ucp: u, call: c}
	if err := r.open(ctx); err != nil {
		if f, _ := faultOf(err); f.status == errNoShop.status {
			return out, nil
		}
		return out, err
	}
	var p shopProfile
	p.UCP.Version, p.UCP.Capabilities = Version, map[string][]Entry{}
	methods, err := u.Methods(ctx, c.Storefront)
	if err != nil {
		return out, err
	}
	cards, err := u.cardsOf(ctx, &r)
	if err != nil {
		return out, err
	}
	p.UCP.Handlers = u.handlersOf(methods, nil, cards)
	if p.SigningKeys, err = u.Assist.Keys.Public(ctx, c.Storefront); err != nil {
		return out, err
	}
	at := r.shop.Site.Shop().Origin + public
	p.UCP.Services = map[string][]Service{shopping: {
		{Version, spec + "specification/overview", "rest", at, spec + "services/shopping/rest.openapi.json"},
		{Version, spec + "specification/overview", "mcp", at + mcpPath, spec + "services/shopping/mcp.openrpc.json"},
	}}
	for _, c := range r.offered() {
		p.UCP.Capabilities[c.name] = []Entry{c.entry()}
	}
	out.text, err = api.EncodeJSON(p)
	return out, err
}
