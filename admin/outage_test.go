package admin_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// checkOutageResponse checks the response of a call during an outage: it is the usual response, or
// asks to retry later.
func checkOutageResponse(t *testing.T, what string, got apitest.Answer) {
	t.Helper()
	switch {
	case got.Status == 503:
		if apitest.Code(got.JSON) != "UNAVAILABLE" || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s, Retry-After %q", what, got.Body, got.Header.Get("Retry-After"))
		}
	case got.Status >= 500:
		t.Errorf("%s: %d %s", what, got.Status, got.Body)
	}
}

func TestEveryRowIsUnavailableWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	for _, steps := range []int{0, 1, 2, 3, 4, 6, 8} { // how many statements succeed before the outage
		away := 0
		for _, e := range a.Admin.Table() {
			wholeMinute(a)
			key := credential(a, session, e)
			a.DatabaseConn.Cut(steps)
			got := a.Send(apitest.Request{Method: e.Method, Path: address(e, "1"), Key: key, Body: map[string]any{}})
			a.DatabaseConn.Mend()
			checkOutageResponse(t, fmt.Sprintf("%s %s after %d steps", e.Method, e.Path, steps), got)
			if got.Status == 503 {
				away++
			}
		}
		if steps == 0 && away < len(a.Admin.Table())*3/4 {
			t.Errorf("only %d of %d endpoints were hit by the outage", away, len(a.Admin.Table()))
		}
	}
}

// Browsers store a response with a file name under it, so the error of an export has none.
func TestAnExportThatFailsIsNoFile(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range []string{"/products/export", "/orders/export", "/customers/export", "/form-leads/export"} {
		failed, done := 0, false
		for steps := 1; !done; steps++ {
			wholeMinute(a)
			a.DatabaseConn.Cut(steps)
			got := a.Send(apitest.Request{Method: "GET", Path: path, Key: a.Owner})
			a.DatabaseConn.Mend()
			name := got.Header.Get("Content-Disposition")
			if done = got.Status == 200; !done {
				failed++
			}
			if done != strings.HasPrefix(name, "attachment; filename=") {
				t.Errorf("%s cut after %d messages: %d with %q", path, steps, got.Status, name)
			}
		}
		if failed < 5 {
			t.Errorf("%s failed %d times", path, failed)
		}
	}
}

func TestAWriteInterruptedByAnOutageCanBeRetriedWithItsKey(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for steps, done := 0, false; !done; steps++ {
		name := fmt.Sprintf("Oolong %03d", steps)
		call := apitest.Request{
			Method: "POST", Path: "/products", Key: a.Owner, Header: map[string]string{"Idempotency-Key": name},
			Body: map[string]any{"item": map[string]any{"name": name}},
		}
		wholeMinute(a)
		a.DatabaseConn.Cut(steps)
		first := a.Send(call)
		a.DatabaseConn.Mend()
		checkOutageResponse(t, name, first)
		done = first.Status == 200
		again := a.Send(call)
		for n := 0; again.Status == 503 && n < 20; n++ { // after the time in Retry-After
			again = a.Send(call)
		}
		if again.Status != 200 {
			t.Errorf("%s: %d, and again: %d %s", name, first.Status, again.Status, again.Body)
		}
		filter := catalog.ProductFilter{Query: name, Number: 1, Limit: 10}
		if list, err := catalog.Products(t.Context(), a.Store.Shop(a.Shop.ID), filter); len(list) != 1 || err != nil {
			t.Errorf("%s: %d products, %v", name, len(list), err)
		}
	}
}

func TestServerFaultsAreNotBlamedOnTheCall(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	item := map[string]any{"name": "Oolong"}
	for code, want := range map[string]int{
		"53100": 503, "53200": 503, "53300": 503, "57P01": 503, "57P02": 503, "57P03": 503, "58030": 503, "08006": 503, "25006": 503, "57014": 503,
		"XX000": 500,
	} {
		if err := storetest.FailInserts(t.Context(), a.URL, "product", code); err != nil {
			t.Fatal(err)
		}
		for path, body := range map[string]any{"/products": map[string]any{"item": item}, "/products/batch": map[string]any{"items": []any{item, item}}} {
			got := a.Send(apitest.Request{Method: "POST", Path: path, Key: a.Owner, Body: body})
			inItems := path == "/products/batch" && (want == 500 || code == "57014") &&
				got.Status == 200 // a failed item does not affect the others
			if got.Status != want && !inItems {
				t.Errorf("%s: %s: %d %s", code, path, got.Status, got.Body)
			}
			if want == 503 {
				checkOutageResponse(t, code, got)
				for says, of := range map[string]string{"the disk of the database is full": "53100", "the database accepts no writes": "25006"} {
					if strings.Contains(string(got.Body), says) != (code == of) {
						t.Errorf("%s: %s", code, got.Body)
					}
				}
			}
		}
	}
}
