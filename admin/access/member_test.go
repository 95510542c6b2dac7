package access_test

import (
	"strings"
	"testing"

	"vitrine/admin/access"
	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

const members = "/v1/orgs/current/members"

func memberPath(id shop.UserID) string { return members + "/" + id.String() }

// roles returns the role of each member of the shop.
func roles(a *apitest.API) map[shop.UserID]string {
	out := map[shop.UserID]string{}
	for _, row := range a.OK("GET", members, a.Session(a.OwnerID), nil)["result"].(l) {
		out[shop.UserID(row.(m)["user_id"].(float64))] = row.(m)["role"].(string)
	}
	return out
}

func TestMembersAreListedWithoutSecrets(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	admin := a.Member(shop.Admin)
	answer := a.Send(apitest.Request{Method: "GET", Path: members, Key: a.Session(admin)})
	rows := answer.JSON["result"].(l)
	if len(rows) != 3 || rows[0].(m)["role"] != "owner" || rows[2].(m)["role"] != "editor" || rows[0].(m)["email"] != "tea@people.test" {
		t.Errorf("%s", answer.Body)
	}
	if strings.Contains(string(answer.Body), "password") || strings.Contains(string(answer.Body), "rival@") {
		t.Errorf("the answer reveals secrets: %s", answer.Body)
	}
}

func TestInvalidMemberChangesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, adminID := a.Session(a.OwnerID), a.Member(shop.Admin)
	admin, editor := a.Session(adminID), a.Session(a.EditorID)
	buyerID := a.Buyer("ann@people.test")
	buyer := a.Session(buyerID)
	known := m{"email": "rival@people.test", "role": "editor"}
	with := func(fields ...any) m {
		out := m{"email": "new@people.test", "role": "editor"}
		for i := 0; i < len(fields); i += 2 {
			out[fields[i].(string)] = fields[i+1]
		}
		return out
	}
	for name, c := range map[string]struct {
		method, path, session string
		body                  any
		status                int
		code                  string
	}{
		"invite by a key":          {"POST", members, a.Owner, known, 403, "PAT_METHOD_NOT_ALLOWED"},
		"list by a key":            {"GET", members, a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		"invite by an editor":      {"POST", members, editor, known, 403, "ROLE_REQUIRED"},
		"invite anonymously":       {"POST", members, "", known, 401, "UNAUTHENTICATED"},
		"an owner by an admin":     {"POST", members, admin, with("role", "owner"), 403, "ROLE_ABOVE_OWN"},
		"no role":                  {"POST", members, owner, with("role", ""), 400, "ROLE_UNKNOWN"},
		"another role":             {"POST", members, owner, with("role", "Owner"), 400, "ROLE_UNKNOWN"},
		"no email":                 {"POST", members, owner, with("email", ""), 400, "EMAIL_INVALID"},
		"a member again":           {"POST", members, owner, m{"email": "tea@people.test", "role": "editor"}, 409, "MEMBER_EXISTS"},
		"raise their own role":     {"PUT", memberPath(adminID), admin, m{"role": "owner"}, 403, "ROLE_ABOVE_OWN"},
		"raise another":            {"PUT", memberPath(a.EditorID), admin, m{"role": "owner"}, 403, "ROLE_ABOVE_OWN"},
		"lower one above":          {"PUT", memberPath(a.OwnerID), admin, m{"role": "editor"}, 403, "ROLE_ABOVE_OWN"},
		"remove one above":         {"DELETE", memberPath(a.OwnerID), admin, nil, 403, "ROLE_ABOVE_OWN"},
		"remove by an editor":      {"DELETE", memberPath(adminID), editor, nil, 403, "ROLE_REQUIRED"},
		"remove by a buyer":        {"DELETE", memberPath(a.EditorID), buyer, nil, 403, "ROLE_REQUIRED"},
		"leave as a buyer":         {"DELETE", memberPath(buyerID), buyer, nil, 403, "ROLE_REQUIRED"},
		"leave by a key":           {"DELETE", memberPath(a.EditorID), a.Editor, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		"raise an editor's own":    {"PUT", memberPath(a.EditorID), editor, m{"role": "admin"}, 403, "ROLE_REQUIRED"},
		"lower the last owner":     {"PUT", memberPath(a.OwnerID), owner, m{"role": "admin"}, 400, "LAST_OWNER"},
		"remove the last owner":    {"DELETE", memberPath(a.OwnerID), owner, nil, 400, "LAST_OWNER"},
		"an unknown role":          {"PUT", memberPath(a.EditorID), owner, m{"role": "king"}, 400, "ROLE_UNKNOWN"},
		"a member of another shop": {"PUT", memberPath(a.StrangerID), owner, m{"role": "editor"}, 404, "MEMBER_NOT_FOUND"},
		"an unknown person":        {"PUT", members + "/2000000000", owner, m{"role": "editor"}, 404, "MEMBER_NOT_FOUND"},
		"remove a foreigner":       {"DELETE", memberPath(a.StrangerID), owner, nil, 404, "MEMBER_NOT_FOUND"},
		"remove an unknown person": {"DELETE", members + "/2000000000", owner, nil, 404, "MEMBER_NOT_FOUND"},
		"no id":                    {"DELETE", members + "/me", owner, nil, 404, "NOT_FOUND"},
	} {
		t.Log(name)
		a.Refused(c.method, c.path, c.session, c.body, c.status, c.code)
	}
	if got := roles(a); len(got) != 3 || got[a.OwnerID] != "owner" || got[adminID] != "admin" || got[a.EditorID] != "editor" {
		t.Errorf("members %v", got)
	}
	if _, found, err := people.PersonByEmail(t.Context(), a.Store, "new@people.test"); found || err != nil {
		t.Errorf("a refused invitation created an account: %v", err)
	}
}

func TestLoweringARoleRevokesSensitiveKeys(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, adminID := a.Session(a.OwnerID), a.Member(shop.Admin)
	session := a.Session(adminID)
	sensitive := a.Key(adminID, shop.Admin, shop.Prod, "catalog:read", "leads:read")
	plain := a.Key(adminID, shop.Admin, shop.Prod, "catalog:read", "redirects:read")
	a.OK("GET", "/storefront-redirects", plain, nil)

	a.OK("PUT", memberPath(adminID), owner, m{"role": "admin"}) // the same role changes nothing
	a.OK("GET", "/v1/account/token", sensitive, nil)
	a.OK("PUT", memberPath(adminID), owner, m{"role": "editor"})
	a.Refused("GET", "/v1/account/token", sensitive, nil, 401, "UNAUTHENTICATED")
	a.OK("GET", "/v1/account/token", plain, nil)
	a.Refused("GET", "/storefront-redirects", plain, nil, 403, "REDIRECTS_FORBIDDEN")
	a.Refused("GET", members, session, nil, 401, "UNAUTHENTICATED") // it has ended
	session = a.Session(adminID)
	a.Refused("GET", members, session, nil, 403, "ROLE_REQUIRED")
	a.Refused("POST", "/v1/account/tokens", session, m{"name": "k", "scopes": l{"leads:read"}}, 403, "SCOPE_SENSITIVE")

	a.OK("PUT", memberPath(adminID), owner, m{"role": "admin"})
	a.Refused("GET", "/v1/account/token", sensitive, nil, 401, "UNAUTHENTICATED") // it stays revoked
	a.OK("GET", "/storefront-redirects", plain, nil)

	// A change from owner to admin lowers the role too.
	second := a.Member(shop.Owner)
	key := a.Key(second, shop.Owner, shop.Prod, "publish:write")
	a.OK("PUT", memberPath(second), owner, m{"role": "admin"})
	a.Refused("GET", "/v1/account/token", key, nil, 401, "UNAUTHENTICATED")
}

// A role changed directly in the database does not leave a sensitive key valid either.
func TestASensitiveKeyOfAnEditorIsInvalid(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	adminID := a.Member(shop.Admin)
	key := a.Key(adminID, shop.Admin, shop.Prod, "leads:read")
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return people.SetRole(t.Context(), tx, adminID, shop.Editor) })
	if err != nil {
		t.Fatal(err)
	}
	a.Refused("GET", "/v1/account/token", key, nil, 401, "UNAUTHENTICATED")
}

func TestARemovedMemberLosesAccessAtOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, session := a.Session(a.OwnerID), a.Session(a.EditorID)
	a.OK("GET", "/v1/orgs/current", session, nil)
	a.OK("DELETE", memberPath(a.EditorID), owner, nil)
	a.Refused("DELETE", memberPath(a.EditorID), owner, nil, 404, "MEMBER_NOT_FOUND")
	a.Refused("GET", "/v1/account/token", a.Editor, nil, 401, "UNAUTHENTICATED")
	a.Refused("GET", "/v1/orgs/current", session, nil, 403, "ROLE_REQUIRED")
	if me := a.Result("GET", "/v1/auth/me", session, nil); me["company_id"] != 0.0 || me["role"] != "" {
		t.Errorf("me %v", me)
	}
	email := a.Result("GET", "/v1/auth/me", session, nil)["email"].(string)
	a.OK("POST", members, owner, m{"email": email, "role": "admin"})
	a.OK("POST", accept, session, m{"code": a.Code(email)})
	a.Refused("GET", "/v1/account/token", a.Editor, nil, 401, "UNAUTHENTICATED") // keys stay revoked
	a.OK("GET", "/v1/orgs/current", session, nil)
}

// Members of any role leave the shop themselves, with a fresh proof of identity, and their
// keys end. A session of the shop's host does not do it.
func TestMembersOfAnyRoleLeave(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, role := range []shop.Role{shop.Owner, shop.Admin, shop.Editor} {
		id := a.Member(role)
		session, key := a.Session(id), a.Key(id, role, shop.Prod, "catalog:read")
		a.OK("GET", "/v1/account/token", key, nil)
		bound := a.Send(apitest.Request{Method: "DELETE", Path: memberPath(id), Header: a.OnHost(a.Bound(id))})
		if code := apitest.Code(bound.JSON); code != "ROLE_REQUIRED" {
			t.Errorf("%s, on the shop's host: %d %s", role, bound.Status, bound.Body)
		}
		if got := roles(a)[id]; got != string(role) {
			t.Errorf("%s: the role is %q after refused calls", role, got)
		}
		a.OK("DELETE", memberPath(id), session, nil)
		if got, is := roles(a)[id]; is {
			t.Errorf("%s: still a member, as %s", role, got)
		}
		a.Refused("GET", "/v1/account/token", key, nil, 401, "UNAUTHENTICATED")
		a.Refused("GET", "/v1/orgs/current", session, nil, 403, "ROLE_REQUIRED")
		a.Refused("DELETE", memberPath(id), session, nil, 403, "ROLE_REQUIRED")
	}
}

// If two owners remove each other's role concurrently, one owner remains.
func TestConcurrentChangesLeaveAnOwner(t *testing.T) {
	t.Parallel()
	for _, change := range []struct {
		method string
		body   any
	}{{"PUT", m{"role": "editor"}}, {"DELETE", nil}} {
		a := apitest.New(t)
		for round := range 5 {
			second := a.Member(shop.Owner)
			first := a.OwnerID
			for id, role := range roles(a) {
				if role == "owner" && id != second {
					first = id
				}
			}
			tokens, done := []string{a.Session(first), a.Session(second)}, make(chan int, 2)
			for i, other := range []shop.UserID{second, first} {
				go func() {
					status, _ := a.Call(change.method, memberPath(other), tokens[i], change.body)
					done <- status
				}()
			}
			if x, y := await.Next(t, done), await.Next(t, done); (x == 200) == (y == 200) {
				t.Errorf("%s, round %d: answers %d and %d", change.method, round, x, y)
			}
			owners, err := people.Owners(t.Context(), a.Store.Shop(a.Shop.ID))
			if err != nil || owners != 1 {
				t.Fatalf("%s, round %d: %d owners, %v", change.method, round, owners, err)
			}
			if a.OwnerID, err = people.MemberWithRole(t.Context(), a.Store.Shop(a.Shop.ID), shop.Owner); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A key that is issued while its person's role is being lowered is refused or revoked.
func TestNoSensitiveKeySurvivesARace(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	for range 8 {
		adminID := a.Member(shop.Admin)
		session, keys := a.Session(adminID), make(chan string, 4)
		for range 4 {
			go func() {
				_, answer := a.Call("POST", "/v1/account/tokens", session, m{"name": "k", "scopes": l{"leads:read"}})
				made, _ := answer["result"].(m)
				key, _ := made["key"].(string)
				keys <- key
			}()
		}
		a.OK("PUT", memberPath(adminID), owner, m{"role": "editor"})
		a.OK("PUT", memberPath(adminID), owner, m{"role": "admin"})
		issuedAfter := 0
		for range 4 {
			if key := await.Next(t, keys); key != "" && a.Send(apitest.Request{Method: "GET", Path: "/v1/account/token", Key: key}).Status == 200 {
				issuedAfter++
			}
		}
		a.OK("PUT", memberPath(adminID), owner, m{"role": "editor"})
		list, err := people.Keys(t.Context(), a.Store.Shop(a.Shop.ID), adminID)
		if err != nil || len(list) != 0 {
			t.Fatalf("%d keys of %d are valid after the role was lowered, %v", len(list), issuedAfter, err)
		}
	}
}

func TestTheOperatorChangesMembers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ctx := t.Context()
	id, err := a.Admin.Access.AddMember(ctx, a.Shop.ID, "ann@people.test", "password", shop.Editor)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Admin.Access.SetRole(ctx, a.Shop.ID, "ANN@people.test", shop.Owner); err != nil || got != id {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := a.Admin.Access.SetRole(ctx, a.Shop.ID, "tea@people.test", shop.Editor); err != nil {
		t.Errorf("the first owner of two: %v", err)
	}
	for code, err := range map[string]error{
		"LAST_OWNER":       second(a.Admin.Access.RemoveMember(ctx, a.Shop.ID, "ann@people.test")),
		"MEMBER_NOT_FOUND": second(a.Admin.Access.RemoveMember(ctx, a.Shop.ID, "nobody@people.test")),
		"ROLE_UNKNOWN":     second(a.Admin.Access.SetRole(ctx, a.Shop.ID, "ann@people.test", "king")),
	} {
		if r, ok := shop.AsRefusal(err); !ok || r.Code != code {
			t.Errorf("%v, want %s", err, code)
		}
	}
	if _, err := a.Admin.Access.RemoveMember(ctx, a.Shop.ID, "tea@people.test"); err != nil {
		t.Error(err)
	}
	a.Refused("GET", "/v1/account/token", a.Owner, nil, 401, "UNAUTHENTICATED")
	if _, _, err := a.Admin.Access.IssueKey(ctx, a.Shop.ID, a.OwnerID, access.KeyRequest{Name: "k", Scopes: []shop.Scope{"catalog:read"}}); err == nil {
		t.Error("a former member got a key")
	}
}

func second[T any](_ T, err error) error { return err }
