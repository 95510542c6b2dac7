package api_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

func TestAVisitorCannotUseUpTheBudgetsOfOthers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	read := func(from, key string) apitest.Answer {
		return a.Send(
			apitest.Request{
				Method: "GET", Path: fmt.Sprintf("/products?company_id=%d", a.Shop.ID), Key: key,
				Header: map[string]string{"X-Forwarded-For": from},
			},
		)
	}
	var last apitest.Answer
	refused := 0
	for range 610 {
		if last = read("203.0.113.1", ""); last.Status == 429 {
			refused++
		}
	}
	if refused != 10 || apitest.Code(last.JSON) != "RATE_LIMITED" || last.Header.Get("Retry-After") != "1" {
		t.Errorf("%d of 610 were refused: %s", refused, last.Body)
	}
	if got := read("203.0.113.2", ""); got.Status == 429 {
		t.Errorf("another visitor: %s", got.Body)
	}
	if got := read("203.0.113.1", a.Owner); got.Status != 200 {
		t.Errorf("the owner's key from the same network: %s", got.Body)
	}
}

// Every open endpoint is limited by network or has its own budgets, and lists the refusal.
func TestEveryOpenEndpointIsLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for range 121 { // without a session, each is a call without a company
		a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/logout", Header: map[string]string{"X-Forwarded-For": "203.0.113.1"}})
	}
	for range 601 {
		a.Send(apitest.Request{Method: "GET", Path: "/docs/scopes.json", Header: map[string]string{"X-Forwarded-For": "203.0.113.1"}})
	}
	for range 181 {
		a.Send(apitest.Request{Method: "PUT", Path: "/uploads/nothing", Header: map[string]string{"X-Forwarded-For": "203.0.113.1"}})
	}
	for _, e := range a.Admin.Table() {
		if !e.Refusals().Has("RATE_LIMITED", 429) {
			t.Errorf("%s %s does not list RATE_LIMITED", e.Method, e.Path)
		}
		if e.Auth != api.Public && e.Auth != api.Link || e.OwnBudget { // password guesses are counted separately
			continue
		}
		for from, limited := range map[string]bool{"203.0.113.1": true, "203.0.113.2": false} {
			got := a.Send(apitest.Request{Method: e.Method, Path: e.Path, Header: map[string]string{"X-Forwarded-For": from}})
			if (got.Status == 429) != limited {
				t.Errorf("%s %s from %s: %d", e.Method, e.Path, from, got.Status)
			}
		}
	}
}
