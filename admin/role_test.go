package admin_test

import (
	"slices"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// grants returns the scopes that a role may grant to a key (document 1, section 5).
func grants(role shop.Role) (scopes []shop.Scope) {
	for _, s := range shop.Scopes {
		if role.CanManage() || !s.Sensitive {
			scopes = append(scopes, s.Scope)
		}
	}
	return scopes
}

// A role opens the same endpoints to a session and to a key with every scope of the role,
// except for endpoints for sessions only.
func TestARoleOpensTheSameToSessionsAndKeys(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Auth == api.SessionOnly || e.Auth == api.Person { // a session on these endpoints makes the caller a buyer
			continue
		}
		for _, role := range []shop.Role{shop.Owner, shop.Admin, shop.Editor} {
			for _, contour := range []shop.Contour{shop.Prod, shop.Dev} {
				session := api.Identity{Person: 1, Company: 1, Role: role, Contour: contour, Fresh: true}
				key := session
				key.Key, key.Scopes = 1, grants(role)
				if byKey, bySession := e.Admit(key), e.Admit(session); (byKey == nil) != (bySession == nil) {
					t.Errorf("%s %s, %s in %s: a key %v, a session %v", e.Method, e.Path, role, contour, byKey, bySession)
				}
				for _, s := range shop.Scopes {
					if key.Has(s.Scope) != session.Has(s.Scope) {
						t.Errorf("%s has %s by one credential only", role, s.Scope)
					}
				}
			}
		}
	}
}

func TestSensitiveRowsRefuseSessionsOfEditors(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session, tried := a.Session(a.EditorID), 0
	for _, e := range a.Admin.Table() {
		if e.Auth != api.Private || !slices.ContainsFunc(e.Scopes, shop.Scope.Sensitive) {
			continue
		}
		tried++
		refused(t, a, e, session, "prod", 403, "ROLE_REQUIRED")
		refused(t, a, e, session, "dev", 403, "ROLE_REQUIRED")
		refused(t, a, e, a.Editor, "", 403, "PAT_SCOPE_MISSING")
	}
	if tried < 3 {
		t.Errorf("%d endpoints have sensitive scopes", tried)
	}
}
