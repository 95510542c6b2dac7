package admin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// keptTexts are the fields whose white space counts towards their length, and why.
var keptTexts = map[string]string{
	"password": "a secret", "new_password": "a secret", "secret": "a secret",
	"path": "names a file", "delete": "names files",
	"paths":   "names requested addresses",
	"pattern": "a space in it matches a space",
}

func TestWhiteSpaceCountsOnlyInSecretsAndNamesOfOtherThings(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	unused := maps.Clone(keptTexts)
	for _, e := range a.Admin.Table() {
		for _, f := range inputsOf(e.Do.In, nil) {
			if _, known := keptTexts[f.name]; f.bound.Kept && !known {
				t.Errorf("%s %s: the white space around %s counts", e.Method, e.Path, f.name)
			}
			if f.bound.Kept {
				delete(unused, f.name)
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("no field counts the white space of %v", slices.Sorted(maps.Keys(unused)))
	}
}

// A text at its bound with spaces around it is accepted and stored without them, also where the
// endpoint checks the bound itself.
func TestLengthsThatEndpointsCheckCountAfterTrimming(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	product := fmt.Sprint(a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "stock_quantity": 1}})["id"])
	session := a.Session(a.OwnerID)
	for _, c := range []struct {
		method, path, key, field string
		most                     int
		body                     func(text string) any
	}{
		{"PUT", "/v1/auth/me", session, "phone", 64, func(s string) any { return apitest.Map{"phone": s} }},
		{"PUT", "/v1/auth/me", session, "name", 255, func(s string) any { return apitest.Map{"name": s} }},
		{"PUT", "/products/" + product + "/stock", session, "comment", 500, func(s string) any {
			return apitest.Map{"quantity": 2, "comment": s}
		}},
		{"PUT", "/v1/shop/payment-methods/manual", session, "settings.instructions", 4000, func(s string) any {
			return apitest.Map{"title": "Transfer", "settings": apitest.Map{"instructions": s}}
		}},
		{"POST", "/pricing-rules", a.Owner, "name", 255, func(s string) any {
			return apitest.Map{"item": apitest.Map{"name": s, "count": "line", "product_ids": []string{product}, "tiers": []any{apitest.Map{"from": 2, "percent": 10}}}}
		}},
		{"PUT", "/products/" + product + "/variants", a.Owner, "options", 255, func(s string) any {
			return apitest.Map{"items": []any{apitest.Map{"title": "A", "options": apitest.Map{s: s}}}}
		}},
		{"POST", "/products/batch", a.Owner, "name", 255, func(s string) any {
			return apitest.Map{"items": []any{apitest.Map{"name": s, "brand": s}}}
		}},
		{"POST", "/products/import", a.Owner, "name", 255, func(s string) any {
			return apitest.Map{"text": "name;brand\n\"" + s + "\";\"" + s + "\"\n"}
		}},
	} {
		text := strings.Repeat("x", c.most)
		send := func(text string) apitest.Answer {
			body, err := json.Marshal(c.body(text))
			if err != nil {
				t.Fatal(err)
			}
			return a.Send(apitest.Request{Method: c.method, Path: c.path, Key: c.key, Body: string(body)})
		}
		got := send("  " + text + "  ")
		if got.Status != 200 || strings.Contains(string(got.Body), "too long") || strings.Contains(string(got.Body), "at most") || strings.Contains(string(got.Body), " "+text) {
			t.Errorf("%s %s %s of %d characters with spaces: %d %.300s", c.method, c.path, c.field, c.most, got.Status, got.Body)
		}
		over := send(" " + text + "x ")
		if over.Status == 200 && !strings.Contains(string(over.Body), "at most") {
			t.Errorf("%s %s %s of %d characters: %d %.300s", c.method, c.path, c.field, c.most+1, over.Status, over.Body)
		}
	}
}
