package admin_test

import (
	"os"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// Programs generated from the OpenAPI document use the names of its components, so the names in
// testdata/components.txt stay wherever their types move.
func TestComponentNamesStayTheSame(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile("testdata/components.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := apitest.New(t)
	schemas := a.OK("GET", "/openapi.json", "", nil)["components"].(object)["schemas"].(object)
	for name := range strings.Lines(string(known)) {
		if name = strings.TrimSpace(name); schemas[name] == nil {
			t.Errorf("the document no longer has the component %s", name)
		}
	}
}
