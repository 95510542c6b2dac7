package policy_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

type m = apitest.Map

type fixture struct {
	*apitest.API
	t *testing.T
}

func open(t *testing.T) *fixture {
	t.Helper()
	return &fixture{apitest.New(t), t}
}

func (d *fixture) section(name, kind string, more m) string {
	d.t.Helper()
	item := m{"name": name, "type": kind, "is_published": true, "is_show_menu": true}
	for k, v := range more {
		item[k] = v
	}
	return fmt.Sprint(d.Result("POST", "/categories", d.Owner, m{"item": item})["id"])
}

func (d *fixture) policy(body m) m {
	d.t.Helper()
	return d.Result("POST", "/access-policies", d.Owner, body)
}

func closes(kind, id string) m { return m{"type": kind, "id": id} }

func TestAPolicyIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	d := open(t)
	trade := d.section("Trade", "product", nil)
	product := fmt.Sprint(d.Result("POST", "/products", d.Owner, m{"item": m{"name": "Tea", "is_published": true}})["id"])
	made := d.policy(m{"name": " Trade ", "kind": "password", "title": "For partners", "text": "Ask Ann.", "group_ids": []int{7},
		"resources": []m{closes("category", trade), closes("product", product), closes("category", trade)}})
	if made["name"] != "Trade" || len(made["resources"].([]any)) != 2 || made["resources"].([]any)[0].(m)["name"] != "Trade" || len(made["group_ids"].([]any)) != 0 || len(made["passwords"].([]any)) != 0 {
		t.Errorf("%v", made)
	}
	at := "/access-policies/" + made["id"].(string)
	if got := d.Result("PUT", at, d.Owner, m{"text": ""}); got["title"] != "For partners" || got["text"] != "" || len(got["resources"].([]any)) != 2 {
		t.Errorf("fields that are not sent changed: %v", got)
	}

	word := d.Result("POST", at+"/passwords", d.Owner, m{"label": "Fair"})
	own := d.Result("POST", at+"/passwords", d.Owner, m{"label": "Ben", "password": " open sesame ", "uses": 2, "expires_at": d.Clock.Now().Add(time.Hour).Format(time.RFC3339)})
	if len(word["password"].(string)) != 14 || own["password"] != "open sesame" || own["uses"] != float64(2) || own["used"] != float64(0) || own["expires_at"] == nil {
		t.Errorf("%v %v", word, own)
	}
	got := d.OK("GET", at, d.Owner, nil)
	if text := fmt.Sprint(got); strings.Contains(text, "sesame") || strings.Contains(text, word["password"].(string)) || !strings.Contains(text, "Fair") {
		t.Errorf("a password is shown again: %v", got)
	}
	d.Refused("DELETE", at+"/passwords/999", d.Owner, nil, 404, "ACCESS_PASSWORD_NOT_FOUND")
	d.OK("DELETE", at+"/passwords/"+word["id"].(string), d.Owner, nil)

	d.OK("DELETE", "/products/"+product, d.Owner, nil)
	if got := d.Result("PUT", at, d.Owner, m{"resources": []m{closes("category", trade)}}); len(got["resources"].([]any)) != 1 {
		t.Errorf("a deleted resource is shown: %v", got)
	}
	list := d.Result("GET", "/access-policies", d.Owner, nil)
	if list["total"] != float64(1) || len(list["items"].([]any)) != 1 {
		t.Errorf("%v", list)
	}
	d.OK("DELETE", at, d.Owner, nil)
	d.Refused("GET", at, d.Owner, nil, 404, "ACCESS_POLICY_NOT_FOUND")
	d.Refused("DELETE", at, d.Owner, nil, 404, "ACCESS_POLICY_NOT_FOUND")
	d.Refused("POST", at+"/passwords", d.Owner, m{}, 404, "ACCESS_POLICY_NOT_FOUND")
}

func TestInvalidPoliciesAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	home := d.section("Welcome", "page", m{"is_home": true})
	trade := d.section("Trade", "product", nil)
	long := strings.Repeat("x", 256)
	for name, body := range map[string]m{
		"name: ":                      {"kind": "password"},
		"name ":                       {"name": long, "kind": "password"},
		"kind: ":                      {"name": "a", "kind": "magic"},
		"group_ids: a policy":         {"name": "a", "kind": "group"},
		"group_ids: the shop has":     {"name": "a", "kind": "group", "group_ids": []int{77}},
		"the shop has no category 99": {"name": "a", "kind": "password", "resources": []m{closes("category", "9999")}},
		"the shop has no site_folder": {"name": "a", "kind": "password", "resources": []m{closes("site_folder", trade)}},
		"the shop has no product":     {"name": "a", "kind": "password", "resources": []m{closes("product", "99999999999")}},
		"the shop has no article":     {"name": "a", "kind": "password", "resources": []m{closes("article", "-1")}},
		"resources[0].type: ":         {"name": "a", "kind": "password", "resources": []m{closes("cart", "1")}},
		"title ":                      {"name": "a", "kind": "password", "title": long},
		"text ":                       {"name": "a", "kind": "password", "text": strings.Repeat("x", 5001)},
	} {
		answer := d.Refused("POST", "/access-policies", d.Owner, body, 400, "ACCESS_POLICY_INVALID")
		if !strings.Contains(fmt.Sprint(answer), strings.TrimSpace(name)) {
			t.Errorf("%v does not contain %q", answer, name)
		}
	}
	foreign := d.Refused("POST", "/access-policies", d.Stranger, m{"name": "a", "kind": "password", "resources": []m{closes("category", trade)}}, 400, "ACCESS_POLICY_INVALID")
	if !strings.Contains(fmt.Sprint(foreign), "no category "+trade) {
		t.Errorf("another shop's section: %v", foreign)
	}
	d.Refused("POST", "/access-policies", d.Owner, m{"name": "a", "kind": "password", "resources": []m{closes("category", home)}}, 400, "ACCESS_CLOSES_HOME")
	if list := d.Result("GET", "/access-policies", d.Owner, nil); list["total"] != float64(0) {
		t.Errorf("a refused policy was kept: %v", list)
	}

	customers := d.policy(m{"name": "b", "kind": "customers", "resources": []m{closes("category", trade)}})
	d.Refused("POST", "/access-policies/"+customers["id"].(string)+"/passwords", d.Owner, m{}, 400, "ACCESS_POLICY_KIND")
	word := d.policy(m{"name": "c", "kind": "password"})
	at := "/access-policies/" + word["id"].(string) + "/passwords"
	for _, body := range []m{
		{"password": "abc"}, {"password": strings.Repeat("x", 65)}, {"password": "with\nlines"}, {"password": ""}, {"uses": 0}, {"uses": 1_000_001},
		{"expires_at": "tomorrow"}, {"expires_at": d.Clock.Now().Add(-time.Second).Format(time.RFC3339)}, {"label": long},
	} {
		d.Refused("POST", at, d.Owner, body, 400, "ACCESS_POLICY_INVALID")
	}

	for range 4 {
		d.policy(m{"name": "more", "kind": "password", "resources": []m{closes("category", trade)}})
	}
	d.Refused("PUT", "/access-policies/"+word["id"].(string), d.Owner, m{"resources": []m{closes("category", trade)}}, 400, "ACCESS_POLICY_INVALID")
	for range policydb.Max - 6 {
		d.policy(m{"name": "more", "kind": "password"})
	}
	d.Refused("POST", "/access-policies", d.Owner, m{"name": "one too many", "kind": "password"}, 400, "ACCESS_POLICY_LIMIT")
}

// A group cannot be deleted while a policy for it is being created.
func TestAGroupIsNotDeletedWhileAPolicyIsCreated(t *testing.T) {
	t.Parallel()
	d := open(t)
	group := fmt.Sprint(d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})["id"])
	var id shop.CustomerGroupID
	if _, err := fmt.Sscan(group, &id); err != nil {
		t.Fatal(err)
	}
	done := make(chan apitest.Answer, 1)
	err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
		if err := tx.LockPolicies(t.Context()); err != nil {
			return err
		}
		d.Sent.Take()
		go func() {
			done <- d.Send(apitest.Request{Method: "DELETE", Path: "/customer-groups/" + group, Key: d.Owner})
		}()
		d.WaitForStatement("'policies:'", "DELETE FROM customer_group")
		_, err := policydb.Save(t.Context(), tx, policydb.Policy{Name: "Trade", Kind: shop.ByGroup, Groups: []shop.CustomerGroupID{id}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := await.Next(t, done); got.Status != 400 || !strings.Contains(string(got.Body), "CUSTOMER_GROUP_IN_USE") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// A password is accepted for at most its number of entries, even with concurrent attempts, and
// not after it has expired.
func TestEntriesAreCountedExactly(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.policy(m{"name": "Fair", "kind": "password"})["id"].(string)
	at := "/access-policies/" + id
	for _, body := range []m{{"password": "sesame", "uses": 3}, {"password": "other"}, {"password": "brief", "expires_at": d.Clock.Now().Add(time.Minute).Format(time.RFC3339)}} {
		d.Result("POST", at+"/passwords", d.Owner, body)
	}
	var policy shop.PolicyID
	if _, err := fmt.Sscan(id, &policy); err != nil {
		t.Fatal(err)
	}
	salt, err := policydb.Salt(t.Context(), d.Store.Shop(d.Shop.ID), policy)
	if err != nil {
		t.Fatal(err)
	}
	enter := func(company shop.CompanyID, word string) (grant shop.GrantID) {
		err := d.Store.Write(t.Context(), company, func(tx *store.Tx) (err error) {
			grant, err = policydb.UseGrant(t.Context(), tx, policy, secret.HashShared(word, salt), d.Clock.Now())
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return grant
	}
	var in atomic.Int32
	done := make(chan struct{})
	for range 8 {
		go func() {
			if enter(d.Shop.ID, "sesame") != 0 {
				in.Add(1)
			}
			done <- struct{}{}
		}()
	}
	for range 8 {
		await.Next(t, done)
	}
	if in.Load() != 3 {
		t.Errorf("%d entries of 3", in.Load())
	}
	if enter(d.Shop.ID, "wrong") != 0 || enter(d.Other.ID, "other") != 0 {
		t.Error("a wrong password, or one of another shop, is accepted")
	}
	if enter(d.Shop.ID, "other") == 0 || enter(d.Shop.ID, "brief") == 0 {
		t.Error("a correct password is not accepted")
	}
	d.Clock.Advance(time.Minute)
	if enter(d.Shop.ID, "brief") != 0 {
		t.Error("a password is accepted after its expiry")
	}
	used := map[string]any{}
	for _, g := range d.Result("GET", at, d.Owner, nil)["passwords"].([]any) {
		used[g.(m)["id"].(string)] = g.(m)["used"]
	}
	if len(used) != 3 || !strings.Contains(fmt.Sprint(used), ":3") {
		t.Errorf("used: %v", used)
	}
}
