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
// Clients have no secret, so PKCE is required. Browsers let no page of another site use these
// addresses: the consent form is signed for the person who signed in, cannot be framed, and is only
// accepted from this origin.
package oauth

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// Config has what the package takes from the API around it.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer
	URL    string // of the admin origin
	Now    func() time.Time

	// SignIn checks what a person typed into a page. Its refusals are shown there.
	SignIn func(ctx context.Context, c *api.Call, email, password, code string) (people.Person, error)
	// Grant stores the key of a grant, if the role of the person may grant its scopes.
	Grant func(ctx context.Context, tx *store.Tx, key people.APIKey) (shop.KeyID, error)
}

// OAuth is the authorization server.
type OAuth struct {
	Config
	registrations *budget.Budgets[netip.Prefix]
}

const registrationsPerHour = 20 // of one network

// New returns an OAuth.
func New(cfg Config) *OAuth {
	return &OAuth{Config: cfg, registrations: budget.New[netip.Prefix](registrationsPerHour, time.Hour, cfg.Now)}
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

// Route is an address that speaks OAuth.
type Route struct {
	Row    *api.Endpoint
	Answer func(ctx context.Context, c *api.Call) (api.Response, error)
}

// Routes lists the addresses of OAuth; none at an IP address.
func (o *OAuth) Routes() []Route {
	if !o.Offered() {
		return nil
	}
	row := func(method, path string) *api.Endpoint {
		return &api.Endpoint{Method: method, Path: path, Auth: api.Link}
	}
	return []Route{
		{row("GET", resourcePath), o.describeResource},
		{row("GET", resourcePath+"/mcp"), o.describeResource},
		{row("GET", "/.well-known/oauth-authorization-server"), o.describeServer},
		{row("POST", "/oauth/register"), o.register},
		{row("GET", "/oauth/authorize"), o.authorize},
		{row("POST", "/oauth/authorize"), o.submit},
		{row("POST", "/oauth/token"), o.token},
		{row("POST", "/oauth/revoke"), o.revoke},
	}
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

// resource checks an audience of RFC 8707: tokens are valid at /mcp and, like keys, in the whole API.
func (o *OAuth) resource(sent string) (string, *fault) {
	switch strings.TrimSuffix(sent, "/") {
	case "", o.URL + "/mcp":
		return o.URL + "/mcp", nil
	case o.URL:
		return o.URL, nil
	}
	return "", fail("invalid_target", "resource must be "+o.URL+"/mcp")
}
