package api

import (
	"slices"
	"strings"

	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals are the refusals that an endpoint may answer with. They are data, so that the
// OpenAPI document, the guides and the tests use the same list.
type Refusals []*shop.Refusal

// Refuses lists the refusals of an endpoint: Errors: api.Refuses(ErrKeyNotFound).
func Refuses(list ...*shop.Refusal) Refusals { return list }

// And returns the list with more refusals appended; endpoints of one kind of thing share a base
// list.
func (r Refusals) And(more ...*shop.Refusal) Refusals { return slices.Concat(r, more) }

// Has reports whether the list has a refusal with this code and status. Only the part before a
// colon is compared, because codes such as OPTION_IN_USE:red end with the thing they are about.
func (r Refusals) Has(code string, status int) bool {
	bare, _, _ := strings.Cut(code, ":")
	return slices.ContainsFunc(r, func(refusal *shop.Refusal) bool {
		listed, _, _ := strings.Cut(refusal.Code, ":")
		return listed == bare && refusal.Status() == status
	})
}

// Refusals returns everything that the endpoint may refuse, each code once: the refusals
// implied by its other fields, then its own Errors.
func (e *Endpoint) Refusals() Refusals {
	list := e.admission().And(e.reading()...).And(e.Errors...).And(shop.ErrInternal, shop.ErrUnavailable)
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(r *shop.Refusal) bool {
		known := seen[r.Code]
		seen[r.Code] = true
		return known
	})
}

// admission returns the refusals before the endpoint runs (Admit, Limiter).
func (e *Endpoint) admission() (list Refusals) {
	if e.Method != "GET" {
		list = list.And(ErrCrossOrigin)
	}
	if e.Auth != Link {
		list = list.And(ErrUnauthenticated, ErrNoCompany, store.ErrShopDeleted)
	}
	if e.SignsIn {
		list = list.And(ErrPlainHTTP)
	}
	if e.Sandbox {
		list = list.And(ErrSandboxHeader)
	}
	switch e.Auth {
	case Public:
		if e.Class != Free { // uncounted endpoints belong to no shop
			list = list.And(ErrShopHidden)
		}
	case SessionOnly:
		list = list.And(ErrMethodForKeys)
	case Private:
		list = list.And(ErrRole)
		if len(e.Scopes) > 0 {
			list = list.And(ErrScopeMissing)
		}
	case Person:
		if len(e.Scopes) > 0 {
			list = list.And(ErrScopeMissing)
		}
	}
	if e.Auth != Link && !strings.HasPrefix(e.Path, "/v1/auth/") {
		list = list.And(ErrFactorMissing)
	}
	if e.Fresh != FreshNever {
		list = list.And(ErrReauth)
	}
	if e.Manage != nil {
		list = list.And(e.Manage)
	}
	if e.Contour == RefusesDraft {
		list = list.And(ErrContour, ErrDevMode)
	}
	list = list.And(shop.ErrRateLimited)
	if e.Idempotent() {
		list = list.And(ErrKeyInvalid, store.ErrKeyReused, store.ErrKeyInProgress)
		if e.Secret {
			list = list.And(ErrSecretGone)
		}
	}
	return list
}

// reading returns the refusals of invalid addresses and bodies.
func (e *Endpoint) reading() (list Refusals) {
	if strings.Contains(e.Path, "{") {
		list = list.And(shop.ErrNotFound)
	}
	if len(e.Query()) > 0 || e.TakesJSON() {
		list = list.And(shop.ErrInvalidRequest, body.ErrTextTooLong)
	}
	if e.TakesJSON() {
		list = list.And(shop.ErrBodyTooLarge)
	}
	if e.Edits != "" {
		list = list.And(shop.ErrInvalidRequest, store.ErrEditConflict)
	}
	for _, refusal := range e.NotText {
		list = list.And(refusal)
	}
	return list
}

// Idempotent reports whether the endpoint answers repeats of an Idempotency-Key.
func (e *Endpoint) Idempotent() bool { return e.Method == "POST" && (e.Auth != Link || e.Secret) }
