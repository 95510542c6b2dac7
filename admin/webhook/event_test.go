package webhook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/store"
)

// Events have consecutive numbers. An event that commits late gets a number after those already
// deliveriesPageSize, so that no reader misses it.
func TestEventsAfterASequenceNumber(t *testing.T) {
	t.Parallel()
	d := open(t)
	list := func(key, query string) (seqs []string) {
		t.Helper()
		for _, e := range d.OK("GET", "/events"+query, key, nil)["result"].([]any) {
			seqs = append(seqs, e.(m)["seq"].(string)+" "+e.(m)["event"].(string))
		}
		return seqs
	}
	orders := d.Scoped("orders:read")
	before := list(orders, "")
	err := d.Store.Write(t.Context(), d.Shop.ID, func(late *store.Tx) error {
		if err := late.RecordEvent(t.Context(), "order.paid", m{"late": true}); err != nil {
			return err
		}
		d.editProduct()
		if got := list(orders, ""); len(got) != len(before)+1 || !strings.HasSuffix(got[len(got)-1], " product.updated") {
			t.Errorf("%v, then %v", before, got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := list(d.owner, "?after=0&limit=1000")
	for i, e := range all {
		if !strings.HasPrefix(e, fmt.Sprint(i+1, " ")) {
			t.Errorf("event %d is %s", i+1, e)
		}
	}
	last := len(all)
	if got := list(orders, fmt.Sprint("?after=", last-1)); len(got) != 1 || got[0] != fmt.Sprint(last, " order.paid") {
		t.Errorf("the late event: %v", got)
	}
	if got := list(d.editor, ""); slices.ContainsFunc(got, func(e string) bool { return !strings.HasSuffix(e, " product.updated") }) || len(got) != last-1 {
		t.Errorf("an editor sees %v", got)
	}
	if got := list(orders, "?limit=1"); len(got) != 1 || got[0] != all[0] {
		t.Errorf("%v", got)
	}
	if got := list(orders, fmt.Sprint("?after=", last)); got != nil {
		t.Errorf("%v", got)
	}
	for _, query := range []string{"?limit=0", "?limit=1001", "?after=-1", "?after=x", "?limit=many"} {
		d.Refused("GET", "/events"+query, d.owner, nil, 400, "INVALID_REQUEST")
	}
	d.Refused("GET", "/events", d.Scoped("catalog:read"), nil, 403, "PAT_SCOPE_MISSING")
	d.Refused("GET", "/events", d.Session(d.Buyer("ben@people.test")), nil, 403, "ROLE_REQUIRED")
	d.Refused("GET", "/events", "", nil, 401, "UNAUTHENTICATED")
	if got := list(d.Session(d.StrangerID), ""); got != nil {
		t.Errorf("another shop sees %v", got)
	}
}
