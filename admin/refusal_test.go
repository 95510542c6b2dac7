package admin_test

import (
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// The OpenAPI document describes each code once, so a code means the same at every endpoint.
func TestACodeHasOneMeaning(t *testing.T) {
	t.Parallel()
	meanings, places := map[string]string{}, map[string]string{}
	for _, e := range apitest.New(t).Admin.Table() {
		for _, r := range e.Refusals() {
			code, _, _ := strings.Cut(r.Code, ":")
			name := e.Method + " " + e.Path
			switch before, known := meanings[code]; {
			case r.Meaning == "":
				t.Errorf("%s: %s has no meaning", name, code)
			case !known:
				meanings[code], places[code] = r.Meaning, name
			case before != r.Meaning:
				t.Errorf("%s means\n%q at %s and\n%q at %s", code, before, places[code], r.Meaning, name)
			}
		}
	}
}
