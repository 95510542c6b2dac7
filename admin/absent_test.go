package admin_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
)

// Ids in range that nothing has.
const (
	noNumber = "2000000000"
	noFile   = "6b1f6a4e-0000-4000-8000-000000000000"
)

// usual are values that text fields take, by their name, so that calls get past the
// checks of form to the rows that are not there.
var usual = map[string]string{
	"email": "ann@people.test", "address": "{}", "url": "https://example.com/a", "code": "SPRING", "key": "default",
	"status": "approved", "kind": "product", "type": "product", "entity_type": "product",
}

// absentBody is a body with every field set: ids that nothing has, and usual values
// elsewhere. onlyIDs leaves out everything but ids.
func absentBody(in reflect.Type, onlyIDs bool) map[string]any {
	body := map[string]any{}
	for i := range in.NumField() {
		f := in.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for k, v := range absentBody(f.Type, onlyIDs) {
				body[k] = v
			}
		case name != "" && name != "-" && (!onlyIDs || isID(name) || hasStruct(f.Type)):
			if v := absentValue(f.Type, name, onlyIDs); v != nil {
				body[name] = v
			}
		}
	}
	return body
}

func isID(name string) bool {
	return name == "id" || name == "ids" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
}

func hasStruct(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t.NumField() > 0
}

func absentValue(t reflect.Type, name string, onlyIDs bool) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[uuid.UUID]() || strings.Contains(name, "file") && t.Kind() == reflect.String:
		return noFile
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t == reflect.TypeFor[time.Time]():
		return "2030-01-01T00:00:00Z"
	case t.Kind() == reflect.Slice:
		return []any{absentValue(t.Elem(), name, onlyIDs)}
	case t.Kind() == reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return nil
		}
		return absentBody(t, onlyIDs)
	case t.Kind() == reflect.String:
		if text, ok := usual[name]; ok {
			return text
		}
		return "tea"
	case t.Kind() == reflect.Bool:
		return false
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		if isID(name) {
			return noNumber
		}
		return 1
	}
	return nil
}

// absentQuery names a shop and things that are not there, wherever a row reads one.
func absentQuery(in reflect.Type) string {
	query := url.Values{}
	for _, f := range fieldsOf(in, nil) {
		if name := f.query; isID(name[strings.LastIndex(name, ".")+1:]) {
			query.Set(name, noNumber)
			if f.kind == reflect.TypeFor[uuid.UUID]() {
				query.Set(name, noFile)
			}
		}
	}
	return "?" + query.Encode()
}

// Whoever names a shop, a product, a file that nobody has is told so: no row fails
// inside, whether it looks for the thing first or only notices when it writes.
func TestNoRowFailsOverWhatIsNotThere(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	who := callers(a)
	who = append(who, caller{"nobody", false, func() string { return "" }})
	for _, who := range who {
		tried := 0
		for _, e := range a.Admin.Table() {
			if e.Path == "/v1/auth/logout" { // the caller is needed for the rows after it
				continue
			}
			query := absentQuery(e.Do.In)
			for _, onlyIDs := range []bool{true, false} {
				for _, thing := range []string{noNumber, noFile} {
					var body any = absentBody(e.Do.In, onlyIDs)
					if e.Method == "GET" || !e.TakesJSON() {
						body = nil
					}
					a.Clock.Advance(time.Minute) // past the budgets of calls
					r := apitest.Request{Method: e.Method, Path: address(e, thing) + query, Key: who.token(), Body: body}
					if who.onHost {
						r.Key, r.Header = "", a.OnHost(who.token())
					}
					got := a.Send(r)
					if tried++; got.Status >= 500 {
						t.Errorf("%s, %s %s %v: %d %s", who.name, r.Method, r.Path, body, got.Status, got.Body)
					}
				}
			}
		}
		if tried < 200 {
			t.Errorf("%s: only %d calls", who.name, tried)
		}
	}
}

// The cart's writes name their shop and read nothing of it first.
func TestACartOfAShopThatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.Buyer("ann@people.test"))
	body := apitest.Map{"company_id": noNumber, "code": "SPRING", "items": []any{apitest.Map{"product_id": 1}}}
	a.Refused("POST", "/cart/promo", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("DELETE", "/cart/promo", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("POST", "/cart/merge", ann, body, 404, "SHOP_NOT_FOUND")
	a.Refused("DELETE", "/cart/items/1/default?company_id="+noNumber, ann, nil, 404, "SHOP_NOT_FOUND")
	a.Refused("POST", "/v1/account/addresses", ann, apitest.Map{"company_id": noNumber, "city": "Berlin"}, 404, "SHOP_NOT_FOUND")
}
