// Package oauth lets programs act for a person without a typed key (OAuth 2.1: RFC 6749, 7591, 7636,
// 8414, 8707, 9207, 9728), for agents that run elsewhere:
//
//	GET  /.well-known/oauth-protected-resource      who grants access to /mcp
//	GET  /.well-known/oauth-authorization-server    the addresses below
//	POST /oauth/register     a client introduces itself: name and redirect addresses
//	GET  /oauth/authorize    a page: the person signs in, sees the rights, chooses shop and contour
//	POST /oauth/token        code or refresh token in, tokens out
//	POST /oauth/revoke       ends the grant of a token
//
// A grant is a key of the person that the client has: identity, scopes, contour, limits, audit log
// and everything that ends a key hold for it. Its access tokens live an hour. A refresh token is
// used once; a second use of it, or of a code, ends the grant, because one of the two users stole
// it. Codes and tokens are stored hashed.
//
// On the host of a shop, buyers link assistants with their account there, by the same addresses below
// /api and a page of the storefront at /account/link. A link is a row of its own (see links), and its
// access tokens are valid for the assistants' calls of that shop alone: nothing else identifies a
// caller by them. A client belongs to the profile that it named when it registered.
//
// Clients have no secret, so PKCE is required. Browsers let no page of another site use these
// addresses: the consent form is signed for the person who signed in, cannot be framed, and is only
// accepted from this origin.
package oauth

import (
	"context"
	"crypto/ecdsa"
	"net/netip"
	"net/url"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// Config has what the package takes from the API around it.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	URL    string           // of the admin origin
	Hosts  shop.Storefronts // the origins of shops
	Now    func() time.Time

	// SignIn checks what a person typed into a page. Its refusals are shown there.
	SignIn func(ctx context.Context, c *api.Call, email, password, code string) (people.Person, error)
	// Grant stores the key of a grant, if the role of the person may grant its scopes.
	Grant func(ctx context.Context, tx *store.Tx, key people.APIKey) (shop.KeyID, error)
	// Prove checks that a call comes from the signed-in person and not from a script in their session:
	// by the password, or else by a code of a letter.
	Prove func(ctx context.Context, c *api.Call, password, code string) error
	// Key returns the key of an assistant's profile with an id; nil if it has none. A refusal says why the
	// profile cannot be read.
	Key func(ctx context.Context, profile, id string) (*ecdsa.PublicKey, error)
}

// OAuth is the authorization servers.
type OAuth struct {
	Config
	members, buyers *server
}

// New returns an OAuth.
func New(cfg Config) *OAuth {
	o := &OAuth{Config: cfg}
	o.members, o.buyers = newServer(grants{o}, cfg.Now, cfg.Store.CountAttempts), newServer(links{o}, cfg.Now, cfg.Store.CountAttempts)
	return o
}

// Offered reports whether the admin origin has a name. At an IP address no client can tell two
// servers apart (CONTRACT, "Hands and agents").
func (o *OAuth) Offered() bool {
	u, err := url.Parse(o.URL)
	if err != nil {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err != nil
}

// Challenge is the WWW-Authenticate header of /mcp for callers without a valid token.
func (o *OAuth) Challenge() string {
	if !o.Offered() {
		return `Bearer realm="vitrine"`
	}
	return `Bearer realm="vitrine", resource_metadata="` + o.URL + resourcePath + `/mcp"`
}

// answer answers a call of an address that speaks OAuth.
type answer = func(ctx context.Context, c *api.Call) (api.Response, error)

// Route is an address that speaks OAuth.
type Route struct {
	Row    *api.Endpoint
	Answer answer
}

// Routes lists the addresses of OAuth on the admin origin, and those on shops' hosts.
func (o *OAuth) Routes() []Route {
	m := o.members
	list := []Route{
		{&api.Endpoint{Method: "GET", Path: resourcePath + "/mcp"}, m.at(api.Read, m.describeResource)},
		{&api.Endpoint{Method: "GET", Path: "/oauth/authorize"}, m.at(api.Read, o.authorize)},
		{&api.Endpoint{Method: "POST", Path: "/oauth/authorize"}, m.at(api.Write, o.submit)},
	}
	for _, s := range []*server{m, o.buyers} {
		onShops := s == o.buyers
		list = append(list,
			Route{&api.Endpoint{Method: "GET", Path: resourcePath, Storefront: onShops}, s.at(api.Read, s.describeResource)},
			Route{&api.Endpoint{Method: "GET", Path: serverPath, Storefront: onShops}, s.at(api.Read, s.describeServer)},
			Route{&api.Endpoint{Method: "POST", Path: "/oauth/register", Storefront: onShops}, s.register},
			Route{&api.Endpoint{Method: "POST", Path: "/oauth/token", Storefront: onShops}, s.at(api.Write, s.token)},
			Route{&api.Endpoint{Method: "POST", Path: "/oauth/revoke", Storefront: onShops}, s.at(api.Write, s.revoke)},
		)
	}
	for _, r := range list {
		r.Row.Auth = api.Link
	}
	return list
}

// fault is an error of RFC 6749 and its relatives.
type fault struct {
	code, description string
	status            int
}

func (f *fault) Error() string { return f.code + ": " + f.description }

func fail(code, description string) *fault { return &fault{code, description, 400} }

// response is the JSON of a fault.
func (f *fault) response() api.Response {
	return jsonResponse(f.status, map[string]string{"error": f.code, "error_description": f.description})
}
