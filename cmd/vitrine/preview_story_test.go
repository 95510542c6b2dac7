package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// browse requests a path of a shop's storefront with a cookie.
func (p *program) browse(method, slug, path, cookie string) (int, http.Header, string) {
	p.t.Helper()
	request, err := http.NewRequest(method, "http://"+p.edge+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = slug + ".localhost"
	request.Header.Set("Cookie", cookie)
	response, err := direct.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

// A dev key makes edits, the live shop does not change, the signed link shows the edit, and
// after publication all visitors see it: through an edge in another process.
func TestDraftPreviewAndPublication(t *testing.T) {
	t.Parallel()
	previewAndPublish(t, storetest.URL(t, store.Migrate))
}

func previewAndPublish(t *testing.T, database string) {
	t.Helper()
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_DATABASE_URL="+database)
	}
	prod := writer.shop("tea")
	rival := writer.shop("rival")
	dev := writer.verb("key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "dev")["key"].(string)
	writer.startRole("admin")
	r := visitor.startRole("edge")

	section := writer.must(
		prod, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Green tea", "type": "product", "is_published": true}},
	)
	item := map[string]any{"name": "Sencha", "category_id": section["id"], "is_published": true, "price": map[string]any{"price": 12}}
	product := "/products/" + itoa(writer.must(prod, "POST", "/products", map[string]any{"item": item})["id"])
	wait(t, "the product is live", func() bool { status, _, _ := visitor.visit("tea", "/green-tea/sencha"); return status == 200 })

	writer.must(dev, "PUT", product, map[string]any{"item": map[string]any{"name": "Gyokuro", "seo": map[string]any{"slug": "gyokuro"}}})
	writer.must(dev, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Cups", "type": "product", "is_published": true}})
	link := writer.must(dev, "POST", "/drafts/preview", nil)["url"].(string)
	path := link[strings.Index(link, "/_vitrine/"):]
	if !strings.HasPrefix(link, "http://tea.localhost:") {
		t.Errorf("the link is %s", link)
	}
	status, header, _ := visitor.visit("tea", path)
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if status != 303 || cookie == "" {
		t.Fatalf("the link answers %d %v", status, header)
	}
	// shows compares the responses of a path with the cookie and without it.
	shows := func(path string, preview, live int) {
		t.Helper()
		status, header, body := visitor.browse("GET", "tea", path, cookie)
		if status != preview || header.Get("Cache-Control") != "private, no-store" || header.Get("X-Robots-Tag") != "noindex" ||
			status == 200 && !strings.Contains(body, "Draft preview") {
			t.Errorf("%s in the preview: %d %v", path, status, header)
		}
		if status, _, body := visitor.visit("tea", path); status != live || strings.Contains(body, "Draft preview") {
			t.Errorf("%s live: %d", path, status)
		}
	}
	shows("/green-tea/gyokuro", 200, 308) // a deleted or unknown product redirects to its section
	shows("/green-tea/sencha", 308, 200)
	shows("/cups", 200, 404)
	writer.must(dev, "PUT", product, map[string]any{"item": map[string]any{"description": "Shaded for weeks"}})
	if _, _, body := visitor.browse("GET", "tea", "/green-tea/gyokuro", cookie); !strings.Contains(body, "Shaded for weeks") {
		t.Errorf("the second edit is not in the preview: %.300s", body)
	}

	// An unpublished page has an address by its id, in the preview only.
	secret := itoa(writer.must(dev, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Secret", "type": "product", "is_published": false}})["id"])
	in, err := strconv.Atoi(secret)
	if err != nil {
		t.Fatal(err)
	}
	below := itoa(writer.must(dev, "POST", "/products", map[string]any{"item": map[string]any{"name": "Below", "category_id": in, "is_published": true}})["id"])
	off := itoa(writer.must(prod, "POST", "/products", map[string]any{"item": map[string]any{"name": "Off", "category_id": section["id"]}})["id"])
	rubric := writer.must(prod, "POST", "/categories", map[string]any{"item": map[string]any{"name": "News", "type": "news", "is_published": true}})
	quiet := itoa(writer.must(prod, "POST", "/articles", map[string]any{"item": map[string]any{"title": "Quiet", "category_id": rubric["id"]}})["id"])
	for path, name := range map[string]string{"/category/" + secret: "Secret", "/product/" + below: "Below", "/product/" + off: "Off", "/article/" + quiet: "Quiet"} {
		shows(path, 200, 404)
		if _, _, body := visitor.browse("GET", "tea", path, cookie); !strings.Contains(body, "<title>"+name) {
			t.Errorf("%s in the preview does not show %s", path, name)
		}
	}
	for _, path := range []string{"/green-tea", "/news"} {
		if _, _, body := visitor.browse("GET", "tea", path, cookie); strings.Contains(body, "Off") || strings.Contains(body, "Quiet") {
			t.Errorf("%s lists what is not published", path)
		}
	}

	foreign := writer.must(rival, "POST", "/drafts/preview", nil)["url"].(string)
	for name, bad := range map[string]string{
		"foreign": foreign[strings.Index(foreign, "/_vitrine/"):], "forged": path[:len(path)-1] + "x", "nothing": "/_vitrine/preview/",
	} {
		if status, header, body := visitor.visit("tea", bad); status != 404 || header.Get("Set-Cookie") != "" || body != "Not found\n" {
			t.Errorf("%s: %d %q %v", name, status, body, header)
		}
	}

	writer.must(prod, "POST", "/drafts/publish", map[string]any{"all": true})
	wait(t, "the draft is live", func() bool { status, _, _ := visitor.visit("tea", "/green-tea/gyokuro"); return status == 200 })
	if status, header, _ := visitor.visit("tea", "/green-tea/sencha"); status != 308 || header.Get("X-Redirect-By") != "slug-journal" {
		t.Errorf("the old slug: %d %v", status, header)
	}
	if status, header, _ := visitor.browse("POST", "tea", "/_vitrine/preview/leave", cookie); status != 303 ||
		!strings.Contains(header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("leaving: %d %v", status, header)
	}
	r.stop()
}
