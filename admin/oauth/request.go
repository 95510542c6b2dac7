package oauth

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const maxParameter = 2000 // bytes of a parameter

// request is what a client asks for: the parameters of the authorization endpoint.
type request struct {
	Type, Client, Redirect, State, Challenge, Method, Scope, Resource string
}

// names are the parameters in the order of the fields.
var names = []string{"response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "scope", "resource"}

func (r *request) fields() []*string {
	return []*string{&r.Type, &r.Client, &r.Redirect, &r.State, &r.Challenge, &r.Method, &r.Scope, &r.Resource}
}

// read sets the fields from parameters; each may be sent once.
func (r *request) read(values func(name string) []string) *fault {
	for i, field := range r.fields() {
		sent := values(names[i])
		if len(sent) > 1 || len(sent) == 1 && len(sent[0]) > maxParameter {
			return fail("invalid_request", names[i]+" is sent once, with at most 2000 bytes")
		}
		if len(sent) == 1 {
			*field = sent[0]
		}
	}
	return nil
}

// asked is a request that was checked.
type asked struct {
	request
	client people.Client
	scopes []shop.Scope
}

var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// check returns the request with its client, or a fault. toClient tells whether the fault is for the
// client: not before the address that it would be sent to is known to be the client's.
func (s *server) check(ctx context.Context, at place, r request) (a asked, f *fault, toClient bool, err error) {
	a.request = r
	client, found, err := s.client(ctx, at, r.Client)
	if err != nil {
		return a, nil, false, err
	}
	if !found {
		return a, fail("invalid_client", "This program is not registered here."), false, nil
	}
	a.client = client
	if client.Blocked {
		return a, errBlocked, false, nil
	}
	if !slices.ContainsFunc(client.Redirects, func(registered string) bool { return sameRedirect(registered, r.Redirect) }) {
		return a, fail("invalid_request", "The program sent a redirect address that it has not registered."), false, nil
	}
	switch {
	case r.Type != "code":
		return a, fail("unsupported_response_type", "response_type must be code"), true, nil
	case r.Challenge == "" || r.Method != "S256":
		return a, fail("invalid_request", "PKCE is required: code_challenge with code_challenge_method=S256"), true, nil
	case !challengeForm.MatchString(r.Challenge):
		return a, fail("invalid_request", "code_challenge is not the base64url of a SHA-256"), true, nil
	}
	if a.Resource, f = at.audience(r.Resource); f == nil {
		a.scopes, f = s.scopes(strings.Fields(r.Scope))
	}
	return a, f, f != nil, nil
}

// begin reads and checks a request. It returns the address to which a refused browser is sent, if the
// fault is for the client.
func (s *server) begin(ctx context.Context, at place, values func(string) []string) (a asked, f *fault, back string, err error) {
	var r request
	if f := r.read(values); f != nil {
		return a, f, "", nil
	}
	a, f, toClient, err := s.check(ctx, at, r)
	if err == nil && f != nil && toClient {
		back = at.back(r, url.Values{"error": {f.code}, "error_description": {f.description}})
	}
	return a, f, back, err
}

// back is the address of the client with an answer (RFC 6749, 4.1.2; iss: RFC 9207).
func (at place) back(r request, values url.Values) string {
	if r.State != "" {
		values.Set("state", r.State)
	}
	values.Set("iss", at.issuer)
	separator := "?"
	if strings.Contains(r.Redirect, "?") {
		separator = "&"
	}
	return r.Redirect + separator + values.Encode()
}

// sendTo redirects a browser.
func sendTo(address string) api.Response {
	return api.Response{Status: 303, ContentType: "text/plain; charset=utf-8", Header: map[string]string{
		"Location": address, "Referrer-Policy": "same-origin",
	}}
}
