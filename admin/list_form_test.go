package admin_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// listForm returns the form of the list that an endpoint answers, as the quickstart writes it; ""
// if it answers none.
func listForm(e api.Endpoint) string {
	if e.Method != "GET" && e.Path != "/orders" || strings.HasPrefix(e.Path, "/docs/") {
		return ""
	}
	fields := jsonFields(e.Do.Out)
	if result := fields["result"]; result != nil {
		_, total := fields["total"]
		inner := jsonFields(result)
		switch items := inner["items"]; {
		case result.Kind() == reflect.Slice && result.Elem().Kind() != reflect.Uint8 && total:
			return "{result[], total}"
		case result.Kind() == reflect.Slice && result.Elem().Kind() != reflect.Uint8:
			return "{result[]}"
		case items != nil && inner["total"] != nil && inner["currentPage"] != nil:
			return "{result: {items[], total, currentPage}}"
		}
		return ""
	}
	if items := fields["items"]; items != nil && items.Kind() == reflect.Slice {
		return "{items[]}"
	}
	return ""
}

// jsonFields returns the types of the fields of a struct by their names in JSON.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return fields
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = f.Type
		}
	}
	return fields
}

// The quickstart says which call answers which form of a list.
func TestTheQuickstartNamesTheFormOfEveryList(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	page := string(a.Send(apitest.Request{Method: "GET", Path: "/docs/quickstart"}).Body)
	said, call := map[string][]string{}, regexp.MustCompile("`((?:GET|POST) /[^`]*)`")
	for row := range strings.Lines(page) {
		form, calls, isRow := strings.Cut(strings.TrimPrefix(row, "| `"), "`")
		if !isRow || !strings.HasPrefix(row, "| `{") {
			continue
		}
		_, calls, _ = strings.Cut(calls, "|")
		for _, found := range call.FindAllStringSubmatch(calls, -1) {
			said[form] = append(said[form], found[1])
		}
	}
	const whole = "{result[]}"
	for _, e := range a.Admin.Table() {
		form, name := listForm(e), e.Method+" "+e.Path
		for other, calls := range said {
			if slices.Contains(calls, name) != (other == form) && (form != whole || other != whole) {
				t.Errorf("%s answers %q; the page lists it under %q: %v", name, form, other, slices.Contains(calls, name))
			}
		}
	}
	if len(said) != 4 {
		t.Errorf("the page has %d forms: %v", len(said), said)
	}
}
