package access_test

import (
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/golden"
)

// Nothing else asks for a recent proof (CONTRACT, "Second factor").
func TestTheseCallsNeedARecentProof(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	var got []string
	for _, e := range a.Admin.Table() {
		switch e.Fresh {
		case api.FreshAlways:
			got = append(got, e.Method+" "+e.Path)
		case api.FreshForSecrets:
			got = append(got, e.Method+" "+e.Path+" with secrets")
		}
	}
	golden.Rows(t, "calls that need a recent proof", got, []string{
		"POST /v1/account/tokens with secrets",
		"PUT /v1/shop/payment-methods/{method} with secrets",
		"PUT /v1/orgs/current/members/{user_id}",
		"DELETE /v1/orgs/current/members/{user_id}",
		"PUT /v1/shop/domain",
		"DELETE /v1/shop/domain",
		"PUT /v1/shop/slug",
		"DELETE /v1/shop",
		"POST /v1/auth/totp",
		"POST /v1/auth/totp/confirm",
		"DELETE /v1/auth/totp",
		"POST /v1/auth/passkeys/register/begin",
		"POST /v1/auth/passkeys/register/finish",
		"DELETE /v1/auth/passkeys/{id}",
	})
}

func TestASignInIsAProofForTenMinutesAndReauthAnother(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	p, session := withApp(t, a)
	a.Clock.Advance(8 * time.Minute) // withApp took two
	a.OK("DELETE", "/v1/auth/totp", session, m{"code": p.codes[0]})
	a.Clock.Advance(time.Second)
	a.Refused("POST", "/v1/auth/totp", session, nil, 403, "REAUTH_REQUIRED")
	a.Refused("POST", "/v1/auth/reauth", session, m{"password": "another password"}, 401, "INVALID_CREDENTIALS")
	a.Refused("POST", "/v1/auth/reauth", session, m{}, 401, "INVALID_CREDENTIALS")
	a.Refused("POST", "/v1/auth/reauth", session, m{"totp": "123456"}, 401, "SECOND_FACTOR_INVALID")
	a.Refused("POST", "/v1/auth/totp", session, nil, 403, "REAUTH_REQUIRED")
	if until := a.Result("POST", "/v1/auth/reauth", session, m{"password": "a long password"})["fresh_until"]; until != a.Clock.Now().Add(10*time.Minute).Format(time.RFC3339) {
		t.Errorf("%v", until)
	}
	p.secret = a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)
	a.OK("POST", "/v1/auth/totp/confirm", session, m{"code": p.code(0)})
	a.Clock.Advance(time.Hour)
	a.Refused("DELETE", "/v1/auth/totp", session, m{"code": p.code(0)}, 403, "REAUTH_REQUIRED")
	a.OK("POST", "/v1/auth/reauth", session, m{"totp": p.code(0)})
	a.Refused("POST", "/v1/auth/reauth", session, m{"totp": p.code(0)}, 401, "SECOND_FACTOR_INVALID") // once
	a.OK("DELETE", "/v1/auth/totp", session, m{"code": p.code(30)})
}

func TestOldSessionsMakeNoSensitiveCallsAndAllOthers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	a.Clock.Advance(11 * time.Minute)
	member := "/v1/orgs/current/members/" + a.EditorID.String()
	a.Refused("PUT", member, session, m{"role": "admin"}, 403, "REAUTH_REQUIRED")
	a.Refused("DELETE", member, session, nil, 403, "REAUTH_REQUIRED")
	a.Refused("POST", "/v1/account/tokens", session, m{"scopes": l{"leads:read"}}, 403, "REAUTH_REQUIRED")
	a.Refused("POST", "/v1/account/tokens", session, m{"scopes": l{"all"}}, 403, "REAUTH_REQUIRED")
	a.Refused("PUT", "/v1/shop/domain", session, m{"domain": "shop.example.test"}, 403, "REAUTH_REQUIRED")
	stripe := m{"settings": m{"secret_key": "sk_test_1", "webhook_secret": "whsec_1"}}
	a.Refused("PUT", "/v1/shop/payment-methods/stripe", session, stripe, 403, "REAUTH_REQUIRED")

	a.OK("POST", "/v1/account/tokens", session, m{"scopes": l{"catalog:read"}})
	a.OK("PUT", "/v1/shop/payment-methods/manual", session, m{"title": "Bank transfer", "is_active": true})
	a.OK("PUT", "/v1/shop/settings", session, m{"name": "Tea"})
	a.OK("PUT", "/v1/shop/domain", a.Owner, m{"domain": "shop.example.test"}) // a key
	a.OK("PUT", member, a.Session(a.OwnerID), m{"role": "admin"})
}

func TestAPersonArrangesThePagesOfTheCabinet(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	view := func(page string) any { return a.OK("GET", "/v1/account/views/"+page, session, nil)["result"] }
	if got := view("products"); got != nil {
		t.Errorf("%v", got)
	}
	a.OK("PUT", "/v1/account/views/products", session, m{"columns": l{"name", "price"}})
	if got := view("products").(m)["columns"].(l); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := a.OK("GET", "/v1/account/views/products", a.Session(a.EditorID), nil)["result"]; got != nil {
		t.Errorf("another person: %v", got)
	}
	long := make([]byte, 64<<10)
	for i := range long {
		long[i] = ' '
	}
	copy(long, `"x"`)
	put := func(page string, body any) apitest.Answer {
		return a.Send(apitest.Request{Method: "PUT", Path: "/v1/account/views/" + page, Key: session, Body: body})
	}
	for _, test := range []struct {
		page   string
		body   any
		status int
	}{
		{"products", long, 200}, {"products", append(long, ' '), 413}, {"products", "{", 400}, {"products", `"\u0000"`, 400}, {"products", "\"\xff\"", 400},
		{"products", "null null", 400}, {"Products", "{}", 404}, {"a%2Fb", "{}", 404},
	} {
		if out := put(test.page, test.body); out.Status != test.status {
			t.Errorf("%s: %d %s", test.page, out.Status, out.Body)
		}
	}
	for i := range 99 {
		if out := put("page"+string(rune('a'+i/10))+string(rune('a'+i%10)), "1"); out.Status != 200 {
			t.Fatalf("%d: %d %s", i, out.Status, out.Body)
		}
	}
	if out := put("more", "1"); out.Status != 429 || apitest.Code(out.JSON) != "VIEW_LIMIT_REACHED" || out.JSON["limit_code"] != "views_max" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if out := put("products", "2"); out.Status != 200 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	a.OK("PUT", "/v1/auth/me", session, m{"language": "ru"})
	if me := a.Result("GET", "/v1/auth/me", session, nil); me["language"] != "ru" {
		t.Errorf("%v", me)
	}
	a.Refused("PUT", "/v1/auth/me", session, m{"language": "de"}, 400, "INVALID_REQUEST")
}
