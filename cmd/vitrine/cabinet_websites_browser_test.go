package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"vitrine/internal/await"
)

// template is a website as people buy them: a grid of columns, a bar, style sheets and a script beside
// the page.
func template(title, teaser string) map[string]string {
	return map[string]string{
		"index.html": `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>` + title + `</title>
  <meta name="description" content="Made of columns">
  <link href="css/grid.min.css" rel="stylesheet">
  <link href="css/styles.css" rel="stylesheet">
</head>
<body id="page-top">
  <header class="masthead bg-dark text-white py-5">
    <div class="container px-4"><h1>` + title + `</h1><p class="lead">` + teaser + `</p></div>
  </header>
  <section class="container">
    <div class="row">
      <div class="col-md-4"><img src="assets/leaf.svg" alt="A leaf"><h2>One</h2><p>Grown in the shade.</p></div>
      <div class="col-md-4"><img src="assets/cup.svg" alt="A cup" width="64" height="64"><h2>Two</h2><p>Picked by hand.</p></div>
      <div class="col-md-4"><h2>Three</h2><p>Dried slowly.</p></div>
    </div>
  </section>
  <script src="js/scripts.js"></script>
</body>
</html>
`,
		"css/grid.min.css": ".container{max-width:1140px;margin:0 auto;padding:0 16px}.row{display:flex;flex-wrap:wrap}.col-md-4{flex:1 0 33.33%;min-width:240px}.py-5{padding:48px 0}.bg-dark{background:#212529}.text-white{color:#fff}",
		"css/styles.css":   "body {\n  font-family: Georgia, serif;\n}\n.lead {\n  font-size: 1.25em;\n}\n",
		"js/scripts.js":    "document.addEventListener('DOMContentLoaded', () => {\n  document.body.dataset.ready = 'yes'\n})\n",
		"assets/cup.svg":   `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="28" fill="teal"/></svg>`,
		"assets/.DS_Store": "left out",
		"README.md":        "left out, too",
	}
}

// writes puts files into a new folder and returns its path.
func writes(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "template")
	for path, text := range files {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// packs makes a ZIP of files in a new folder and returns its path.
func packs(t testing.TB, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for path, text := range files {
		entry, err := w.Create(path)
		if err == nil {
			_, err = entry.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "site.zip")
	if err := os.WriteFile(at, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return at
}

// dropsFiles drops files or folders of the disk on the place for them.
func (b *tab) dropsFiles(paths ...string) {
	b.t.Helper()
	b.dropsOn("[data-drop]", paths...)
}

func (b *tab) dropsOn(selector string, paths ...string) {
	b.t.Helper()
	box := fmt.Sprintf(`JSON.stringify((e => (e?.scrollIntoView({block: 'center'}), (r => [r?.x + r?.width / 2, r?.y + 12])(e?.getBoundingClientRect())))(document.querySelector(%q)))`, selector)
	b.until(fmt.Sprintf(`document.querySelector(%q)`, selector))
	var at [2]float64
	if err := json.Unmarshal([]byte(b.text(box)), &at); err != nil {
		b.t.Fatal(err)
	}
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := chromedp.Call(b.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at[0], Y: at[1], Data: data}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// An owner drops a website, reads what the check found, mends it, publishes it, changes it by a ZIP,
// compares both, and goes back. What no website may be is refused with its reason.
func TestOwnerPublishesWebsitesInTheCabinet(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 1280)
	core, found := axeCore(t), map[string]bool{}
	look := func(name string) {
		b.t.Helper()
		b.fits("websites-"+name, 1280)
		b.axeHere(core, name, found)
	}
	b.open("/cabinet/demo/websites", 1280)
	b.shows("1 website")
	look("list")
	b.pushes("New document")
	b.fills("Name", oddText)
	b.pushes("Create")
	b.shows("There are no releases yet.")
	look("empty")
	doc := b.text(`location.pathname.split('/').pop()`)
	page := p.mountsDocument(key, doc)

	b.publishesFolder(p, doc, page, look)
	b.replacesByZIP(p, page, look)
	b.publishesLayout(look)
	b.open("/cabinet/demo/websites/documents/"+doc, 1280)
	b.isRefused(look)
	b.sendsManyFiles(p, key, look)
	b.seesWebsitesNarrow(doc, core, found)
	b.uploadsPhoto()
	b.quiet("400", "422", "ERR_INTERNET_DISCONNECTED", "404")
}

// mountsDocument makes a published page that shows a document, and returns its path.
func (p *program) mountsDocument(key, doc string) string {
	p.t.Helper()
	block := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "Spring", "sections": []any{
		map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "html", "props": map[string]any{"html": map[string]any{"documentId": doc}}}}}}})["id"]
	page := itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Spring", "type": "page", "is_published": true, "seo": map[string]any{"slug": "spring-template"}}})["id"])
	p.must(key, "PUT", "/categories/"+page+"/content-blocks", map[string]any{"items": []any{map[string]any{"block_id": block}}})
	return "/spring-template"
}

// showsOnPage waits until visitors see a text: the notice of an earlier release may still be there.
func (b *tab) showsOnPage(p *program, path, text string) {
	b.t.Helper()
	wait(b.t, path+" shows "+text, func() bool {
		status, _, body := p.visit("demo", path)
		return status == 200 && strings.Contains(body, text)
	})
}

func (b *tab) publishesFolder(p *program, doc, page string, look func(string)) {
	b.t.Helper()
	files := template("First spring", "It lacks a leaf")
	files[".vitrineignore"], files["drafts/new.html"], files["notes.txt"] = "README*\ndrafts/\n/notes.t?t\n", "left out by the folder itself", "the same"
	dir := writes(b.t, files)
	b.dropsFiles(dir)
	b.shows("It cannot be published")
	b.shows("1 error")
	b.shows("A file is missing")
	b.shows(`<img src="assets/leaf.svg" alt="A leaf">`) // the line in question
	b.is(`[...document.querySelectorAll('button')].find((e) => e.textContent === 'Publish').disabled`, "true")
	look("report-errors")

	if err := os.WriteFile(filepath.Join(dir, "assets/leaf.svg"), []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><path d="M8 56C8 8 56 8 56 8s0 48-48 48z" fill="green"/></svg>`), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.open("/cabinet/demo/websites/documents/"+doc, 1280)
	b.shows("Section Spring")
	b.dropsFiles(dir)
	b.shows("It can be published.")
	b.shows("Image without sizes")
	look("report")
	b.pushes("Files")
	b.shows("6 files")
	b.pushes("css/styles.css")
	b.shows("font-family: Georgia")
	look("source")
	b.pushes("Close")
	b.pushes("Preview")
	b.until(`document.querySelector('iframe')`)
	b.leads(`0`, `document.body?.innerText.includes('It lacks a leaf')`)
	look("preview")
	b.pushes("Publish")
	b.shows("It is the first release that visitors see.")
	b.shows("It is shown here:")
	look("publish")
	b.until(`[...document.querySelectorAll('[role=dialog] button')].some((e) => e.textContent === 'Publish' && !e.disabled && (e.click(), true))`)
	b.shows("is live.")
	b.showsOnPage(p, page, "It lacks a leaf")
	b.pushes("Close")
}

func (b *tab) replacesByZIP(p *program, page string, look func(string)) {
	b.t.Helper()
	files := template("Second spring", "With another teaser")
	files["assets/leaf.svg"] = files["assets/cup.svg"]
	delete(files, "js/scripts.js")
	files["index.html"] = strings.Replace(files["index.html"], "  <script src=\"js/scripts.js\"></script>\n", "", 1)
	b.until(`[...document.querySelectorAll('main a')].some((a) => a.textContent.startsWith('←') && (a.click(), true))`)
	b.dropsFiles(packs(b.t, files))
	b.shows("It can be published.")
	b.pushes("Changes")
	b.shows("1 file removed")
	b.shows("2 files changed")
	b.until(`[...document.querySelectorAll('main button')].some((e) => e.textContent.startsWith('index.html') && (e.click(), true))`)
	b.shows("With another teaser</p>")
	look("changes")
	b.triesInDraft(p, page)
	b.pushes("Publish")
	b.shows("It takes the place of release")
	b.until(`[...document.querySelectorAll('[role=dialog] button')].some((e) => e.textContent === 'Publish' && !e.disabled && (e.click(), true))`)
	b.shows("is live.")
	b.showsOnPage(p, page, "With another teaser")
	b.pushes("Close")
	b.until(`[...document.querySelectorAll('main a')].some((a) => a.textContent.startsWith('←') && (a.click(), true))`)
	b.shows("3 releases")
	look("releases")
	b.pushes("Roll back to this")
	b.shows("is live again.")
	b.showsOnPage(p, page, "It lacks a leaf")
	b.pushes("Undo")
	b.shows("Undone")
	b.showsOnPage(p, page, "With another teaser")
}

// triesInDraft shows the release on its page in the draft, while visitors see the one before.
func (b *tab) triesInDraft(p *program, page string) {
	b.t.Helper()
	b.pushes("Preview")
	b.pushes("Try it in the draft")
	b.shows("The release is now that of the draft")
	b.leads(`0`, `!!document.querySelector('.v-preview') && document.body.innerText.includes('With another teaser')`)
	b.showsOnPage(p, page, "It lacks a leaf")
}

// publishesLayout makes a layout, tries its first release in the draft and publishes it.
func (b *tab) publishesLayout(look func(string)) {
	b.t.Helper()
	b.open("/cabinet/demo/websites?kind=layouts", 1280)
	b.pushes("New layout")
	b.fills("Name", "Layout of spring")
	b.pushes("Create")
	b.shows("There are no releases yet.")
	b.dropsFiles(writes(b.t, map[string]string{"index.html": layoutIndex, "css/site.css": layoutCSS}))
	b.shows("It can be published.")
	b.pushes("Files")
	b.shows("2 files")
	look("layout")
	b.pushes("Preview")
	b.pushes("Try it in the draft")
	b.shows("The release is now that of the draft")
	b.pushes("Publish")
	b.shows("It is the first release that visitors see.")
	b.until(`[...document.querySelectorAll('[role=dialog] button')].some((e) => e.textContent === 'Publish' && !e.disabled && (e.click(), true))`)
	b.shows("is live.")
	b.pushes("Close")
}

func (b *tab) isRefused(look func(string)) {
	b.t.Helper()
	b.dropsFiles(packs(b.t, map[string]string{"index.html": "<p>", "big.css": strings.Repeat("a{}", 24<<20)}))
	b.shows(`"big.css" has more than 50 MiB`)
	b.dropsFiles(packs(b.t, map[string]string{"index.html": "<p>", "../up.html": "<p>"}))
	b.shows(`"../up.html" has a ".." segment`)
	look("refused")
	b.pushes("From an address")
	b.fills("Address of a ZIP or an HTML page", "http://127.0.0.1/site.zip")
	b.pushes("Make a release")
	b.shows("on the public internet")
	b.pushes("Paste a page")
	b.focuses(field("HTML of the page"))
	b.inserts("<!doctype html><title>Pasted</title><script src=http://cdn.test/a.js></script>")
	look("paste")
	b.pushes("Make a release")
	b.shows("Loaded by http")
}

// sendsManyFiles drops 2,000 files while the connection breaks off, and one more than a folder may have.
func (b *tab) sendsManyFiles(p *program, key string, look func(string)) {
	b.t.Helper()
	files := map[string]string{"index.html": "<!doctype html><title>Many</title><p>Many files"}
	for n := range 1999 {
		files[fmt.Sprintf("parts/%02d/%d.txt", n%50, n)] = fmt.Sprint("part ", n)
	}
	dir := writes(b.t, files)
	section := itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Many", "type": "site", "is_published": true, "seo": map[string]any{"slug": "many"}}})["id"])
	b.open("/cabinet/demo/websites/folders/"+section, 1280)
	b.dropsFiles(dir)
	b.until(`/^[1-9]\d* of 2000 files/m.test(document.body.innerText)`)
	b.online(false)
	b.shows("did not arrive")
	look("cut-off")
	b.online(true)
	b.pushes("Send the rest again")
	if !await.Within(4*await.Limit, func() bool { return b.text(`document.body.innerText.includes("It can be published.")`) == "true" }) {
		b.t.Fatal("the files did not arrive in time")
	}
	b.pushes("Files")
	b.shows("2000 files")
	b.pushes("Publish")
	b.until(`[...document.querySelectorAll('[role=dialog] button')].some((e) => e.textContent === 'Publish' && !e.disabled && (e.click(), true))`)
	b.shows("is live.")
	b.showsOnPage(p, "/many/parts/07/7.txt", "part 7")
	if err := os.WriteFile(filepath.Join(dir, "more.txt"), []byte("one too many"), fs.ModePerm); err != nil {
		b.t.Fatal(err)
	}
	b.open("/cabinet/demo/websites/folders/"+section, 1280)
	b.dropsFiles(dir)
	b.shows("more than the limits above allow")
}

// seesWebsitesNarrow looks at the pages in a narrow window.
func (b *tab) seesWebsitesNarrow(doc, core string, found map[string]bool) {
	b.t.Helper()
	look := func(path, text, name string) {
		b.t.Helper()
		b.open(path, 390)
		b.shows(text)
		b.until(`!document.querySelector('.mantine-Skeleton-root')`)
		b.fits("websites-"+name, 390)
		b.axeHere(core, name, found)
	}
	root := "/cabinet/demo/websites/documents/" + doc
	look("/cabinet/demo/websites", "2 websites", "list")
	look(root, "4 releases", "releases")
	b.until(`document.querySelectorAll('main a[href*="/websites/documents/"]').length > 3`)
	release := b.text(`[...document.querySelectorAll('main a[href*="/documents/"]')].map((a) => a.pathname.split('/')).filter((p) => p.length === 7).map((p) => p.at(-1)).at(-1)`)
	look(root+"/"+release, "A file is missing", "report-errors")
	look(root+"/"+release+"?tab=files", "5 files", "files")
	look(root+"/"+release+"?tab=changes", "Compared with", "changes")
	look(root+"/"+release+"?tab=preview", "390 px", "preview")
}

// uploadsPhoto drops a photo as a phone takes it into the library, which shows it.
func (b *tab) uploadsPhoto() {
	b.t.Helper()
	photo, err := filepath.Abs("../../resizer/testdata/quarters.heic")
	if err != nil {
		b.t.Fatal(err)
	}
	b.open("/cabinet/demo/files", 1280)
	b.shows("133 files")
	b.dropsOn("main h1", photo)
	b.shows("134 files")
	b.until(`[...document.querySelectorAll('.tile')].some((e) => e.innerHTML.includes('quarters.heic') && e.querySelector('img')?.naturalWidth > 0)`)
}
