package admin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// wholeMinute advances the clock to the start of a window of the rate limits.
func wholeMinute(a *apitest.API) {
	a.Clock.Advance(a.Clock.Now().Truncate(time.Minute).Add(time.Minute).Sub(a.Clock.Now()))
}

// An upload to a signed address counts as a call of the shop that the address was issued to
// (document 1, section 8: an upload costs three to four storage calls).
func TestUploadsCountForTheirShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	wholeMinute(a)
	announce := func() apitest.Map {
		return a.OK("POST", "/v1/storages/files", a.Owner, apitest.Map{"section": "content", "file_type": "file", "original_name": "a.txt"})["upload"].(apitest.Map)
	}
	put := func(url any) apitest.Answer {
		return a.Send(apitest.Request{Method: "PUT", Path: url.(string), Body: "hello", Header: map[string]string{"Content-Type": "file"}})
	}
	var last apitest.Map
	for range 60 {
		last = announce()
		if got := put(last["url"]); got.Status != 200 {
			t.Fatalf("PUT: %d %s", got.Status, got.Body)
		}
		a.OK("POST", "/v1/storages/files/"+last["id"].(string)+"/done", a.Owner, nil)
	}
	a.Refused(
		"POST", "/v1/storages/files", a.Owner,
		apitest.Map{"section": "content", "file_type": "file", "original_name": "a.txt"}, 429, "RATE_LIMITED",
	)
	a.Clock.Advance(time.Minute)
	last = announce()
	for range 179 {
		if got := put(last["url"]); got.Status != 200 {
			t.Fatalf("PUT: %d %s", got.Status, got.Body)
		}
	}
	a.Clock.Advance(15 * time.Second)
	got := put(last["url"])
	if got.Status != 429 || apitest.Code(got.JSON) != "RATE_LIMITED" || got.Header.Get("Retry-After") != "45" {
		t.Errorf("PUT 180: %d %v %s", got.Status, got.Header, got.Body)
	}
	// Uploads to invalid addresses count for the network of the client and for no shop.
	for range 180 {
		if got := put(last["url"].(string) + "x"); got.Status != 404 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	a.OK("POST", "/v1/storages/files", a.Stranger, apitest.Map{"section": "content", "file_type": "file", "original_name": "a.txt"})
	a.Clock.Advance(45 * time.Second)
	if got := put(last["url"]); got.Status != 200 {
		t.Errorf("the next minute: %d %s", got.Status, got.Body)
	}
}

// A release of many files counts as one call, including its files. Uploading a file again
// counts separately.
func TestFilesOfAReleaseDoNotCountAsCalls(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	wholeMinute(a)
	doc := fmt.Sprint(a.Result("POST", "/html-documents", a.Owner, apitest.Map{"item": apitest.Map{"name": "Big"}})["id"])
	var files []any
	content := map[string]string{}
	for n := range 500 {
		path, text := fmt.Sprintf("p%d.html", n), fmt.Sprintf("<p>%d</p>", n)
		if n == 0 {
			path = "index.html"
		}
		sum := sha256.Sum256([]byte(text))
		content[path] = text
		files = append(files, apitest.Map{"path": path, "sha256": hex.EncodeToString(sum[:]), "size": len(text)})
	}
	release := a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, apitest.Map{"base": "none", "files": files})
	uploads := release["upload"].([]any)
	if len(uploads) != 500 {
		t.Fatalf("%d addresses", len(uploads))
	}
	put := func(row any) int {
		u := row.(apitest.Map)
		return a.Send(apitest.Request{Method: "PUT", Path: u["upload_url"].(string), Body: content[u["path"].(string)]}).Status
	}
	for n, row := range uploads {
		if status := put(row); status != 200 {
			t.Fatalf("file %d: %d", n, status)
		}
	}
	a.OK("POST", fmt.Sprintf("/html-documents/%s/releases/%v/publish", doc, release["release_id"]), a.Owner, nil)
	for n := range 179 { // the release was the first call
		if status := put(uploads[n]); status != 200 {
			t.Fatalf("again, file %d: %d", n, status)
		}
	}
	if status := put(uploads[0]); status != 429 {
		t.Errorf("again and again: %d", status)
	}
}
