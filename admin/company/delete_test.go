package company_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
	webhookdb "vitrine/internal/store/webhook"
)

// in is a header that names the shop of a call.
func in(slug string) map[string]string { return map[string]string{"X-Vitrine-Shop": slug} }

func TestADeletedShopIsRestored(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.Refused("DELETE", "/v1/shop", owner, m{"slug": "rival"}, 400, "SLUG_WRONG")
	a.Refused("DELETE", "/v1/shop", owner, m{"slug": "Tea"}, 400, "SLUG_WRONG")
	a.Refused("DELETE", "/v1/shop", owner, m{}, 400, "SLUG_WRONG")
	a.Refused("DELETE", "/v1/shop", owner, nil, 400, "SLUG_WRONG")
	a.OK("GET", "/v1/orgs/current", a.Owner, nil)
	gone := a.Result("DELETE", "/v1/shop", owner, m{"slug": "tea"})
	if gone["slug"] != "tea" || gone["deleted_at"] != a.Clock.Now().Format(time.RFC3339) || gone["restorable_until"] != a.Clock.Now().Add(store.RestoreWindow).Format(time.RFC3339) {
		t.Errorf("%v", gone)
	}
	for who, key := range map[string]string{"owner": owner, "editor": a.Session(a.EditorID), "owner's key": a.Owner, "editor's key": a.Editor, "draft key": a.Dev} {
		a.Refused("GET", "/products", key, nil, 403, "SHOP_DELETED")
		a.Refused("GET", "/v1/orgs/current", key, nil, 403, "SHOP_DELETED")
		got := a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: key, Header: in("tea")})
		if apitest.Code(got.JSON) != "SHOP_DELETED" {
			t.Errorf("%s names it: %d %s", who, got.Status, got.Body)
		}
	}
	stranger := a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: a.Session(a.StrangerID), Header: in("tea")})
	if apitest.Code(stranger.JSON) != "COMPANY_ID_PROBLEM" {
		t.Errorf("a stranger learns that the shop existed: %s", stranger.Body)
	}
	a.Refused("GET", "/products?filter.company_id="+a.Shop.ID.String(), "", nil, 404, "SHOP_NOT_FOUND")
	a.Refused("DELETE", "/v1/shop", owner, m{"slug": "tea"}, 403, "SHOP_DELETED")
	a.Refused("POST", "/v1/orgs", a.Session(a.StrangerID), newShop("tea"), 409, "SLUG_TAKEN")
	a.Refused("PUT", "/v1/account/main-company", owner, m{"company_id": a.Shop.ID}, 404, "COMPANY_NOT_FOUND")
	if me := a.Result("GET", "/v1/auth/me", owner, nil); me["company_id"] != float64(0) {
		t.Errorf("the owner acts in %v", me)
	}
	if list := a.OK("GET", "/v1/account/companies", owner, nil)["result"].([]any); len(list) != 0 {
		t.Errorf("%v", list)
	}
	own := a.OK("GET", "/v1/orgs", owner, nil)["result"].([]any)
	if len(own) != 1 || own[0].(m)["restorable_until"] != gone["restorable_until"] {
		t.Errorf("%v", own)
	}
	if list := a.OK("GET", "/v1/orgs", a.Session(a.EditorID), nil)["result"].([]any); len(list) != 0 {
		t.Errorf("the editor sees %v", list)
	}
	for who, key := range map[string]string{"editor": a.Session(a.EditorID), "buyer": a.Session(a.Buyer("ann@people.test"))} {
		if got := a.Send(apitest.Request{Method: "POST", Path: "/v1/shop/restore", Key: key}); apitest.Code(got.JSON) != "ROLE_REQUIRED" {
			t.Errorf("%s restores: %d %s", who, got.Status, got.Body)
		}
	}
	a.Refused("POST", "/v1/shop/restore", a.Owner, nil, 403, "SHOP_DELETED")
	a.Clock.Advance(20 * time.Minute) // no fresh proof is needed
	if back := a.Result("POST", "/v1/shop/restore", owner, nil); back["slug"] != "tea" {
		t.Errorf("%v", back)
	}
	a.OK("GET", "/v1/orgs/current", a.Owner, nil)
	a.OK("POST", "/v1/shop/restore", owner, nil) // again
	log := a.OK("GET", "/audit", a.Owner, nil)["result"].([]any)
	if paths := apitest.Values(log, "path"); !strings.Contains(paths, "/v1/shop/restore") || !strings.Contains(paths+" ", "/v1/shop ") {
		t.Errorf("the audit log lacks the deletion or its undoing: %s", paths)
	}
}

// Nobody writes into another shop because the one that they work in was deleted.
func TestADeletedMainShopIsNotReplacedSilently(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.OK("POST", "/v1/orgs", owner, newShop("second"))
	a.OK("DELETE", "/v1/shop", owner, m{"slug": "tea"})
	a.Refused("POST", "/products", owner, m{"item": m{"name": "Tea"}}, 403, "SHOP_DELETED")
	if got := a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: owner, Header: in("second")}); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	a.OK("PUT", "/v1/account/main-company", owner, m{"company_id": idOf(t, a, "second")})
	a.OK("POST", "/products", owner, m{"item": m{"name": "Tea"}})
	if got := a.Send(apitest.Request{Method: "POST", Path: "/v1/shop/restore", Key: owner, Header: in("tea")}); got.Status != 200 || got.JSON["result"].(m)["slug"] != "tea" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	third := a.Session(a.Buyer("third@people.test")) // somebody whose only shop is deleted opens another one and works there
	a.OK("POST", "/v1/orgs", third, newShop("one"))
	a.OK("DELETE", "/v1/shop", third, m{"slug": "one"})
	a.OK("POST", "/v1/orgs", third, newShop("two"))
	if org := a.Result("GET", "/v1/orgs/current", third, nil); org["slug"] != "two" {
		t.Errorf("%v", org)
	}
}

func TestADeletedShopIsGoneAfterThirtyDays(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("DELETE", "/v1/shop", a.Session(a.OwnerID), m{"slug": "tea"})
	a.Clock.Advance(store.RestoreWindow)
	a.Refused("POST", "/v1/shop/restore", a.Session(a.OwnerID), nil, 400, "RESTORE_WINDOW_OVER")
	if err := companydb.DeleteExpired(t.Context(), a.Store, a.Shop.ID, a.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	a.Refused("POST", "/v1/shop/restore", a.Session(a.OwnerID), nil, 403, "ROLE_REQUIRED")
	a.Refused("GET", "/v1/orgs/current", a.Owner, nil, 401, "UNAUTHENTICATED")
	a.OK("POST", "/v1/orgs", a.Session(a.StrangerID), newShop("tea"))
}

func TestDeletionAndRestorationAtOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	for range 10 {
		a.Clock.Advance(20 * time.Second)
		a.AtOnce(
			apitest.Request{Method: "DELETE", Path: "/v1/shop", Key: owner, Body: m{"slug": "tea"}}, apitest.Request{Method: "POST", Path: "/v1/shop/restore", Key: owner},
			apitest.Request{Method: "DELETE", Path: "/v1/shop", Key: owner, Body: m{"slug": "tea"}}, apitest.Request{Method: "POST", Path: "/v1/shop/restore", Key: owner},
		)
		own := a.OK("GET", "/v1/orgs", owner, nil)["result"].([]any)[0].(m)
		status, _ := a.Call("GET", "/v1/orgs/current", owner, nil)
		if deleted := own["deleted_at"] != nil; deleted != (status == 403) {
			t.Errorf("%v, but the shop answers %d", own, status)
		}
	}
	a.OK("POST", "/v1/shop/restore", owner, nil)
	a.OK("GET", "/v1/orgs/current", owner, nil)
}

// The second factor that a shop requires is required of its restoration, too.
func TestRestoringNeedsTheSecondFactorOfTheShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.OK("DELETE", "/v1/shop", owner, m{"slug": "tea"})
	if _, err := a.Store.Pool.Exec(t.Context(), `UPDATE company SET settings = settings || '{"members_need_second_factor": ["owner"]}' WHERE id = $1`, a.Shop.ID); err != nil {
		t.Fatal(err)
	}
	a.Refused("POST", "/v1/shop/restore", owner, nil, 403, "SECOND_FACTOR_MISSING")
}

// An account is not held by a shop that nobody but its owner could restore.
func TestTheOwnerOfADeletedShopMayLeave(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Result("POST", "/v1/auth/register", "", m{"email": "ann@people.test", "password": "a long password"})
	ann := a.Result("POST", "/v1/auth/login", "", m{"email": "ann@people.test", "password": "a long password"})["token"].(string)
	a.OK("POST", "/v1/orgs", ann, newShop("cafe"))
	a.Refused("DELETE", "/v1/account", ann, m{"password": "a long password"}, 400, "LAST_OWNER")
	a.OK("DELETE", "/v1/shop", ann, m{"slug": "cafe"})
	a.OK("DELETE", "/v1/account", ann, m{"password": "a long password"})
	a.Clock.Advance(store.RestoreWindow)
	if err := companydb.DeleteExpired(t.Context(), a.Store, idOf(t, a, "cafe"), a.Clock.Now()); err != nil {
		t.Error(err)
	}
}

// Workers leave a deleted shop alone. What they would have done waits for its restoration.
func TestWorkersLeaveADeletedShopAlone(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, now := a.Session(a.OwnerID), a.Clock.Now()
	if err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
		return companydb.ConnectDomain(t.Context(), tx, "tea.example", now, now)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Store.Pool.Exec(t.Context(), `UPDATE company SET cancel_unpaid_after_hours = 1, settings = settings || '{"cancel_unpaid_manual": true}' WHERE id = $1`, a.Shop.ID); err != nil {
		t.Fatal(err)
	}
	a.Ordered(a.Buyer("ann@people.test"))
	a.OK("POST", "/webhooks", a.Session(a.OwnerID), m{"url": "https://receiver.example/", "events": []any{"product.updated"}})
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea"}})
	a.OK("PUT", fmt.Sprint("/products/", product["id"]), a.Owner, m{"item": m{"name": "Green tea"}})
	if _, err := a.Store.Pool.Exec(t.Context(), `INSERT INTO letter (company_id, name, object, recipient) VALUES ($1, 'order_made_buyer', '1', 'ann@people.test')`, a.Shop.ID); err != nil {
		t.Fatal(err)
	}
	found := func() (waiting work) {
		t.Helper()
		at := now.Add(24 * time.Hour)
		due, err := companydb.DueDomains(t.Context(), a.Store, at, now.Add(-time.Hour), now, 0, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		unpaid, err := sales.UnpaidOrders(t.Context(), a.Store, at)
		if err != nil {
			t.Fatal(err)
		}
		letters, _, err := letterdb.ClaimDue(t.Context(), a.Store, 0, at, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		deliveries, _, _, err := webhookdb.ClaimDeliveries(t.Context(), a.Store, 0, func(webhookdb.Waiting) int { return 10 }, at, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		return work{len(due), len(unpaid), len(letters), len(deliveries)}
	}
	live := found()
	if live.domains == 0 || live.unpaidOrders == 0 || live.letters == 0 || live.deliveries == 0 {
		t.Fatalf("a live shop: %+v", live)
	}
	a.OK("DELETE", "/v1/shop", owner, m{"slug": "tea"})
	if got := found(); got != (work{}) {
		t.Errorf("a deleted shop: %+v", got)
	}
	a.OK("POST", "/v1/shop/restore", owner, nil)
	if got := found(); got != live {
		t.Errorf("a restored shop: %+v", got)
	}
}

// work is how much waits for workers.
type work struct{ domains, unpaidOrders, letters, deliveries int }

func TestInvitationsOfADeletedShopAreVoid(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.OK("POST", "/v1/orgs/current/members", owner, m{"email": "jim@people.test", "role": "editor"})
	code := a.Code("jim@people.test")
	a.OK("DELETE", "/v1/shop", owner, m{"slug": "tea"})
	a.Refused("POST", "/v1/auth/invitations/accept", "", m{"code": code, "password": "a long password"}, 404, "INVITATION_NOT_FOUND")
	a.OK("POST", "/v1/shop/restore", owner, nil)
	a.OK("POST", "/v1/auth/invitations/accept", "", m{"code": code, "password": "a long password"})
	if role, err := people.RoleOf(t.Context(), a.Store.Shop(a.Shop.ID), a.OwnerID); err != nil || role != shop.Owner {
		t.Error(role, err)
	}
}
