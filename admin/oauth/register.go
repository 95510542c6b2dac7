package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	maxRegistration = 16 << 10
	maxRedirects    = 10
	maxRedirect     = 500 // bytes of an address
	maxClientName   = 100
)

type registration struct {
	Redirects []string `json:"redirect_uris"`
	Name      string   `json:"client_name"`
	Method    string   `json:"token_endpoint_auth_method"`
}

// register stores a client (RFC 7591). Of its metadata only the name, the addresses and the method
// count; the response says what holds instead of the rest.
func (s *server) register(ctx context.Context, c *api.Call) (api.Response, error) {
	if _, wait := s.registrations.Take(c.Network()); wait > 0 {
		return api.Response{}, shop.ErrRateLimited.With("at most 20 registrations per hour and address").RetryAfter(budget.Seconds(wait))
	}
	at, err := s.place(ctx, c)
	if err != nil {
		return api.Response{}, err
	}
	body, err := c.ReadBody(maxRegistration)
	if err != nil {
		return api.Response{}, err
	}
	var in registration
	if json.Unmarshal(body, &in) != nil {
		return fail("invalid_client_metadata", "the body is JSON with redirect_uris and client_name").response(), nil
	}
	f := in.check()
	client := people.Client{Name: in.Name, Redirects: in.Redirects}
	if f == nil {
		f = s.admit(c, in, &client)
	}
	if f != nil {
		return f.response(), nil
	}
	id, err := s.keep(ctx, at, client)
	switch {
	case errors.As(err, &f):
		return f.response(), nil
	case err != nil:
		return api.Response{}, err
	}
	method := "none"
	if client.Signs {
		method = signedMethod
	}
	return jsonResponse(201, map[string]any{
		"client_id": id, "client_id_issued_at": s.now().Unix(), "client_name": in.Name, "redirect_uris": in.Redirects,
		"token_endpoint_auth_method": method, "grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	}), nil
}

func (in *registration) check() *fault {
	in.Name = strings.Join(strings.FieldsFunc(in.Name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if utf8.RuneCountInString(in.Name) > maxClientName {
		return fail("invalid_client_metadata", "client_name has at most 100 characters")
	}
	if in.Name == "" {
		in.Name = "A program without a name"
	}
	if len(in.Redirects) == 0 || len(in.Redirects) > maxRedirects {
		return fail("invalid_redirect_uri", "1 to 10 redirect_uris")
	}
	for _, address := range in.Redirects {
		if !validRedirect(address) {
			return fail("invalid_redirect_uri", "a redirect address is https, or http at localhost, without a user and without a fragment")
		}
	}
	return nil
}

// validRedirect reports whether a client may have its codes sent to an address: over https, or to
// a program on the person's own machine.
func validRedirect(address string) bool {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxRedirect || u.Host == "" || u.Hostname() == "" || u.User != nil || strings.Contains(address, "#") || u.Opaque != "" {
		return false
	}
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\\"'<>;,", r) }) {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	return slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, host)
}

// sameRedirect compares an address with a registered one byte by byte. Only the port of a program on
// the person's own machine may differ, because it is chosen at each start (RFC 8252, 7.3).
func sameRedirect(registered, sent string) bool {
	if registered == sent {
		return true
	}
	a, err := url.Parse(registered)
	b, errSent := url.Parse(sent)
	if err != nil || errSent != nil || a.Scheme != "http" || !loopback(a.Hostname()) || a.Hostname() != b.Hostname() || !validRedirect(sent) {
		return false
	}
	return strings.Replace(registered, a.Host, "", 1) == strings.Replace(sent, b.Host, "", 1)
}
