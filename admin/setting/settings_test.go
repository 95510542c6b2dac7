package setting_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

type (
	m = apitest.Map
	l = []any
)

const settings, options = "/v1/shop/settings", "/v1/shop/delivery-options"

func TestSettingsThatAreNotSentStay(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	first := a.Result("GET", settings, owner, nil)
	if first["language"] != "en" || first["timezone"] != "UTC" || first["tax"] != nil || first["comments"] != true || first["sandbox"] != false ||
		fmt.Sprint(first["socials"]) != "[]" || first["cancel_unpaid_after_hours"] != 0.0 {
		t.Fatalf("%v", first)
	}
	a.OK("PUT", settings, owner, m{"contacts": m{"phone": "1", "email": "tea@shop.test"}, "tax": m{"name": "VAT", "percent": 7.75}, "name": " Tea "})
	v := a.Result("PUT", settings, owner, m{
		"language": "ru", "cancel_unpaid_after_hours": 48, "socials": l{"https://example.test/tea"}, "contacts": m{"hours": "9 to 5"}})
	if v["name"] != "Tea" || fmt.Sprint(v["tax"]) != "map[included:true name:VAT percent:7.75]" || v["cancel_unpaid_after_hours"] != 48.0 ||
		v["contacts"].(m)["phone"] != "" || v["contacts"].(m)["hours"] != "9 to 5" {
		t.Errorf("%v", v)
	}
	if v = a.Result("PUT", settings, owner, m{"tax": nil}); v["tax"] != nil || v["language"] != "ru" {
		t.Errorf("%v", v)
	}
	v = a.Result("PUT", settings, owner, m{"notes": m{"delivery": " Weekdays.\n\nAbroad a week. ", "returns": "30 days"}})
	if got := fmt.Sprintf("%q", v["notes"]); got != `map["delivery":"Weekdays.\n\nAbroad a week." "returns":"30 days"]` {
		t.Errorf("notes %s", got)
	}
	if v = a.Result("PUT", settings, owner, m{"notes": m{"returns": "14 days"}}); fmt.Sprint(v["notes"]) != "map[delivery: returns:14 days]" {
		t.Errorf("notes were not replaced as a whole: %v", v["notes"])
	}
	kept, err := company.Info(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil || kept.Name != "Tea" || kept.Language != "ru" || kept.Version == a.Shop.Version {
		t.Errorf("%+v %v", kept, err)
	}
	if other, err := company.GetSettings(t.Context(), a.Store.Shop(a.Other.ID)); err != nil || other.Language != "" || other.Name == "Tea" {
		t.Errorf("another shop: %+v %v", other, err)
	}
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	long := func(n int) string { return strings.Repeat("x", n) }
	for what, body := range map[string]m{
		"name: must not be empty": {"name": "  "}, "name:": {"name": long(256)}, "name: must be one line": {"name": "a\nb"}, "language": {"language": "de"},
		"timezone": {"timezone": "../../etc/passwd"}, "timezone ": {"timezone": "Local"}, "timezone: must": {"timezone": ""},
		"contacts.email": {"contacts": m{"email": "Tea <tea@shop.test>"}}, "contacts.phone": {"contacts": m{"phone": long(65)}},
		"letters.reply_to": {"letters": m{"reply_to": "nobody"}}, "letters.from_name": {"letters": m{"from_name": "Tea\r\nBcc: all@shop.test"}},
		"socials[0]: must be a URL": {"socials": l{"javascript:alert(1)"}}, "socials[1]:": {"socials": l{"https://example.test", "https://user@example.test"}},
		"tax.percent": {"tax": m{"name": "VAT", "percent": 7.755}}, "tax.percent ": {"tax": m{"name": "VAT", "percent": 101}},
		"tax.name": {"tax": m{"percent": 7}}, "tax.included": {"tax": m{"name": "VAT", "percent": 7, "included": false}}, "tax: ": {"tax": "7"},
		"tax.rates: cannot": {"tax": m{"name": "VAT", "percent": 7, "rates": l{}}}, "tax.default_country": {"tax": taxes(m{}, "default_country", "Germany")},
		"tax.default_country ": {"tax": m{"rates": l{}}}, "tax.rates: must": {"tax": m{"default_country": "DE", "rates": make(l, 501)}},
		"tax.rates[0].country": {"tax": taxes(m{"country": "EU"})}, "tax.rates[0].region": {"tax": taxes(m{"region": long(256)})}, "tax.rates[0].region ": {"tax": taxes(m{"region": "a\x07b"})},
		"tax.rates[0].class": {"tax": taxes(m{"class": "luxury"})}, "tax.rates[0].class ": {"tax": taxes(m{"class": ""})}, "tax.rates[0].name": {"tax": taxes(m{"name": " "})}, "tax.rates[0].name ": {"tax": taxes(m{"name": long(65)})},
		"tax.rates[0].percent": {"tax": taxes(m{"percent": 19.0001})}, "tax.rates[0].percent ": {"tax": taxes(m{"percent": -1})}, "tax.rates[0].percent  ": {"tax": taxes(m{"percent": 100.001})}, "tax.rates[0].percent   ": {"tax": taxes(m{"percent": "19"})},
		"tax.rates[1]: repeats": {"tax": m{"default_country": "US", "rates": l{taxRule(m{"country": "us", "region": "US-NY"}), taxRule(m{"country": "US", "region": " ny "})}}},
		"invoice_prefix":        {"invoice_prefix": "A B"}, "invoice_prefix ": {"invoice_prefix": "<b>"}, "end with CN": {"invoice_prefix": "TEA-CN"}, "invoice_prefix:": {"invoice_prefix": long(21)},
		"cancel_unpaid_after_hours": {"cancel_unpaid_after_hours": -1}, "cancel_unpaid": {"cancel_unpaid_after_hours": 8761}, "buyer_cancel_minutes": {"buyer_cancel_minutes": -1}, "buyer_cancel": {"buyer_cancel_minutes": 43201},
		"cart_reminder.after_hours": {"cart_reminder": m{"after_hours": -1}}, "cart_reminder.after_hours ": {"cart_reminder": m{"after_hours": 673}},
		"cart_reminder: ": {"cart_reminder": m{"after_hours": "24"}}, "expected {after_hours": {"cart_reminder": m{"after_hours": 1.5}},
		"cart_reminder.promotion_id": {"cart_reminder": m{"after_hours": 24, "promotion_id": -1}}, "no such personal_coupon": {"cart_reminder": m{"after_hours": 24, "promotion_id": "999"}},
		"logo_id": {"logo_id": "00000000-0000-0000-0000-00000000000a"}, "expected a file id": {"favicon_id": "x"},
		"notes.delivery": {"notes": m{"delivery": long(4001)}}, "notes.returns": {"notes": m{"returns": long(4001)}},
		"seo.og_image_id": {"seo": m{"og_image_id": "00000000-0000-0000-0000-00000000000a"}},
	} {
		got := a.Send(apitest.Request{Method: "PUT", Path: settings, Key: owner, Body: body})
		if got.Status != 400 || apitest.Code(got.JSON) != "SETTINGS_INVALID" || !strings.Contains(string(got.Body), strings.TrimSpace(what)) {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	sale := a.Result("POST", "/promotions", owner, m{"item": m{"name": "Sale", "kind": "discount", "value": m{"percent": 5}}})["id"]
	a.Refused("PUT", settings, owner, m{"cart_reminder": m{"after_hours": 24, "promotion_id": sale}}, 400, "SETTINGS_INVALID")
	for _, off := range []any{nil, m{"after_hours": 0}, m{"after_hours": 0, "ask_consent": true}} {
		a.OK("PUT", settings, owner, m{"cart_reminder": m{"after_hours": 672}})
		if got := a.Result("PUT", settings, owner, m{"cart_reminder": off}); got["cart_reminder"] != nil {
			t.Errorf("%v leaves %v", off, got["cart_reminder"])
		}
	}
	campaign := a.Result("POST", "/promotions", owner, m{"item": m{"name": "Come back", "kind": "personal_coupon", "value": m{"percent": 5}}})["id"]
	for _, c := range []struct{ sent, want any }{{nil, nil}, {campaign, campaign}, {0, nil}, {campaign, campaign}, {"0", nil}, {campaign, campaign}, {nil, nil}} {
		answers := l{
			a.Result("PUT", settings, owner, m{"cart_reminder": m{"after_hours": 24, "promotion_id": c.sent}}),
			a.Result("GET", settings, owner, nil), a.Result("PUT", settings, owner, m{"cart_reminder": m{"after_hours": 24, "promotion_id": c.sent}}),
		}
		for _, answer := range answers {
			reminder := answer.(m)["cart_reminder"].(m)
			if got, answered := reminder["promotion_id"]; !answered || got != c.want {
				t.Errorf("promotion_id %v is answered as %v", c.sent, reminder)
			}
		}
	}
	many := l{}
	for range 21 {
		many = append(many, "https://example.test")
	}
	a.Refused("PUT", settings, owner, m{"socials": many}, 400, "SETTINGS_INVALID")
}

func TestSettingsAreForOwnersAndAdminsWithoutAKey(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Refused("GET", settings, a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	a.Refused("POST", options, a.Owner, m{"name": "Courier"}, 403, "PAT_METHOD_NOT_ALLOWED")
	for _, key := range []string{a.Session(a.EditorID), a.Session(a.Buyer("ann@people.test"))} {
		a.Refused("PUT", settings, key, m{"name": "Mine"}, 403, "ROLE_REQUIRED")
		a.Refused("POST", options, key, m{"name": "Courier"}, 403, "ROLE_REQUIRED")
	}
	admin := a.Session(a.Member(shop.Admin))
	a.OK("PUT", settings, admin, m{"name": "Ours"})
}

func TestBuyersSeeActiveDeliveryOptionsInOrder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	pickup := a.Result("POST", options, owner, m{"name": "Pickup", "sort_order": 2})
	courier := a.Result("POST", options, owner, m{"name": " Courier ", "price": 500, "free_from": 9000, "needs_address": true, "sort_order": 1})
	if courier["name"] != "Courier" || courier["is_active"] != true || courier["free_from"] != 9000.0 {
		t.Fatalf("%v", courier)
	}
	at := fmt.Sprintf("%s/%v", options, pickup["id"])
	a.OK("PUT", at, owner, m{"is_active": false})
	if names(a.OK("GET", fmt.Sprintf("%s?company_id=%d", options, a.Shop.ID), "", nil)) != "Courier" {
		t.Error("a visitor sees inactive delivery options")
	}
	through := a.Send(apitest.Request{Method: "GET", Path: options, Header: a.ThroughStorefront()})
	if names(through.JSON) != "Courier" {
		t.Errorf("on the shop's host: %s", through.Body)
	}
	if names(a.OK("GET", options, owner, nil)) != "Courier Pickup" || names(a.OK("GET", options, a.Stranger, nil)) != "" {
		t.Error("members of the shop should see all, those of another shop their own")
	}
	a.Refused("GET", options, "", nil, 403, "COMPANY_ID_PROBLEM")
	changed := a.Result("PUT", fmt.Sprintf("%s/%v", options, courier["id"]), owner, m{"free_from": nil, "price": 600})
	if changed["free_from"] != nil || changed["price"] != 600.0 || changed["needs_address"] != true {
		t.Errorf("%v", changed)
	}
	a.OK("DELETE", at, owner, nil)
	a.Refused("DELETE", at, owner, nil, 400, "DELIVERY_NOT_FOUND")
	a.Refused("PUT", at, owner, m{"name": "x"}, 400, "DELIVERY_NOT_FOUND")
	stranger := a.Session(a.StrangerID)
	a.Refused("PUT", fmt.Sprintf("%s/%v", options, courier["id"]), stranger, m{"price": 0}, 400, "DELIVERY_NOT_FOUND")
}

func names(answer m) string {
	var out []string
	for _, d := range answer["result"].(l) {
		out = append(out, d.(m)["name"].(string))
	}
	return strings.Join(out, " ")
}

func TestDeliveryOptionsAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	for what, body := range map[string]m{
		"name missing": {"price": 1}, "a long name": {"name": strings.Repeat("x", 256)}, "negative price": {"name": "x", "price": -1},
		"price too high": {"name": "x", "price": 2_000_000_001}, "free from": {"name": "x", "free_from": -1}, "not a number": {"name": "x", "free_from": "soon"},
		"order": {"name": "x", "sort_order": 1 << 40}, "words": {"name": "x", "description": strings.Repeat("x", 1001)},
	} {
		if got := a.Send(apitest.Request{Method: "POST", Path: options, Key: owner, Body: body}); got.Status != 400 || apitest.Code(got.JSON) != "DELIVERY_INVALID" {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	ctx := t.Context()
	err := a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error {
		for range 99 {
			if _, err := sales.SaveDeliveryOption(ctx, tx, sales.DeliveryOption{Name: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	one := apitest.Request{Method: "POST", Path: options, Key: owner, Body: m{"name": "the last one"}}
	made := 0
	for _, got := range a.AtOnce(one, one, one) {
		if got.Status == 200 {
			made++
		} else if apitest.Code(got.JSON) != "DELIVERY_LIMIT" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if made != 1 {
		t.Errorf("%d of three concurrent calls created the last one", made)
	}
}

func TestTheLookOfAShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	v := a.Result("PUT", settings, owner, m{"look": m{"accent": " #0A5 ", "radius": 0, "text_font": "humanist", "color_scheme": "dark"}})
	if got := fmt.Sprint(v["look"]); got != "map[accent:#00aa55 color_scheme:dark heading_font: radius:0 text_font:humanist]" {
		t.Errorf("%s", got)
	}
	if v = a.Result("PUT", settings, owner, m{"name": "Tea"}); v["look"].(m)["accent"] != "#00aa55" {
		t.Errorf("%v", v["look"])
	}
	a.OK("PUT", settings, owner, m{"tax": m{"name": "VAT", "percent": 7.75}})
	if face, err := company.Face(t.Context(), a.Store.Shop(a.Shop.ID)); err != nil || *face.Taxes.TaxRate != (shop.TaxRate{Name: "VAT", Percent: 7750}) || face.Look.Accent != "#00aa55" || face.Look.Radius == nil || face.Logo.Path != "" {
		t.Errorf("%+v %v", face, err)
	}
	for what, look := range map[string]m{
		"look.accent: #ffee00 has a contrast of 1.20 to 1": {"accent": "#ffee00"}, "look.accent: #ffffff": {"accent": "#fff"}, "look.accent: must be a colour": {"accent": "red}*{color:red"},
		"look.accent: must": {"accent": "#12345"}, "accent": {"accent": strings.Repeat("#", 17)}, "look.radius: must be 0 to 32": {"radius": 33}, "look.radius": {"radius": -1},
		"look.text_font: must be one of": {"text_font": "Comic\";}"}, "look.heading_font": {"heading_font": "x"}, "look.color_scheme": {"color_scheme": "blue"},
	} {
		got := a.Send(apitest.Request{Method: "PUT", Path: settings, Key: owner, Body: m{"look": look}})
		if got.Status != 400 || apitest.Code(got.JSON) != "SETTINGS_INVALID" || !strings.Contains(string(got.Body), what) {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
}
