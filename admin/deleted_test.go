package admin_test

import (
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/admin/openapi"
)

// answersDeleted are the endpoints that answer for a deleted shop, and why. Calls about a person and
// the documents need no shop.
var answersDeleted = map[string]string{
	"GET /v1/orgs":                            "the shops of the person",
	"POST /v1/orgs":                           "another shop",
	"POST /v1/shop/import":                    "another shop",
	"POST /v1/shop/restore":                   "undoes the deletion",
	"PUT /v1/shop/state":                      "the story calls it for another shop",
	"PUT /v1/shop/slug":                       "the story calls it for another shop",
	"PUT /v1/shop/currency":                   "the story calls it for another shop",
	"DELETE /v1/shop":                         "the story calls it for another shop",
	"GET /partner/openapi.json":               "a document",
	"GET /cart/items":                         "the cart of an unknown shop is empty",
	"POST /v1/payments/{method}/{company_id}": "what providers report is recorded",
}

// ofNoShop reports whether an endpoint is about the person or the API itself.
func ofNoShop(e *api.Endpoint) bool {
	for _, prefix := range []string{"/v1/auth/", "/docs/", "/v1/account/views", "/v1/account/companies", "/v1/account/main-company", "/v1/account/export", "/v1/account/grants", "/v1/account/tokens"} {
		if strings.HasPrefix(e.Path, prefix) {
			return e.Path != "/v1/auth/invitations/accept" && (e.Path != "/v1/account/tokens" || e.Method == "GET")
		}
	}
	return e.Path == "/v1/account" || e.Auth == api.Link && e.Method == "GET" && e.Class == api.Free && len(e.Scopes) == 0 && !strings.Contains(e.Path, "{")
}

// Each call of the story is repeated while its shop is deleted.
func TestADeletedShopIsFoundByNoCall(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, anyPicture)
	rows := map[string]*api.Endpoint{}
	for i, e := range a.Admin.Table() {
		rows[e.Method+" "+e.Path] = &a.Admin.Table()[i]
	}
	set := func(sql string) {
		t.Helper()
		if _, err := a.Store.Pool.Exec(t.Context(), `UPDATE company SET deleted_at = `+sql+` WHERE id = $1`, a.Shop.ID); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	r := &recorder{API: a, t: t, calls: map[string]openapi.Recorded{}}
	r.after = func(q apitest.Request) {
		name := a.Row(q.Method, q.Path)
		if answersDeleted[name] != "" || ofNoShop(rows[name]) {
			return
		}
		tried++
		set("now()")
		got := a.Send(q)
		set("NULL")
		if got.Status < 400 || got.Status >= 500 {
			t.Errorf("%s %s: %d %.300s", q.Method, q.Path, got.Status, got.Body)
		}
	}
	r.story()
	if tried < 250 {
		t.Errorf("only %d calls were tried", tried)
	}
}
