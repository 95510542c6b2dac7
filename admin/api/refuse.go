package api

import (
	"slices"

	"vitrine/internal/shop"
)

// Refusals of access (document 1, sections 5 and 7).
var (
	ErrUnauthenticated = shop.Refuse(shop.Unauthenticated, "UNAUTHENTICATED").When("no key or session was sent, or it is unknown, revoked or expired")
	ErrPlainHTTP       = shop.Refuse(shop.FailedPrecondition, "HTTPS_REQUIRED").When("a session is asked for on a shop's host over plain http, where browsers keep no cookie; https and names below localhost do")
	ErrScopeMissing    = shop.Refuse(shop.PermissionDenied, "PAT_SCOPE_MISSING").When("the key lacks the scope that required_scope names")
	ErrMethodForKeys   = shop.Refuse(shop.PermissionDenied, "PAT_METHOD_NOT_ALLOWED").When("a key calls what only a signed-in person may do")
	ErrContour         = shop.Refuse(shop.PermissionDenied, "PAT_CONTOUR_MISMATCH").When("a draft key calls what exists only in the live shop")
	ErrDevMode         = shop.Refuse(shop.FailedPrecondition, "DEV_MODE_UNAVAILABLE").When("a session in the draft contour calls what exists only in the live shop")
	ErrRole            = shop.Refuse(shop.PermissionDenied, "ROLE_REQUIRED").When("the person is no member of the shop, or the role is too low")
	ErrNoCompany       = shop.Refuse(shop.PermissionDenied, "COMPANY_ID_PROBLEM").When("an anonymous caller did not name the shop with company_id")
	ErrAuthCompany     = shop.Refuse(shop.PermissionDenied, "AUTH_COMPANY_PROBLEM").When("an anonymous caller did not name the shop with filter.company_id")
)

// Admit checks whether the caller may use the endpoint. The order is the one a
// caller can act on: who are you, may this kind of credential call it, has it
// the scope, has the person the role, is it the right contour.
func (e *Endpoint) Admit(who Identity) error {
	switch {
	case e.Auth == Link:
		return nil
	case e.Auth == Public && who.Anonymous():
		return nil
	case who.Anonymous():
		return ErrUnauthenticated.With("send a key in Authorization: Bearer <API_KEY>")
	case who.ByKey() && e.Auth == SessionOnly:
		return ErrMethodForKeys.With(e.Method + " " + e.Path + " is closed to keys")
	}
	if who.ByKey() && e.Auth != Public {
		if err := e.admitScopes(who); err != nil {
			return err
		}
	}
	if err := e.admitRole(who); err != nil {
		return err
	}
	if e.Contour == RefusesDraft {
		return who.OnLive()
	}
	return nil
}

// OnLive refuses the draft contour what exists only in the live shop, as a row
// that refuses drafts does: for the calls of a row that are.
func (i Identity) OnLive() error {
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

// admitRole holds sessions and keys to the role of the person alike: what needs
// a scope that the role cannot grant to a key is closed to its sessions too
// (document 1, section 5).
func (e *Endpoint) admitRole(who Identity) error {
	switch {
	case who.Role.Manages():
		return nil
	case e.Auth == Private && !who.Role.Known():
		return ErrRole.With("you are no member of this shop")
	case e.Manage != nil:
		return e.Manage
	case e.Auth != Public && e.Auth != Person && slices.ContainsFunc(e.Scopes, shop.Scope.Sensitive):
		return ErrRole.With("this is for owners and admins")
	}
	return nil
}

// Has reports whether the caller's key carries a scope. A session has the
// rights of its role.
func (i Identity) Has(scope shop.Scope) bool {
	if !i.ByKey() {
		return i.Role.Known() && (i.Role.Manages() || !scope.Sensitive())
	}
	for _, s := range i.Scopes {
		if s == scope {
			return true
		}
	}
	return false
}
