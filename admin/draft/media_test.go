package draft_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
)

// announced is a file, or a replacement of its bytes, that was uploaded with a key; done is the
// path that confirms the upload.
func (b bench) announced(path, key string, body any) (id, done string) {
	b.t.Helper()
	answer := b.OK("POST", path, key, body)
	up := answer["upload"].(m)
	b.OK("PUT", up["url"].(string), "", "%PDF-1.7 "+key)
	return answer["result"].(m)["id"].(string), "/v1/storages/files/" + up["id"].(string) + "/done"
}

// The library has no draft: a draft key adds files but cannot change files that visitors see.
func TestTheDraftContourLeavesLiveMediaAlone(t *testing.T) {
	b := open(t)
	const files = "/v1/storages/files"
	announce := m{"section": "products", "file_type": "file", "original_name": "tea.pdf"}
	id, done := b.announced(files, b.Owner, announce)
	live := b.Result("POST", done, b.Owner, nil)
	_, replacement := b.announced(files+"/"+id+"/replace", b.Owner, m{"original_name": "other.pdf"})
	session := b.Session(b.OwnerID)
	for _, row := range [][2]string{
		{"POST", files + "/" + id + "/rename"}, {"POST", files + "/" + id + "/replace"}, {"POST", files + "/" + id + "/prefer-original"},
		{"DELETE", files + "/" + id}, {"POST", replacement},
	} {
		b.Refused(row[0], row[1], b.Dev, m{"original_name": "new.pdf"}, 403, "PAT_CONTOUR_MISMATCH")
		got := b.Send(
			apitest.Request{
				Method: row[0], Path: row[1], Key: session, Body: m{"original_name": "new.pdf"},
				Header: map[string]string{"X-Service-Contour": "dev"},
			},
		)
		if got.Status != 400 || apitest.Code(got.JSON) != "DEV_MODE_UNAVAILABLE" {
			t.Errorf("%v: %d %s", row, got.Status, got.Body)
		}
	}
	if now := b.Result("GET", files+"/"+id, b.Owner, nil); fmt.Sprint(now) != fmt.Sprint(live) {
		t.Errorf("%v, want %v", now, live)
	}
	_, fresh := b.announced(files, b.Dev, announce)
	b.OK("POST", fresh, b.Dev, nil)
	b.OK("POST", replacement, b.Owner, nil)
}
