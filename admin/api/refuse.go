package api

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of access (document 1, sections 5 and 7).
var (
	ErrUnauthenticated = shop.Refuse(shop.Unauthenticated, "UNAUTHENTICATED").When("no key or session was sent, or it is unknown, revoked or expired")
	ErrPlainHTTP       = shop.Refuse(shop.FailedPrecondition, "HTTPS_REQUIRED").When("a session in a cookie is requested over plain http, where browsers do not keep the cookie; use https or a name below localhost")
	ErrScopeMissing    = shop.Refuse(shop.PermissionDenied, "PAT_SCOPE_MISSING").When("the key lacks the scope that required_scope names")
	ErrMethodForKeys   = shop.Refuse(shop.PermissionDenied, "PAT_METHOD_NOT_ALLOWED").When("the endpoint is only for signed-in people, not for keys")
	ErrReauth          = shop.Refuse(shop.PermissionDenied, "REAUTH_REQUIRED").When("the person of the session proved who they are more than 10 minutes ago; call POST /v1/auth/reauth, then send the call again")
	ErrFactorMissing   = shop.Refuse(shop.PermissionDenied, "SECOND_FACTOR_MISSING").When("the shop requires a second factor of people with this role, and the person has none")
	ErrContour         = shop.Refuse(shop.PermissionDenied, "PAT_CONTOUR_MISMATCH").When("a draft key called an endpoint that exists only for the live shop")
	ErrDevMode         = shop.Refuse(shop.FailedPrecondition, "DEV_MODE_UNAVAILABLE").When("a session in the draft contour called an endpoint that exists only for the live shop")
	ErrRole            = shop.Refuse(shop.PermissionDenied, "ROLE_REQUIRED").When("the person is not a member of the shop, or their role is too low")
	ErrNoCompany       = shop.Refuse(shop.PermissionDenied, "COMPANY_ID_PROBLEM").When("an anonymous caller did not name the shop with company_id, or X-Vitrine-Shop names a shop in which the caller may not act")
	ErrAuthCompany     = shop.Refuse(shop.PermissionDenied, "AUTH_COMPANY_PROBLEM").When("an anonymous caller did not name the shop with filter.company_id")
)

// ErrBusyShop refuses a call that found no free slot in time.
var ErrBusyShop = shop.ErrUnavailable.With("too many calls of this shop are running; try again")

// ErrImportEmpty refuses the CSV of an import that would change nothing.
var ErrImportEmpty = shop.Refuse(shop.InvalidArgument, "IMPORT_EMPTY").When("the CSV is empty or has only a header line")

// Admit checks whether the caller may use the endpoint. It checks in the order in which a
// caller can act: identity, kind of credential, scopes of the key, role of the person, contour.
func (e *Endpoint) Admit(who Identity) error {
	switch {
	case e.Auth == Link:
		return nil
	case e.Auth == Public && who.Anonymous():
		return nil
	case who.Anonymous():
		return ErrUnauthenticated.With("send a key in Authorization: Bearer <API_KEY>")
	case who.ByKey() && e.Auth == SessionOnly:
		return ErrMethodForKeys.With(e.Method + " " + e.Path + " is not available to keys")
	}
	if who.ByKey() && e.Auth != Public {
		if err := e.admitScopes(who); err != nil {
			return err
		}
	}
	if err := e.admitRole(who); err != nil {
		if who.Deleted != 0 {
			return store.ErrShopDeleted
		}
		return err
	}
	if who.LacksFactor && !strings.HasPrefix(e.Path, "/v1/auth/") {
		return ErrFactorMissing.With("add an authenticator app with POST /v1/auth/totp, or sign in with a passkey")
	}
	if e.Fresh == FreshAlways {
		if err := who.requireFresh(); err != nil {
			return err
		}
	}
	if e.Contour == RefusesDraft {
		return who.RequireLive()
	}
	return nil
}

// RequireFresh refuses sessions without a recent proof of identity. It is for endpoints with
// FreshForSecrets.
func (c *Call) RequireFresh() error {
	if c.http == nil { // the program itself
		return nil
	}
	return c.requireFresh()
}

func (i Identity) requireFresh() error {
	if i.ByKey() || i.Fresh {
		return nil
	}
	return ErrReauth.With("prove who you are with POST /v1/auth/reauth, then send this call again")
}

// RequireLive refuses callers in the draft contour, like an endpoint with RefusesDraft does. It is
// for endpoints where only some calls need the live shop.
func (i Identity) RequireLive() error {
	switch {
	case i.Contour != shop.Dev:
		return nil
	case i.ByKey():
		return ErrContour.With("a draft key cannot do this; use a production key")
	}
	return ErrDevMode.With("leave the draft contour first")
}

func (e *Endpoint) admitScopes(who Identity) error {
	for _, need := range e.Scopes {
		if !who.Has(need) {
			return ErrScopeMissing.With("required_scope "+string(need)).WithField("required_scope", need)
		}
	}
	return nil
}

// admitRole checks the role of the person for sessions and keys alike: an endpoint with a scope
// that the role cannot grant to a key is closed to the role's sessions too (document 1, section
// 5).
func (e *Endpoint) admitRole(who Identity) error {
	switch {
	case who.Role.CanManage():
		return nil
	case e.Auth == Private && !who.Role.Known():
		return ErrRole.With("you are not a member of this shop")
	case e.Manage != nil:
		return e.Manage
	case e.Auth != Public && e.Auth != Person && slices.ContainsFunc(e.Scopes, shop.Scope.Sensitive):
		return ErrRole.With("only owners and admins may do this")
	}
	return nil
}

// Has reports whether the caller's key has a scope. A session has the rights of its role.
func (i Identity) Has(scope shop.Scope) bool {
	if !i.ByKey() {
		return i.Role.Known() && (i.Role.CanManage() || !scope.Sensitive())
	}
	for _, s := range i.Scopes {
		if s == scope {
			return true
		}
	}
	return false
}
