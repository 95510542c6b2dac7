package site_test

import (
	"testing"

	"vitrine/admin/api/apitest"
)

func TestSiteFilesAreMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	made := a.OK("POST", "/site-files", a.Owner, apitest.Map{"name": "ads.txt", "body": "hello {{.Shop.Name}}", "is_published": true})
	if made["path"] != "/ads.txt" || made["url"] != "http://tea.shops.test/ads.txt" || made["row_version"] != "1" || made["size"] != "20" {
		t.Fatalf("%v", made)
	}
	out := a.OK("POST", "/site-files/preview", a.Owner, apitest.Map{"path": "/x.yml", "body": a.OK("GET", "/site-files/templates", a.Owner, nil)["items"].([]any)[0].(map[string]any)["body"]})
	t.Log(out)
	t.Log(a.OK("GET", "/site-files", a.Owner, nil))
	a.OK("DELETE", "/site-files/"+made["id"].(string), a.Owner, nil)
}
