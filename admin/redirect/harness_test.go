package redirect_test

import "vitrine/admin/api/apitest"

type (
	m = apitest.Map
	l = []any
)

// concurrently sends the requests at the same time and counts the responses by code; "" is
// success.
func concurrently(a *apitest.API, calls ...apitest.Request) map[string]int {
	return apitest.Codes(a.AtOnce(calls...))
}
