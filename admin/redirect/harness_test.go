package redirect_test

import "vitrine/admin/api/apitest"

type (
	m = apitest.Map
	l = []any
)

// atOnce runs the calls at the same time and counts the answers by code; "" is
// success.
func atOnce(a *apitest.API, calls ...apitest.Request) map[string]int {
	return apitest.Codes(a.AtOnce(calls...))
}
