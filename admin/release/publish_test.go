package release_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/admin/api/apitest"
)

// codes returns the findings of one level: "ref.missing index.html:3".
func codes(report any, level string) string {
	var list []string
	for _, f := range report.(m)[level].(l) {
		list = append(list, fmt.Sprint(f.(m)["code"], " ", f.(m)["path"], ":", f.(m)["line"]))
	}
	return strings.Join(list, " ")
}

func TestPublishReturnsTheURLOfTheDocument(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	one := send(a, doc, files{"index.html": html("one"), "big.png": strings.Repeat("x", 400<<10+1)})
	answer := a.OK("POST", path(doc, one)+"/publish", a.Owner, nil)
	prefix := "/_html/" + doc + "/" + one + "/"
	if answer["embed_prefix"] != prefix || answer["path"] != prefix+"index.html" ||
		answer["url"] != "http://tea.shops.test"+prefix+"index.html" {
		t.Errorf("unmounted: %v", answer)
	}
	if got := codes(answer["report"], "warnings") + " " + codes(answer["report"], "info"); got != "file.unused big.png:0 img.large big.png:0" {
		t.Errorf("report: %s", got)
	}
	shop := newPage(a, "landing")
	a.OK(
		"PUT", "/categories/"+shop+"/content-blocks", a.Owner,
		m{"items": l{m{"block_id": newBlock(a, m{"name": "b", "sections": l{mount(doc)}})}}},
	)
	answer = a.OK("POST", path(doc, one)+"/publish", a.Owner, nil)
	if answer["path"] != "/landing" || answer["url"] != "http://tea.shops.test/landing" {
		t.Errorf("mounted: %v", answer)
	}
	details := a.Result("GET", path(doc, one), a.Owner, nil)
	if codes(details["report"], "warnings") != "file.unused big.png:0" || len(details["files"].(l)) != 2 || details["was_live"] != true {
		t.Errorf("release after publish: %v", details)
	}
}

func TestInvalidReleasesAreNotPublished(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	live := publish(a, doc, files{"index.html": html("fine")})
	for _, c := range []struct {
		name  string
		files files
		want  string
	}{
		{"index missing", files{"page.css": "a{}"}, "ref.missing index.html:0"},
		{"missing file", files{"index.html": html(`<img src="no.png" width="1" height="1">`)}, "ref.missing index.html:1"},
		{"outside", files{"index.html": html(`<img src="../no.png" width="1" height="1">`)}, "ref.outside index.html:1"},
		{"plain http", files{"index.html": html(`<script src="http://cdn.test/a.js"></script>`)}, "ref.http index.html:1"},
		{"server script", files{"index.html": html(""), "shell.php": "<?php"}, "file.forbidden shell.php:0"},
		{"service worker, reported once", files{"index.html": html(`<script src="a.js"></script>`), "a.js": "\nnavigator.serviceWorker.register('/sw.js')"}, "sw.register a.js:2"},
		{"frameset", files{"index.html": `<!doctype html><frameset><frame></frameset>`}, "html.parse index.html:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := send(a, doc, c.files)
			if got := codes(a.Result("POST", path(doc, id)+"/validate", a.Owner, nil), "errors"); got != c.want {
				t.Errorf("validate: %s, want %s", got, c.want)
			}
			answer := a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 422, "RELEASE_INVALID")
			if got := codes(answer["report"], "errors"); got != c.want {
				t.Errorf("publish: %s, want %s", got, c.want)
			}
		})
	}
	if active(a, doc) != live {
		t.Error("an invalid release went live")
	}
}

// seoOf returns title and description of a page.
func seoOf(a *apitest.API, page string) string {
	seo := a.Result("GET", "/categories/"+page, a.Owner, nil)["seo"].(m)
	return fmt.Sprint(seo["meta_title"], "|", seo["meta_description"])
}

func TestPagesWithoutSEOGetThatOfTheDocument(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	block := newBlock(a, m{"name": "b", "sections": l{mount(doc)}})
	empty, half, late, other := newPage(a, "empty"), newPage(a, "half"), newPage(a, "late"), newPage(a, "other")
	attach := func(page, block string) {
		a.OK("PUT", "/categories/"+page+"/content-blocks", a.Owner, m{"items": l{m{"block_id": block}}})
	}
	a.OK("PUT", "/categories/"+half, a.Owner, m{"item": m{"seo": m{"meta_title": "Own"}}})
	attach(empty, block)
	attach(half, block)
	id := send(a, doc, files{"index.html": html("one")})
	answer := a.OK("POST", path(doc, id)+"/publish", a.Owner, nil)
	seo := answer["seo"].(m)
	if seo["title"] != "Hello" || seo["description"] != "A page" || len(seo["pages"].(l)) != 2 {
		t.Errorf("seo: %v", seo)
	}
	attach(late, block) // mounted after the publish
	plain := newBlock(a, m{"name": "p", "sections": l{text("x")}})
	attach(other, plain)
	a.OK("PUT", "/content-blocks/"+plain, a.Owner, m{"item": m{"sections": l{mount(doc)}}}) // mounted by an edit of the block
	for page, want := range map[string]string{empty: "Hello|A page", half: "Own|A page", late: "Hello|A page", other: "Hello|A page"} {
		if got := seoOf(a, page); got != want {
			t.Errorf("page %s: %s, want %s", page, got, want)
		}
	}

	// A page whose owner cleared its title stays empty when another page mounts the document.
	a.OK("PUT", "/categories/"+empty, a.Owner, m{"item": m{"seo": m{"slug": "empty"}}})
	attach(newPage(a, "last"), block)
	if got := seoOf(a, empty); got != "|" {
		t.Errorf("mounting elsewhere filled the page: %s", got)
	}
	answer = a.OK("POST", path(doc, id)+"/publish", a.Owner, m{"seo_overwrite": true})
	if got := seoOf(a, half); got != "Hello|A page" || len(answer["seo"].(m)["pages"].(l)) != 5 {
		t.Errorf("seo_overwrite: %s %v", got, answer["seo"])
	}
}

func TestConcurrentPublishesLeaveOneLive(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	shop := newPage(a, "landing")
	a.OK(
		"PUT", "/categories/"+shop+"/content-blocks", a.Owner,
		m{"items": l{m{"block_id": newBlock(a, m{"name": "b", "sections": l{mount(doc)}})}}},
	)
	var ids []string
	for i := range 8 {
		ids = append(ids, send(a, doc, files{"index.html": html(fmt.Sprint(i))}))
	}
	statuses := make([]int, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			statuses[i] = a.Send(apitest.Request{Method: "POST", Path: path(doc, id) + "/publish", Key: a.Owner}).Status
		})
	}
	// A concurrent deletion either succeeds or is refused because the release is live.
	var deleted int
	wg.Go(func() {
		deleted = a.Send(apitest.Request{Method: "DELETE", Path: path(doc, ids[0]), Key: a.Owner}).Status
	})
	wg.Wait()
	for i, status := range statuses {
		if status != 200 && !(i == 0 && status == 404 && deleted == 200) {
			t.Errorf("publish %d: %d (deletion %d)", i, status, deleted)
		}
	}
	now := active(a, doc)
	a.OK("GET", path(doc, now), a.Owner, nil)
	live := 0
	for _, r := range a.OK("GET", "/html-documents/"+doc+"/releases", a.Owner, nil)["result"].(l) {
		if r.(m)["active"] == true {
			live++
		}
	}
	if live != 1 {
		t.Errorf("%d releases are live", live)
	}
}
