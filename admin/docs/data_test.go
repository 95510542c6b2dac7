package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/golden"
)

// eventTable lists the sensitivity and the fields of every event (document 2, 6.3).
const eventTable = `order.created: pii: order_id, company_id, status, items_total, currency
order.paid: financial: order_id, payment_id, amount, currency, provider
order.refunded: financial: order_id, payment_id, amount, currency, provider
order.shipped: pii: order_id, company_id, shipment_id, carrier, number
order.status_changed: pii: order_id, company_id, old_status, new_status
product.updated: public: product_id, company_id
review.created: public: review_id, company_id, rating, product_id?
promotion.changed: commercial: promotion_id, company_id, kind, active, name
pricing_rule.changed: commercial: company_id, action, pricing_rule_id?, version?
pricing_rule.activated: commercial: company_id, action, pricing_rule_id, version
key.issued: pii: order_id, company_id, user_id, promotion_id, code, expires_at
lead.created: pii: lead_id, form_id, form_name, values, page_url?, utm, created_at, test?
design.changed: public: company_id, resource_type, resource_id, slots
webhook.test: : webhook_id`

func TestEventsMatchTheSpecification(t *testing.T) {
	var doc struct {
		Events []struct {
			Event, Sensitivity, Subscribers, When string
			Data                                  []string
		}
		Delivery struct {
			Attempts int   `json:"max_attempts"`
			Timeout  int   `json:"timeout_seconds"`
			Pauses   []int `json:"pauses_seconds"`
			Headers  map[string]string
			Envelope map[string]string
		}
	}
	open(t).json("/docs/events.json", &doc)
	var events []string
	for _, e := range doc.Events {
		events = append(events, fmt.Sprintf("%s: %s: %s", e.Event, e.Sensitivity, strings.Join(e.Data, ", ")))
		open := e.Sensitivity == "public"
		if e.When == "" || len(e.Data) == 0 || e.Event != "webhook.test" && open != (e.Subscribers == "any member") {
			t.Errorf("%+v", e)
		}
	}
	golden.Ordered(t, "events", events, strings.Split(eventTable, "\n"))
	d := doc.Delivery
	if d.Attempts != 8 || d.Timeout != 10 || !slices.Equal(d.Pauses, []int{1, 5, 30, 120, 600, 1800, 1800}) {
		t.Errorf("delivery %+v", d)
	}
	golden.Rows(t, "headers", slices.Collect(maps.Keys(d.Headers)), strings.Fields(`X-Service-Event X-Service-Event-Id X-Service-Delivery-Id
		X-Service-Attempt X-Service-Timestamp X-Service-Signature X-Service-Sequence webhook-id webhook-timestamp webhook-signature User-Agent`))
	golden.Rows(t, "envelope", slices.Collect(maps.Keys(d.Envelope)), strings.Fields("event event_id created_at data"))
}

func TestTheReadingOrder(t *testing.T) {
	h := open(t)
	a := h.get("/llms.txt")
	if !strings.HasPrefix(a.body, "# vitrine admin API\n\n> ") || a.header("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%s: %.80s", a.header("Content-Type"), a.body)
	}
	for _, address := range []string{"/.well-known/ucp", "/.well-known/acp.json"} {
		if !strings.Contains(a.body, "`"+address+"`") {
			t.Errorf("%s is not named", address)
		}
	}
	now, later, _ := strings.Cut(a.body, "## Optional")
	for _, g := range h.guides() {
		part := now
		if g.Status == "planned" {
			part = later
		}
		if !strings.Contains(part, "]("+adminURL+g.Path+"): "+g.Purpose+"\n") {
			t.Errorf("%s is not listed as a %s guide", g.Path, g.Status)
		}
	}
}

func TestTheIndexListsExistingEndpoints(t *testing.T) {
	h := open(t)
	var index struct{ Guides, Data []guideEntry }
	h.json("/docs/index.json", &index)
	for _, e := range slices.Concat(index.Guides, index.Data) {
		if !h.has("GET", e.Path) {
			t.Errorf("%s is in the index, but not in the endpoint table", e.Path)
		}
	}
}

func TestTheWidgetReferenceIsPublic(t *testing.T) {
	h := open(t)
	var doc struct {
		Version int
		Widgets []struct{ Kind string }
	}
	h.json("/docs/widgets", &doc)
	if a := h.get("/docs/widgets"); a.header("Cache-Control") != "public, max-age=300" || doc.Version != 1 || len(doc.Widgets) < 17 {
		t.Errorf("version %d, %d widgets, %s", doc.Version, len(doc.Widgets), a.header("Cache-Control"))
	}
}

func TestValidateAcceptsTheBodyOfAWrite(t *testing.T) {
	h := open(t)
	list := `[{"type":"text","payload":{"v":2,"kind":"articleGrid","props":{"articleGrid":{"limit":999},"limit":3}}}]`
	var first string
	for _, body := range []string{list, `{"sections":` + list + `}`, `{"item":{"name":"x","sections":` + list + `}}`} {
		a := h.call("POST", "/docs/validate", "", body)
		var got struct {
			Result []struct {
				Path, Status string
				Drawn        any
			}
			Ignored int
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || got.Ignored != 1 {
			t.Fatalf("%s: %d %s", body, a.status, a.body)
		}
		if !slices.ContainsFunc(got.Result, func(f struct {
			Path, Status string
			Drawn        any
		}) bool {
			return f.Path == "sections[0].payload.props.articleGrid.limit" && f.Status == "applied" && f.Drawn == 48.0
		}) {
			t.Errorf("%s: %s", body, a.body)
		}
		if first == "" {
			first = a.body
		}
		if a.body != first {
			t.Errorf("%s gets another response: %s", body, a.body)
		}
	}
}

func TestValidateRefusesWhatAWriteRefuses(t *testing.T) {
	h := open(t)
	for body, code := range map[string]string{
		`{}`: "INVALID_REQUEST", ``: "INVALID_REQUEST", `null`: "INVALID_REQUEST", `7`: "INVALID_REQUEST", `{"sections":`: "INVALID_REQUEST",
		`{"sections":{}}`: "BLOCK_SECTIONS_INVALID", `{"sections":null}`: "BLOCK_SECTIONS_INVALID",
		`{"sections":["` + strings.Repeat("a", 70_000) + `"]}`: "BLOCK_TOO_LARGE",
		`[` + strings.Repeat(" ", 300_000) + `]`:               "BODY_TOO_LARGE",
	} {
		if a := h.call("POST", "/docs/validate", "", body); a.status < 400 || a.status >= 500 || !strings.Contains(a.body, code) {
			t.Errorf("%.40s: %d %.200s, want %s", body, a.status, a.body, code)
		}
	}
}

func TestValidateHandlesAnyInput(t *testing.T) {
	h := open(t)
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.OneOf(rapid.String(), rapid.Map(rapid.String(), func(s string) string {
			text, err := json.Marshal(
				[]any{map[string]any{"type": "text", s: s, "payload": map[string]any{"kind": "steps", s: s, "props": map[string]any{s: s}}}},
			)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		})).Draw(t, "body")
		if a := h.call("POST", "/docs/validate", "", body); a.status >= 500 || !json.Valid([]byte(a.body)) {
			t.Fatalf("%q: %d %s", body, a.status, a.body)
		}
	})
}
