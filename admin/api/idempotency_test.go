package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// post creates a product with an Idempotency-Key.
func post(a *apitest.API, token, key, name string) apitest.Answer {
	return a.Send(apitest.Request{
		Method: "POST", Path: "/products", Key: token, Header: map[string]string{"Idempotency-Key": key},
		Body: apitest.Map{"item": apitest.Map{"name": name}},
	})
}

func products(t *testing.T, a *apitest.API) string {
	t.Helper()
	return fmt.Sprint(a.Result("GET", "/tariff/usage", a.Owner, nil)["products_max"].(apitest.Map)["used"])
}

// Of many concurrent equal requests only one runs; the others get its response, at once or on the
// retry that they are told to make.
func TestOneOfManyEqualPostsRuns(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	equal := apitest.Request{
		Method: "POST", Path: "/products/batch", Key: a.Owner, Header: map[string]string{"Idempotency-Key": "order-1"},
		Body: `{"items":[{"name":"Tea"},{"name":""},{"name":"Coffee"}]}`,
	}
	worked, waited, heard := 0, 0, map[string]int{}
	for _, r := range a.AtOnce(slices.Repeat([]apitest.Request{equal}, 20)...) {
		for r.Status == 409 && apitest.Code(r.JSON) == "IDEMPOTENCY_IN_PROGRESS" && r.Header.Get("Retry-After") != "" {
			waited++
			r = a.Send(equal)
		}
		if r.Status == 200 && r.Header.Get("Idempotent-Replayed") == "" {
			worked++
		}
		heard[string(r.Body)]++
	}
	if n := products(t, a); worked != 1 || n != "2" || len(heard) != 1 {
		t.Errorf("%d calls ran and created %s products, the answers were %v", worked, n, heard)
	}
	other := equal
	other.Body = `{"items":[{"name":"Milk"}]}`
	if r := a.Send(other); r.Status != 422 || apitest.Code(r.JSON) != "IDEMPOTENCY_KEY_REUSED" {
		t.Errorf("another body: %d %s", r.Status, r.Body)
	}
	t.Logf("20 equal requests: %d ran, %d were told to wait", worked, waited)
}

func TestARepeatGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	first := post(a, a.Owner, "k", "Tea")
	again := post(a, a.Owner, "k", "Tea")
	if again.Status != 200 || string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" ||
		again.Header.Get("Content-Type") != first.Header.Get("Content-Type") || again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
		t.Errorf("%v %s, first %s", again.Header, again.Body, first.Body)
	}
	refused := post(a, a.Owner, "bad", "")
	again = post(a, a.Owner, "bad", "")
	if refused.Status != 400 || again.Status != 400 || string(again.Body) != string(refused.Body) ||
		again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s", refused.Status, refused.Body, again.Status, again.Body)
	}
	other := post(a, a.Owner, "k", "Coffee")
	if other.Status != 422 || apitest.Code(other.JSON) != "IDEMPOTENCY_KEY_REUSED" {
		t.Errorf("another body: %d %s", other.Status, other.Body)
	}
	address := a.Send(apitest.Request{
		Method: "POST", Path: "/products?x=1", Key: a.Owner, Header: map[string]string{"Idempotency-Key": "k"}, Body: `{"item":{"name":"Tea"}}`,
	})
	if address.Status != 422 {
		t.Errorf("another address: %d %s", address.Status, address.Body)
	}
	if n := products(t, a); n != "1" {
		t.Errorf("%s products", n)
	}
}

func TestKeysBelongToACredential(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	second := a.Key(a.OwnerID, "owner", "prod")
	for _, token := range []string{a.Owner, second, a.Session(a.OwnerID), a.Stranger} {
		if r := post(a, token, "same", "Tea"); r.Status != 200 || r.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	if n := products(t, a); n != "3" {
		t.Errorf("%s products", n)
	}
}

func TestKeysExpireAfterADay(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	post(a, a.Owner, "k", "Tea")
	a.Clock.Advance(24*time.Hour - time.Second)
	if r := post(a, a.Owner, "k", "Tea"); r.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("within the day: %d %s", r.Status, r.Body)
	}
	a.Clock.Advance(time.Second)
	if r := post(a, a.Owner, "k", "Coffee"); r.Status != 200 || r.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("a day later: %d %s", r.Status, r.Body)
	}
	if n := products(t, a); n != "2" {
		t.Errorf("%s products", n)
	}
}

func TestInvalidIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, key := range map[string]string{
		"empty": "", "too long": strings.Repeat("k", 256), "no ASCII": "ключ", "a tab": "a\tb",
	} {
		if r := post(a, a.Owner, key, "Tea"); r.Status != 400 || apitest.Code(r.JSON) != "IDEMPOTENCY_KEY_INVALID" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	for _, key := range []string{"k", strings.Repeat("k", 255), `a b"{}~`} {
		if r := post(a, a.Owner, key, "Tea"); r.Status != 200 {
			t.Errorf("%q: %d %s", key, r.Status, r.Body)
		}
	}
}

// A secret that is shown once is not stored: a repeat creates and shows nothing.
func TestASecretIsNotRepeated(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	issue := apitest.Request{
		Method: "POST", Path: "/v1/account/tokens", Key: session, Header: map[string]string{"Idempotency-Key": "k"},
		Body: apitest.Map{"scopes": []string{"catalog:read"}},
	}
	first, again := a.Send(issue), a.Send(issue)
	secret, _ := first.JSON["result"].(apitest.Map)["key"].(string)
	if secret == "" || again.Status != 409 || apitest.Code(again.JSON) != "IDEMPOTENCY_SECRET_GONE" {
		t.Errorf("%s, then %s", first.Body, again.Body)
	}
	if n := a.OK("GET", "/v1/account/tokens", session, nil)["result"].([]any); len(n) != 3 { // including the owner's two
		t.Errorf("%d keys", len(n))
	}
}

func TestUploadsAreExemptAndPutsIgnoreTheKey(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})["id"]
	for _, name := range []string{"Green", "Black"} {
		r := a.Send(apitest.Request{
			Method: "PUT", Path: fmt.Sprintf("/products/%v", id), Key: a.Owner, Header: map[string]string{"Idempotency-Key": "k"},
			Body: apitest.Map{"item": apitest.Map{"name": name}},
		})
		if r.Status != 200 || r.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	body := strings.Repeat("x", 100<<10)
	for range 2 {
		r := a.Send(apitest.Request{
			Method: "POST", Path: "/html-documents/1/releases/zip", Key: a.Owner, Header: map[string]string{"Idempotency-Key": "k"}, Body: body,
		})
		if r.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("an upload got a stored answer: %s", r.Body)
		}
	}
}
