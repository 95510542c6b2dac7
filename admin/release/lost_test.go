package release_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// lose removes the bytes of a content from the storage, which the program never does while a row
// refers to them.
func lose(t *testing.T, a *apitest.API, content string) {
	t.Helper()
	if gone, err := a.Blobs.Collect(t.Context(), sum(content), time.Now().Add(time.Hour)); err != nil || !gone {
		t.Fatalf("%v %v", gone, err)
	}
}

func TestLostBytesCanBeUploadedAgain(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc, all := newDocument(a), files{"index.html": html("one"), "a.txt": "a picture"}
	live := publish(a, doc, all)
	lose(t, a, all["a.txt"])
	a.Limit(company.Limits{store.LimitStorage: int64(len(html("one")) + len(all["a.txt"]))}) // repairing needs no additional storage
	id, upload := announce(a, doc, "none", all)
	if len(upload) != 1 || upload["a.txt"] == "" {
		t.Fatalf("to be uploaded: %v", upload)
	}
	a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	a.OK("PUT", upload["a.txt"], "", all["a.txt"])
	a.OK("POST", path(doc, id)+"/publish", a.Owner, nil)
	a.OK("POST", "/html-documents/"+doc+"/rollback", a.Owner, m{"release_id": live}) // repaired by the same upload

	lose(t, a, all["a.txt"])
	if got := zipped(a, doc, "?base=none&publish=1", packed(t, all)); got.Status != 200 {
		t.Errorf("a ZIP with the lost bytes: %d %s", got.Status, got.Body)
	}
}

func TestReleasesWithMissingBytesAreNotPublished(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	first := publish(a, doc, files{"index.html": html("one"), "a.txt": "first"})
	second := publish(a, doc, files{"index.html": html("two"), "b.txt": "second"})
	ready := send(a, doc, files{"index.html": html("three"), "c.txt": "third"})
	lose(t, a, "first")
	lose(t, a, "third")
	for _, call := range []struct {
		path string
		body any
	}{
		{path(doc, ready) + "/publish", nil}, {path(doc, ready) + "/validate", nil}, {"/html-documents/" + doc + "/rollback", m{"release_id": first}},
	} {
		if answer := a.Refused("POST", call.path, a.Owner, call.body, 409, "FILES_PENDING"); len(answer["pending"].(l)) != 1 {
			t.Errorf("%s: %v", call.path, answer)
		}
	}
	if active(a, doc) != second {
		t.Error("the live release was switched")
	}
}

// Many files of a release are uploaded concurrently while the plan has storage left for only a
// few.
func TestConcurrentReleaseUploadsStayWithinThePlan(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc, all := newDocument(a), files{"index.html": html("one")}
	for i := range 60 {
		all[fmt.Sprintf("%d.txt", i)] = fmt.Sprintf("%0100d", i)
	}
	_, upload := announce(a, doc, "none", all)
	a.Limit(company.Limits{store.LimitStorage: 1050})
	var calls []apitest.Request
	for name, url := range upload {
		if name != "index.html" {
			calls = append(calls, apitest.Request{Method: "PUT", Path: url, Body: all[name]})
		}
	}
	if codes := apitest.Codes(a.AtOnce(calls...)); codes[""] != 10 || codes["STORAGE_LIMIT_REACHED"] != 50 {
		t.Errorf("%v", codes)
	}
	there := 0
	for name, content := range all {
		has, err := a.Blobs.Has(t.Context(), sum(content))
		if err != nil {
			t.Fatal(err)
		}
		if has && name != "index.html" {
			there++
		}
	}
	if there != 10 {
		t.Errorf("%d files are stored", there)
	}
}
