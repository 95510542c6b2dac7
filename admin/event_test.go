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
)

// eventFields are the data of each event (document 2, 6.3); what may be absent ends in
// a question mark.
var eventFields = map[string]string{
	"order.created":          "order_id company_id status items_total currency",
	"order.paid":             "order_id payment_id amount currency provider",
	"order.status_changed":   "order_id company_id old_status new_status",
	"product.updated":        "product_id company_id",
	"promotion.changed":      "promotion_id company_id kind active name",
	"pricing_rule.changed":   "company_id action pricing_rule_id? version?",
	"pricing_rule.activated": "company_id action pricing_rule_id version",
	"key.issued":             "order_id company_id user_id promotion_id code expires_at",
	"lead.created":           "lead_id form_id form_name values page_url? utm created_at test?",
	"design.changed":         "company_id resource_type resource_id slots",
}

// The story of a day records every event that there is, each with its fields and no
// others.
func TestEveryEventHasItsFields(t *testing.T) {
	t.Parallel()
	r := &recorder{API: apitest.New(t, anyPicture), t: t, calls: map[string]openapi.Recorded{}}
	r.story()
	events, err := r.Store.Shop(r.Shop.ID).Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lacking := maps.Clone(eventFields)
	delete(lacking, "design.changed") // the story binds a block; chrome is bound in the tests of admin/design
	for _, e := range events {
		fields, known := eventFields[e.Name]
		delete(lacking, e.Name)
		var body map[string]any
		if err := json.Unmarshal(e.Body, &body); err != nil || !known {
			t.Errorf("%s: %s, %v", e.Name, e.Body, err)
			continue
		}
		if id, told := body["company_id"]; told && fmt.Sprint(id) != r.Shop.ID.String() {
			t.Errorf("%s: of shop %v", e.Name, id)
		}
		for _, field := range strings.Fields(fields) {
			name, optional := strings.CutSuffix(field, "?")
			if _, told := body[name]; !told && !optional {
				t.Errorf("%s lacks %s: %s", e.Name, name, e.Body)
			}
			delete(body, name)
		}
		if len(body) > 0 {
			t.Errorf("%s tells %v beside", e.Name, slices.Sorted(maps.Keys(body)))
		}
	}
	if len(lacking) > 0 {
		t.Errorf("the story causes none of %v", slices.Sorted(maps.Keys(lacking)))
	}
}
