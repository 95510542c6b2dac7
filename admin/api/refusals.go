package api

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals are what an endpoint may answer instead of a success. They are data,
// so that the OpenAPI document, the guides and the tests read one list.
type Refusals []*shop.Refusal

// Refuses lists refusals for a row: Errors: api.Refuses(ErrKeyNotFound).
func Refuses(list ...*shop.Refusal) Refusals { return list }

// And is the list with more refusals; rows of one noun share their beginning.
func (r Refusals) And(more ...*shop.Refusal) Refusals { return slices.Concat(r, more) }

// Has reports whether the list has a refusal's code with its status. A code that
// ends in what it is about, such as OPTION_IN_USE:red, is matched by what stands
// before the colon.
func (r Refusals) Has(code string, status int) bool {
	bare, _, _ := strings.Cut(code, ":")
	return slices.ContainsFunc(r, func(refusal *shop.Refusal) bool {
		listed, _, _ := strings.Cut(refusal.Code, ":")
		return listed == bare && refusal.Status() == status
	})
}

// Refusals is everything that the endpoint may refuse, every code once: what its
// other fields imply, then its own Errors.
func (e *Endpoint) Refusals() Refusals {
	list := e.admission().And(e.reading()...).And(e.Errors...).And(shop.ErrInternal, shop.ErrUnavailable)
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(r *shop.Refusal) bool {
		known := seen[r.Code]
		seen[r.Code] = true
		return known
	})
}

// admission is what stands between a caller and the endpoint (Admit, Limiter).
func (e *Endpoint) admission() (list Refusals) {
	if e.Method != "GET" {
		list = list.And(ErrCrossOrigin)
	}
	if e.Auth != Link {
		list = list.And(ErrUnauthenticated)
	}
	if e.SignsIn {
		list = list.And(ErrPlainHTTP)
	}
	if e.Sandbox {
		list = list.And(ErrSandboxHeader)
	}
	switch e.Auth {
	case Public:
		if e.Class != Free { // what is not counted is about no shop
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

// reading is what can be wrong with the address and the body.
func (e *Endpoint) reading() (list Refusals) {
	if strings.Contains(e.Path, "{") {
		list = list.And(shop.ErrNotFound)
	}
	if len(e.Query()) > 0 || e.TakesJSON() {
		list = list.And(shop.ErrInvalidRequest, ErrTextTooLong)
	}
	if e.TakesJSON() {
		list = list.And(shop.ErrBodyTooLarge)
	}
	for _, refusal := range e.NotText {
		list = list.And(refusal)
	}
	return list
}

// Idempotent reports that the endpoint answers repeats of an Idempotency-Key.
func (e *Endpoint) Idempotent() bool { return e.Method == "POST" && (e.Auth != Link || e.Secret) }
