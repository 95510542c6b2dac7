package admin_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// sent calls every reading endpoint with the largest page and returns the database statements
// and the length of the response of each.
func sent(a *apitest.API) (statements map[string][]storetest.Statement, length map[string]int) {
	statements, length = map[string][]storetest.Statement{}, map[string]int{}
	for _, e := range a.Admin.Table() {
		if e.Method != "GET" || e.Auth == api.SessionOnly || strings.HasPrefix(e.Path, "/docs/") {
			continue
		}
		for who, key := range keys {
			a.Clock.Advance(time.Minute)
			a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: key(a)}) // records the use of the key
			a.Send(apitest.Request{Method: "GET", Path: "/events", Key: key(a)})          // assigns sequence numbers to new events
			a.Sent.Take()
			path := segment.ReplaceAllString(strings.ReplaceAll(strings.ReplaceAll(e.Path, "{slug}", "own-product-1"), "{type}", "category"), "1")
			path += "?page.number=1&page.limit=100&company_id=1&filter.company_id=1&slug=own-product-1&entity_type=product&path=/own&url=/own"
			answer := a.Send(apitest.Request{Method: "GET", Path: path, Key: key(a)})
			statements[who+" "+e.Path] = ofCalls(a.Sent.Take())
			length[who+" "+e.Path] = len(answer.Body)
		}
	}
	return statements, length
}

// Reading a list needs the same number of statements however many rows it has, and so does
// every other read.
func TestLongListsSendNoMoreStatements(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t, store.Migrate)
	a := apitest.On(t, database)
	var first map[string][]storetest.Statement
	var short map[string]int
	from := 0
	// A page of drafts has one kind of thing or several, and reads each kind once: one row of
	// every kind is the maximum.
	for _, rows := range []int{1, 24, 100} {
		storetest.AddRows(t, database, int32(a.Shop.ID), "Own", from, rows)
		from = rows
		statements, length := sent(a)
		if first == nil {
			first, short = statements, length
			continue
		}
		grown := 0
		for row, s := range statements {
			if len(s) > len(first[row]) {
				t.Errorf("%s sends %d statements with 1 row and %d with %d:\n%.3000s", row, len(first[row]), len(s), rows, texts(s))
			}
			if length[row] > 2*short[row] {
				grown++
			}
		}
		if grown < 25 {
			t.Errorf("with %d rows only %d answers grew: the lists were not filled", rows, grown)
		}
		t.Logf("%d rows: %d reads, %d of them longer, none sends more statements", rows, len(statements), grown)
	}
}
