package webhook_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/hook"
	"vitrine/internal/shop"
	webhookdb "vitrine/internal/store/webhook"
)

const public = "https://93.184.215.14/hook" // an IP address, so that no host name is resolved

func TestASubscriptionIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	d := open(t)
	path, made := d.subscribe(public, "order.paid", "product.updated", "order.paid")
	secret := made["secret"].(string)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made["standard_secret"].(string), "whsec_"))
	if len(secret) != 32 || strings.Trim(secret, "0123456789abcdef") != "" || err != nil || string(raw) != secret {
		t.Errorf("secret %s, %v (%v)", secret, made["standard_secret"], err)
	}
	if fmt.Sprint(made["events"]) != "[order.paid product.updated]" || made["is_active"] != true || made["last_status"] != 0.0 || made["last_error"] != "" ||
		made["last_delivered_at"] != nil || made["url"] != public {
		t.Errorf("%v", made)
	}
	own := d.Result("POST", "/webhooks", d.owner, m{"url": public, "events": []string{"lead.created"}, "secret": "sixteen letters!"})
	if own["secret"] != "sixteen letters!" {
		t.Errorf("%v", own)
	}
	list := d.OK("GET", "/webhooks", d.owner, nil)["result"].([]any)
	if len(list) != 2 || list[0].(m)["id"] != own["id"] || list[0].(m)["secret"] != nil || list[0].(m)["standard_secret"] != nil {
		t.Errorf("newest first, without secrets: %v", list)
	}
	for _, c := range []struct {
		send m
		want string
	}{
		{m{}, "true [order.paid product.updated] " + public},
		{m{"is_active": false}, "false [order.paid product.updated] " + public},
		{m{"events": []string{}}, "false [order.paid product.updated] " + public},
		{m{"events": nil, "url": nil, "is_active": nil, "secret": nil}, "false [order.paid product.updated] " + public},
		{m{"events": []string{"key.issued", "key.issued"}, "is_active": true}, "true [key.issued] " + public},
		{m{"url": public + "?b=1"}, "true [key.issued] " + public + "?b=1"},
	} {
		d.OK("PUT", path, d.owner, c.send)
		if w := d.Result("GET", path, d.owner, nil); fmt.Sprint(w["is_active"], " ", w["events"], " ", w["url"]) != c.want {
			t.Errorf("%v: %v", c.send, w)
		}
	}
	if w := d.Result("PUT", path, d.owner, m{"secret": "another secret of mine"}); w["secret"] != nil || w["standard_secret"] != nil {
		t.Errorf("a change shows the secret: %v", w)
	}
	if w := d.Result("POST", "/webhooks", d.owner, m{"url": public, "events": []string{"key.issued"}, "is_active": false}); w["is_active"] != false || w["secret"] == nil {
		t.Errorf("created inactive: %v", w)
	} else {
		d.OK("DELETE", fmt.Sprint("/webhooks/", w["id"]), d.owner, nil)
	}
	d.OK("DELETE", path, d.owner, nil)
	for _, call := range []string{"GET ", "PUT ", "DELETE ", "POST /test", "POST /replay", "POST /deliveries/1/redeliver"} {
		method, rest, _ := strings.Cut(call, " ")
		d.Refused(method, path+rest, d.owner, m{"since": "2026-01-01T00:00:00Z"}, 404, "WEBHOOK_NOT_FOUND")
	}
	if list := d.OK("GET", "/webhooks", d.owner, nil)["result"].([]any); len(list) != 1 {
		t.Errorf("%v", list)
	}
	d.Refused("GET", "/webhooks/999999/deliveries", d.owner, nil, 404, "WEBHOOK_NOT_FOUND")
}

func TestInvalidSubscriptionsAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	path, _ := d.subscribe(public, "order.paid")
	events := []string{"order.paid"}
	many := make([]string, 33)
	for i := range many {
		many[i] = "order.paid"
	}
	for _, c := range []struct {
		send m
		code string
	}{
		{m{"url": public, "events": []string{"order.lost"}}, "INVALID_EVENT"},
		{m{"url": public, "events": []string{"order.paid", "webhook.test"}}, "INVALID_EVENT"},
		{m{"url": public, "events": []string{""}}, "INVALID_EVENT"},
		{m{"url": public, "events": []string{"*"}}, "INVALID_EVENT"},
		{m{"url": public, "events": many}, "INVALID_EVENT"},
		{m{"url": public, "events": events, "secret": "fifteen letters"}, "WEBHOOK_SECRET_INVALID"},
		{m{"url": public, "events": events, "secret": strings.Repeat("s", 65)}, "WEBHOOK_SECRET_INVALID"},
		{m{"url": "https://93.184.215.14/" + strings.Repeat("a", 1024), "events": events}, "URL_NOT_ALLOWED"},
	} {
		d.Refused("POST", "/webhooks", d.owner, c.send, 400, c.code)
		d.Refused("PUT", path, d.owner, c.send, 400, c.code)
	}
	for _, events := range []any{nil, []string{}} {
		d.Refused("POST", "/webhooks", d.owner, m{"url": public, "events": events}, 400, "INVALID_EVENT")
	}
	for _, url := range []string{
		"", "hook", "//93.184.215.14/", "ftp://93.184.215.14/", "https:///hook", "https://a:b@93.184.215.14/", "http://93.184.215.14:25/", "http://[::1]/", "http://0.0.0.0/",
		"http://127.0.0.2/", "http://127.1/", "http://2130706434/", "http://0x7f000002/", "http://0177.0.0.2/", "http://10.0.0.1/", "http://172.16.0.1/",
		"http://192.168.1.1/", "http://169.254.169.254/latest/meta-data", "http://１０.０.０.１/", "http://①⑥⑨.254.169.254/", "http://127。0。0。2/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/",
		"http://[::ffff:10.0.0.1]/", "http://[64:ff9b::10.0.0.1]/", "http://[2002:a00:1::1]/", "http://100.64.0.1/", "http://[::]/", "http://224.0.0.1/",
		"javascript:alert(1)", "http://93.184.215.14/\u0000", "http://exa mple.com/", "http://93.184.215.14:99999/", "http://93.184.215.14:/",
	} {
		if url != "http://93.184.215.14/\u0000" { // no field accepts NUL
			d.Refused("POST", "/webhooks", d.owner, m{"url": url, "events": events}, 400, "URL_NOT_ALLOWED")
			d.Refused("PUT", path, d.owner, m{"url": url}, 400, "URL_NOT_ALLOWED")
		}
	}
	d.Refused("PUT", path, d.owner, m{"secret": ""}, 400, "WEBHOOK_SECRET_INVALID")
	if w := d.Result("GET", path, d.owner, nil); w["url"] != public || fmt.Sprint(w["events"]) != "[order.paid]" {
		t.Errorf("a refusal changed the subscription: %v", w)
	}
	d.OK("POST", "/webhooks", d.owner, m{"url": "http://93.184.215.14/" + strings.Repeat("é", 1003), "events": events, "secret": strings.Repeat("ключ", 16)})
	if n := len(d.OK("GET", "/webhooks", d.owner, nil)["result"].([]any)); n != 2 {
		t.Errorf("%d subscriptions", n)
	}
}

func TestAShopHasAtMostFiftySubscriptions(t *testing.T) {
	t.Parallel()
	d := open(t)
	for range 50 {
		d.subscribe(public, "order.paid")
	}
	d.Refused("POST", "/webhooks", d.owner, m{"url": public, "events": []string{"order.paid"}}, 400, "TOO_MANY_WEBHOOKS")
	d.OK("DELETE", "/webhooks/"+d.OK("GET", "/webhooks", d.owner, nil)["result"].([]any)[7].(m)["id"].(string), d.owner, nil)
	d.subscribe(public, "order.paid")
}

// Only owners and admins subscribe to non-public events, and an editor cannot redirect their
// subscriptions.
func TestEditorsSubscribeToPublicEventsOnly(t *testing.T) {
	t.Parallel()
	d := open(t)
	admin := d.Session(d.Member(shop.Admin))
	for _, k := range hook.Kinds {
		send := m{"url": public, "events": []string{k.Name}}
		switch k.Sensitivity {
		case hook.Ping:
			d.Refused("POST", "/webhooks", admin, send, 400, "INVALID_EVENT")
		case hook.Public:
			d.OK("POST", "/webhooks", d.editor, send)
			d.OK("POST", "/webhooks", admin, send)
		default:
			d.Refused("POST", "/webhooks", d.editor, send, 403, "ROLE_REQUIRED")
			d.OK("POST", "/webhooks", admin, send)
		}
	}
	theirs, _ := d.subscribe(public, "product.updated", "order.paid")
	for _, call := range []string{"PUT ", "DELETE ", "POST /test", "POST /replay", "POST /deliveries/1/redeliver"} {
		method, rest, _ := strings.Cut(call, " ")
		d.Refused(method, theirs+rest, d.editor, m{"since": "2026-01-01T00:00:00Z"}, 403, "ROLE_REQUIRED")
	}
	d.OK("GET", theirs, d.editor, nil)
	own := "/webhooks/" + d.Result("POST", "/webhooks", d.editor, m{"url": public, "events": []string{"product.updated"}})["id"].(string)
	d.Refused("PUT", own, d.editor, m{"events": []string{"lead.created"}}, 403, "ROLE_REQUIRED")
	d.OK("PUT", own, d.editor, m{"events": []string{"design.changed"}, "is_active": false})
	d.OK("DELETE", own, d.editor, nil)
}

func TestSubscriptionsAreForMembersOfTheShop(t *testing.T) {
	t.Parallel()
	d := open(t)
	path, made := d.subscribe(public, "order.paid")
	buyer, rival := d.Session(d.Buyer("ben@people.test")), d.Session(d.StrangerID)
	for _, call := range []string{"GET /webhooks", "POST /webhooks", "GET " + path, "PUT " + path, "DELETE " + path, "POST " + path + "/test",
		"GET " + path + "/deliveries", "POST " + path + "/deliveries/1/redeliver", "POST " + path + "/replay"} {
		method, at, _ := strings.Cut(call, " ")
		send := m{"url": public, "events": []string{"product.updated"}, "since": "2026-01-01T00:00:00Z"}
		d.Refused(method, at, d.API.Owner, send, 403, "PAT_METHOD_NOT_ALLOWED")
		d.Refused(method, at, buyer, send, 403, "ROLE_REQUIRED")
		d.Refused(method, at, "", send, 401, "UNAUTHENTICATED")
		if at != "/webhooks" {
			d.Refused(method, at, rival, send, 404, "WEBHOOK_NOT_FOUND")
		}
	}
	if list := d.OK("GET", "/webhooks", rival, nil)["result"].([]any); len(list) != 0 {
		t.Errorf("another shop sees %v", list)
	}
	// A stored secret is sealed to its row.
	sealed, err := webhookdb.Secrets(t.Context(), d.Store.Shop(d.Shop.ID), 1, time.Now())
	if err != nil || len(sealed) != 1 || strings.Contains(string(sealed[0]), made["secret"].(string)) {
		t.Errorf("%q (%v)", sealed, err)
	}
	open := d.Config().Hook.Sealer.Open
	if _, err := open(sealed[0], "shop 1 webhook 2"); err == nil {
		t.Error("the secret can be unsealed for another subscription")
	}
	if text, err := open(sealed[0], fmt.Sprintf("shop %d webhook %v", d.Shop.ID, made["id"])); err != nil || string(text) != made["secret"] {
		t.Errorf("%s (%v)", text, err)
	}
}
