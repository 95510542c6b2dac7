package draft_test

import (
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// The contour belongs to the key: no header changes it in either direction (document 1, section
// 1). A session chooses its contour with the header (CONTRACT).
func TestNoHeaderChangesTheContourOfAKey(t *testing.T) {
	b := open(t)
	green := "/products/" + id(b.green)
	edit := func(key, contour, name string) {
		t.Helper()
		r := apitest.Request{
			Method: "PUT", Path: green, Key: key, Body: m{"item": m{"name": name}},
			Header: map[string]string{"X-Service-Contour": contour},
		}
		if got := b.Send(r); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	for _, contour := range []string{"prod", "PROD", "live", ""} {
		edit(b.Dev, contour, "Draft")
		b.sees(b.Owner, "products", id(b.green), "name", "Green")
	}
	b.OK("POST", "/drafts/discard", b.Dev, all)
	edit(b.Owner, "dev", "Live")
	b.sees("", "products", id(b.green)+"?company_id="+b.Shop.ID.String(), "name", "Live")
	if len(b.pending()) != 0 {
		t.Errorf("a production key wrote a draft: %v", b.pending())
	}
	edit(b.Session(b.OwnerID), "dev", "Session")
	b.sees(b.Owner, "products", id(b.green), "name", "Live")
	b.sees(b.Dev, "products", id(b.green), "name", "Session")
}

// The token details list exactly the operations that the endpoints then refuse (document 1, 2.1).
func TestTokenDetailsOfADraftKeyMatchTheEndpoints(t *testing.T) {
	b := open(t)
	admin := b.Member(shop.Admin)
	for name, c := range map[string]struct {
		key     string
		publish bool
	}{
		"owner":         {b.Key(b.OwnerID, shop.Owner, shop.Dev), true},
		"admin":         {b.Key(admin, shop.Admin, shop.Dev), true},
		"editor":        {b.Key(b.EditorID, shop.Editor, shop.Dev), false},
		"without scope": {b.Key(b.OwnerID, shop.Owner, shop.Dev, "catalog:read", "catalog:write"), false},
	} {
		p := b.Result("GET", "/v1/account/token", c.key, nil)
		if p["contour"] != "dev" || p["writes_to_live"] != false || p["publish_allowed"] != c.publish || len(p["warnings"].(l)) == 0 {
			t.Errorf("%s: %v", name, p)
		}
		denied := map[any]bool{}
		for _, row := range p["live_operations_denied"].(l) {
			denied[row] = true
		}
		for _, e := range b.Admin.Table() {
			if denied[e.Method+" "+e.Path] != (e.Contour == api.RefusesDraft) {
				t.Errorf("%s: %s %s is denied: %v", name, e.Method, e.Path, denied[e.Method+" "+e.Path])
			}
		}
		if name != "without scope" {
			b.put(c.key, "products", id(b.green), m{"name": name})
		}
		got := b.Send(apitest.Request{Method: "POST", Path: "/drafts/publish", Key: c.key, Body: all})
		if (got.Status == 200) != c.publish {
			t.Errorf("%s: publishing answers %d %s", name, got.Status, got.Body)
		}
	}
	if p := b.Result("GET", "/v1/account/token", b.Owner, nil); p["writes_to_live"] != true || len(p["live_operations_denied"].(l)) != 0 {
		t.Errorf("a production key: %v", p)
	}
}
