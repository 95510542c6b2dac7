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

// soleList returns the name of the list, or of the object of named values, that is the only
// field of a request body; "" for any other body.
func soleList(t reflect.Type) string {
	var names []string
	lists := 0
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type == reflect.TypeFor[api.Basis]() {
				continue // says which version is replaced, not by what
			}
			if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
				look(f.Type)
				continue
			}
			if name == "" || name == "-" {
				continue
			}
			names = append(names, name)
			kind := f.Type
			if kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			if kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 || kind.Kind() == reflect.Map {
				lists++
			}
		}
	}
	if t.Kind() == reflect.Struct {
		look(t)
	}
	if len(names) == 1 && lists == 1 {
		return names[0]
	}
	return ""
}

// An endpoint that replaces a whole list refuses a body without the list: a misspelled name or
// an empty body must not empty it.
func TestReplacingAListRequiresAList(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	product := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})["id"]
	if product != 1.0 && product != "1" {
		t.Fatalf("the product is %v", product)
	}
	a.OK("PUT", "/products/1/variants", a.Owner, apitest.Map{"items": []any{apitest.Map{"sku": "T-1", "title": "50 g"}}})
	var tried []string
	owner := a.Session(a.OwnerID)
	for _, e := range a.Admin.Table() {
		if e.Method != "PUT" || soleList(e.Do.In) == "" {
			continue
		}
		tried = append(tried, e.Path)
		path := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(strings.ReplaceAll(e.Path, "{type}", "product"), "1")
		for _, body := range []string{"", "{}", `{"` + soleList(e.Do.In) + `": null}`, `{"wrong": []}`} {
			if got := a.Send(apitest.Request{Method: "PUT", Path: path, Key: owner, Body: body}); got.Status != 400 {
				t.Errorf("PUT %s %s: %d %s", path, body, got.Status, got.Body)
			}
		}
	}
	for _, path := range []string{"/products/{id}/variants", "/categories/{id}/content-blocks", "/articles/{id}/content-blocks", "/articles/{id}/related"} {
		if !slices.Contains(tried, path) {
			t.Errorf("%s was not tried", path)
		}
	}
	variants := func() int { return len(a.Result("GET", "/products/1", a.Owner, nil)["variants"].([]any)) }
	if n := variants(); n != 1 {
		t.Errorf("%d variants are left", n)
	}
	a.OK("PUT", "/products/1/variants", a.Owner, apitest.Map{"items": []any{}})
	if n := variants(); n != 0 {
		t.Errorf("[] leaves %d variants", n)
	}
}
