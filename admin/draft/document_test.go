package draft_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

func zipOf(t *testing.T, path, content string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.Create(path)
	if err == nil {
		_, err = f.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// release publishes a page of a document with a key and returns the release id.
func (b *bench) release(key, document, text string) string {
	b.t.Helper()
	body := zipOf(b.t, "index.html", "<!doctype html><html><head><title>"+text+"</title></head><body>"+text+"</body></html>")
	answer := b.Send(apitest.Request{
		Method: "POST", Path: "/html-documents/" + document + "/releases/zip?publish=1", Key: key, Body: body,
		Header: map[string]string{"Content-Type": "application/zip"},
	})
	if answer.Status != 200 {
		b.t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	list := b.OK("GET", "/html-documents/"+document+"/releases", key, nil)["result"].(l)
	return list[0].(m)["id"].(string)
}

func TestAReleaseOfTheDraftIsNotLive(t *testing.T) {
	b := open(t)
	first := b.release(b.Owner, b.document, "live")
	second := b.release(b.Dev, b.document, "draft")
	b.sees(b.Owner, "html-documents", b.document, "active_release_id", first)
	b.sees(b.Dev, "html-documents", b.document, "active_release_id", second)
	releases := "/html-documents/" + b.document + "/releases/"
	b.Refused("DELETE", releases+second, b.Owner, nil, 400, "RELEASE_IN_USE")
	b.Refused("DELETE", releases+second, b.Dev, nil, 403, "PAT_CONTOUR_MISMATCH")
	b.Refused("POST", "/html-documents/"+b.document+"/rollback", b.Owner, m{"release_id": second}, 400, "RELEASE_NOT_LIVE")
	b.OK("POST", "/html-documents/"+b.document+"/rollback", b.Dev, m{"release_id": first})
	if items := b.pending(); len(items) != 0 {
		t.Errorf("rolled back to the live release, and %v is still in the draft", items)
	}
	b.OK("POST", "/html-documents/"+b.document+"/rollback", b.Dev, m{"release_id": second})
	b.OK("POST", "/drafts/publish", b.Owner, one("document", b.document))
	b.sees(b.Owner, "html-documents", b.document, "active_release_id", second)
	if was := b.Result("GET", releases+second, b.Owner, nil)["was_live"]; was != true {
		t.Errorf("was_live %v after publishing", was)
	}
	b.OK("POST", "/html-documents/"+b.document+"/rollback", b.Owner, m{"release_id": first})
}

func TestADraftDocumentIsPublishedWithItsReleases(t *testing.T) {
	b := open(t)
	doc := b.add(b.Dev, "html-documents", m{"name": "New", "level": 3})["id"].(string)
	release := b.release(b.Dev, doc, "new")
	b.Refused("GET", "/html-documents/"+doc, b.Owner, nil, 404, "HTML_DOCUMENT_NOT_FOUND")
	b.OK("POST", "/drafts/publish", b.Owner, all)
	b.sees(b.Owner, "html-documents", doc, "active_release_id", release)

	gone := b.add(b.Dev, "html-documents", m{"name": "Gone", "level": 3})["id"].(string)
	b.release(b.Dev, gone, "gone")
	b.OK("POST", "/drafts/discard", b.Dev, all)
	b.Refused("GET", "/html-documents/"+gone, b.Dev, nil, 404, "HTML_DOCUMENT_NOT_FOUND")
}

// A page of the draft that mounts a document gets its title in the draft.
func TestADraftPageGetsTheTitleInTheDraft(t *testing.T) {
	b := open(t)
	b.release(b.Owner, b.document, "Title")
	mount := l{m{"type": "text", "payload": m{"v": 2, "kind": "html", "props": m{"html": m{"documentId": b.document}}}}}
	b.put(b.Dev, "content-blocks", b.block, m{"sections": mount})
	title := func(key string) any {
		return b.Result("GET", "/categories/"+id(b.tea), key, nil)["seo"].(m)["meta_title"]
	}
	if title(b.Dev) != "Title" || title(b.Owner) != "" {
		t.Errorf("draft %v, live %v", title(b.Dev), title(b.Owner))
	}
	b.OK("POST", "/drafts/publish", b.Owner, all)
	if title(b.Owner) != "Title" {
		t.Errorf("published %v", title(b.Owner))
	}
}

// A release whose bytes were lost after it was published in the draft does not go live, whichever
// selection includes its document; other items of the draft still can.
func TestADraftReleaseWithMissingBytesDoesNotGoLive(t *testing.T) {
	b := open(t)
	live := b.release(b.Owner, b.document, "live")
	waiting := b.release(b.Dev, b.document, "draft")
	b.put(b.Dev, "products", id(b.green), m{"name": "Greener"})
	page := "<!doctype html><html><head><title>draft</title></head><body>draft</body></html>"
	sha := fmt.Sprintf("%x", sha256.Sum256([]byte(page)))
	if gone, err := b.Blobs.Collect(t.Context(), sha, time.Now().Add(time.Hour)); err != nil || !gone {
		t.Fatal(gone, err)
	}
	for _, selection := range []m{one("document", b.document), all, {"all": true, "force": true}} {
		answer := b.Refused("POST", "/drafts/publish", b.Owner, selection, 409, "FILES_PENDING")
		if lost, _ := answer["pending"].(l); len(lost) != 1 || lost[0] != "index.html" {
			t.Errorf("%v: pending %v", selection, answer["pending"])
		}
	}
	b.sees(b.Owner, "html-documents", b.document, "active_release_id", live)
	b.OK("POST", "/drafts/publish", b.Owner, one("product", id(b.green)))

	b.release(b.Dev, b.document, "draft") // uploading the bytes again repairs the release
	b.OK("POST", "/drafts/publish", b.Owner, all)
	if now := b.Result("GET", "/html-documents/"+b.document, b.Owner, nil)["active_release_id"]; now == live || now == waiting {
		t.Errorf("live: %v", now)
	}
}
