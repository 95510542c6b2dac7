package admin_test

import (
	"os"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// Programs made from the OpenAPI document know its components by name, so the
// names of testdata/components.txt stay wherever their types go.
func TestNoComponentLosesItsName(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile("testdata/components.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := apitest.New(t)
	schemas := a.OK("GET", "/openapi.json", "", nil)["components"].(object)["schemas"].(object)
	for name := range strings.Lines(string(known)) {
		if name = strings.TrimSpace(name); schemas[name] == nil {
			t.Errorf("the document has no component %s any more", name)
		}
	}
}
