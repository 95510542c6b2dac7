package site_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
)

// atOnce runs the calls at the same time and counts the answers by code; "" is
// success.
func atOnce(a *apitest.API, calls ...apitest.Request) map[string]int {
	return apitest.Codes(a.AtOnce(calls...))
}

func TestRacingWritersOfTheSetSeeOneAnother(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	create := func(from, to string) apitest.Request {
		return apitest.Request{Method: "POST", Path: rulesPath, Key: a.Owner, Body: rule(from, to)}
	}
	if got := atOnce(a, create("/a", "/b"), create("/b", "/a")); got[""] != 1 || got["REDIRECT_LOOP"] != 1 {
		t.Errorf("two halves of a circle: %v", got)
	}
	if got := atOnce(a, create("/twin", "/x"), create("/TWIN/", "/y")); got[""] != 1 || got["REDIRECT_DUPLICATE"] != 1 {
		t.Errorf("twins: %v", got)
	}
	a.Limit(store.Limits{store.LimitRedirects: 4})
	var calls []apitest.Request
	for i := range 6 {
		calls = append(calls, create(fmt.Sprintf("/r%d", i), "/x"))
	}
	if got := atOnce(a, calls...); got[""] != 2 || got["REDIRECT_LIMIT_REACHED"] != 4 {
		t.Errorf("room for two: %v", got)
	}
	if v := version(a); v != "5" {
		t.Errorf("four rules lead from version 1 to %s", v)
	}
}

func TestRacingUploadsStayWithinThePlan(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	var calls []apitest.Request
	for i := range 4 {
		content := fmt.Sprintf("%d%099d", i, 0) // 100 bytes
		_, upload := announce(a, doc, "none", files{"index.html": content})
		calls = append(calls, apitest.Request{Method: "PUT", Path: upload["index.html"], Body: content})
	}
	a.Limit(store.Limits{store.LimitStorage: 250})
	if got := atOnce(a, calls...); got[""] != 2 || got["STORAGE_LIMIT_REACHED"] != 2 {
		t.Errorf("room for two: %v", got)
	}
}
