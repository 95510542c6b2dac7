package form_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/storetest"
)

type (
	m = apitest.Map
	l = []any
)

// fixture is an API with a form.
type fixture struct {
	*apitest.API
	t    *testing.T
	form string
}

func newFixture(t *testing.T, fields ...any) fixture {
	t.Parallel()
	a := apitest.New(t)
	return fixture{a, t, newForm(a, fields...)}
}

// send submits the form from a client address, with additional request fields.
func (h fixture) send(from string, values m, more m) apitest.Answer {
	h.t.Helper()
	body := m{"form_id": h.form, "values": values}
	for name, value := range more {
		body[name] = value
	}
	header := h.ThroughStorefront()
	header["X-Forwarded-For"] = from
	return h.Send(apitest.Request{Method: "POST", Path: "/form-leads", Body: body, Header: header})
}

// lead returns a lead as shown to the shop.
func (h fixture) lead(sent apitest.Answer) m {
	h.t.Helper()
	if sent.Status != 200 {
		h.t.Fatalf("not sent: %d %s", sent.Status, sent.Body)
	}
	return h.Result("GET", "/form-leads/"+sent.JSON["result"].(m)["id"].(string), h.Owner, nil)
}

// status returns the status of a lead, and its spam reason.
func (h fixture) status(sent apitest.Answer) string {
	h.t.Helper()
	l := h.lead(sent)
	return strings.TrimSpace(fmt.Sprint(l["status"], " ", l["spam_reason"]))
}

// reported returns the ids of the leads reported by events.
func (h fixture) reported() string {
	h.t.Helper()
	events := storetest.Events(h.t, h.Store.Pool, int(h.Shop.ID))
	var ids []string
	for _, e := range events {
		var body struct {
			ID   string `json:"lead_id"`
			Test bool
		}
		if err := json.Unmarshal(e.Body, &body); err != nil || e.Name != "lead.created" {
			continue
		}
		if body.Test {
			body.ID += " test"
		}
		ids = append(ids, body.ID)
	}
	return strings.Join(ids, ", ")
}

// letters returns how many letters about leads are queued.
func (h fixture) letters() int {
	h.t.Helper()
	_, total, err := letter.List(h.t.Context(), h.Store.Shop(h.Shop.ID), "", "lead_seller", 1, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return total
}

// token returns a token for a page of the form.
func (h fixture) token() string {
	h.t.Helper()
	got := h.Send(apitest.Request{Method: "GET", Path: "/forms/" + h.form + "/token", Header: h.ThroughStorefront()})
	if got.Status != 200 || got.Header.Get("Cache-Control") != "no-store" {
		h.t.Fatalf("%d %v", got.Status, got.Header)
	}
	return got.JSON["result"].(m)["token"].(string)
}

// prove computes the proof of work for a token.
func prove(token string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(fmt.Sprint(token, ":", n)))
		if bits.LeadingZeros16(uint16(sum[0])<<8|uint16(sum[1])) == 16 {
			return fmt.Sprint(n)
		}
	}
}

func (h fixture) limit(bytes int64) { h.Limit(company.Limits{store.LimitStorage: bytes}) }
