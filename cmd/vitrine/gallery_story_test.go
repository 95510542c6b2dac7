package main

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// The pictures of a gallery are shown on the pages that link to it: a change of the gallery
// is visible to the next visitor, a change of its draft only after it is published.
func TestGalleryIsShownOnItsPages(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	draft := itoa(p.verb("key", "issue", "--shop", "tea", "--contour", "dev", "--scopes", "all")["key"])
	p.start()
	type fields = map[string]any
	one, two, three := p.picture(key), p.picture(key), p.picture(key)
	items := func(pictures ...string) (list []fields) {
		for _, id := range pictures {
			list = append(list, fields{"file": fields{"id": id}})
		}
		return list
	}
	add := func(path string, item fields) fields { return p.must(key, "POST", path, fields{"item": item}) }
	section := add("/categories", fields{"name": "Cups", "type": "product", "is_published": true, "is_show_menu": true})
	gallery := itoa(add("/galleries", fields{"name": "Cup", "items": items(one)})["id"])
	product := add("/products", fields{"name": "Cup", "category_id": section["id"], "is_published": true, "gallery_ids": []string{gallery}})
	rubric := add("/categories", fields{"name": "News", "type": "news", "is_published": true})
	article := add(
		"/articles",
		fields{"title": "Harvest", "category_id": rubric["id"], "is_published": true, "gallery_ids": []string{gallery}},
	)
	pages := map[string]string{
		"product": "/cups/" + itoa(product["slug"]), "listing": "/cups", "article": "/news/" + itoa(article["slug"]),
	}
	shows := func(what, picture string, want ...string) {
		t.Helper()
		for name, path := range pages {
			status, _, body := p.visit("tea", path)
			wanted := false
			for _, w := range want {
				wanted = wanted || w == name
			}
			if status != 200 || strings.Contains(body, picture) != wanted {
				t.Errorf("%s: %s answers %d, with the picture: %v", what, name, status, !wanted)
			}
		}
	}
	shows("linked", one, "product", "listing", "article")
	shows("linked", two)
	put := func(key string, pictures ...string) {
		t.Helper()
		p.must(key, "PUT", "/galleries/"+gallery, fields{"item": fields{"items": items(pictures...)}})
	}
	put(key, two, one)
	shows("another first", one, "product", "article")
	shows("another first", two, "product", "listing", "article")
	put(draft, three)
	shows("in the draft", three)
	p.must(key, "POST", "/drafts/publish", fields{"items": []fields{{"kind": "gallery", "id": gallery}}})
	shows("published", three, "product", "listing", "article")
	shows("published", two)
	p.must(key, "DELETE", "/v1/storages/files/"+three, nil)
	shows("a deleted file", three)
	put(key, one)
	p.must(key, "PUT", "/products/"+itoa(product["id"]), fields{"item": fields{"gallery_ids_replace": true}})
	shows("unlinked", one, "article")
}

// A document drives a gallery (document 1, 2.6): the pictures of its active release are shown
// on the pages linked to the gallery, in the document's order, after a publication, a
// rollback and the publication of a draft. The items sent through the API are the fallback if
// the document has no pictures.
func TestDocumentDrivesAGallery(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	p := newProgram(t)
	key := p.shop("tea")
	draft := itoa(p.verb("key", "issue", "--shop", "tea", "--contour", "dev", "--scopes", "all")["key"])
	p.start()
	doc := itoa(p.must(key, "POST", "/html-documents", fields{"item": fields{"name": "canvas", "level": 3}})["id"])
	edition := func(key string, names ...string) string {
		t.Helper()
		files := map[string][]byte{"img/unshown.png": tinyPNG(t, 255), "img/sign.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}
		text := `<!DOCTYPE html><title>c</title><img src="img/sign.svg" alt="s" width="1" height="1">`
		for _, name := range names {
			files["img/"+name+".png"] = tinyPNG(t, name[0])
			text += `<img src="img/` + name + `.png" alt="x" width="9" height="9">`
		}
		files["index.html"] = []byte(text + `<img src="https://elsewhere.example/x.png" alt="x" width="9" height="9">`)
		return itoa(p.must(key, "POST", "/html-documents/"+doc+"/releases/zip?base=none&publish=1", packFiles(t, files))["release_id"])
	}
	backup := p.picture(key)
	gallery := itoa(
		p.must(key, "POST", "/galleries", fields{"item": fields{"name": "Cup", "canvas_id": doc, "items": []fields{{"file": fields{"id": backup}}}}})["id"],
	)
	section := p.must(
		key, "POST", "/categories",
		fields{"item": fields{"name": "Cups", "type": "product", "is_published": true, "is_show_menu": true}},
	)
	p.must(
		key, "POST", "/products",
		fields{
			"item": fields{
				"name": "Cup", "category_id": section["id"], "is_published": true, "price": fields{"price": 9},
				"gallery_ids": []string{gallery},
			},
		},
	)
	p.must(
		key, "POST", "/site-files",
		fields{"name": "pictures.txt", "is_published": true, "body": `{{range products}}{{range pictures . 24 "Cup"}}{{.}} {{end}}{{end}}`},
	)
	items := func(key string) (list []string) { // addresses
		for _, item := range p.must(key, "GET", "/galleries/"+gallery, nil)["items"].([]any) {
			list = append(list, item.(fields)["file"].(fields)["url"].(string))
		}
		return list
	}
	names := map[string]string{} // of files, by address
	known := func() {
		_, answer := p.call(key, "GET", "/v1/storages/files?limit=100", nil)
		for _, f := range answer["result"].([]any) {
			names[f.(fields)["public_path"].(string)] = f.(fields)["original_name"].(string)
		}
	}
	shows := func(when, key, want string) {
		t.Helper()
		known()
		var got []string
		for _, url := range items(key) {
			got = append(got, strings.TrimSuffix(names[url], ".png"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: the gallery has %q, want %s", when, got, want)
		}
	}
	visitors := func(when, want string) {
		t.Helper()
		shows(when, key, want)
		listing, first := items(key), ""
		for i, url := range listing {
			id := strings.TrimSuffix(url[strings.LastIndex(url, "/")+1:], ".png")
			if i == 0 {
				first = id
			}
			if _, _, body := p.visit("tea", "/cups/cup"); !strings.Contains(body, id) {
				t.Errorf("%s: the page lacks %s", when, names[url])
			}
			if status, _, _ := p.visit("tea", url); status != 200 {
				t.Errorf("%s: %s answers %d", when, url, status)
			}
		}
		if _, _, body := p.visit("tea", "/cups"); !strings.Contains(body, first) {
			t.Errorf("%s: the card lacks the first picture", when)
		}
	}
	feeds := func(when string) { // feeds are built with a delay
		t.Helper()
		listing := items(key)
		wait(t, when+": the feed has the pictures of the gallery", func() bool {
			_, _, body := p.visit("tea", "/pictures.txt")
			listed := strings.Fields(body)
			for i := range listed {
				listed[i] = listed[i][strings.Index(listed[i], "/files/"):]
			}
			return slices.Equal(listed, listing)
		})
	}
	visitors("before a release", "tea")
	one := edition(key, "a", "b", "c")
	visitors("published", "a b c")
	feeds("published")
	edition(key, "c", "a", "a")
	visitors("published again", "c a")
	p.must(key, "POST", "/html-documents/"+doc+"/rollback", fields{"release_id": one})
	visitors("rolled back", "a b c")
	edition(draft, "d", "b")
	visitors("in the draft, for visitors", "a b c")
	shows("in the draft", draft, "d b")
	p.must(key, "POST", "/drafts/publish", fields{"all": true})
	visitors("the draft published", "d b")
	p.must(key, "PUT", "/galleries/"+gallery, fields{"item": fields{"source": "images"}})
	visitors("taken back", "tea")
	p.must(draft, "PUT", "/galleries/"+gallery, fields{"item": fields{"canvas_id": doc}})
	edition(key, "f", "d")
	visitors("a canvas of the draft", "tea")
	p.must(key, "POST", "/drafts/publish", fields{"all": true})
	visitors("published after its document", "f d")
	wait(t, "the size of a picture that came from a document", func() bool {
		_, _, body := p.visit("tea", "/cups/cup")
		return strings.Count(body, `width="9" height="9"`) >= 2
	})
	p.must(key, "PUT", "/galleries/"+gallery, fields{"item": fields{"source": "images"}})
	p.must(key, "PUT", "/galleries/"+gallery, fields{"item": fields{"canvas_id": doc}})
	visitors("given again", "f d")
	edition(key)
	visitors("a document without pictures", "tea")
	edition(key, "e")
	visitors("with one", "e")
	p.must(key, "DELETE", "/html-documents/"+doc, nil)
	visitors("the document deleted", "tea")
	feeds("the document deleted")
}

// tinyPNG is a small picture; the same shade gives the same bytes.
func tinyPNG(t testing.TB, shade byte) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 9, 9))
	for i := range m.Pix {
		m.Pix[i] = shade
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
