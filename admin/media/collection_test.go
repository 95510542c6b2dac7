package media_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
)

const collections = "/v1/storages/collections"

// folder creates a collection and returns its id.
func (l library) folder(name, parent string) string {
	l.t.Helper()
	return l.Result("POST", collections, l.Owner, apitest.Map{"name": name, "parent_id": parent, "mode": "folder"})["id"].(string)
}

// names lists the names in the response of a path.
func (l library) names(path, field string) string {
	l.t.Helper()
	var names []string
	for _, item := range l.OK("GET", path, l.Owner, nil)["result"].([]any) {
		names = append(names, item.(apitest.Map)[field].(string))
	}
	return strings.Join(names, " ")
}

func (l library) notes(name string) string {
	l.t.Helper()
	return l.stored("file", name, []byte("notes "+name))["id"].(string)
}

func TestAFileCanBeInSeveralCollections(t *testing.T) {
	t.Parallel()
	l := open(t)
	session := l.Session(l.EditorID)
	spring, autumn := l.folder("Spring", "0"), l.folder("Autumn", "0")
	a, b, c := l.notes("a"), l.notes("b"), l.notes("c")
	one := l.Result("POST", collections+"/"+spring+"/files", l.Owner, apitest.Map{"file_ids": []string{c, a, c}, "file_id": b})
	if one["files_count"] != 3.0 {
		t.Errorf("%v", one)
	}
	l.OK("POST", collections+"/"+autumn+"/files", l.Owner, apitest.Map{"file_id": a})
	l.OK("POST", collections+"/"+autumn+"/files", l.Owner, apitest.Map{"file_id": a}) // adding it again changes nothing
	const list = "/v1/storages/files?filter.collection_id="
	for path, want := range map[string]string{list + spring: "c a b", list + autumn: "a", list + "999": ""} {
		if got := l.names(path, "original_name"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	l.OK("POST", collections+"/"+spring+"/reorder", session, apitest.Map{"file_ids": []string{b, uuid.NewString()}})
	if got := l.names(list+spring, "original_name"); got != "b c a" {
		t.Errorf("in the order %s", got)
	}
	if left := l.Result("DELETE", collections+"/"+spring+"/files/"+a, session, nil); left["files_count"] != 2.0 {
		t.Errorf("%v", left)
	}
	l.Refused("DELETE", collections+"/"+spring+"/files/"+a, session, nil, 404, "FILE_NOT_FOUND")
	l.OK("DELETE", collections+"/"+autumn, session, nil)
	l.OK("GET", "/v1/storages/files/"+a, l.Owner, nil) // neither call deleted the file
	l.OK("DELETE", "/v1/storages/files/"+b, l.Owner, nil)
	if got := l.names(list+spring, "original_name"); got != "c" {
		t.Errorf("after deleting a file: %s", got)
	}
	if got := l.Result("GET", collections+"/"+spring, l.Owner, nil)["files_count"]; got != 1.0 {
		t.Errorf("%v files", got)
	}
}

func TestCollectionsNest(t *testing.T) {
	t.Parallel()
	l := open(t)
	session := l.Session(l.OwnerID)
	top := l.folder("Top", "0")
	inner := l.folder("Inner", top)
	deep := l.folder("Deep", inner)
	l.Refused("PUT", collections+"/"+top, session, apitest.Map{"parent_id": top}, 400, "COLLECTION_LOOP")
	l.Refused("PUT", collections+"/"+top, session, apitest.Map{"parent_id": deep}, 400, "COLLECTION_LOOP")
	l.Refused("PUT", collections+"/"+top, session, apitest.Map{"parent_id": "999"}, 404, "COLLECTION_NOT_FOUND")
	other := l.folder("Other", "0")
	moved := l.Result("PUT", collections+"/"+inner, session, apitest.Map{"parent_id": other, "name": " Moved "})
	if moved["parent_id"] != other || moved["name"] != "Moved" || moved["mode"] != "folder" {
		t.Errorf("%v", moved)
	}
	for range 2 {
		l.folder("Beside", other)
	}
	last := l.folder("Last", other)
	l.OK("POST", collections+"/reorder", session, apitest.Map{"parent_id": other, "ids": []string{last}})
	if got := l.names(collections+"?filter.parent_id="+other, "name"); got != "Last Moved Beside Beside" {
		t.Errorf("in the order %s", got)
	}
	l.Refused("POST", collections+"/reorder", session, apitest.Map{"parent_id": top, "ids": []string{last}}, 404, "COLLECTION_NOT_FOUND")
	l.OK("DELETE", collections+"/"+other, session, nil)
	if got := l.names(collections, "name"); got != "Top" {
		t.Errorf("deleting a folder leaves %s", got)
	}
	at := "0"
	for range 16 {
		at = l.folder("Down", at)
	}
	l.Refused("POST", collections, l.Owner, apitest.Map{"name": "Too deep", "parent_id": at}, 400, "COLLECTION_TOO_DEEP")
	l.folder("Under", l.folder("Two", "0"))
	two := l.OK("GET", collections+"?filter.parent_id=0", l.Owner, nil)["result"].([]any)
	l.Refused(
		"PUT", collections+"/"+two[len(two)-1].(apitest.Map)["id"].(string), session, apitest.Map{"parent_id": at}, 400,
		"COLLECTION_TOO_DEEP",
	)
}

func TestKeysOnlyCreateAndFillCollections(t *testing.T) {
	t.Parallel()
	l := open(t)
	reader, writer := l.Scoped("storage:read"), l.Scoped("storage:write")
	file := l.notes("a")
	made := l.Result("POST", collections, writer, apitest.Map{"name": "By a key"})
	at := collections + "/" + made["id"].(string)
	l.OK("POST", at+"/files", writer, apitest.Map{"file_id": file})
	l.OK("GET", at, reader, nil)
	l.OK("GET", collections, reader, nil)
	l.Refused("GET", collections, writer, nil, 403, "PAT_SCOPE_MISSING")
	l.Refused("POST", collections, reader, apitest.Map{"name": "x"}, 403, "PAT_SCOPE_MISSING")
	l.Refused("POST", at+"/files", reader, apitest.Map{"file_id": file}, 403, "PAT_SCOPE_MISSING")
	for _, c := range []struct{ method, path string }{
		{"PUT", at}, {"DELETE", at}, {"DELETE", at + "/files/" + file}, {"POST", at + "/reorder"}, {"POST", collections + "/reorder"},
	} {
		for _, key := range []string{l.Owner, writer, l.Dev} {
			l.Refused(c.method, c.path, key, apitest.Map{}, 403, "PAT_METHOD_NOT_ALLOWED")
		}
	}
	l.OK("POST", collections, l.Dev, apitest.Map{"name": "The library has no draft"})
	if got := l.names(collections, "name"); got != "By a key The library has no draft" {
		t.Error(got)
	}
}

func TestCollectionsOfOtherShopsAreNotFound(t *testing.T) {
	t.Parallel()
	l := open(t)
	session, stranger := l.Session(l.OwnerID), l.Session(l.StrangerID)
	file, at := l.notes("a"), collections+"/"+l.folder("Mine", "0")
	theirs := l.Result("POST", collections, l.Stranger, apitest.Map{"name": "Theirs"})["id"].(string)
	l.Refused("GET", at, l.Stranger, nil, 404, "COLLECTION_NOT_FOUND")
	l.Refused("POST", at+"/files", l.Stranger, apitest.Map{"file_id": file}, 404, "COLLECTION_NOT_FOUND")
	l.Refused("POST", collections+"/"+theirs+"/files", l.Stranger, apitest.Map{"file_id": file}, 404, "FILE_NOT_FOUND")
	l.Refused(
		"POST", collections, l.Stranger, apitest.Map{"name": "x", "parent_id": strings.TrimPrefix(at, collections+"/")}, 404,
		"COLLECTION_NOT_FOUND",
	)
	for _, c := range []struct{ method, path string }{{"PUT", at}, {"DELETE", at}, {"DELETE", at + "/files/" + file}, {"POST", at + "/reorder"}} {
		l.Refused(c.method, c.path, stranger, apitest.Map{}, 404, "COLLECTION_NOT_FOUND")
	}
	l.Refused("DELETE", collections+"/"+theirs, session, nil, 404, "COLLECTION_NOT_FOUND")
}

func TestInvalidCollectionsAreRefused(t *testing.T) {
	t.Parallel()
	l := open(t)
	at := collections + "/" + l.folder("Mine", "0")
	for _, body := range []apitest.Map{
		{}, {"name": " "}, {"name": "a\x00b"}, {"name": strings.Repeat("я", 256)}, {"name": 7}, {"name": "x", "mode": "album"}, {"name": "x", "parent_id": "y"},
	} {
		l.Refused("POST", collections, l.Owner, body, 400, "INVALID_REQUEST")
	}
	announced := l.announce("file", "waiting.txt")
	for _, c := range []struct {
		body   apitest.Map
		status int
		code   string
	}{
		{apitest.Map{}, 400, "INVALID_REQUEST"}, {apitest.Map{"file_ids": []string{}}, 400, "INVALID_REQUEST"},
		{apitest.Map{"file_ids": strings.Fields(strings.Repeat(announced.id+" ", 101))}, 400, "INVALID_REQUEST"},
		{apitest.Map{"file_id": "x"}, 400, "INVALID_REQUEST"}, {apitest.Map{"file_id": uuid.NewString()}, 404, "FILE_NOT_FOUND"},
		{apitest.Map{"file_id": announced.id}, 404, "FILE_NOT_FOUND"},
	} {
		l.Refused("POST", at+"/files", l.Owner, c.body, c.status, c.code)
	}
	for i := range 1000 - 1 {
		if i%150 == 0 {
			l.Clock.Advance(6e10) // a new window of the rate limit
		}
		l.folder(fmt.Sprint(i), "0")
	}
	l.Refused("POST", collections, l.Owner, apitest.Map{"name": "one more"}, 400, "COLLECTIONS_TOO_MANY")
}
