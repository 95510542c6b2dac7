package access_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

func entries(a *apitest.API, query url.Values) []any {
	return a.OK("GET", "/audit?"+query.Encode(), a.Owner, nil)["result"].([]any)
}

func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Send(apitest.Request{Method: "POST", Path: "/products", Key: a.Owner, Body: `{"item":{"name":"Secret tea"}}`})
	id := made.JSON["result"].(apitest.Map)["id"]
	path := fmt.Sprintf("/products/%v", id)
	a.Clock.Advance(time.Hour)
	a.OK("PUT", path, a.Session(a.EditorID), apitest.Map{"item": apitest.Map{"name": "Tea"}})
	a.OK("GET", path, a.Owner, nil)
	a.Refused("PUT", "/products/99", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}}, 404, "PRODUCT_NOT_FOUND")
	a.Send(apitest.Request{Method: "DELETE", Path: path, Key: a.Owner})
	replayed := apitest.Request{
		Method: "POST", Path: "/products", Key: a.Owner, Body: `{"item":{"name":"Cup"}}`, Header: map[string]string{"Idempotency-Key": "k"},
	}
	a.Send(replayed)
	a.Send(replayed)

	all := entries(a, nil)
	if len(all) != 4 {
		t.Fatalf("%d entries: %v", len(all), all)
	}
	first, second := all[3].(apitest.Map), all[2].(apitest.Map)
	if first["method"] != "POST" || first["path"] != "/products" || first["user_id"] != float64(a.OwnerID) || first["key_id"] == "0" ||
		first["request_id"] != made.Header.Get("X-Request-Id") || first["contour"] != "prod" || first["status"] != float64(200) {
		t.Errorf("%v", first)
	}
	if second["path"] != "/products/{id}" || second["entities"].(apitest.Map)["id"] != fmt.Sprint(id) || second["key_id"] != "0" ||
		second["user_id"] != float64(a.EditorID) {
		t.Errorf("%v", second)
	}
	if strings.Contains(fmt.Sprint(all), "Secret") {
		t.Error("the log contains a request body")
	}
	for name, c := range map[string]struct {
		query url.Values
		want  int
	}{
		"person": {url.Values{"filter.user_id": {fmt.Sprint(a.EditorID)}}, 1},
		"key":    {url.Values{"filter.key_id": {fmt.Sprint(first["key_id"])}}, 3},
		"path":   {url.Values{"filter.path": {"/products/{id}"}}, 2},
		"since":  {url.Values{"filter.since": {a.Clock.Now().Format(time.RFC3339)}}, 3},
		"page":   {url.Values{"page.number": {"2"}, "page.limit": {"3"}}, 1},
	} {
		if got := entries(a, c.query); len(got) != c.want {
			t.Errorf("%s: %d entries, want %d", name, len(got), c.want)
		}
	}
	a.Refused("GET", "/audit?filter.since=yesterday", a.Owner, nil, 400, "INVALID_REQUEST")
}

func TestTheAuditLogIsForOwnersAndAdmins(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})
	a.Refused("GET", "/audit", "", nil, 401, "UNAUTHENTICATED")
	a.Refused("GET", "/audit", a.Session(a.EditorID), nil, 403, "ROLE_REQUIRED")
	a.Refused("GET", "/audit", a.Editor, nil, 403, "PAT_SCOPE_MISSING")
	a.OK("GET", "/audit", a.Session(a.OwnerID), nil)
	if list := a.OK("GET", "/audit", a.Stranger, nil); list["total"] != float64(0) {
		t.Errorf("another shop: %v", list)
	}
}
