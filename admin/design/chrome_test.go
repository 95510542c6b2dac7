package design_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"vitrine/admin/api/apitest"
)

func newDocument(a *apitest.API) string {
	return a.Result("POST", "/html-documents", a.Owner, m{"item": m{"name": "Landing", "level": 3}})["id"].(string)
}

// publish creates a release of one page and makes it live.
func publish(a *apitest.API, root, words string) (release string, answer m) {
	page := `<!doctype html><html><head><title>Hello</title><meta name="description" content="A page"></head><body>` + words + `</body></html>`
	sum := sha256.Sum256([]byte(page))
	file := m{"path": "index.html", "sha256": hex.EncodeToString(sum[:]), "size": len(page)}
	made := a.OK("POST", root+"/releases", a.Owner, m{"base": "none", "files": l{file}})
	a.OK("PUT", made["upload"].(l)[0].(m)["upload_url"].(string), "", page)
	release = made["release_id"].(string)
	return release, a.OK("POST", root+"/releases/"+release+"/publish", a.Owner, nil)
}

func TestAnybodyResolvesAStorefront(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ask := func() m { return a.Result("GET", "/v1/storefronts/resolve?slug=tea", "", nil) }
	if s := ask(); s["slug"] != "tea" || s["chrome"].(m)["header"] != nil || s["chrome"].(m)["layout"] != nil {
		t.Errorf("an empty shop: %v", s)
	}
	doc, idle := newDocument(a), newDocument(a)
	release, _ := publish(a, "/html-documents/"+doc, "header")
	inner := group(a, "chrome")
	putGroup(a, inner, mounting(a, doc), mounting(a, idle))
	outer := group(a, "chrome")
	putGroup(a, outer, inner, outer)
	bind(a, "shop/0", m{"header": outer})
	theme := group(a, "theme")
	publish(a, "/themes/"+theme+"/site", "layout")
	group(a, "theme") // a later one is not the default
	chrome := ask()["chrome"].(m)
	header := chrome["header"].(m)
	if header["group_id"] != outer || apitest.Values(header["documents"], "document_id") != doc ||
		apitest.Values(header["documents"], "release_id") != release ||
		chrome["footer"] != nil {
		t.Errorf("chrome %v", chrome)
	}
	site := a.Result("GET", "/themes/"+theme+"/site", a.Owner, nil)
	if layout := chrome["layout"].(m); layout["id"] != theme || layout["scope_class"] != site["scope_class"] ||
		layout["document"].(m)["base"] != site["base"] {
		t.Errorf("layout %v, site %v", layout, site)
	}
	bind(a, "theme/"+theme, m{"header": inner})
	if header := ask()["chrome"].(m)["header"].(m); header["group_id"] != inner || header["source"].(m)["type"] != "theme" {
		t.Errorf("the layout's header: %v", header)
	}
	a.Refused("GET", "/v1/storefronts/resolve?slug=none", "", nil, 404, "SHOP_NOT_FOUND")
	a.Refused("GET", "/v1/storefronts/resolve", "", nil, 400, "INVALID_REQUEST")
	a.Close(true)
	a.Refused("GET", "/v1/storefronts/resolve?slug=tea", a.Owner, nil, 404, "SHOP_NOT_FOUND")
}

// A template passes its title to the section that it is bound to directly.
func TestAPageTakesTheTitleOfItsOwnTemplate(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc, early, late := newDocument(a), newPage(a, "early"), newPage(a, "late")
	template := group(a, "category")
	putGroup(a, template, mounting(a, doc))
	bind(a, "category/"+early, m{"body": template})
	bind(a, "category_children/"+early, m{"body": template})
	title := func(page string) any {
		return a.Result("GET", "/categories/"+page, a.Owner, nil)["seo"].(m)["meta_title"]
	}
	_, answer := publish(a, "/html-documents/"+doc, "x")
	if title(early) != "Hello" || title(late) != "" || apitest.Values(answer["seo"].(m)["pages"], "id") != early || answer["path"] != "/early" {
		t.Errorf("early %v, late %v, answer %v", title(early), title(late), answer)
	}
	bind(a, "category/"+late, m{"body": template})
	if title(late) != "Hello" {
		t.Errorf("bound after the publish: %v", title(late))
	}
}

// mounting creates a block that shows a document.
func mounting(a *apitest.API, doc string) string {
	payload := m{"v": 2, "kind": "html", "props": m{"html": m{"documentId": doc}}}
	return newBlock(a, m{"name": "mount", "sections": l{m{"type": "text", "payload": payload}}})
}

// putGroup makes a block a group of the given blocks.
func putGroup(a *apitest.API, id string, widgets ...any) {
	payload := m{"v": 2, "kind": "group", "props": m{"widgets": widgets}}
	a.OK("PUT", "/content-blocks/"+id, a.Owner, m{"id": id, "item": m{"sections": l{m{"type": "text", "payload": payload}}}})
}
