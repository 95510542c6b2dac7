package admin_test

import (
	"archive/zip"
	"bytes"
	"strings"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// item returns the usual body of a write.
func item(fields object) object { return object{"item": fields} }

// story is a day of the owner of a tea shop that uses every endpoint at least once. Its calls
// are the examples of the OpenAPI document.
func (r *recorder) story() {
	r.people()
	r.settings()
	file := r.pictures()
	section, product := r.products(file)
	r.buys(product)
	r.letters()
	r.exports()
	r.webhooks(product)
	r.assistants()
	r.says(product)
	r.counts(product)
	r.offers(product)
	r.galleries(file, product)
	r.attributes(product)
	r.bulk(section)
	r.articles(file)
	r.customers()
	r.closes(section)
	r.design(section)
	r.documents()
	r.layout()
	r.website()
	r.forms()
	r.redirects(section)
	r.siteFiles(section)
	r.drafts(product)
	r.discovery()
	r.cleanup(file)
}

func (r *recorder) people() {
	person := object{"email": "mei@example.com", "password": "a long password", "name": "Mei"}
	r.do("", "POST", "/v1/auth/register", person)
	signed := r.do("", "POST", "/v1/auth/login", object{"email": "mei@example.com", "password": "a long password"})
	r.do(result(signed, "token").(string), "POST", "/v1/auth/logout", nil)
	r.do("", "POST", "/v1/auth/code", object{"email": "mei@example.com"})
	r.do("", "POST", "/v1/auth/code/confirm", object{"email": "mei@example.com", "code": r.Code("mei@example.com")})
	r.leaves(person)
	session := r.Session(r.OwnerID)
	r.do(session, "GET", "/v1/auth/me", nil)
	r.secondFactor()
	r.do(session, "GET", "/v1/account/companies", nil)
	r.do(session, "PUT", "/v1/account/main-company", object{"company_id": r.Shop.ID})
	r.members(session)
	issued := r.do(
		session, "POST", "/v1/account/tokens",
		object{"name": "import", "contour": "prod", "scopes": list{"catalog:read", "catalog:write"}},
	)
	r.do(session, "GET", "/v1/account/tokens", nil)
	r.do(session, "DELETE", "/v1/account/tokens/"+id(result(issued, "id")), nil)
	r.Grant(r.OwnerID, "catalog:read", "catalog:write")
	granted := r.do(session, "GET", "/v1/account/grants", nil)["result"].([]any)[0].(object)
	r.do(session, "DELETE", "/v1/account/grants/"+id(granted["id"]), nil)
	r.opens()
	r.by("GET", "/v1/account/token", nil)
	r.by("GET", "/v1/orgs/current", nil)
	r.by("GET", "/tariff/usage", nil)
}

// opens is a person with a shop of their own, which they delete and restore.
func (r *recorder) opens() {
	session := r.Session(r.Buyer("olga@example.com"))
	r.do(session, "POST", "/v1/orgs", object{"slug": "cups", "name": "Cups", "currency": "EUR", "price_digits": 2})
	r.do(session, "PUT", "/v1/shop/state", object{"closed": true, "pin": "4821"})
	r.do(session, "PUT", "/v1/shop/slug", object{"slug": "bowls"})
	r.do(session, "PUT", "/v1/shop/currency", object{"currency": "USD"})
	r.do(session, "DELETE", "/v1/shop", object{"slug": "bowls"})
	r.do(session, "GET", "/v1/orgs", nil)
	r.do(session, "POST", "/v1/shop/restore", nil)
}

func (r *recorder) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) members(session string) {
	const members = "/v1/orgs/current/members"
	const invitations = "/v1/orgs/current/invitations/"
	wrong := r.do(session, "POST", members, object{"email": "jim@example.com", "role": "editor"})
	r.do(session, "POST", members, object{"email": "jin@example.com", "role": "editor"})
	r.do(session, "GET", members, nil)
	r.do(session, "DELETE", invitations+id(result(wrong, "id")), nil)
	joined := r.do(
		"", "POST", "/v1/auth/invitations/accept",
		object{"code": r.Code("jin@example.com"), "password": "a first password", "name": "Jin"},
	)
	member := members + "/" + id(result(joined, "user_id"))
	r.do(session, "GET", member, nil)
	r.do(session, "PUT", member, object{"role": "admin"})
	signed := r.do("", "POST", "/v1/auth/login", object{"email": "jin@example.com", "password": "a first password"})
	r.do(
		result(signed, "token").(string), "POST", "/v1/auth/password",
		object{"password": "a first password", "new_password": "a second password"},
	)
	r.do(session, "DELETE", member, nil)
}

// pictures uploads a picture and returns its id.
func (r *recorder) pictures() string {
	announced := r.by("POST", "/v1/storages/files", object{"section": "content", "file_type": "image", "original_name": "sencha.png"})
	upload := announced["upload"].(object)
	r.send(apitest.Request{Method: "PUT", Path: upload["url"].(string), Body: "\x89PNG\r\n\x1a\n"})
	r.by("POST", "/v1/storages/files/"+upload["id"].(string)+"/done", nil)
	file := result(announced, "id").(string)
	r.by("POST", "/v1/storages/files/"+file+"/rename", object{"original_name": "sencha leaves.png"})
	r.by("PUT", "/v1/storages/files/"+file, object{"item": object{"alt": "Dark green needles in a white bowl"}})
	r.by("GET", "/v1/storages/files/"+file, nil)
	r.by("GET", "/v1/storages/files/"+file+"/image", nil)
	r.by("GET", "/v1/storages/files?page.number=1&page.limit=20", nil)
	r.by(
		"POST", "/v1/storages/files/from-url",
		object{"source_url": "https://pictures.example/gyokuro.png", "section": "content", "file_type": "image"},
	)
	r.by("POST", "/v1/storages/files/"+file+"/prefer-original", object{"prefer_original": true})
	r.replacement(file)
	r.folders(file)
	return file
}

// replacement replaces the content of a file.
func (r *recorder) replacement(file string) {
	upload := r.by("POST", "/v1/storages/files/"+file+"/replace", object{"original_name": "sencha in a cup.png"})["upload"].(object)
	r.send(apitest.Request{Method: "PUT", Path: upload["url"].(string), Body: "\x89PNG\r\n\x1a\n2"})
	r.by("POST", "/v1/storages/files/"+upload["id"].(string)+"/done", nil)
}

// folders sorts files of the library into folders.
func (r *recorder) folders(file string) {
	const folders = "/v1/storages/collections"
	session := r.Session(r.OwnerID)
	top := id(result(r.by("POST", folders, object{"name": "Spring", "mode": "folder"}), "id"))
	inner := id(result(r.by("POST", folders, object{"name": "Tea", "parent_id": top, "mode": "folder"}), "id"))
	at := folders + "/" + inner
	r.by("POST", at+"/files", object{"file_ids": list{file}})
	r.by("GET", folders, nil)
	r.by("GET", at, nil)
	r.do(session, "PUT", at, object{"name": "Green tea", "parent_id": "0"})
	r.do(session, "POST", folders+"/reorder", object{"parent_id": "0", "ids": list{inner, top}})
	r.do(session, "POST", at+"/reorder", object{"file_ids": list{file}})
	r.do(session, "DELETE", at+"/files/"+file, nil)
	r.do(session, "DELETE", at, nil)
}

func (r *recorder) products(file string) (section, product string) {
	made := r.by(
		"POST", "/categories",
		item(object{"name": "Green tea", "type": "product", "is_published": true, "seo": object{"slug": "green-tea"}, "preview_id": file}),
	)
	section = id(result(made, "id"))
	r.by("PUT", "/categories/"+section, item(object{"description": "Steamed or roasted.", "is_show_menu": true}))
	r.by("GET", "/categories?view=full", nil)
	r.by("GET", "/categories/"+section, nil)
	r.by("GET", "/categories/by-slug/green-tea", nil)
	made = r.by("POST", "/products", item(object{
		"name": "Sencha", "description": "First harvest.", "price": object{"price": 14}, "sku": "SEN-1", "category_id": section, "tags": list{"japan"},
		"gallery": list{object{"id": file}}, "stock_quantity": 12, "is_published": true,
	}))
	product = id(result(made, "id"))
	r.by("PUT", "/products/"+product, item(object{"price": object{"price": 13, "old_price": 14}, "variants": list{
		object{"sku": "SEN-1-50", "title": "50 g", "price": 13, "is_active": false}, object{"sku": "SEN-1-100", "title": "100 g", "price": 24},
	}}))
	r.by("PUT", "/products/"+product+"/variants", object{"items": list{
		object{"sku": "SEN-1-50", "title": "50 g", "options": object{"Weight": "50 g"}, "price": 13},
		object{"sku": "SEN-1-100", "title": "100 g", "options": object{"Weight": "100 g"}, "price": 24},
	}})
	r.by("PUT", "/products/"+product+"/ad-participation", object{"mode": "include"})
	r.by("GET", "/products/"+product+"/ad-participation", nil)
	r.by("GET", "/products/"+product, nil)
	r.by("GET", "/products/by-slug/sencha", nil)
	return section, product
}

func (r *recorder) galleries(file, product string) {
	made := r.by("POST", "/galleries", item(object{"name": "Harvest", "items": list{
		object{"item_key": "leaves", "file": object{"id": file}, "caption": "Leaves of the first harvest"},
		object{"item_key": "words", "kind": "html", "html": "<p>Picked by hand.</p>"},
	}}))
	gallery := id(result(made, "id"))
	r.by("PUT", "/galleries/"+gallery, item(object{"name": "First harvest"}))
	r.by("PUT", "/products/"+product, item(object{"gallery_ids": list{gallery}}))
	r.by("GET", "/products/"+product+"?galleries=cover", nil)
	r.by("GET", "/galleries?page.number=1&page.limit=20", nil)
	r.by("GET", "/galleries/"+gallery, nil)
	r.by("GET", "/galleries/"+gallery+"/usage", nil)
	spare := id(result(r.by("POST", "/galleries", item(object{"name": "Tasting"})), "id"))
	r.by("DELETE", "/galleries/"+spare, nil)
}

func (r *recorder) attributes(product string) {
	made := r.by(
		"POST", "/attributes",
		item(
			object{
				"name": "Origin", "kind": "option", "filterable": true,
				"options": list{object{"value": "uji", "label": "Uji"}, object{"value": "shizuoka", "label": "Shizuoka"}},
			},
		),
	)
	attribute := id(result(made, "id"))
	r.by("PUT", "/attributes/"+attribute, item(object{"name": "Region"}))
	r.by("PUT", "/products/"+product, item(object{"attributes": list{object{"attribute_id": attribute, "values": list{"uji"}}}}))
	r.by("GET", "/attributes", nil)
	r.by("GET", "/attributes/"+attribute, nil)
	r.by(
		"GET",
		"/products?filter.query=sencha&attribute_filters[0].attribute_id="+attribute+"&attribute_filters[0].values=uji&page.number=1&page.limit=20",
		nil,
	)
	other := id(result(r.by("POST", "/products", item(object{"name": "Gyokuro", "price": object{"price": 32}, "sku": "GYO-1"})), "id"))
	group := id(result(r.by("POST", "/product-groups", item(object{"name": "Japanese greens", "product_ids": list{product, other}})), "id"))
	r.by("PUT", "/product-groups/"+group, item(object{"name": "Greens of Japan"}))
	r.by("GET", "/product-groups", nil)
	r.by("GET", "/product-groups/"+group, nil)
	r.by("DELETE", "/product-groups/"+group, nil)
	r.by("DELETE", "/products/"+other, nil)
	spare := id(result(r.by("POST", "/attributes", item(object{"name": "Weight", "kind": "number", "unit": "g"})), "id"))
	r.by("DELETE", "/attributes/"+spare, nil)
}

func (r *recorder) bulk(section string) {
	made := r.by("POST", "/products/batch", object{"items": list{
		object{"name": "Bancha", "price": object{"price": 8}, "sku": "BAN-1", "category_id": section},
		object{"name": "Sencha again", "price": object{"price": 14}, "sku": "SEN-1", "category_id": section},
	}})
	bancha := id(made["results"].(list)[0].(object)["id"])
	r.by("PATCH", "/products/batch", object{"ids": list{bancha}, "item": object{"is_published": true}})
	r.by("POST", "/products/import", object{"text": "sku,name,price\nHOJ-1,Hojicha,9\nBAN-1,Bancha,7\n", "dry_run": true})
	r.send(
		apitest.Request{
			Method: "POST", Path: "/products/import/file?dry_run=true", Key: r.Owner, Body: "sku,name,price\nHOJ-1,Hojicha,9\n",
			Header: map[string]string{"Content-Type": "text/csv"},
		},
	)
	r.by("GET", "/products/export", nil)
}

func (r *recorder) articles(file string) {
	rubric := result(r.by("POST", "/categories", item(object{"name": "Journal", "type": "news", "is_published": true})), "id")
	made := r.by("POST", "/articles", item(object{
		"category_id": rubric, "title": "First flush", "announce": "The spring harvest is in.", "cover_id": file, "badge": "New",
		"published_at": "2026-04-12T09:00:00Z", "is_published": true, "author": object{"mode": "manual", "name": "Mei"},
	}))
	article := id(result(made, "id"))
	r.by("PUT", "/articles/"+article, item(object{"badge": ""}))
	block := result(r.by("POST", "/content-blocks", item(object{"name": "body", "sections": list{text("Picked by hand.")}})), "id")
	r.by("PUT", "/articles/"+article+"/content-blocks", object{"items": list{object{"block_id": block, "sort_order": 1}}})
	later := result(r.by("POST", "/articles", item(object{"category_id": rubric, "title": "Second flush", "is_published": true})), "id")
	r.by("PUT", "/articles/"+article+"/related", object{"ids": list{later}})
	r.by("GET", "/articles/"+article, nil)
	r.by("GET", "/articles/by-slug/first-flush", nil)
	r.by("GET", "/articles?sort=recent&page.number=1&page.limit=20", nil)
	r.by("DELETE", "/articles/"+article, nil)
}

// text returns a section with a text widget.
func text(words string) object {
	return object{"type": "text", "payload": object{"v": 2, "kind": "text", "props": object{"text": words}}}
}

func (r *recorder) design(section string) {
	block := id(result(r.by("POST", "/content-blocks", item(object{"name": "New teas", "sections": list{
		object{"type": "text", "payload": object{"v": 2, "kind": "productListing", "props": object{"listing": object{"source": "shop", "limit": 8}}}},
	}})), "id"))
	r.by("GET", "/content-blocks/"+block, nil)
	r.by("PUT", "/content-blocks/"+block, item(object{"sections": list{text("All teas are new.")}}))
	r.by("PUT", "/categories/"+section+"/content-blocks", object{"items": list{object{"block_id": block, "sort_order": 1}}})
	r.by("GET", "/content-blocks", nil)
	group := result(r.by("POST", "/content-blocks", item(object{"name": "Below", "group_type": "product", "sections": list{
		object{"type": "text", "payload": object{"v": 2, "kind": "group", "props": object{"widgets": list{block}}}},
	}})), "id")
	r.by("PUT", "/design/bindings/category_children/"+section, object{"slots": object{"body": group}})
	r.by("GET", "/design/bindings/category_children/"+section, nil)
	r.by("DELETE", "/content-blocks/"+block, nil)
	r.do("", "POST", "/docs/validate", object{"sections": list{
		object{"type": "text", "payload": object{"v": 2, "kind": "productListing", "props": object{"limit": 8}}},
	}})
}

const landing = "<!doctype html><html><head><title>Spring</title></head><body><h1>Spring</h1></body></html>"

func (r *recorder) documents() {
	made := r.by("POST", "/html-documents", item(object{"name": "Spring landing", "level": 3}))
	at := "/html-documents/" + id(result(made, "id"))
	r.by("PUT", at, item(object{"description": "Until the end of May"}))
	r.by("GET", at, nil)
	r.by("GET", "/html-documents", nil)
	first := r.release(at, landing)
	second := r.release(at, strings.ReplaceAll(landing, "Spring", "Summer"))
	r.by("POST", at+"/rollback", object{"release_id": first})
	r.by("GET", at+"/releases", nil)
	r.by("GET", at+"/releases/"+first, nil)
	r.by("GET", at+"/releases/"+first+"/file?path=index.html", nil)
	r.by("GET", at+"/releases/"+first+"/diff", nil)
	r.by("DELETE", at+"/releases/"+second, nil)
	r.send(
		apitest.Request{
			Method: "POST", Path: at + "/releases/zip?publish=true", Key: r.Owner, Body: zipped(r, landing),
			Header: map[string]string{"Content-Type": "application/zip"},
		},
	)
	r.by("DELETE", at, nil)
}

// layout creates the shop's layout of a folder.
func (r *recorder) layout() {
	theme := id(result(r.by("POST", "/content-blocks", item(object{"name": "Spring look", "group_type": "theme"})), "id"))
	at := "/themes/" + theme + "/site"
	first := r.publishFolder(at, landing)
	r.publishFolder(at, strings.ReplaceAll(landing, "Spring", "Summer"))
	r.by("POST", at+"/rollback", object{"release_id": first})
	r.releases(at)
	r.by("GET", at, nil)
	r.by("PUT", "/design/bindings/theme/"+theme, object{"slots": object{}})
	r.do("", "GET", "/v1/storefronts/resolve?slug=tea", nil)
}

// releases calls the release endpoints that every folder has.
func (r *recorder) releases(at string) {
	listed := r.by("GET", at+"/releases", nil)
	one := at + "/releases/" + id(listed["result"].(list)[0].(object)["id"])
	r.by("POST", one+"/validate", nil)
	r.by("GET", one, nil)
	r.by("GET", one+"/file?path=index.html", nil)
	r.by("GET", one+"/diff", nil)
	r.by("DELETE", one, nil)
	r.send(
		apitest.Request{
			Method: "POST", Path: at + "/releases/zip?publish=true&base=active", Key: r.Owner, Body: zipped(r, landing),
			Header: map[string]string{"Content-Type": "application/zip"},
		},
	)
}

// website imports a static website into a section.
func (r *recorder) website() {
	section := id(result(r.by("POST", "/categories", item(object{"name": "Handbook", "type": "site", "is_published": true})), "id"))
	at := "/site-folders/" + section
	first := r.publishFolder(at, landing)
	r.publishFolder(at, strings.ReplaceAll(landing, "Spring", "Summer"))
	r.by("POST", at+"/rollback", object{"release_id": first})
	r.releases(at)
	r.by("GET", at, nil)
}

// forms creates a form that asks visitors for an address.
func (r *recorder) forms() {
	made := r.by(
		"POST", "/forms",
		item(object{"name": "Newsletter", "fields": list{object{"name": "email", "label": "E-mail", "type": "email", "required": true}}}),
	)
	form := id(result(made, "id"))
	r.by(
		"PUT", "/forms/"+form,
		item(object{"name": "Newsletter", "fields": list{object{"name": "email", "label": "Your e-mail", "type": "email", "required": true}}}),
	)
	r.by("GET", "/forms", nil)
	r.by("GET", "/forms/"+form, nil)
	r.do("", "GET", "/forms/"+form+"/public?company_id="+r.Shop.ID.String(), nil)
	r.do(
		"", "POST", "/form-leads?company_id="+r.Shop.ID.String(),
		object{"form_id": form, "values": object{"email": "ann@example.com"}, "page_url": "/handbook/"},
	)
	r.by("GET", "/forms/"+form+"/leads?page.number=1&page.limit=20", nil)
	r.applications()
	r.by("DELETE", "/forms/"+form, nil)
}

// applications submits forms with a file each; the shop reads them.
func (r *recorder) applications() {
	form := id(result(r.by("POST", "/forms", item(object{
		"name": "Work with us", "submit_text": "Apply", "success": object{"action": "page", "url": "/thanks"}, "fields": list{
			object{"name": "email", "label": "E-mail", "type": "email", "required": true},
			object{"name": "cv", "label": "Curriculum vitae", "type": "file", "required": true, "rules": object{"max_size": 1 << 20}},
			object{"name": "hours", "label": "Hours a week", "type": "number", "rules": object{"min": 1, "max": 40}},
			object{"name": "agree", "label": "You may keep my application for a year", "type": "consent", "required": true, "url": "/privacy"},
		}})), "id"))
	shop := "?company_id=" + r.Shop.ID.String()
	r.do("", "GET", "/forms/"+form+"/token"+shop, nil)
	file := result(r.do("", "POST", "/form-files"+shop+"&form_id="+form+"&field=cv&name=cv.pdf", "%PDF-1.7\n"), "id")
	made := r.do("", "POST", "/form-leads"+shop, object{
		"form_id": form, "values": object{"email": "ann@example.com", "cv": file, "hours": "20", "agree": "yes"}, "page_url": "/jobs", "utm": object{"source": "mail"}})
	lead := "/form-leads/" + id(result(made, "id"))
	r.by("POST", "/forms/"+form+"/test", object{})
	r.by("GET", "/form-leads?filter.form_id="+form+"&filter.status=new", nil)
	r.by("GET", lead, nil)
	r.by("GET", lead+"/files/"+id(file), nil)
	r.by("PUT", lead, object{"status": "seen", "note": "Ask for a day"})
	r.by("GET", "/form-leads/export?filter.form_id="+form, nil)
	r.by("DELETE", lead, nil)
}

// publishFolder uploads and publishes a folder of one page.
func (r *recorder) publishFolder(at, page string) string {
	announced := r.by(
		"POST", at+"/releases",
		object{"base": "none", "note": "by hand", "files": list{object{"path": "index.html", "sha256": sum(page), "size": len(page)}}},
	)
	release := id(announced["release_id"])
	for _, u := range announced["upload"].(list) {
		r.send(apitest.Request{Method: "PUT", Path: u.(object)["upload_url"].(string), Body: page})
	}
	r.by("POST", at+"/releases/"+release+"/publish", nil)
	return release
}

// release uploads and publishes one page.
func (r *recorder) release(at, page string) string {
	announced := r.by(
		"POST", at+"/releases",
		object{"base": "none", "note": "by hand", "files": list{object{"path": "index.html", "sha256": sum(page), "size": len(page)}}},
	)
	release := id(announced["release_id"])
	for _, u := range announced["upload"].(list) {
		r.send(apitest.Request{Method: "PUT", Path: u.(object)["upload_url"].(string), Body: page})
	}
	r.by("POST", at+"/releases/"+release+"/validate", nil)
	r.by("POST", at+"/releases/"+release+"/publish", object{"seo_overwrite": false})
	return release
}

func zipped(r *recorder, page string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create("index.html")
	if err == nil {
		_, err = f.Write([]byte(page + "\n"))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Bytes()
}

func (r *recorder) redirects(section string) {
	rule := id(
		result(
			r.by("POST", "/storefront-redirects", item(object{"from_path": "/old-tea", "to_target": "/green-tea", "code": 301, "enabled": true})),
			"id",
		),
	)
	r.by(
		"PUT", "/storefront-redirects/"+rule,
		item(object{"from_path": "/old-tea", "to_target": "/green-tea?from=old", "enabled": true, "note": "spring move"}),
	)
	r.by("GET", "/storefront-redirects", nil)
	r.by("GET", "/storefront-redirects/"+rule, nil)
	r.by("GET", "/storefront-redirects/check?url=/old-tea", nil)
	r.by("GET", "/storefront-redirects/versions?page.number=1&page.limit=20", nil)
	r.by("GET", "/storefront-redirects/versions/3", nil)
	r.by("POST", "/storefront-redirects/rollback", object{"version": "2", "dry_run": true})
	r.by("PUT", "/storefront-redirects/order", object{"ids": list{rule}})
	r.by("POST", "/storefront-redirects/import", object{"text": "from;to\n/a.php;/\n/b.php;/green-tea", "dry_run": true})
	r.by("POST", "/storefront-redirects/import", object{"text": "/c.php /green-tea 301", "format": "netlify", "dry_run": true})
	r.by("GET", "/storefront-redirects/export", nil)
	r.by("PUT", "/storefront-redirects/settings", object{"miss_fallback": true})
	r.by("GET", "/storefront-redirects/settings", nil)
	r.by("GET", "/storefront-redirects/misses?page.number=1&page.limit=50", nil)
	r.by("POST", "/storefront-redirects/misses/hide", object{"paths": list{"/wp-login.php"}})
	r.by("GET", "/storefront/redirects", nil)
	under := id(result(r.by("POST", "/categories", item(object{"name": "Teas", "type": "product", "is_published": true})), "id"))
	r.by("POST", "/categories/move", object{"from_id": section, "to_id": under, "type": "inside", "pin_rules": false})
	r.by("PUT", "/categories/"+under, item(object{"seo": object{"slug": "all-teas"}}))
	r.by("GET", "/slug-redirects/resolve?entity_type=category&slug=teas", nil)
	r.by("DELETE", "/storefront-redirects", object{"ids": list{rule}})
}

func (r *recorder) drafts(product string) {
	r.do(r.Dev, "PUT", "/products/"+product, item(object{"name": "Sencha, first harvest"}))
	r.by("GET", "/drafts?page.number=1&page.limit=50", nil)
	r.by("POST", "/drafts/preview", nil)
	r.by("POST", "/drafts/publish", object{"items": list{object{"kind": "product", "id": product}}})
	r.do(r.Dev, "PUT", "/products/"+product, item(object{"name": "Sencha, second harvest"}))
	r.by("POST", "/drafts/discard", object{"all": true})
	r.by("GET", "/audit?filter.path=/products/{id}&page.number=1&page.limit=20", nil)
}

// discovery reads every document that needs no parameters.
func (r *recorder) discovery() {
	for _, e := range r.Admin.Table() {
		if e.Method == "GET" && !strings.Contains(e.Path, "{") && (e.Auth == api.Link || e.Path == "/partner/openapi.json") {
			r.do("", "GET", e.Path, nil)
		}
	}
}

func (r *recorder) cleanup(file string) {
	r.by("GET", "/v1/storages/files/"+file+"/usage", nil)
	r.by("DELETE", "/v1/storages/files/"+file, nil)
	r.by("POST", "/v1/storages/files/delete", object{"ids": list{file}})
	gone := id(result(r.by("POST", "/categories", item(object{"name": "Gone", "type": "page"})), "id"))
	r.by("DELETE", "/categories/"+gone, nil)
}
