package release_test

import (
	"fmt"

	"vitrine/admin/api/apitest"
)

func text(s string) m { return m{"type": "text", "payload": m{"v": 2, "text": s}} }

// mount returns a section that shows an html document.
func mount(doc string) m {
	return m{"type": "text", "payload": m{"v": 2, "kind": "html", "props": m{"html": m{"documentId": doc, "boxed": false}}}}
}

func newBlock(a *apitest.API, item m) string {
	return a.Result("POST", "/content-blocks", a.Owner, m{"item": item})["id"].(string)
}

func newPage(a *apitest.API, slug string) string {
	page := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": slug, "type": "page", "is_published": true, "seo": m{"slug": slug}}})
	return fmt.Sprint(page["id"])
}

func group(a *apitest.API, kind string) string {
	return newBlock(a, m{"name": kind, "group_type": kind})
}
