package admin_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// credential returns the credential that an endpoint requires.
func credential(a *apitest.API, session string, e api.Endpoint) string {
	switch e.Auth {
	case api.SessionOnly:
		if e.Fresh != api.FreshNever {
			return a.Session(a.OwnerID) // the clock may have moved since the session began
		}
		return session
	case api.Link:
		return ""
	}
	return a.Owner
}

// field is one field of a request: its place and its type.
type field struct {
	query string   // its query parameter, or
	path  []string // its path in the body
	kind  reflect.Type
}

// fieldsOf lists the fields of a request type, except those of lists and of types with their
// own UnmarshalJSON.
func fieldsOf(t reflect.Type, way []string) (list []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, query := f.Tag.Lookup("query")
		inBody, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case f.Anonymous && kind.Kind() == reflect.Struct && inBody == "":
			list = append(list, fieldsOf(kind, way)...)
		case query:
			list = append(list, field{query: name, kind: kind})
		case inBody == "-" || inBody == "" || len(way) > 3:
		case kind.Kind() == reflect.Struct && !reflect.PointerTo(kind).Implements(reflect.TypeFor[json.Unmarshaler]()):
			list = append(list, fieldsOf(kind, append(slices.Clone(way), inBody))...)
		default:
			list = append(list, field{path: append(slices.Clone(way), inBody), kind: kind})
		}
	}
	return list
}

// send calls an endpoint with one field set to a JSON value or, in the query, to the same value
// as text.
func (f field) send(a *apitest.API, session string, e api.Endpoint, value string) apitest.Answer {
	a.Clock.Advance(time.Minute)
	path, body := address(e, "1"), "{}"
	if f.query != "" {
		var text string
		if json.Unmarshal([]byte(value), &text) != nil {
			text = value
		}
		path += "?" + url.Values{f.query: {text}}.Encode()
	} else {
		body = value
		for _, name := range slices.Backward(f.path) {
			body = fmt.Sprintf(`{%q: %s}`, name, body)
		}
	}
	return a.Send(apitest.Request{Method: e.Method, Path: path, Key: credential(a, session, e), Body: body})
}

func (f field) String() string { return f.query + strings.Join(f.path, ".") }

func TestTextFieldsRefuseNUL(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tried := 0
	for _, e := range a.Admin.Table() {
		for _, f := range fieldsOf(e.Do.In, nil) {
			if f.kind.Kind() != reflect.String || e.Class == api.Free && e.Auth == api.Link && e.Method == "GET" {
				continue
			}
			tried++
			got := f.send(a, a.Session(a.OwnerID), e, `"a\u0000b"`)
			code := "INVALID_REQUEST"
			if refusal := e.NotText[f.String()]; refusal != nil {
				code = refusal.Code
			} else if e.NotText != nil {
				code = e.NotText[""].Code
			}
			if got.Status != 404 && (got.Status != 400 || apitest.Code(got.JSON) != code) {
				t.Errorf("%s %s %s: %d %.200s", e.Method, e.Path, f, got.Status, got.Body)
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// Ids are accepted as numbers and as strings; values out of range are refused, never truncated.
func TestNumbersAreReadInBothFormsAndBounded(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tried := 0
	for _, e := range a.Admin.Table() {
		for _, f := range fieldsOf(e.Do.In, nil) {
			if k := f.kind.Kind(); k != reflect.Int32 && k != reflect.Int64 && k != reflect.Int {
				continue
			}
			tried++
			for _, value := range []string{`99999999999999999999`, `-99999999999999999999`, `"99999999999999999999"`, `1.5`, `"1e3"`, `"0x10"`, `"ten"`} {
				got := f.send(a, a.Session(a.OwnerID), e, value)
				if got.Status != 404 && (got.Status != 400 || apitest.Code(got.JSON) != "INVALID_REQUEST") {
					t.Errorf("%s %s %s = %s: %d %.200s", e.Method, e.Path, f, value, got.Status, got.Body)
				}
			}
			if !reflect.PointerTo(f.kind).Implements(reflect.TypeFor[json.Unmarshaler]()) {
				continue
			}
			for _, value := range []string{`1`, `"1"`} {
				if got := f.send(a, a.Session(a.OwnerID), e, value); strings.Contains(string(got.Body), "integer") ||
					strings.Contains(string(got.Body), "number, got") {
					t.Errorf("%s %s %s = %s: %d %.200s", e.Method, e.Path, f, value, got.Status, got.Body)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// If a name occurs twice, the last value counts, as in most JSON readers; the two are never
// merged into a value that was not sent.
func TestTheLastOfTwoNamesCounts(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.Result("POST", "/products", a.Owner, `{"item":{"name":"Tea","name":"Cup","price":{"price":1},"price":{"price":2}}}`)
	if made["name"] != "Cup" || made["price"].(apitest.Map)["price"] != 2.0 {
		t.Errorf("made %v", made)
	}
}

// JSON is read regardless of the Content-Type, because many clients omit it or send a form
// type; a body that is not JSON is refused regardless of it.
func TestTheContentTypeOfABodyIsIgnored(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, kind := range []string{"", "application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "application/xml", "\u00e9", strings.Repeat("x", 4000)} {
		header := map[string]string{"Content-Type": kind}
		if got := a.Send(apitest.Request{Method: "POST", Path: "/products", Key: a.Owner, Header: header, Body: `{"item":{"name":"Tea"}}`}); got.Status != 200 {
			t.Errorf("%.20q: %d %s", kind, got.Status, got.Body)
		}
		for _, body := range []string{"name=Tea", "<item/>", "--x\r\n\r\nname\r\n--x--"} {
			got := a.Send(apitest.Request{Method: "POST", Path: "/products", Key: a.Owner, Header: header, Body: body})
			if got.Status != 400 || apitest.Code(got.JSON) != "INVALID_REQUEST" {
				t.Errorf("%.20q %s: %d %s", kind, body, got.Status, got.Body)
			}
		}
	}
}

func TestNothingSentBecomesAHeader(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	const evil = "x%0d%0aX-Evil:%201%0d%0a%0d%0abody"
	for _, e := range a.Admin.Table() {
		a.Clock.Advance(time.Minute)
		path := address(e, evil) + "?slug=" + evil + "&company_id=" + evil
		got := a.Send(apitest.Request{
			Method: e.Method, Path: path, Key: credential(a, session, e), Body: "{}", Header: map[string]string{"X-Request-Id": "chosen", "X-Service-Contour": "dev; evil"},
		})
		if got.Header.Get("X-Evil") != "" || got.Header.Get("X-Request-Id") == "chosen" || got.Status >= 500 {
			t.Errorf("%s %s: %d %v", e.Method, e.Path, got.Status, got.Header)
		}
	}
}

// No endpoint reads a body of 100 MB, for any caller.
func TestNoRowReadsAHugeBody(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	for _, e := range a.Admin.Table() {
		if e.Method == "GET" {
			continue
		}
		a.Clock.Advance(time.Minute)
		body := &endless{}
		request, err := http.NewRequest(e.Method, apitest.AdminURL+address(e, "2000000000"), body) // an unknown id
		if err != nil {
			t.Fatal(err)
		}
		request.ContentLength = 100 << 20
		if key := credential(a, session, e); key != "" {
			request.Header.Set("Authorization", "Bearer "+key)
		}
		answers := talk(t, a, request.Write)
		answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answers)), request)
		if err != nil {
			t.Errorf("%s %s: %v", e.Method, e.Path, err)
			continue
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		if answer.StatusCode >= 500 || !answer.Close || answer.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s %s: %d, close %v", e.Method, e.Path, answer.StatusCode, answer.Close)
		}
		if n := body.read.Load(); n > 12<<20 {
			t.Errorf("%s %s read %d bytes", e.Method, e.Path, n)
		}
	}
	a.OK("GET", "/v1/account/token", a.Owner, nil)
}
