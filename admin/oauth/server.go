package oauth

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// server speaks the protocol, the same to members and to buyers. What they grant, and where it is
// stored, is in its ledger.
type server struct {
	ledger
	now           func() time.Time
	registrations *budget.Budgets[netip.Prefix]
}

// place is the origin at which a server was called.
type place struct {
	company   shop.CompanyID // the shop whose buyers grant; 0: members grant
	issuer    string         // the origin
	authorize string         // the path of the page where people agree
	endpoints string         // what precedes the paths of the other addresses
	resources []string       // what tokens are valid for, the first if the client names none
}

// ledger holds the clients of a server and what people granted them.
type ledger interface {
	// place returns where the call came in; shop.ErrNotFound if there is no server.
	place(ctx context.Context, c *api.Call) (place, error)
	// describe adds what differs to the metadata of the server and of its resource.
	describe(at place, server, resource map[string]any)
	// scopes checks the scopes that a client asks for; none are all that it may have.
	scopes(asked []string) ([]shop.Scope, *fault)

	// admit checks a registration and completes the client.
	admit(c *api.Call, in registration, client *people.Client) *fault
	// keep stores a client. A *fault refuses it.
	keep(ctx context.Context, at place, client people.Client) (id string, err error)
	client(ctx context.Context, at place, id string) (people.Client, bool, error)
	// authenticate returns the client that sends a form. A *fault refuses it.
	authenticate(ctx context.Context, at place, form url.Values) (people.Client, error)

	// exchange turns a code, given by its hash, into tokens if proves agrees. A code is used up by
	// the first attempt; a later one ends what it became, because one of the two had no right to it.
	exchange(ctx context.Context, at place, code []byte, proves func(people.Consent) bool) (tokens, error)
	// refresh exchanges a refresh token; its second use ends what it belongs to. agrees may refuse
	// with a *fault, which undoes everything.
	refresh(ctx context.Context, at place, token []byte, client string, agrees func(resource string, scopes []shop.Scope) error) (tokens, error)
	// end ends what one of its tokens belongs to.
	end(ctx context.Context, at place, token []byte, client string) error
}

const registrationsPerHour = 20 // of one network

func newServer(l ledger, now func() time.Time, count budget.Count) *server {
	return &server{l, now, budget.Shared[netip.Prefix](fmt.Sprintf("clients of %T", l), registrationsPerHour, time.Hour, now, count)}
}

// audience checks a resource of RFC 8707.
func (at place) audience(sent string) (string, *fault) {
	if sent == "" {
		return at.resources[0], nil
	}
	for _, known := range at.resources {
		if strings.TrimSuffix(sent, "/") == known {
			return known, nil
		}
	}
	return "", fail("invalid_target", "resource must be "+at.resources[0])
}

// at makes an answer of a place; the call counts for its network.
func (s *server) at(class api.Class, do func(ctx context.Context, c *api.Call, at place) (api.Response, error)) answer {
	return func(ctx context.Context, c *api.Call) (api.Response, error) {
		if err := c.CountForNetworkAs(class); err != nil {
			return api.Response{}, err
		}
		at, err := s.place(ctx, c)
		if err != nil {
			return api.Response{}, err
		}
		return do(ctx, c, at)
	}
}
