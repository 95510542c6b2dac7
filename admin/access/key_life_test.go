package access_test

import (
	"testing"
	"time"

	"vitrine/admin/access"
	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// The effect on a person's keys of changes to the person or the shop.
func TestEventsThatEndKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happens                     func(a *apitest.API, owner string, person shop.UserID, session string)
		sensitive, plain, elsewhere bool // whether the key stays valid
	}{
		"the password is changed": {func(a *apitest.API, _ string, _ shop.UserID, session string) {
			a.OK("POST", "/v1/auth/password", session, m{"password": "password", "new_password": "new password"})
		}, true, true, true},
		"the password is changed, and keys end": {func(a *apitest.API, _ string, _ shop.UserID, session string) {
			a.OK("POST", "/v1/auth/password", session, m{"password": "password", "new_password": "new password", "end_keys": true})
		}, false, false, false},
		"the role is lowered": {func(a *apitest.API, owner string, person shop.UserID, _ string) {
			a.OK("PUT", memberPath(person), owner, m{"role": "editor"})
		}, false, true, true},
		"the role is lowered and raised": {func(a *apitest.API, owner string, person shop.UserID, _ string) {
			a.OK("PUT", memberPath(person), owner, m{"role": "editor"})
			a.OK("PUT", memberPath(person), owner, m{"role": "admin"})
		}, false, true, true},
		"the role is raised": {func(a *apitest.API, owner string, person shop.UserID, _ string) {
			a.OK("PUT", memberPath(person), owner, m{"role": "owner"})
		}, true, true, true},
		"the member is removed": {func(a *apitest.API, owner string, person shop.UserID, _ string) {
			a.OK("DELETE", memberPath(person), owner, nil)
		}, false, false, true},
		"the member is removed and added again": {func(a *apitest.API, owner string, person shop.UserID, session string) {
			a.OK("DELETE", memberPath(person), owner, nil)
			a.OK("POST", accept, session, m{"code": invite(a, "ann@people.test", "admin")})
		}, false, false, true},
		"the person signs out": {func(a *apitest.API, _ string, _ shop.UserID, session string) {
			a.OK("POST", "/v1/auth/logout", session, nil)
		}, true, true, true},
		"the person chooses another shop": {func(a *apitest.API, _ string, _ shop.UserID, session string) {
			a.OK("PUT", "/v1/account/main-company", session, m{"company_id": a.Other.ID})
		}, true, true, true},
		"the shop is closed": {func(a *apitest.API, _ string, _ shop.UserID, _ string) { a.Close(true) }, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := apitest.New(t)
			session := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
			person, token := shop.UserID(session["user"].(m)["id"].(float64)), session["token"].(string)
			for _, company := range []shop.CompanyID{a.Shop.ID, a.Other.ID} {
				err := a.Store.Write(t.Context(), company, func(tx *store.Tx) error { return people.AddMember(t.Context(), tx, person, shop.Admin) })
				if err != nil {
					t.Fatal(err)
				}
			}
			there, _, err := a.Admin.Access.IssueKey(
				t.Context(), a.Other.ID, person, access.KeyRequest{Name: "k", Scopes: []shop.Scope{"leads:read"}},
			)
			if err != nil {
				t.Fatal(err)
			}
			keys := map[string]bool{
				a.Key(person, shop.Admin, shop.Prod, "leads:read"): c.sensitive, a.Key(person, shop.Admin, shop.Prod, "catalog:read"): c.plain, there: c.elsewhere,
			}
			c.happens(a, a.Session(a.OwnerID), person, token)
			for key, lives := range keys {
				if got := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/token", Key: key}); (got.Status == 200) != lives ||
					got.Status != 200 && got.Status != 401 {
					t.Errorf("want sensitive %v, plain %v, elsewhere %v: %d %s", c.sensitive, c.plain, c.elsewhere, got.Status, got.Body)
				}
			}
		})
	}
}

func TestChangingAPasswordCountsTheKeysThatStayValid(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	own := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	session := own["token"].(string)
	a.OK("POST", accept, session, m{"code": invite(a, "ann@people.test", "admin")})
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "password"))
	issue(a, session, "catalog:read")
	issue(a, session, "leads:read")
	expired := a.Result(
		"POST", "/v1/account/tokens", session,
		m{"scopes": l{"catalog:read"}, "expires_at": a.Clock.Now().Add(time.Minute).Format(time.RFC3339)},
	)
	a.Clock.Advance(time.Minute)
	a.Refused("GET", "/v1/account/token", expired["key"].(string), nil, 401, "UNAUTHENTICATED")
	for _, c := range []struct {
		now, next               string
		endKeys                 bool
		sessions, ended, living float64
	}{{"password", "password2", false, 1, 0, 2}, {"password2", "password3", true, 0, 2, 0}} {
		got := a.Result("POST", "/v1/auth/password", session, m{"password": c.now, "new_password": c.next, "end_keys": c.endKeys})
		if got["ended_sessions"] != c.sessions || got["ended_keys"] != c.ended || got["live_keys"] != c.living {
			t.Errorf("%v, want %+v", got, c)
		}
	}

	// Scripts of a storefront can send its visitors' cookie: they must not end or count keys.
	issue(a, session, "catalog:read")
	through := func(body m) apitest.Answer {
		header := a.ThroughStorefront()
		header["Cookie"] = "__Host-vitrine-session=" + session
		return a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/password", Header: header, Body: body})
	}
	if got := through(m{"password": "password3", "new_password": "password4", "end_keys": true}); apitest.Code(got.JSON) != "ROLE_REQUIRED" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := through(m{"password": "password3", "new_password": "password4"}); got.Status != 200 ||
		got.JSON["result"].(m)["live_keys"] != 0.0 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// A person has at most 100 sessions; a new one ends the oldest.
func TestSessionsOfAPersonAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	other := a.Session(a.EditorID)
	a.Clock.Advance(-time.Minute)
	first := a.Session(a.OwnerID)
	a.Clock.Advance(time.Minute)
	made := make(chan string)
	for range people.MaxSessions {
		go func() {
			token, hash, err := secret.New(secret.Session)
			if err == nil {
				err = people.CreateSession(t.Context(), a.Store, people.NewSession{TokenHash: hash, Person: a.OwnerID, At: a.Clock.Now(), Expires: a.Clock.Now().Add(time.Hour)})
			}
			if err != nil {
				t.Error(err)
			}
			made <- token
		}()
	}
	live := 0
	for range people.MaxSessions {
		if id, _, err := people.SessionPerson(t.Context(), a.Store, secret.Hash(await.Next(t, made)), a.Clock.Now()); err != nil {
			t.Error(err)
		} else if id == a.OwnerID {
			live++
		}
	}
	if live != people.MaxSessions {
		t.Errorf("%d of the newest sessions are valid", live)
	}
	a.Refused("GET", "/v1/auth/me", first, nil, 401, "UNAUTHENTICATED")
	a.OK("GET", "/v1/auth/me", other, nil)
}

func TestKeysAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.EditorID)
	fill := func(person shop.UserID, n int) {
		t.Helper()
		err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) (err error) {
			for ; n > 0 && err == nil; n-- {
				_, hash, _ := secret.New(secret.Key)
				_, err = people.IssueKey(
					t.Context(), tx,
					people.APIKey{Person: person, Name: "k", Contour: shop.Prod, Scopes: []shop.Scope{"catalog:read"}, CreatedAt: a.Clock.Now()},
					hash,
				)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const editorHas, ownerHas = 1, 2
	fill(a.EditorID, people.MaxKeys-editorHas)
	body := m{"scopes": l{"catalog:read"}}
	if got := a.Refused("POST", "/v1/account/tokens", session, body, 429, "TOKEN_LIMIT_REACHED"); got["limit_code"] != "tokens_max" {
		t.Errorf("%v", got)
	}
	keys := a.OK("GET", "/v1/account/tokens", session, nil)["result"].(l)
	a.OK("DELETE", "/v1/account/tokens/"+keys[0].(m)["id"].(string), session, nil)
	a.OK("POST", "/v1/account/tokens", session, body)

	for range people.MaxKeysOfShop/people.MaxKeys - 2 {
		fill(a.Member(shop.Editor), people.MaxKeys)
	}
	fill(a.OwnerID, people.MaxKeys-ownerHas-1)
	owner := a.Session(a.OwnerID)
	a.OK("POST", "/v1/account/tokens", owner, body)
	a.Refused("POST", "/v1/account/tokens", a.Session(a.Member(shop.Editor)), body, 429, "TOKEN_LIMIT_REACHED")
}

// Ended keys are kept as long as the audit log names them.
func TestEndedKeysAreDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	revoked := issue(a, session, "catalog:read")
	a.OK("DELETE", "/v1/account/tokens/"+revoked["id"].(string), session, nil)
	a.Result(
		"POST", "/v1/account/tokens", session,
		m{"scopes": l{"catalog:read"}, "expires_at": a.Clock.Now().Add(time.Hour).Format(time.RFC3339)},
	)
	listed := func() int {
		list, err := people.Keys(t.Context(), a.Store.Shop(a.Shop.ID), a.OwnerID)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := listed()
	for _, c := range []struct{ after, gone time.Duration }{{time.Minute, 0}, {2 * time.Hour, 1}} {
		if err := people.SweepRevokedKeys(t.Context(), a.Store, a.Clock.Now().Add(c.after)); err != nil {
			t.Fatal(err)
		}
		if got := before - listed(); got != int(c.gone) {
			t.Errorf("after %s %d expired keys are deleted", c.after, got)
		}
	}
	a.OK("GET", "/v1/account/token", a.Owner, nil)
}
