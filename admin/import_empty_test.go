package admin_test

import (
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// Every import of a CSV with a header refuses a file without lines in the same way, whether it
// has its header or not, and a dry run as well. A list of redirect rules may be empty or consist of
// comments.
func TestAnImportWithoutLinesIsEmpty(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	headers := map[string]string{
		"/products/import": "sku,name,price", "/customers/import": "email,name",
	}
	for _, e := range a.Admin.Table() {
		if !strings.HasSuffix(e.Path, "/import") || e.Path == "/storefront-redirects/import" || len(e.Consumes) > 0 {
			continue
		}
		header, known := headers[e.Path]
		if !known || !e.Errors.Has(api.ErrImportEmpty.Code, 400) {
			t.Errorf("%s does not document that it refuses a file without lines", e.Path)
		}
		for _, text := range []string{"", "\ufeff", "\n\n", header, header + "\n", "\ufeff" + header + "\r\n\r\n"} {
			for _, dry := range []bool{false, true} {
				got := a.Send(apitest.Request{Method: "POST", Path: e.Path, Key: a.Owner, Body: apitest.Map{"text": text, "dry_run": dry}})
				if got.Status != 400 || apitest.Code(got.JSON) != api.ErrImportEmpty.Code {
					t.Errorf("%s %q: %d %s", e.Path, text, got.Status, got.Body)
				}
			}
		}
		delete(headers, e.Path)
	}
	if len(headers) > 0 {
		t.Errorf("these endpoints do not exist: %v", headers)
	}
}
