package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/markup"
	"vitrine/internal/corpus"
)

// markupCase is a case of the corpus that package markup tests its compiler with. Here it
// goes through the whole program: ZIP, publication, page.
type markupCase struct{ corpus.Markup }

// index is the row as a document: a style sheet in a style element, srcset candidates in an
// image.
func (c markupCase) index() []byte {
	switch c.Level {
	case "css":
		return []byte("<!DOCTYPE html><style>" + string(c.Input) + "</style><p>x")
	case "srcset":
		return []byte(`<!DOCTYPE html><img alt="" srcset="` + strings.ReplaceAll(string(c.Input), `"`, "&quot;") + `">`)
	}
	return c.Input
}

// release is the files of the row: those it lists, or else those it refers to.
func (c markupCase) release() map[string][]byte {
	named := c.Files
	if compiled, err := markup.Compile(markup.Source{Doc: "7", Release: "3", Index: c.index()}); err == nil && named == nil {
		named = compiled.Refs
	}
	files := map[string][]byte{".vitrineignore": []byte("nothing-of-this-name")} // replaces the defaults
	for _, path := range named {
		files[path] = []byte("x")
	}
	files["index.html"] = c.index()
	return files
}

func markupCases(t *testing.T) (rows []markupCase) {
	t.Helper()
	for _, c := range corpus.Markups(t) {
		if c.Data == nil && (c.Page == "" || c.Page == "/cartoon") { // others need a shop's data or its header and footer
			rows = append(rows, markupCase{c})
		}
	}
	return rows
}

func packFiles(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		entry, err := w.Create(path)
		if err == nil {
			_, err = entry.Write(files[path])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Visitors get exactly the compiler's output for the corpus, byte for byte, and a refused
// release leaves the previous page in place.
func TestMarkupCorpusInTheProgram(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	doc := itoa(p.must(key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": "corpus", "level": 3}})["id"])
	page := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Corpus", "type": "page", "is_published": true, "seo": map[string]any{"slug": "corpus"}}},
	)
	block := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "corpus", "sections": []any{
		map[string]any{
			"type":    "text",
			"payload": map[string]any{"v": 2, "kind": "html", "props": map[string]any{"html": map[string]any{"documentId": doc}}},
		}}}})
	p.must(
		key, "PUT", "/categories/"+itoa(page["id"])+"/content-blocks",
		map[string]any{"items": []any{map[string]any{"block_id": block["id"], "sort_order": 1}}},
	)
	shown, refused := 0, 0
	var last string
	for _, c := range markupCases(t) {
		files := c.release()
		status, answer := p.call(key, "POST", "/html-documents/"+doc+"/releases/zip?base=none&publish=1", packFiles(t, files))
		_, _, body := p.visit("tea", "/corpus")
		if status == 422 {
			refused++
			if !strings.Contains(body, last) {
				t.Errorf("%s: the previous page is gone", c.ID)
			}
			errors := answer["report"].(map[string]any)["errors"].([]any)
			if code := errors[0].(map[string]any)["code"]; c.Expect.Error != "" && code != c.Expect.Error {
				t.Errorf("%s: %v, want %s", c.ID, code, c.Expect.Error)
			}
			continue
		}
		if status != 200 || c.Expect.Error != "" {
			t.Errorf("%s: %d %v", c.ID, status, answer)
			continue
		}
		last = fragment(t, doc, itoa(answer["release_id"]), files)
		if !strings.Contains(body, last) {
			t.Errorf("%s: the page lacks\n%s\nit is\n%s", c.ID, last, body)
		}
		shown++
	}
	t.Logf("%d rows shown, %d refused", shown, refused)
	if shown < 57 || refused != 1 {
		t.Errorf("%d rows shown, %d refused", shown, refused)
	}
	checkServedRows(p, key, doc, itoa(page["id"]))
}

// checkServedRows checks the rows of the corpus that are described in prose: P02, P04, P05
// and B22.
func checkServedRows(p *program, key, doc, page string) {
	p.t.Helper()
	files := map[string][]byte{
		"css/a.css": []byte("a{}"), "img/own.png": []byte("original"),
		"index.html": []byte(`<!DOCTYPE html><link rel=stylesheet href=css/a.css>` +
			`<img src=img/own.png alt=own width=5 height=5><img src=/files/cup.jpg width=600 height=400 alt=x><a href="svc:page/` + page + `">a</a><a href="svc:page/987654">b</a>`),
	}
	answer := p.must(key, "POST", "/html-documents/"+doc+"/releases/zip?base=none&publish=1", packFiles(p.t, files))
	root := answer["embed_prefix"].(string)
	_, _, body := p.visit("tea", "/corpus")
	_, shop, _ := strings.Cut(body, `height="5">`)
	shop, _, _ = strings.Cut(shop, ">")
	for _, want := range []string{`<img src="` + root + `img/own.png" alt="own" width="5" height="5">`, `<a href="/corpus">a</a><a href="#">b</a>`} {
		if !strings.Contains(body, want) {
			p.t.Errorf("the page lacks %s\n%s", want, body)
		}
	}
	if !strings.Contains(shop, `src="/w/`) || strings.Count(shop, "/webp/") < 3 ||
		!strings.Contains(shop, `width="600" height="400" alt="x"`) {
		p.t.Errorf("the shop image is %s>", shop)
	}
	for path, want := range map[string]string{
		root + "img/own.png": "200 original", root + "img/own.png?w=200": "200 original", root + "css/a.css": "200 a{}",
		root + "../../1/index.html": "404", root + "%2e%2e/1/index.html": "404", root + "CSS/A.CSS": "404", root + "css/": "404",
	} {
		status, _, body := p.visit("tea", path)
		if got := fmt.Sprint(status, " ", body); !strings.HasPrefix(got, want) {
			p.t.Errorf("%s: %.100s, want %s", path, got, want)
		}
	}
	// The link follows its page without a publication.
	p.must(key, "PUT", "/categories/"+page, map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "moved"}}})
	if _, _, body := p.visit("tea", "/moved"); !strings.Contains(body, `<a href="/moved">a</a>`) {
		p.t.Errorf("svc:page does not follow: %s", body)
	}
}

// fragment is the compiler's output for a release.
func fragment(t *testing.T, doc, release string, files map[string][]byte) string {
	t.Helper()
	c, err := markup.Compile(markup.Source{
		Doc: doc, Release: release, Index: files["index.html"],
		Files: func(path string) bool { return files[path] != nil && path != ".vitrineignore" },
		Read:  func(path string) ([]byte, bool) { text, ok := files[path]; return text, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(c.Normal.AppendTo(nil, &markup.Data{}))
}
