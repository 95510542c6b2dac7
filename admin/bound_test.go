package admin_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/race"
)

// allocated calls an endpoint with a body and returns how many bytes were allocated for it, in
// the client and the server. The heap cannot grow by more than that, so it bounds the peak too,
// without sampling. Nothing else may run concurrently.
func allocated(a *apitest.API, session string, e api.Endpoint, body string) (answer apitest.Answer, bytes uint64, took time.Duration) {
	a.Clock.Advance(time.Minute)
	request := apitest.Request{Method: e.Method, Path: address(e, segmentOf(e)), Key: credential(a, session, e), Body: body}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from := time.Now()
	answer = a.Send(request)
	took = time.Since(from)
	runtime.ReadMemStats(&after)
	return answer, after.TotalAlloc - before.TotalAlloc, took
}

// segmentOf returns an id that is valid in the path of an endpoint: a call with an invalid path
// is refused before its body is read.
func segmentOf(e api.Endpoint) string {
	if strings.HasPrefix(e.Path, "/v1/storages/files/") || strings.HasPrefix(e.Path, "/v1/storages/uploads/") {
		return "7f0c2b1e-9a54-4c1b-8a0e-0d5a3a1f6b11"
	}
	return "1"
}

// full is a body at the limit of its endpoint, and a description of its content.
type full struct{ of, body string }

// fill repeats a piece until a body has most bytes. Each %d in it becomes another number.
func fill(most int64, before, piece, after string) string {
	room := int(most) - len(before) - len(after)
	head, tail, numbered := strings.Cut(piece, "%d")
	first := strings.TrimPrefix(head, ",")
	if !numbered {
		if room < len(first) {
			return before + after
		}
		return before + first + strings.Repeat(piece, (room-len(first))/len(piece)) + after
	}
	b := make([]byte, 0, max(room, 0))
	for n := 0; ; n++ {
		end := len(b)
		if n == 0 {
			b = append(b, first...)
		} else {
			b = append(b, head...)
		}
		if b = append(strconv.AppendInt(b, int64(n), 10), tail...); len(b) > room {
			return before + string(b[:end]) + after
		}
	}
}

// fulls returns the bodies of an endpoint that fill one of its fields, with everything around
// it, and bodies that fill unknown fields. Under the race detector, which is that much slower, they
// are shorter than the endpoint allows.
func fulls(e api.Endpoint, seen map[reflect.Type]bool) []full {
	most := e.MaxBody
	if most == 0 {
		most = 1 << 20
	}
	most /= race.TimeFactor
	list := []full{
		{"unknown names", fill(most, `{`, `,"z%d":[0,0]`, `}`)},
		{"lists in lists", strings.Repeat("[", int(most))},
		{"objects", fill(most, `[`, `,{}`, `]`)},
	}
	if len(seen) == 0 { // the same for all endpoints
		list = append(list, []full{
			{"an unknown list", fill(most, `{"zzz":[`, `,0`, `]}`)},
			{"one repeated unknown name", fill(most, `{`, `,"z":0`, `}`)},
			{"objects in objects", fill(most, "", `{"item":`, "")},
			{"nested lists in an unknown field", fill(most, `{"zzz":`, `[`, "")},
			{"a number", fill(most, `{"id":`, `1`, `}`)},
		}...)
	}
	return append(list, fullFields(e.Do.In, most, "{", "}", e.Method+" "+e.Path, seen)...)
}

// fullFields returns the bodies that fill the fields of a struct. Types in seen are left out: a
// type has the same fields in every endpoint.
func fullFields(t reflect.Type, most int64, before, after, way string, seen map[reflect.Type]bool) (list []full) {
	if seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case f.Anonymous && name == "" && kind.Kind() == reflect.Struct:
			list = append(list, fullFields(kind, most, before, after, way, seen)...)
		case name != "" && name != "-":
			list = append(list, fullValues(kind, most, fmt.Sprintf("%s%q:", before, name), after, way+"."+name, seen)...)
		}
	}
	return list
}

// fullValues returns the bodies that fill one value.
func fullValues(t reflect.Type, most int64, before, after, way string, seen map[reflect.Type]bool) (list []full) {
	put := func(of, begin, piece, end string) {
		list = append(list, full{way + ": " + of, fill(most, before+begin, piece, end+after)})
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		put("objects", "[", ",{}", "]")
		put("lists", "[", ",[]", "]")
		put("names", "{", `,"%d":0`, "}")
		put("text", `"`, "x", `"`)
	case t.Kind() == reflect.String:
		put("letters", `"`, "x", `"`)
		put("lines", `"`, `x\n`, `"`)
		put("cells", `"`, `;`, `"`)
	case t.Kind() == reflect.Slice && !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		elem, least := t.Elem(), `,0`
		switch elem.Kind() {
		case reflect.String:
			least = `,""`
		case reflect.Struct:
			least = `,{}`
		}
		put("entries", "[", least, "]")
		if elem.Kind() == reflect.Struct {
			list = append(list, fullFields(elem, most, before+"[{", "}]"+after, way+"[]", seen)...)
		}
	case t.Kind() == reflect.Map:
		put("entries", "{", `,"%d":""`, "}")
	case t.Kind() == reflect.Struct:
		list = fullFields(t, most, before+"{", "}"+after, way, seen)
	}
	return list
}

// most returns how many bytes may be allocated for a request of n bytes: eight times the body
// (the test's own client and listener hold it twice, reading into a growing buffer needs twice
// its length, and a valid text is held, checked and stored), plus the base cost of any call, of
// which argon2id needs 19 MiB.
func most(n int) uint64 { return race.MemoryFactor * (8*uint64(n) + 32<<20) }

// One request never needs memory out of proportion to its size: not through lists, maps, texts,
// nesting or unknown fields. It runs alone.
func TestNoRequestTakesMoreMemoryThanAFewOfItsBodies(t *testing.T) {
	a := apitest.New(t)
	seen := map[reflect.Type]bool{}
	session := a.Session(a.OwnerID)
	type spent struct {
		ratio float64
		line  string
	}
	var all []spent
	for _, e := range a.Admin.Table() {
		if !e.TakesJSON() || e.Method == "GET" || seen[e.Do.In] {
			continue
		}
		allocated(a, session, e, "{}") // allocations that only the first call of an endpoint makes
		for _, f := range fulls(e, seen) {
			if len(all)%20 == 0 {
				session = a.Session(a.OwnerID) // sessions expire after an hour
			}
			got, bytes, took := allocated(a, session, e, f.body)
			line := fmt.Sprintf(
				"%s %s, %s: %d bytes in, %d allocated, %v: %d %.80s", e.Method, e.Path, f.of, len(f.body), bytes,
				took.Round(time.Millisecond), got.Status, got.Body,
			)
			all = append(all, spent{float64(bytes) / float64(len(f.body)), line})
			if got.Status >= 500 || bytes > most(len(f.body)) {
				t.Error(line)
			}
			if len(got.Body) > 64<<10 {
				t.Errorf("an answer of %d bytes: %s", len(got.Body), line)
			}
		}
	}
	if len(all) < 300 {
		t.Errorf("only %d bodies were tried", len(all))
	}
	slices.SortFunc(all, func(a, b spent) int { return int(1000 * (b.ratio - a.ratio)) })
	for _, s := range all[:5] {
		t.Logf("%.1f times the body: %s", s.ratio, s.line)
	}
}

// The two requests that once took gigabytes before they were refused.
func TestABatchIsCountedBeforeItIsDecoded(t *testing.T) {
	a := apitest.New(t)
	session := a.Session(a.OwnerID)
	for _, c := range []struct{ method, before, piece string }{
		{"PATCH", `{"item":{"name":"x"},"ids":[`, ",1"},
		{"POST", `{"items":[`, ",{}"},
	} {
		at := slices.IndexFunc(a.Admin.Table(), func(e api.Endpoint) bool { return e.Method == c.method && e.Path == "/products/batch" })
		e := a.Admin.Table()[at]
		body := fill(e.MaxBody, c.before, c.piece, "]}")
		got, bytes, took := allocated(a, session, e, body)
		t.Logf("%s %s: %d bytes in, %d allocated, %v", e.Method, e.Path, len(body), bytes, took)
		if got.Status != 400 || apitest.Code(got.JSON) != "INVALID_REQUEST" || bytes > most(len(body)) {
			t.Errorf("%s %s: %d %.200s", e.Method, e.Path, got.Status, got.Body)
		}
	}
}
