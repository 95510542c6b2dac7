package docs_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/catalog"
)

// guideLeavesOut are the fields of a product in requests that the guide of the catalogue does not
// name, and why.
var guideLeavesOut = map[string]string{
	"is_deleted":          "the quickstart describes how to restore what was deleted",
	"comments_enabled":    "the guide of reviews describes it",
	"questions_enabled":   "the guide of reviews describes it",
	"stock_by":            "the guide of stock describes it",
	"stock_quantity":      "the guide of stock describes it",
	"stock_low_threshold": "the guide of stock describes it",
	"configurable":        "the guide of orders describes it",
}

// The guide of the catalogue names every field of a product in requests, in its text or in an
// example, or leaves it out for a reason. A new field is in neither.
func TestTheGuideOfTheCatalogueNamesEveryFact(t *testing.T) {
	text := open(t).get("/docs/catalogue").body
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[catalog.ProductItem]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		known[name] = true
		named := regexp.MustCompile("[`\"]" + name + "[`\".]").MatchString(text)
		switch reason, left := guideLeavesOut[name]; {
		case !named && !left:
			t.Errorf("the guide does not mention %s: describe it, or list it in guideLeavesOut with the reason", name)
		case named && left:
			t.Errorf("the guide mentions %s, which it leaves out because %s", name, reason)
		}
	}
	for name := range guideLeavesOut {
		if !known[name] {
			t.Errorf("the guide leaves out %s, which no product has", name)
		}
	}
}

// The guide of the settings names every setting, with its members.
func TestTheGuideOfTheSettingsNamesEverySetting(t *testing.T) {
	h := open(t)
	text := h.get("/docs/shop").body
	i := slices.IndexFunc(h.table, func(e api.Endpoint) bool { return e.Method == "PUT" && e.Path == "/v1/shop/settings" })
	named := func(name string) bool { return regexp.MustCompile("[`\"{ ]" + name + "[`\"., }\\[]").MatchString(text) }
	for _, f := range reflect.VisibleFields(h.table[i].Do.In) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || f.Type == reflect.TypeFor[*time.Time]() { // of the version
			continue
		}
		if !regexp.MustCompile("`" + name + "[`\\[ ]").MatchString(text) {
			t.Errorf("the guide does not mention %s", name)
		}
		if f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		for _, inner := range reflect.VisibleFields(f.Type.Elem()) {
			if part, _, _ := strings.Cut(inner.Tag.Get("json"), ","); part != "" && part != "-" && !named(part) {
				t.Errorf("the guide does not mention %s.%s", name, part)
			}
		}
	}
}
