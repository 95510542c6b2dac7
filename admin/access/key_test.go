package access_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

type (
	m = apitest.Map
	l = []any
)

// issue issues a key with a session and returns the response.
func issue(a *apitest.API, session string, scopes ...any) m {
	return a.Result("POST", "/v1/account/tokens", session, m{"name": "robot", "scopes": scopes})
}

func TestAKeyIsShownOnceAndNeverListed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	made := issue(a, session, "catalog:read", "orders:write", "catalog:read")
	key := made["key"].(string)
	if made["contour"] != "prod" || made["name"] != "robot" || len(made["scopes"].(l)) != 2 {
		t.Errorf("issued %v", made)
	}
	if _, text := made["id"].(string); !text {
		t.Errorf("id is %T, want a string", made["id"])
	}
	a.OK("GET", "/v1/account/token", key, nil)
	answer := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/tokens", Key: session})
	list := answer.JSON["result"].(l)
	first := list[0].(m)
	if first["id"] != made["id"] || first["last_used_at"] == nil || first["created_at"] == nil {
		t.Errorf("want the newest first, with its last use: %v", first)
	}
	for _, secret := range []string{key, key[4:], "hash"} {
		if strings.Contains(string(answer.Body), secret) {
			t.Errorf("the list shows %q", secret)
		}
	}
	for _, k := range list {
		if k.(m)["user_id"] != float64(a.OwnerID) {
			t.Errorf("somebody else's key in the list: %v", k)
		}
	}
}

func TestInvalidKeyRequestsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, editor := a.Session(a.OwnerID), a.Session(a.EditorID)
	lone, err := people.CreatePerson(t.Context(), a.Store, "lone@people.test", "", "-")
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Repeat(l{"catalog:read"}, 33)
	for name, c := range map[string]struct {
		session string
		body    any
		status  int
		code    string
	}{
		"no scopes":        {owner, m{"scopes": l{}}, 400, "SCOPE_UNKNOWN"},
		"unknown scope":    {owner, m{"scopes": l{"catalog:read", "catalog:delete"}}, 400, "SCOPE_UNKNOWN"},
		"33 scopes":        {owner, m{"scopes": many}, 400, "TOO_MANY_SCOPES"},
		"unknown contour":  {owner, m{"contour": "test", "scopes": l{"catalog:read"}}, 400, "CONTOUR_UNKNOWN"},
		"long name":        {owner, m{"name": strings.Repeat("я", 256), "scopes": l{"catalog:read"}}, 400, "TEXT_TOO_LONG"},
		"two in one":       {owner, m{"scopes": l{"catalog:read,orders:read"}}, 400, "SCOPE_UNKNOWN"},
		"empty scope":      {owner, m{"scopes": l{""}}, 400, "SCOPE_UNKNOWN"},
		"null scopes":      {owner, m{"scopes": nil}, 400, "SCOPE_UNKNOWN"},
		"empty name":       {owner, m{"name": "", "scopes": l{"catalog:read"}}, 400, "NAME_REQUIRED"},
		"blank name":       {owner, m{"name": " \t", "scopes": l{"catalog:read"}}, 400, "NAME_REQUIRED"},
		"expired already":  {owner, m{"expires_at": a.Clock.Now().Format(time.RFC3339), "scopes": l{"catalog:read"}}, 400, "EXPIRES_AT_INVALID"},
		"no time":          {owner, m{"expires_at": "tomorrow", "scopes": l{"catalog:read"}}, 400, "INVALID_REQUEST"},
		"scopes as text":   {owner, m{"scopes": "all"}, 400, "INVALID_REQUEST"},
		"sensitive scope":  {editor, m{"scopes": l{"catalog:read", "orders:read"}}, 403, "SCOPE_SENSITIVE"},
		"all, by editor":   {editor, m{"scopes": l{"all"}}, 403, "SCOPE_SENSITIVE"},
		"by a key":         {a.Owner, m{"scopes": l{"catalog:read"}}, 403, "PAT_METHOD_NOT_ALLOWED"},
		"anonymous":        {"", m{"scopes": l{"catalog:read"}}, 401, "UNAUTHENTICATED"},
		"without any shop": {a.Session(lone), m{"scopes": l{"catalog:read"}}, 403, "ROLE_REQUIRED"},
	} {
		t.Log(name)
		a.Refused("POST", "/v1/account/tokens", c.session, c.body, c.status, c.code)
	}
	if made := a.Result("POST", "/v1/account/tokens", owner, m{"scopes": l{"all"}}); made["name"] != "key" ||
		len(made["scopes"].(l)) != len(shop.Scopes) {
		t.Errorf("issued %v", made)
	}
	issue(a, editor, "catalog:read", "redirects:write")
	issue(a, a.Session(a.Member(shop.Admin)), "orders:read")
	issue(a, owner, slices.Repeat(l{"catalog:read"}, 32)...)
}

func TestOnlyValidKeysAreAccepted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	made := issue(a, session, "catalog:read")
	key, path := made["key"].(string), "/v1/account/tokens/"+made["id"].(string)

	a.Refused("DELETE", path, a.Session(a.StrangerID), nil, 404, "TOKEN_NOT_FOUND")
	a.Refused("DELETE", path, a.Session(a.EditorID), nil, 404, "TOKEN_NOT_FOUND")
	a.Refused("DELETE", "/v1/account/tokens/999999", session, nil, 404, "TOKEN_NOT_FOUND")
	a.Refused("DELETE", path, a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	a.OK("GET", "/v1/account/token", key, nil)
	a.OK("DELETE", path, session, nil)
	a.Refused("DELETE", path, session, nil, 404, "TOKEN_NOT_FOUND")

	for name, token := range map[string]string{
		"revoked": key, "one letter off": a.Owner[:len(a.Owner)-1] + "~", "unknown": strings.Repeat("x", len(key)), "a word": "key", "huge": strings.Repeat("k", 3000),
	} {
		answer := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/token", Key: token})
		if answer.Status != 401 || apitest.Code(answer.JSON) != "UNAUTHENTICATED" || answer.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
		a.Refused("GET", "/products?filter.company_id="+a.Shop.ID.String(), token, nil, 401, "UNAUTHENTICATED")
	}
	for _, header := range []string{"Bearer " + a.Owner, "bearer " + a.Owner, a.Owner} {
		answer := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/token", Header: map[string]string{"Authorization": header}})
		if answer.Status != http.StatusOK {
			t.Errorf("%.12s…: %d", header, answer.Status)
		}
	}
}

func TestAKeyExpires(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	until := a.Clock.Now().Add(time.Hour)
	made := a.Result(
		"POST", "/v1/account/tokens", session,
		m{"name": "short", "scopes": l{"catalog:read"}, "expires_at": until.In(time.FixedZone("", 7200)).Format(time.RFC3339)},
	)
	key := made["key"].(string)
	if made["expires_at"] != until.Format(time.RFC3339) {
		t.Errorf("expires %v, want %v", made["expires_at"], until)
	}
	a.Clock.Advance(time.Hour - time.Second)
	a.OK("GET", "/v1/account/token", key, nil)
	a.Clock.Advance(time.Second)
	a.Refused("GET", "/v1/account/token", key, nil, 401, "UNAUTHENTICATED")
	listed := a.OK("GET", "/v1/account/tokens", a.Session(a.OwnerID), nil)["result"].(l)[0].(m)
	if listed["expires_at"] != until.Format(time.RFC3339) {
		t.Errorf("listed %v", listed)
	}
}

// A key cannot be changed: its scopes never grow.
func TestNoEndpointChangesAKey(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := issue(a, a.Session(a.OwnerID), "catalog:read")
	for _, method := range []string{"PUT", "PATCH", "POST"} {
		answer := a.Send(
			apitest.Request{
				Method: method, Path: "/v1/account/tokens/" + made["id"].(string), Key: a.Session(a.OwnerID),
				Body: m{"scopes": l{"catalog:write"}},
			},
		)
		if answer.Status != 405 {
			t.Errorf("%s: %d %s", method, answer.Status, answer.Body)
		}
	}
	a.OK("PUT", memberPath(a.EditorID), a.Session(a.OwnerID), m{"role": "admin"})
	if scopes := a.Result("GET", "/v1/account/token", a.Editor, nil)["scopes"].(l); slices.Contains(scopes, any("orders:read")) {
		t.Errorf("a raised role gave a key scopes: %v", scopes)
	}
}

func TestUsesOfKeysAreWrittenInBatches(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ctx := t.Context()
	keys := func() (used int) {
		list, err := people.Keys(ctx, a.Store.Shop(a.Shop.ID), a.OwnerID)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			if k.LastUsedAt != nil {
				used++
			}
		}
		return used
	}
	a.OK("GET", "/categories", a.Owner, nil)
	a.OK("GET", "/categories", a.Dev, nil)
	if n := keys(); n != 0 {
		t.Errorf("a call wrote the use of %d keys", n)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := a.Admin.Access.Flush(cancelled); err == nil {
		t.Error("a write that was cancelled succeeded")
	}
	if err := a.Admin.Access.Flush(ctx); err != nil || keys() != 2 {
		t.Errorf("%d keys were used, %v", keys(), err)
	}
}

func TestTheLastUseOfAKeyIsRecorded(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	key := issue(a, session, "catalog:read")["key"].(string)
	used := func() any {
		return a.OK("GET", "/v1/account/tokens", session, nil)["result"].(l)[0].(m)["last_used_at"]
	}
	if got := used(); got != nil {
		t.Errorf("a new key has a last use: %v", got)
	}
	a.OK("GET", "/categories", key, nil)
	first := used()
	a.Clock.Advance(30 * time.Second)
	a.OK("GET", "/categories", key, nil)
	if got := used(); got != first {
		t.Errorf("recorded twice in a minute: %v, %v", first, got)
	}
	a.Clock.Advance(30 * time.Minute)
	a.OK("GET", "/categories", key, nil)
	if got := used(); got != a.Clock.Now().UTC().Format(time.RFC3339) {
		t.Errorf("used %v, want %v", got, a.Clock.Now().UTC())
	}
}
