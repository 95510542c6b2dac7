package admin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/admin/openapi"
	"vitrine/internal/hook"
	"vitrine/internal/store/storetest"
)

// The story of a day, a change of the chrome and a refund by hand emit every kind of event, each with exactly its
// documented fields. A kind that nothing emits fails here.
func TestEveryEventHasItsFields(t *testing.T) {
	t.Parallel()
	r := &recorder{API: apitest.New(t, anyPicture), t: t, calls: map[string]openapi.Recorded{}}
	r.story()
	block := fmt.Sprint(r.Result("POST", "/content-blocks", r.Owner, object{"item": object{"name": "Footer", "group_type": "chrome"}})["id"])
	r.OK("PUT", "/design/bindings/shop/0", r.Owner, object{"slots": object{"footer": block}}) // the story binds no chrome
	tea := fmt.Sprint(r.Result("POST", "/products", r.Owner, object{"item": object{"name": "Bancha", "price": object{"price": 7}, "is_published": true}})["id"])
	buyer := r.Session(r.Buyer("ben@people.test"))
	r.OK("POST", "/cart/items/"+tea+"/default", buyer, object{"quantity": 1})
	order := fmt.Sprint("/orders/", r.Result("POST", "/cart/confirm", buyer, object{"company_id": r.Shop.ID, "contact": object{"name": "Ben", "phone": "1"}})["id"])
	r.OK("POST", order+"/payment/confirm", r.Session(r.OwnerID), nil)
	r.OK("POST", order+"/refund", r.Owner, nil) // the refund of the story waits for its provider
	events := storetest.Events(t, r.Store.Pool, int(r.Shop.ID))
	lacking := map[string]bool{}
	for _, name := range hook.Names(true) {
		lacking[name] = true
	}
	for _, e := range events {
		kind, known := hook.Find(e.Name)
		delete(lacking, e.Name)
		var body map[string]any
		if err := json.Unmarshal(e.Body, &body); err != nil || !known {
			t.Errorf("%s: %s, %v", e.Name, e.Body, err)
			continue
		}
		if id, present := body["company_id"]; present && fmt.Sprint(id) != r.Shop.ID.String() {
			t.Errorf("%s: belongs to shop %v", e.Name, id)
		}
		for _, field := range kind.Data {
			name, optional := strings.CutSuffix(field, "?")
			if _, present := body[name]; !present && !optional {
				t.Errorf("%s lacks %s: %s", e.Name, name, e.Body)
			}
			delete(body, name)
		}
		if len(body) > 0 {
			t.Errorf("%s has the unknown fields %v", e.Name, slices.Sorted(maps.Keys(body)))
		}
	}
	if len(lacking) > 0 {
		t.Errorf("hook.Kinds has %v, which nothing in the story emits", slices.Sorted(maps.Keys(lacking)))
	}
}
