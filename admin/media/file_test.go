package media_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	mediadb "vitrine/internal/store/media"
)

func TestFilesOfOtherShopsAreNotFound(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	l.put(u, pngOf(t, noisePicture(5, 5, 1)))
	for _, id := range []string{u.id, uuid.NewString()} {
		at := "/v1/storages/files/" + id
		l.Refused("GET", at, l.Stranger, nil, 404, "FILE_NOT_FOUND")
		l.Refused("POST", at+"/rename", l.Stranger, apitest.Map{"original_name": "x"}, 404, "FILE_NOT_FOUND")
		l.Refused("PUT", at, l.Stranger, apitest.Map{"item": apitest.Map{"alt": "x"}}, 404, "FILE_NOT_FOUND")
		l.Refused("DELETE", at, l.Stranger, nil, 404, "FILE_NOT_FOUND")
	}
	l.Refused("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Stranger, nil, 404, "FILE_NOT_FOUND")
	l.Refused("GET", "/v1/storages/files/not-an-id", l.Owner, nil, 404, "NOT_FOUND")
	l.done(u)
	if list := l.OK("GET", "/v1/storages/files", l.Stranger, nil); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	l.put(u, pngOf(t, noisePicture(5, 5, 1)))
	at := "/v1/storages/files/" + u.id
	body := apitest.Map{"section": "products", "file_type": "image", "original_name": "x.png"}
	reader, writer := l.Scoped("storage:read"), l.Scoped("storage:write")
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/storages/files", body}, {"POST", "/v1/storages/files/" + u.uploadID + "/done", nil},
		{"POST", at + "/rename", apitest.Map{"original_name": "y"}}, {"DELETE", at, nil},
	} {
		l.Refused(c.method, c.path, "", c.body, 401, "UNAUTHENTICATED")
		if answer := l.Refused(c.method, c.path, reader, c.body, 403, "PAT_SCOPE_MISSING"); answer["required_scope"] != "storage:write" {
			t.Errorf("%v", answer)
		}
	}
	l.Refused("GET", at, writer, nil, 403, "PAT_SCOPE_MISSING")
	l.OK("GET", at, reader, nil)
	l.OK("GET", "/v1/storages/files", reader, nil)
	l.OK("POST", "/v1/storages/files/"+u.uploadID+"/done", writer, nil)
	for _, key := range []string{l.Editor, l.Dev, l.Session(l.EditorID)} { // files have no draft
		l.OK("POST", "/v1/storages/files", key, body)
	}
}

func TestTheListIsNewestFirstInPages(t *testing.T) {
	t.Parallel()
	l := open(t)
	for i := range 5 {
		l.Clock.Advance(1e9)
		l.stored("file", fmt.Sprintf("List %d.pdf", i), []byte("%PDF-1.7 list"))
	}
	l.stored("image", "100%_tea.png", pngOf(t, noisePicture(5, 5, 1)))
	l.announce("image", "waiting.png") // not stored yet, so not listed
	names := func(query string) (names []string, total any) {
		answer := l.OK("GET", "/v1/storages/files?"+query, l.Owner, nil)
		for _, f := range answer["result"].([]any) {
			names = append(names, f.(apitest.Map)["original_name"].(string))
		}
		return names, answer["total"]
	}
	for _, c := range []struct {
		query, want string
		total       float64
	}{
		{"filter.file_type=file&page.number=1&page.limit=2", "[List 4.pdf List 3.pdf]", 5},
		{"filter.file_type=file&page.number=3&page.limit=2", "[List 0.pdf]", 5},
		{"filter.query=%25_", "[100%_tea.png]", 1},
		{"filter.query=list+3", "[List 3.pdf]", 1},
		{"filter.section=Products&filter.file_type=image", "[100%_tea.png]", 1},
		{"filter.section=elsewhere", "[]", 0},
	} {
		if got, total := names(c.query); fmt.Sprint(got) != c.want || total != c.total {
			t.Errorf("%s: %v of %v", c.query, got, total)
		}
	}
	for _, query := range []string{"page.number=1", "page.number=0&page.limit=5", "page.limit=101", "page.limit=x", "filter.section=a"} {
		l.Refused("GET", "/v1/storages/files?"+query, l.Owner, nil, 400, "INVALID_REQUEST")
	}
}

func TestRenamingKeepsTheURL(t *testing.T) {
	t.Parallel()
	l := open(t)
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(5, 5, 1)))
	at := "/v1/storages/files/" + f["id"].(string)
	renamed := l.Result("POST", at+"/rename", l.Owner, apitest.Map{"original_name": "Зелёный чай.png"})
	if renamed["original_name"] != "Зелёный чай.png" || renamed["url"] != f["url"] {
		t.Errorf("%v", renamed)
	}
	l.Refused("POST", at+"/rename", l.Owner, apitest.Map{"original_name": " "}, 400, "INVALID_REQUEST")
}

func TestAPictureIsDescribed(t *testing.T) {
	t.Parallel()
	l := open(t)
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(5, 5, 1)))
	at := "/v1/storages/files/" + f["id"].(string)
	alt := func(item apitest.Map) any { return l.Result("PUT", at, l.Owner, apitest.Map{"item": item})["alt"] }
	if f["alt"] != "" {
		t.Errorf("the default is %v", f["alt"])
	}
	for _, c := range [][2]any{{"Листья \n чая  <b>", "Листья чая <b>"}, {nil, "Листья чая <b>"}, {strings.Repeat("ё", 500), strings.Repeat("ё", 500)}, {" ", ""}} {
		if got := alt(apitest.Map{"alt": c[0]}); got != c[1] {
			t.Errorf("%q became %q", c[0], got)
		}
	}
	l.Refused("PUT", at, l.Owner, apitest.Map{"item": apitest.Map{"alt": strings.Repeat("ё", 501)}}, 400, "TEXT_TOO_LONG")
	l.Refused("PUT", at, l.Owner, apitest.Map{"item": apitest.Map{"alt": 7}}, 400, "INVALID_REQUEST")
	l.Refused("PUT", at, l.Dev, apitest.Map{"item": apitest.Map{"alt": "x"}}, 403, "PAT_CONTOUR_MISMATCH")
	l.Refused("PUT", at, l.Scoped("storage:read"), apitest.Map{"item": apitest.Map{"alt": "x"}}, 403, "PAT_SCOPE_MISSING")
}

func TestDeletingFreesBytesThatNoOtherFileUses(t *testing.T) {
	t.Parallel()
	l := open(t)
	file := pngOf(t, noisePicture(40, 40, 1))
	first, twin := l.stored("image", "a.png", file), l.stored("image", "b.png", file)
	full := l.used()
	at := "/v1/storages/files/" + first["id"].(string)
	l.OK("DELETE", at, l.Owner, nil)
	l.Refused("GET", at, l.Owner, nil, 404, "FILE_NOT_FOUND")
	l.Refused("DELETE", at, l.Owner, nil, 404, "FILE_NOT_FOUND")
	if _, err := mediadb.FileByPath(t.Context(), l.Store.Shop(l.Shop.ID), first["public_path"].(string)[len("/files/"):]); err == nil {
		t.Error("a deleted file is served")
	}
	if l.used() != full {
		t.Errorf("the bytes of the second file are not counted: %d of %d", l.used(), full)
	}
	l.OK("DELETE", "/v1/storages/files/"+twin["id"].(string), l.Owner, nil)
	if l.used() != 0 {
		t.Errorf("%d bytes still counted", l.used())
	}
	changed, _, _, err := l.Store.Shop(l.Shop.ID).Changes(t.Context(), 0)
	if err != nil || len(changed) == 0 || changed[0].Kind != shop.KeyDesign {
		t.Errorf("pages were not notified: %v %v", changed, err)
	}
}
