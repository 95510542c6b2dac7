package media_test

import (
	"strings"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	mediadb "vitrine/internal/store/media"
)

// replace announces new bytes for a file.
func (l library) replace(id string, body apitest.Map) upload {
	l.t.Helper()
	answer := l.OK("POST", "/v1/storages/files/"+id+"/replace", l.Owner, body)
	up := answer["upload"].(apitest.Map)
	return upload{
		answer["result"].(apitest.Map)["id"].(string), up["id"].(string), up["url"].(string),
		answer["result"].(apitest.Map)["public_path"].(string),
	}
}

// served returns the file behind the URL in a response.
func (l library) served(f apitest.Map) (mediadb.File, error) {
	return mediadb.FileByPath(l.t.Context(), l.Store.Shop(l.Shop.ID), strings.TrimPrefix(f["public_path"].(string), "/files/"))
}

func TestReplacingKeepsTheIDAndChangesTheURL(t *testing.T) {
	t.Parallel()
	l := open(t)
	was := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))
	id := was["id"].(string)
	u := l.replace(id, apitest.Map{})
	if u.id != id || u.path != was["public_path"] {
		t.Errorf("announced as %v", u)
	}
	l.put(u, jpegOf(t, noisePicture(30, 20, 2)))
	if now := l.Result("GET", "/v1/storages/files/"+id, l.Owner, nil); now["url"] != was["url"] || now["width"] != 60.0 {
		t.Errorf("before the confirmation: %v", now)
	}
	next := l.done(u)
	if next["id"] != id || next["width"] != 30.0 || next["original_name"] != "tea.png" || next["created_at"] != was["created_at"] {
		t.Errorf("%v", next)
	}
	if want := "/files/products/" + id + "-2.webp"; next["public_path"] != want {
		t.Errorf("at %v, want %s: caches keep the content of a URL forever", next["public_path"], want)
	}
	f, err := l.served(next)
	if err != nil {
		t.Fatal(err)
	}
	if old, err := l.served(was); err != nil || old.SHA256 != f.SHA256 {
		t.Errorf("the old URL, which pages may still use, returns %+v, %v", old, err)
	}
	if original := int64(len(jpegOf(t, noisePicture(30, 20, 2)))); l.used() != f.Size+original {
		t.Errorf("%d bytes are counted, the file has %d and %d", l.used(), f.Size, original)
	}
	if again := l.done(u); again["url"] != next["url"] || again["size"] != next["size"] {
		t.Errorf("confirmed twice: %v", again)
	}
	l.Refused("PUT", u.url, "", []byte("late"), 409, "UPLOAD_ALREADY_DONE")
	third := l.replace(id, apitest.Map{"original_name": "leaves.png"})
	l.put(third, pngOf(t, noisePicture(9, 9, 3)))
	if last := l.done(third); last["original_name"] != "leaves.png" || !strings.HasSuffix(last["public_path"].(string), "-3.webp") {
		t.Errorf("%v", last)
	}
	if list := l.OK("GET", "/v1/storages/files", l.Owner, nil); list["total"] != 1.0 {
		t.Errorf("%v files are listed", list["total"])
	}
}

func TestARefusedReplacementKeepsTheFile(t *testing.T) {
	t.Parallel()
	l := open(t)
	was := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))
	id, full := was["id"].(string), l.used()
	u := l.replace(id, apitest.Map{})
	l.refuseDone(u, 400, "UPLOAD_MISSING")
	l.put(u, []byte("not a picture"))
	l.refuseDone(u, 400, "FILE_NOT_IMAGE")
	l.put(u, nil)
	l.refuseDone(u, 400, "FILE_EMPTY")
	large, small := pngOf(t, noisePicture(90, 90, 2)), pngOf(t, noisePicture(6, 6, 2))
	l.Limit(companydb.Limits{store.LimitStorage: full + 1})
	l.Refused("PUT", u.url, "", large, 429, "STORAGE_LIMIT_REACHED")
	l.Limit(companydb.Limits{store.LimitStorage: full + int64(len(large))})
	l.put(u, large)
	l.refuseDone(u, 429, "STORAGE_LIMIT_REACHED") // no storage for its master in addition to the old bytes
	now := l.Result("GET", "/v1/storages/files/"+id, l.Owner, nil)
	if _, err := l.served(was); err != nil || now["url"] != was["url"] || now["size"] != was["size"] || l.used() != full {
		t.Errorf("%v, %d bytes used, %v", now, l.used(), err)
	}
	l.Limit(companydb.Limits{store.LimitStorage: full + int64(len(large)+len(small))})
	l.put(u, small)
	l.done(u)

	waiting := l.announce("image", "new.png")
	l.Refused("POST", "/v1/storages/files/"+waiting.id+"/replace", l.Owner, nil, 400, "FILE_NOT_STORED")
	l.Refused("POST", "/v1/storages/files/"+id+"/replace", l.Stranger, nil, 404, "FILE_NOT_FOUND")
	l.Refused("POST", "/v1/storages/files/"+id+"/replace", l.Owner, apitest.Map{"original_name": ""}, 400, "INVALID_REQUEST")
	v := l.replace(id, apitest.Map{})
	l.put(v, pngOf(t, noisePicture(7, 7, 1)))
	l.OK("DELETE", "/v1/storages/files/"+id, l.Owner, nil)
	l.refuseDone(v, 404, "FILE_NOT_FOUND")
	if l.used() != 0 {
		t.Errorf("%d bytes used", l.used())
	}
}

func TestConcurrentReplacementsLeaveOneOfThem(t *testing.T) {
	t.Parallel()
	l := open(t)
	id := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))["id"].(string)
	var group sync.WaitGroup
	for _, width := range []int{10, 20, 30} {
		u := l.replace(id, apitest.Map{})
		l.put(u, pngOf(t, noisePicture(width, 10, 1)))
		for range 2 {
			group.Go(func() {
				if status, answer := l.Call("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil); status != 200 && status != 409 &&
					status != 404 {
					t.Errorf("%d %v", status, answer)
				}
			})
		}
	}
	group.Wait()
	now := l.Result("GET", "/v1/storages/files/"+id, l.Owner, nil)
	f, err := l.served(now)
	if err != nil || int(now["width"].(float64))%10 != 0 || now["width"] == 60.0 {
		t.Errorf("%v, %v", now, err)
	}
	if original := int64(len(pngOf(t, noisePicture(f.Width, 10, 1)))); l.used() != f.Size+original {
		t.Errorf("%d bytes are counted, not %d and %d", l.used(), f.Size, original)
	}
}

func TestTheOriginalOfAPictureIsPreferred(t *testing.T) {
	t.Parallel()
	l := open(t)
	file := rotated(jpegOf(t, noisePicture(60, 40, 1)))
	was := l.stored("image", "lying.jpg", file)
	id, full := was["id"].(string), l.used()
	at := "/v1/storages/files/" + id + "/prefer-original"
	now := l.Result("POST", at, l.Owner, nil)
	if now["prefer_original"] != true || now["mime"] != "image/jpeg" || now["public_path"] != "/files/products/"+id+".jpeg" ||
		now["width"] != 40.0 {
		t.Errorf("%v", now)
	}
	f, err := l.served(now)
	if err != nil || f.SHA256 != f.OriginalSHA256 || int(f.Size) != len(file) || int(l.used()) != len(file) {
		t.Errorf("%+v, %d bytes used, %v", f, l.used(), err)
	}
	if again := l.Result("POST", at, l.Owner, apitest.Map{"prefer_original": true}); again["url"] != now["url"] {
		t.Errorf("%v", again)
	}
	u := l.replace(id, apitest.Map{})
	l.put(u, pngOf(t, noisePicture(5, 5, 1)))
	if replaced := l.done(u); replaced["mime"] != "image/png" || replaced["prefer_original"] != true {
		t.Errorf("replaced: %v", replaced)
	}
	u = l.replace(id, apitest.Map{})
	l.put(u, file)
	l.done(u)
	back := l.Result("POST", at, l.Owner, apitest.Map{"prefer_original": false})
	if back["mime"] != "image/webp" || back["size"] != was["size"] || back["prefer_original"] != false || l.used() != full {
		t.Errorf("%v, %d bytes used of %d", back, l.used(), full)
	}
	plain := l.stored("image", "a.gif", gifOf(t, noisePicture(5, 5, 1)))["id"].(string)
	l.Refused("POST", "/v1/storages/files/"+plain+"/prefer-original", l.Owner, nil, 400, "FILE_HAS_NO_ORIGINAL")
	l.OK("POST", "/v1/storages/files/"+plain+"/prefer-original", l.Owner, apitest.Map{"prefer_original": false})
	l.Refused("POST", "/v1/storages/files/"+l.announce("image", "x.png").id+"/prefer-original", l.Owner, nil, 400, "FILE_NOT_STORED")
	l.Refused("POST", at, l.Stranger, nil, 404, "FILE_NOT_FOUND")
	l.Refused("POST", at, l.Dev, apitest.Map{"prefer_original": true}, 403, "PAT_CONTOUR_MISMATCH") // files have no draft
	for _, key := range []string{l.Editor, l.Session(l.EditorID)} {
		version := l.version()
		l.OK("POST", at, key, apitest.Map{"prefer_original": true})
		l.OK("POST", at, key, apitest.Map{"prefer_original": false})
		if l.version() < version+2 {
			t.Error("pages are not rendered again")
		}
		gone := l.notes("gone")
		l.OK("POST", "/v1/storages/files/"+gone+"/rename", key, apitest.Map{"original_name": "going"})
		l.OK("DELETE", "/v1/storages/files/"+gone, key, nil)
	}
}

// version returns the version of the live shop, which each change increases.
func (l library) version() int64 {
	l.t.Helper()
	_, version, _, err := l.Store.Shop(l.Shop.ID).Changes(l.t.Context(), 0)
	if err != nil {
		l.t.Fatal(err)
	}
	return version
}

// A file is served at its current and former URLs, and at no other URL with the same prefix: the
// name of a backup, or a path below it, is not found.
func TestAFileIsServedAtItsOwnURLsOnly(t *testing.T) {
	t.Parallel()
	l := open(t)
	was := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))
	id := was["id"].(string)
	u := l.replace(id, apitest.Map{})
	l.put(u, pngOf(t, noisePicture(9, 9, 3)))
	l.done(u) // products/<id>-2.webp
	found := func(path string) bool {
		_, err := mediadb.FileByPath(t.Context(), l.Store.Shop(l.Shop.ID), path)
		return err == nil
	}
	at := "products/" + id
	for _, path := range []string{at + "-2.webp", at + ".webp", at + ".png", at + "-2.png"} {
		if !found(path) {
			t.Errorf("%s is a current or former URL and is not served", path)
		}
	}
	for _, path := range []string{
		at, at + ".", at + "-2", at + ".webp.bak", at + ".webp/x", at + "-2.webp/x", at + "/x.webp", at + "x.webp", at + "-3.webp", at + "-0.webp", at + "--1.webp",
		at + ".webp~", at + ".webp%20", at + ".WEBP ", at + ".webp\n", "content/" + id + ".webp", "products/x/" + id + ".webp", id + ".webp",
	} {
		if found(path) {
			t.Errorf("%q serves the file", path)
		}
	}
}
