package release_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// concurrently sends the requests at the same time and counts the responses by code; "" is
// success.
func concurrently(a *apitest.API, calls ...apitest.Request) map[string]int {
	return apitest.Codes(a.AtOnce(calls...))
}

func TestConcurrentUploadsStayWithinThePlan(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	var calls []apitest.Request
	for i := range 4 {
		content := fmt.Sprintf("%d%099d", i, 0) // 100 bytes
		_, upload := announce(a, doc, "none", files{"index.html": content})
		calls = append(calls, apitest.Request{Method: "PUT", Path: upload["index.html"], Body: content})
	}
	a.Limit(company.Limits{store.LimitStorage: 250})
	if got := concurrently(a, calls...); got[""] != 2 || got["STORAGE_LIMIT_REACHED"] != 2 {
		t.Errorf("with storage for two: %v", got)
	}
}
