package ucp

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// scopes are what a token needs for the operations of a capability; the others need none.
var scopes = map[string]shop.Scope{cart: cart + ":manage", checkout: checkout + ":manage", order: order + ":read"}

// linked returns the buyer for whom the platform calls: whose token it sends; 0: a guest. A token that
// does not admit the call is refused, although a guest would be served: what was meant for one person
// must not happen as another.
func (u *UCP) linked(ctx context.Context, r *request) (shop.UserID, error) {
	sent := r.call.Headers("Authorization")
	if len(sent) == 0 {
		return 0, nil
	}
	if len(sent) > 1 {
		return 0, errRequest.with("send one header Authorization")
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	by, err := people.Linked{}, error(people.ErrIdentity)
	if strings.EqualFold(scheme, "Bearer") {
		by, err = u.Buyer(ctx, r.reader.Company, strings.TrimSpace(token))
	}
	needed := scopes[r.op.Needs]
	switch {
	case errors.Is(err, people.ErrIdentity):
		return 0, r.unidentified("the token is not one of a buyer of this shop, or has ended", `error="invalid_token"`)
	case err != nil:
		return 0, err
	case by.Profile != r.platform.Profile:
		return 0, errNotTrusted.with("the token was given to another platform")
	case needed != "" && !slices.Contains(by.Scopes, needed):
		return 0, r.denied(403, "insufficient_scope", "the buyer has not allowed "+string(needed), `error="insufficient_scope", scope="`+string(needed)+`"`)
	}
	return by.Person, nil
}

// unidentified refuses a call that needs another token, or one at all.
func (r *request) unidentified(why, challenge string) *outcome {
	return r.denied(401, "identity_required", why, challenge)
}

// denied returns an outcome with a challenge (RFC 6750, 3; RFC 9728, 5.1).
func (r *request) denied(status int, code, why, challenge string) *outcome {
	o := fail(code, why)
	o.Messages[0].Severity = "requires_buyer_review"
	origin := r.shop.Site.Shop().Origin
	parts := []string{`realm="` + origin + `"`, `resource_metadata="` + origin + `/.well-known/oauth-protected-resource"`}
	if challenge != "" {
		parts = slices.Insert(parts, 1, challenge)
	}
	o.status, o.challenge = status, "Bearer "+strings.Join(parts, ", ")
	return o
}

// Key returns the key of a platform's profile with an id; nil if it has none. A refusal says why the
// profile cannot be read.
func (u *UCP) Key(ctx context.Context, profile, id string) (*ecdsa.PublicKey, error) {
	p, err := u.profiles.Get(ctx, profile)
	if err == nil && p.Keys.Public(id) == nil { // it may have changed its keys
		p, err = u.profiles.Again(ctx, profile)
	}
	var f *fault
	if errors.As(err, &f) {
		return nil, shop.ErrInvalidRequest.With(f.Content)
	}
	if err != nil {
		return nil, err
	}
	return p.Keys.Public(id), nil
}
