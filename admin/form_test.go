package admin_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// hostile are values that fit no field, or very few.
var hostile = []json.RawMessage{
	[]byte(
		`null`,
	), []byte(`true`), []byte(`"1"`), []byte(`""`), []byte(`" "`), []byte(`-1`), []byte(`0`), []byte(`1.5`), []byte(`1e400`), []byte(`-1e-400`),
	[]byte(`2147483648`), []byte(`9223372036854775807`), []byte(`9223372036854775808`), []byte(`123456789012345678901234567890`),
	[]byte(
		`"9223372036854775807"`,
	), []byte(`"99999999999999999999"`), []byte(`[]`), []byte(`{}`), []byte(`[null]`), []byte(`[[[[{}]]]]`), []byte(`{"":{"":[]}}`),
	[]byte(
		`"\u0001\u202e\ufffe"`,
	), []byte(`"\ud800"`), []byte(`"0000-01-01T00:00:00Z"`), []byte(`"9999-12-31T23:59:59.999999999Z"`), []byte(`"NaN"`),
	[]byte(
		`"6b1f6a4e-0000-4000-8000-000000000000"`,
	), []byte(`"'; DROP TABLE product; --"`), []byte(`"%_\\"`), []byte(`"/\\evil.test"`), []byte(`"javascript:alert(1)"`),
	[]byte(`"` + strings.Repeat("я", 3000) + `"`), []byte(`[` + strings.Repeat(`1,`, 3000) + `1]`),
	[]byte(strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)), []byte(strings.Repeat(`{"a":`, 9000) + `1` + strings.Repeat(`}`, 9000)),
}

// fitting are values that some fields accept, so that calls get past the decoder.
var fitting = map[reflect.Kind][]json.RawMessage{
	reflect.String: {[]byte(`"tea"`), []byte(`"Чай"`), []byte(`"product"`), []byte(`"news"`), []byte(`"inside"`), []byte(`"/a/b"`), []byte(`"name\nTea\n"`), []byte(`"T1"`)},
	reflect.Bool:   {[]byte(`true`), []byte(`false`)},
	reflect.Int:    {[]byte(`1`), []byte(`2`), []byte(`3`), []byte(`100`)},
}

// bodyOf draws a body for the fields that an endpoint reads, most of them valid and some not.
func bodyOf(t *rapid.T, in reflect.Type, depth int) json.RawMessage {
	if depth == 0 || rapid.IntRange(0, 29).Draw(t, "hostile") == 0 {
		return rapid.SampledFrom(hostile).Draw(t, "value")
	}
	for in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	kind := in.Kind()
	switch {
	case reflect.PointerTo(in).Implements(reflect.TypeFor[json.Unmarshaler]()) && kind == reflect.Struct && in.Name() != "batchItem":
		return rapid.SampledFrom([]json.RawMessage{[]byte(`null`), []byte(`""`), []byte(`1`)}).Draw(t, "own form")
	case kind == reflect.Struct && in.NumField() > 0:
		return objectOf(t, in, depth)
	case kind == reflect.Slice && in.Elem().Kind() != reflect.Uint8:
		list := []json.RawMessage{}
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			list = append(list, bodyOf(t, in.Elem(), depth-1))
		}
		return encoded(t, list)
	case kind >= reflect.Int && kind <= reflect.Uint64:
		kind = reflect.Int
	}
	if values := fitting[kind]; values != nil {
		return rapid.SampledFrom(values).Draw(t, "value")
	}
	return rapid.SampledFrom(hostile).Draw(t, "value")
}

// wanted are fields that most endpoints require.
var wanted = []string{"item", "items", "name", "title"}

func objectOf(t *rapid.T, in reflect.Type, depth int) json.RawMessage {
	object := map[string]json.RawMessage{}
	var add func(in reflect.Type)
	add = func(in reflect.Type) {
		for i := range in.NumField() {
			f := in.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && f.Type.Kind() == reflect.Struct && name == "":
				add(f.Type)
			case name != "" && name != "-" && (slices.Contains(wanted, name) || rapid.IntRange(0, 3).Draw(t, "sent") == 0):
				object[name] = bodyOf(t, f.Type, depth-1)
			}
		}
	}
	add(in)
	return encoded(t, object)
}

func encoded(t *rapid.T, v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil { // a value that no encoder produces, such as 1e400, is used as is
		t.Fatal(err)
	}
	return text
}

// acknowledged are the collections whose POST returns what it created, and which can be read
// back.
var acknowledged = []string{"/products", "/categories", "/articles", "/attributes", "/product-groups", "/html-documents"}

// Whatever a field contains, no endpoint fails with an internal error, and everything
// acknowledged still exists at the end.
func TestFieldsOfAnyShapeBreakNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, kind := range []string{"product", "news"} {
		a.OK("POST", "/categories", a.Owner, apitest.Map{"item": apitest.Map{"name": kind, "type": kind}})
	}
	a.OK("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})
	a.OK("POST", "/articles", a.Owner, apitest.Map{"item": apitest.Map{"title": "Tea", "category_id": 2}})
	var rows []api.Endpoint
	for _, e := range a.Admin.Table() {
		if e.Auth == api.Private && (e.Method == "POST" || e.Method == "PUT" || e.Method == "PATCH") && e.Do.In.NumField() > 0 {
			rows = append(rows, e)
		}
	}
	made := map[string]bool{}
	codes := map[string]int{}
	calls := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			e := rapid.SampledFrom(rows).Draw(t, "row")
			key := rapid.SampledFrom([]string{a.Owner, a.Owner, a.Dev}).Draw(t, "key")
			body := bodyOf(t, e.Do.In, 5)
			a.Clock.Advance(time.Minute)
			path := strings.ReplaceAll(e.Path, "{type}", "category")
			answer := a.Send(
				apitest.Request{
					Method: e.Method,
					Path:   address(api.Endpoint{Path: path}, rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id")), Key: key,
					Body: []byte(body),
				},
			)
			answers(t, e, string(body), answer)
			calls++
			codes[apitest.Code(answer.JSON)]++
			if result, ok := answer.JSON["result"].(apitest.Map); ok && answer.Status < 300 && key == a.Owner && e.Method == "POST" &&
				slices.Contains(acknowledged, e.Path) {
				made[fmt.Sprint(e.Path, "/", result["id"])] = true
			}
		}
	})
	for path := range made {
		a.Clock.Advance(time.Minute)
		a.OK("GET", path, a.Owner, nil)
	}
	if codes[""] < calls/20 {
		t.Errorf("only %d of %d calls succeeded: the values test too little", codes[""], calls)
	}
	t.Logf(
		"%d calls to %d endpoints, %d accepted, %d refused for %d reasons; all %d created things exist", calls, len(rows),
		codes[""], calls-codes[""], len(codes)-1, len(made),
	)
}
