package admin_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// edit is a PUT of a product with the headers of the caller.
func edit(id any, key, name string, header map[string]string, fields ...any) apitest.Request {
	body := object{"item": object{"name": name}}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i].(string)] = fields[i+1]
	}
	return apitest.Request{Method: "PUT", Path: "/products/" + fmt.Sprint(id), Key: key, Header: header, Body: body}
}

func TestAnEditOfAnOldVersionIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	first := a.Send(apitest.Request{Method: "GET", Path: "/products/" + fmt.Sprint(id), Key: a.Owner})
	tag, at := first.Header.Get("ETag"), first.JSON["result"].(object)["updated_at"].(string)
	if !strings.HasPrefix(tag, `"`) {
		t.Fatalf("ETag %s", tag)
	}
	stale := map[string]apitest.Request{
		"expected_updated_at":  edit(id, a.Owner, "Lost", nil, "expected_updated_at", at),
		"If-Match":             edit(id, a.Owner, "Lost", map[string]string{"If-Match": tag}),
		"a list of old ones":   edit(id, a.Owner, "Lost", map[string]string{"If-Match": `"1.x", ` + tag}),
		"a weak tag":           edit(id, a.Owner, "Lost", map[string]string{"If-Match": "W/" + tag}),
		"a tag of another one": edit(id, a.Owner, "Lost", map[string]string{"If-Match": `"tea"`}),
		"both":                 edit(id, a.Owner, "Lost", map[string]string{"If-Match": tag}, "expected_updated_at", at),
		"any, and an old one":  edit(id, a.Owner, "Lost", map[string]string{"If-Match": "*"}, "expected_updated_at", at),
		"another time zone":    edit(id, a.Owner, "Lost", nil, "expected_updated_at", strings.Replace(at, "Z", "+00:00", 1)),
	}
	second := a.Send(edit(id, a.Editor, "Green tea", map[string]string{"If-Match": `"1", ` + tag}, "expected_updated_at", at))
	if second.Status != 200 {
		t.Fatalf("an edit of the present version: %d %s", second.Status, second.Body)
	}
	now := second.JSON["result"].(object)["updated_at"].(string)
	for name, r := range stale {
		got := a.Send(r)
		current, _ := got.JSON["current"].(object)
		by, _ := got.JSON["updated_by"].(object)
		if got.Status != 409 || apitest.Code(got.JSON) != "EDIT_CONFLICT" || current["name"] != "Green tea" || current["updated_at"] != now ||
			by["user_id"] != float64(a.EditorID) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if got := a.Send(edit(id, a.Owner, "Black tea", map[string]string{"If-Match": second.Header.Get("ETag")})); got.Status != 200 {
		t.Errorf("the ETag of an edit: %d %s", got.Status, got.Body)
	}
}

func TestAMalformedBasisIsRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	for _, r := range []apitest.Request{
		edit(id, a.Owner, "Lost", map[string]string{"If-Match": "tea"}),
		edit(id, a.Owner, "Lost", map[string]string{"If-Match": `"tea`}),
		edit(id, a.Owner, "Lost", map[string]string{"If-Match": `"a" b`}),
		edit(id, a.Owner, "Lost", nil, "expected_updated_at", "yesterday"),
		edit(id, a.Owner, "Lost", nil, "expected_updated_at", 5),
	} {
		if got := a.Send(r); got.Status != 400 || apitest.Code(got.JSON) != "INVALID_REQUEST" {
			t.Errorf("%v %v: %d %s", r.Header, r.Body, got.Status, got.Body)
		}
	}
	if name := a.Result("GET", "/products/"+fmt.Sprint(id), a.Owner, nil)["name"]; name != "Tea" {
		t.Errorf("a refused edit was made: %v", name)
	}
	for _, header := range []map[string]string{nil, {"If-Match": "*"}, {"If-Match": ""}} {
		if got := a.Send(edit(id, a.Owner, "Black tea", header, "expected_updated_at", nil)); got.Status != 200 {
			t.Errorf("without a version, %v: %d %s", header, got.Status, got.Body)
		}
	}
}

// Of many edits made from one version at once exactly one succeeds.
func TestOneOfManyEditsOfAVersionSucceeds(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	for range 5 {
		at := a.Result("GET", "/products/"+fmt.Sprint(id), a.Owner, nil)["updated_at"]
		var calls []apitest.Request
		for n := range 8 {
			calls = append(calls, edit(id, a.Owner, fmt.Sprint("Tea ", n), nil, "expected_updated_at", at))
		}
		statuses := map[int]int{}
		for _, got := range a.AtOnce(calls...) {
			statuses[got.Status]++
		}
		if statuses[200] != 1 || statuses[409] != 7 {
			t.Errorf("answers %v", statuses)
		}
	}
}

// Stock and ratings change without an edit: they change the ETag of a response, not its version.
func TestStockDoesNotConflictWithEdits(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	read := apitest.Request{Method: "GET", Path: "/products/" + fmt.Sprint(id), Key: a.Owner}
	tag := a.Send(read).Header.Get("ETag")
	read.Header = map[string]string{"If-None-Match": tag}
	if got := a.Send(read); got.Status != 304 || len(got.Body) > 0 {
		t.Errorf("unchanged: %d %s", got.Status, got.Body)
	}
	a.OK("PUT", "/products/"+fmt.Sprint(id)+"/stock", a.Session(a.OwnerID), object{"quantity": 5})
	if got := a.Send(read); got.Status != 200 || got.Header.Get("ETag") == tag {
		t.Errorf("after a change of the stock: %d, ETag %s", got.Status, got.Header.Get("ETag"))
	}
	if got := a.Send(edit(id, a.Owner, "Green tea", map[string]string{"If-Match": tag})); got.Status != 200 {
		t.Errorf("an edit after a change of the stock: %d %s", got.Status, got.Body)
	}
}

// The draft has versions of its own: an edit of the live product does not conflict with one in the
// draft, two edits in the draft do.
func TestADraftHasItsOwnVersions(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea"}})["id"]
	read := func(key string) string {
		return a.Send(apitest.Request{Method: "GET", Path: "/products/" + fmt.Sprint(id), Key: key}).Header.Get("ETag")
	}
	live := read(a.Owner)
	if got := a.Send(edit(id, a.Dev, "Draft", map[string]string{"If-Match": read(a.Dev)})); got.Status != 200 {
		t.Fatalf("the first edit in the draft: %d %s", got.Status, got.Body)
	}
	draft := read(a.Dev)
	if got := a.Send(edit(id, a.Owner, "Live", map[string]string{"If-Match": live})); got.Status != 200 {
		t.Errorf("an edit of the live product beside a draft: %d %s", got.Status, got.Body)
	}
	if got := a.Send(edit(id, a.Dev, "Second draft", map[string]string{"If-Match": draft})); got.Status != 200 {
		t.Errorf("an edit in the draft after one of the live product: %d %s", got.Status, got.Body)
	}
	got := a.Send(edit(id, a.Dev, "Lost", map[string]string{"If-Match": draft}))
	if current, _ := got.JSON["current"].(object); got.Status != 409 || current["name"] != "Second draft" {
		t.Errorf("an edit of an old draft: %d %s", got.Status, got.Body)
	}
}

// Browsers get compressed responses, whose tags an edit can send back.
func TestTheTagOfACompressedResponseNamesTheVersion(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := a.Result("POST", "/products", a.Owner, object{"item": object{"name": "Tea", "description": strings.Repeat("green tea ", 500)}})["id"]
	for _, coding := range []string{"br", "gzip"} {
		got := a.Send(apitest.Request{Method: "GET", Path: "/products/" + fmt.Sprint(id), Key: a.Owner, Header: map[string]string{"Accept-Encoding": coding}})
		if got.Header.Get("Content-Encoding") != coding {
			t.Fatalf("the response is not compressed with %s", coding)
		}
		header := map[string]string{"If-Match": got.Header.Get("ETag")}
		if first := a.Send(edit(id, a.Owner, "Tea "+coding, header)); first.Status != 200 {
			t.Errorf("%s: an edit of the present version: %d %s", coding, first.Status, first.Body)
		}
		if second := a.Send(edit(id, a.Owner, "Lost", header)); second.Status != 409 {
			t.Errorf("%s: an edit of the old version: %d", coding, second.Status)
		}
	}
}
