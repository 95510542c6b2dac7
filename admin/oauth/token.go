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
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

const (
	accessLifetime  = time.Hour
	refreshLifetime = 60 * 24 * time.Hour // of a grant that is not used
)

// errGrant does not tell which of its parts is wrong.
var errGrant = fail("invalid_grant", "the code or token is unknown, used, expired, or of another client")

// token exchanges a code or a refresh token.
func (o *OAuth) token(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Write); err != nil {
		return api.Response{}, err
	}
	form, err := readForm(c, maxForm)
	if err != nil {
		return fail("invalid_request", "the body is a form").response(), nil
	}
	for name, values := range form {
		if len(values) > 1 {
			return fail("invalid_request", name+" is sent once").response(), nil
		}
	}
	var pair tokens
	switch form.Get("grant_type") {
	case "authorization_code":
		pair, err = o.exchange(ctx, form)
	case "refresh_token":
		pair, err = o.refresh(ctx, form)
	default:
		err = fail("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
	}
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.response(), nil
	case err != nil:
		return api.Response{}, err
	}
	return jsonResponse(200, pair), nil
}

// tokens is the response with new tokens.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope"`
}

// exchange turns a code into a grant. A code is used up by the first attempt. A later attempt ends
// the grant, because one of the two had no right to the code.
func (o *OAuth) exchange(ctx context.Context, form url.Values) (out tokens, err error) {
	if !secret.WellFormed(form.Get("code"), secret.Code) {
		return out, errGrant
	}
	hash := secret.Hash(form.Get("code"))
	company, found, err := people.CodeCompany(ctx, o.Store, hash)
	if err != nil || !found {
		return out, orGrant(err)
	}
	refused := error(nil)
	err = o.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		now := o.Now()
		agreed, key, used, err := people.UseConsent(ctx, tx, hash, now)
		switch {
		case err != nil:
			return err
		case !used && key != 0:
			refused = errGrant
			_, err = people.RevokeKey(ctx, tx, 0, key, now)
			return err
		case !used || !o.proves(agreed, form):
			refused = errGrant // and the code stays used
			return nil
		}
		out, refused, err = o.grant(ctx, tx, agreed, hash)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

func orGrant(err error) error {
	if err != nil {
		return err
	}
	return errGrant
}

var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// proves reports whether a call comes from the client that asked for the consent (PKCE, RFC 7636).
func (o *OAuth) proves(agreed people.Consent, form url.Values) bool {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	resource, f := o.resource(form.Get("resource"))
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(challenge), []byte(agreed.Challenge)) == 1 &&
		form.Get("client_id") == agreed.Client && form.Get("redirect_uri") == agreed.Redirect && f == nil && (!form.Has("resource") || resource == agreed.Resource)
}

// grant stores the key of a consent with its first tokens. The role may have changed since the
// person agreed.
func (o *OAuth) grant(ctx context.Context, tx *store.Tx, agreed people.Consent, code []byte) (out tokens, refused, err error) {
	client, found, err := people.ClientByID(ctx, o.Store, agreed.Client)
	if err != nil || !found {
		return out, errGrant, err
	}
	key := people.APIKey{
		Company: agreed.Company, Person: agreed.Person, Client: agreed.Client, Name: client.Name, Contour: agreed.Contour, Scopes: agreed.Scopes,
		CreatedAt: o.Now().UTC(),
	}
	key.ID, err = o.Grant(ctx, tx, key)
	if refusal, ok := shop.AsRefusal(err); ok && refusal.Status() < 500 {
		return out, fail("invalid_grant", refusal.Code+": "+refusal.Message()), nil
	}
	if err == nil {
		err = people.CodeBecame(ctx, tx, code, key.ID)
	}
	if err == nil {
		out, err = o.newTokens(ctx, tx, key, agreed.Resource)
	}
	return out, nil, err
}

func (o *OAuth) newTokens(ctx context.Context, tx *store.Tx, key people.APIKey, resource string) (out tokens, err error) {
	now := o.Now()
	pair := people.TokenPair{Resource: resource, AccessExpires: now.Add(accessLifetime), RefreshExpires: now.Add(refreshLifetime)}
	out = tokens{Type: "Bearer", ExpiresIn: int(accessLifetime / time.Second), Scope: joined(key.Scopes)}
	if out.Access, pair.Access, err = secret.New(secret.Access); err != nil {
		return out, err
	}
	if out.Refresh, pair.Refresh, err = secret.New(secret.Refresh); err != nil {
		return out, err
	}
	return out, people.StoreTokens(ctx, tx, key.ID, pair, now)
}

func joined(scopes []shop.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// refresh exchanges a refresh token for new tokens. The second use of a token ends the grant.
func (o *OAuth) refresh(ctx context.Context, form url.Values) (out tokens, err error) {
	if !secret.WellFormed(form.Get("refresh_token"), secret.Refresh) {
		return out, errGrant
	}
	hash := secret.Hash(form.Get("refresh_token"))
	company, _, found, err := people.TokenCompany(ctx, o.Store, hash)
	if err != nil || !found {
		return out, orGrant(err)
	}
	refused := error(nil)
	err = o.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		now := o.Now()
		grant, used, replayed, err := people.UseRefresh(ctx, tx, hash, form.Get("client_id"), now)
		switch {
		case err != nil:
			return err
		case replayed != 0:
			refused = errGrant
			_, err = people.RevokeKey(ctx, tx, 0, replayed, now)
			return err
		case !used:
			refused = errGrant
			return nil
		}
		if form.Has("resource") {
			if resource, f := o.resource(form.Get("resource")); f != nil || resource != grant.Resource {
				refused = fail("invalid_target", "the grant is for "+grant.Resource)
				return refused
			}
		}
		if sent := strings.Fields(form.Get("scope")); len(sent) > 0 && joined(grant.Key.Scopes) != strings.Join(sent, " ") {
			refused = fail("invalid_scope", "the scopes of a grant do not change: "+joined(grant.Key.Scopes))
			return refused
		}
		out, err = o.newTokens(ctx, tx, grant.Key, grant.Resource)
		return err
	})
	if refused != nil {
		return out, refused
	}
	return out, err
}

// revoke ends the grant of a token (RFC 7009). An unknown token is ended already.
func (o *OAuth) revoke(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Write); err != nil {
		return api.Response{}, err
	}
	form, err := readForm(c, maxForm)
	if err != nil {
		return fail("invalid_request", "the body is a form").response(), nil
	}
	done := api.Response{Status: 200, ContentType: "application/json", Body: []byte("{}")}
	sent := form.Get("token")
	if !secret.WellFormed(sent, secret.Refresh) && !secret.WellFormed(sent, secret.Access) {
		return done, nil
	}
	company, key, found, err := people.TokenCompany(ctx, o.Store, secret.Hash(sent))
	if err != nil || !found {
		return done, err
	}
	err = o.Store.Write(ctx, company, func(tx *store.Tx) error {
		_, err := people.RevokeKey(ctx, tx, 0, key, o.Now())
		return err
	})
	return done, err
}
