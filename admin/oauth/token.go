package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	accessLifetime  = time.Hour
	refreshLifetime = 60 * 24 * time.Hour // of a grant that is not used
)

// errBlocked refuses a client whose profile the shop has blocked.
var errBlocked = &fault{"profile_not_trusted", "this shop does not sell through this assistant", 403}

// errGrant does not tell which of its parts is wrong.
var errGrant = fail("invalid_grant", "the code or token is unknown, used, expired, or of another client")

// token exchanges a code or a refresh token.
func (s *server) token(ctx context.Context, c *api.Call, at place) (api.Response, error) {
	form, f := readOnce(c)
	if f != nil {
		return f.response(), nil
	}
	pair, err := s.newPair(ctx, at, form)
	var refused *fault
	switch {
	case errors.As(err, &refused):
		return refused.response(), nil
	case err != nil:
		return api.Response{}, err
	}
	return jsonResponse(200, pair), nil
}

// readOnce reads a form whose fields are sent once each.
func readOnce(c *api.Call) (url.Values, *fault) {
	form, err := readForm(c, maxForm)
	if err != nil {
		return nil, fail("invalid_request", "the body is a form")
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, fail("invalid_request", name+" is sent once")
		}
	}
	return form, nil
}

func (s *server) newPair(ctx context.Context, at place, form url.Values) (out tokens, err error) {
	kind := form.Get("grant_type")
	if kind != "authorization_code" && kind != "refresh_token" {
		return out, fail("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
	}
	client, err := s.authenticate(ctx, at, form)
	switch {
	case err != nil:
		return out, err
	case client.Blocked:
		return out, errBlocked
	case kind == "authorization_code" && secret.WellFormed(form.Get("code"), secret.Code):
		return s.exchange(ctx, at, secret.Hash(form.Get("code")), func(agreed people.Consent) bool { return at.proves(agreed, client.ID, form) })
	case kind == "refresh_token" && secret.WellFormed(form.Get("refresh_token"), secret.Refresh):
		return s.refresh(ctx, at, secret.Hash(form.Get("refresh_token")), client.ID, func(resource string, scopes []shop.Scope) error {
			return at.unchanged(resource, scopes, form)
		})
	}
	return out, errGrant
}

// tokens is the response with new tokens.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope"`
}

func orGrant(err error) error {
	if err != nil {
		return err
	}
	return errGrant
}

var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// proves reports whether a call comes from the client that asked for the consent (PKCE, RFC 7636).
func (at place) proves(agreed people.Consent, client string, form url.Values) bool {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	resource, f := at.audience(form.Get("resource"))
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(challenge), []byte(agreed.Challenge)) == 1 &&
		client == agreed.Client && form.Get("redirect_uri") == agreed.Redirect && f == nil && (!form.Has("resource") || resource == agreed.Resource)
}

// unchanged refuses a refresh for another resource, or for other scopes, than were granted.
func (at place) unchanged(granted string, scopes []shop.Scope, form url.Values) error {
	if form.Has("resource") {
		if resource, f := at.audience(form.Get("resource")); f != nil || resource != granted {
			return fail("invalid_target", "the grant is for "+granted)
		}
	}
	if sent := strings.Fields(form.Get("scope")); len(sent) > 0 && joined(scopes) != strings.Join(sent, " ") {
		return fail("invalid_scope", "the scopes of a grant do not change: "+joined(scopes))
	}
	return nil
}

// newTokens makes an access token of a kind and a refresh token, and what is stored of them.
func newTokens(kind, resource string, scopes []shop.Scope, now time.Time) (out tokens, pair people.TokenPair, err error) {
	pair = people.TokenPair{Resource: resource, AccessExpires: now.Add(accessLifetime), RefreshExpires: now.Add(refreshLifetime)}
	out = tokens{Type: "Bearer", ExpiresIn: int(accessLifetime / time.Second), Scope: joined(scopes)}
	if out.Access, pair.Access, err = secret.New(kind); err != nil {
		return out, pair, err
	}
	out.Refresh, pair.Refresh, err = secret.New(secret.Refresh)
	return out, pair, err
}

func joined(scopes []shop.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// revoke ends the grant of a token (RFC 7009). An unknown token is ended already, and so is, for its
// client, one of another client.
func (s *server) revoke(ctx context.Context, c *api.Call, at place) (api.Response, error) {
	form, f := readOnce(c)
	if f != nil {
		return f.response(), nil
	}
	client, err := s.authenticate(ctx, at, form)
	if err == nil {
		err = s.end(ctx, at, secret.Hash(form.Get("token")), client.ID)
	}
	if errors.As(err, &f) {
		return f.response(), nil
	}
	return api.Response{Status: 200, ContentType: "application/json", Body: []byte("{}")}, err
}
