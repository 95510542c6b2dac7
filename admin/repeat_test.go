package admin_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// secretFields are the names of response fields that are shown once.
var secretFields = map[string]bool{"token": true, "secret": true, "standard_secret": true, "password": true}

func answersSecret(t reflect.Type, depth int) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || depth > 5 {
		return false
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if secretFields[name] && t.Field(i).Type.Kind() == reflect.String || answersSecret(t.Field(i).Type, depth+1) {
			return true
		}
	}
	return false
}

// emptySecrets are endpoints whose response type has such a field but leaves it empty: policies
// list their passwords, but only the endpoint that adds one shows it.
var emptySecrets = map[string]bool{"/access-policies": true}

// A secret that is shown once is not stored for repeats of the call.
func TestEndpointsThatShowASecretDeclareIt(t *testing.T) {
	t.Parallel()
	for _, e := range apitest.New(t).Admin.Table() {
		if e.Method != "POST" || emptySecrets[e.Path] {
			continue
		}
		if shows := answersSecret(e.Do.Out, 0) || e.Path == "/v1/account/tokens" || e.Path == "/v1/auth/totp/confirm"; shows != e.Secret {
			t.Errorf("POST %s: shows a secret %v, the endpoint declares %v", e.Path, shows, e.Secret)
		}
	}
}

// caller is a client that repeats a call on one of the origins.
type caller struct {
	name   string
	onHost bool
	token  func() string
}

func (who caller) request(a *apitest.API, path, key string, body any) apitest.Request {
	r := apitest.Request{Method: "POST", Path: path, Body: body, Header: map[string]string{}}
	if who.onHost {
		r.Header = a.OnHost(who.token())
	} else {
		r.Key = who.token()
	}
	r.Header["Idempotency-Key"] = key
	return r
}

func callers(a *apitest.API) []caller {
	guest := func(header map[string]string) apitest.Answer {
		return a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: header})
	}
	ann := a.Buyer("ann@people.test")
	always := func(token string) func() string { return func() string { return token } }
	return []caller{
		{"a guest on the shop's host", true, always(guest(a.ThroughStorefront()).Cookie())},
		{"an account on the shop's host", true, func() string { return a.Bound(ann) }},
		{"a guest on the admin origin", false, always(guest(nil).JSON["result"].(apitest.Map)["token"].(string))},
		{"an account on the admin origin", false, func() string { return a.Session(ann) }},
		{"a member", false, func() string { return a.Session(a.OwnerID) }},
		{"an editor", false, func() string { return a.Session(a.EditorID) }},
		{"a key", false, always(a.Owner)},
	}
}

// Every POST answers a repeated Idempotency-Key with the first response, success or refusal, for
// every caller and on every origin.
func TestEveryPostIsRepeatedForEveryCaller(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, who := range callers(a) {
		tried := 0
		for n, e := range a.Admin.Table() {
			if !e.Idempotent() || e.Auth == api.Link || !e.TakesJSON() {
				continue
			}
			a.Clock.Advance(time.Minute) // past the rate limits
			path := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(e.Path, "1")
			r := who.request(a, path, fmt.Sprintf("key-%d", n), apitest.Map{"company_id": a.Shop.ID})
			first := a.Send(r)
			if first.Status == 401 || first.Status == 403 && apitest.Code(first.JSON) != "DENIED" || first.Header.Get("Retry-After") != "" {
				continue // not admitted, so the call had no effect
			}
			tried++
			again := a.Send(r)
			if e.Secret && first.Status < 300 {
				if again.Status != 409 || apitest.Code(again.JSON) != "IDEMPOTENCY_SECRET_GONE" {
					t.Errorf("%s, POST %s: repeated %d %s", who.name, e.Path, again.Status, again.Body)
				}
				continue
			}
			if again.Status != first.Status || string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s, POST %s: first %d %.100s, repeated %d %.100s", who.name, e.Path, first.Status, first.Body, again.Status, again.Body)
			}
		}
		if tried < 10 {
			t.Errorf("%s: only %d endpoints were tried", who.name, tried)
		}
	}
}

// The same key of one person counts separately in each shop, equal keys of two people do not
// collide, and signing in again does not lose the stored response.
func TestAKeyBelongsToAPersonAndAShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann, bob := a.Buyer("ann@people.test"), a.Buyer("bob@people.test")
	add := func(token string, company any) apitest.Answer {
		return a.Send(apitest.Request{
			Method: "POST", Path: "/v1/account/addresses", Key: token, Header: map[string]string{"Idempotency-Key": "k"},
			Body: apitest.Map{"company_id": company, "city": "Berlin"},
		})
	}
	first := add(a.Session(ann), a.Shop.ID)
	for name, c := range map[string]struct {
		got  apitest.Answer
		want bool
	}{
		"signed in again": {add(a.Session(ann), a.Shop.ID), true},
		"another shop":    {add(a.Session(ann), a.Other.ID), false},
		"another person":  {add(a.Session(bob), a.Shop.ID), false},
		"no shop": {a.Send(apitest.Request{Method: "POST", Path: "/v1/account/addresses", Key: a.Session(ann),
			Header: map[string]string{"Idempotency-Key": "k"}, Body: apitest.Map{"city": "Berlin"}}), false},
		"an unknown shop": {add(a.Session(ann), 1_000_000_000), false},
	} {
		if replayed := c.got.Header.Get("Idempotent-Replayed") == "true"; replayed != c.want || c.want && string(c.got.Body) != string(first.Body) {
			t.Errorf("%s: replayed %v, %d %s", name, replayed, c.got.Status, c.got.Body)
		}
	}
	header := a.OnHost(a.Bound(ann))
	header["Idempotency-Key"] = "k"
	got := a.Send(apitest.Request{Method: "POST", Path: "/v1/account/addresses", Header: header, Body: apitest.Map{"company_id": a.Shop.ID, "city": "Berlin"}})
	if got.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("on the shop's host: %d %s", got.Status, got.Body)
	}
}

// A buyer who sends the checkout twice with one key gets one order, also if both are
// concurrent.
func TestACheckoutSentTwiceIsOneOrder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "is_published": true, "price": apitest.Map{"price": 10}}})["id"]
	for _, who := range callers(a) {
		if who.name == "a key" {
			continue
		}
		r := who.request(a, fmt.Sprintf("/cart/items/%v/default?company_id=%d", tea, a.Shop.ID), "line", apitest.Map{"quantity": 1})
		if got := a.Send(r); got.Status != 200 {
			t.Fatalf("%s: %d %s", who.name, got.Status, got.Body)
		}
		confirm := who.request(a, "/cart/confirm", "order", apitest.Map{"company_id": a.Shop.ID, "contact": apitest.Map{"name": "Ann", "phone": "1"}})
		orders := map[any]bool{}
		for _, got := range append(a.AtOnce(confirm, confirm, confirm), a.Send(confirm)) {
			for got.Status == 409 && got.Header.Get("Retry-After") != "" {
				got = a.Send(confirm)
			}
			if got.Status != 200 {
				t.Errorf("%s: %d %s", who.name, got.Status, got.Body)
				continue
			}
			orders[got.JSON["result"].(apitest.Map)["id"]] = true
		}
		if len(orders) != 1 {
			t.Errorf("%s: %d orders", who.name, len(orders))
		}
	}
}
