package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// An owner makes the home page of a whole page that the cabinet brings, changes it beside its
// preview, orders its blocks by keyboard and by dragging, and publishes it; settings of a newer
// version stay; what somebody else changed meanwhile is not overwritten.
func TestOwnerDesignsThePagesInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			dev := p.verb("key", "issue", "--shop", "demo", "--scopes", "all", "--contour", "dev")["key"].(string)
			core, found := axeCore(t), map[string]bool{}
			d := &designer{b, p, key, dev, width, width > 1000}
			d.beginsHome()
			b.axeHere(core, "the blocks of a page", found)
			d.changesIt()
			b.axeHere(core, "a block", found)
			d.orders()
			block := d.saves()
			d.keepsWhatIsNewer(block)
			if d.wide {
				d.fillsABlock(block)
				d.keepsShadowRoots(block)
			}
			d.publishes(core, found, block)
			b.quiet("409")
		})
	}
}

type designer struct {
	*tab
	p        *program
	key, dev string
	width    int64
	wide     bool // the preview is beside the form
}

// sees waits until the page in the preview has a text in an element.
func (d *designer) sees(selector, text string) {
	d.t.Helper()
	if !d.wide {
		d.pushesRadio("Preview")
		defer d.pushesRadio("Blocks")
	}
	wait(d.t, "the preview shows "+text, func() bool {
		said, err := d.inside(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))`, selector, text))
		return err == nil && said == "true"
	})
}

func (d *designer) pushesRadio(label string) {
	d.t.Helper()
	d.until(fmt.Sprintf(`((e) => e && (e.click(), true))([...document.querySelectorAll('.mantine-SegmentedControl-label')].find((e) => e.textContent === %q))`, label))
}

const outlined = `[...document.querySelectorAll('[data-row]')]`

// opens opens the form of the first block with a text in the list.
func (d *designer) opens(text string) {
	d.t.Helper()
	d.until(fmt.Sprintf(`((e) => e && (e.click(), true))(`+outlined+`.find((e) => e.textContent.includes(%q)))`, text))
	d.shows("All blocks")
}

func (d *designer) order() string {
	return d.text(outlined + `.map((e) => e.firstChild.textContent).join(', ')`)
}

// beginsHome gives the home page, which the platform draws, the blocks of a whole page. The preview was
// requested before, and is ready after that.
func (d *designer) beginsHome() {
	d.t.Helper()
	const late = `window.late = []; window.addEventListener('message', (e) => window.late && e.data?.vitrine?.ready && (e.stopImmediatePropagation(), window.late.push(e)), true)`
	held, err := chromedp.Call(d.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: late})
	if err != nil {
		d.t.Fatal(err)
	}
	d.open("/cabinet/demo/design", d.width)
	d.shows("21 pages")
	d.fits("design-pages", d.width)
	d.until(`((e) => e && (e.click(), true))([...document.querySelectorAll('main a')].find((e) => e.textContent === 'Tea and things for the house'))`)
	d.shows("This page has no blocks of its own yet.")
	d.pushes("Begin with a whole page")
	d.shows("Landing page")
	d.fits("design-begin", d.width)
	d.until(`document.querySelector('[role=dialog] [role=radio][aria-checked=true]')`)
	d.pushes("Begin with a whole page")
	d.until(outlined + `.length === 5`)
	if got := d.order(); got != "Call to action, Product listing, Features, Steps, Questions and answers" {
		d.t.Errorf("the home page begins with %s", got)
	}
	if d.wide {
		d.until(`window.late.length === 1`)
	}
	d.text(`((late) => { delete window.late; late.forEach(({ data, origin, source }) => window.dispatchEvent(new MessageEvent('message', { data, origin, source }))); return '' })(window.late)`)
	if _, err := chromedp.Call(d.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(held)); err != nil {
		d.t.Fatal(err)
	}
	d.sees("h1", "Good things for every day")
}

// changesIt types into the form of a block. The preview follows, and a click in it opens a block.
func (d *designer) changesIt() {
	d.t.Helper()
	d.opens("Call to action")
	d.fills("Heading", "Tea at four")
	d.sees("h1", "Tea at four")
	if d.wide {
		const took = `Number(document.querySelector('[data-took]')?.dataset.took ?? 0)`
		for _, key := range ", every day" {
			if err := chromedp.Do(d.ctx, chromedp.KeyEvent(string(key))); err != nil {
				d.t.Fatal(err)
			}
		}
		d.sees("h1", "Tea at four, every day")
		d.until(took + ` > 0`)
		d.t.Logf("from a keystroke to the preview: %s ms", d.text(took))
	}
	d.shows("Not saved: Call to action")
	d.fits("design-form", d.width)
	d.until(`((e) => e && (e.click(), true))([...document.querySelectorAll('summary')].find((e) => e.textContent === 'More settings'))`)
	d.fills("Height, px", "99999")
	d.shows("Shown as: 2000")
	d.fills("Height, px", "400")
	d.until(`!document.body.innerText.includes('Shown as: 2000')`)
	if !d.wide {
		return
	}
	const asked = `[...document.querySelectorAll('[data-v-at]')].find((e) => e.textContent.includes('Good to know'))`
	if _, err := d.inside(asked + `.click()`); err != nil {
		d.t.Fatal(err)
	}
	d.until(`location.search.endsWith('-4') && document.body.innerText.includes('How can I pay?')`)
	wait(d.t, "the preview outlines the block", func() bool {
		said, err := d.inside(`getComputedStyle(` + asked + `).outlineStyle`)
		return err == nil && said == "solid"
	})
	if said, err := d.inside(`[location.pathname, !!document.querySelector('.v-preview')]`); said != "/,false" || err != nil {
		d.t.Errorf("the preview: %s %v", said, err)
	}
	d.fits("design-clicked", d.width)
}

// orders moves blocks by keyboard and by dragging, doubles one, and takes a deletion back.
func (d *designer) orders() {
	d.t.Helper()
	d.pushes("All blocks")
	d.focuses(outlined + `[0]`)
	if err := chromedp.Do(d.ctx, chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierAlt))); err != nil {
		d.t.Fatal(err)
	}
	d.until(outlined + `[1].textContent.startsWith('Call to action')`)
	d.until(`document.activeElement === ` + outlined + `[1]`)
	d.text(`(() => { const [from, to] = [` + outlined + `[1], ` + outlined + `[0]].map((e) => e.closest('li')), dataTransfer = new DataTransfer();
		for (const [type, e] of [['dragstart', from], ['dragover', to], ['drop', to]]) e.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })); return '' })()`)
	d.until(outlined + `[0].textContent.startsWith('Call to action')`)
	d.pushes("Duplicate: Features: Why people buy here")
	d.until(outlined + `.length === 6`)
	d.pushes("Delete: Steps: How it works")
	d.until(outlined + `.length === 5`)
	d.pushes("Undo")
	d.until(outlined + `.length === 6`)
	d.pushes("Add a block")
	d.shows("Paragraphs, headings, lists, tables")
	d.fits("design-palette", d.width)
	d.until(`((e) => e && (e.click(), true))([...document.querySelectorAll('.offered')].find((e) => e.textContent.startsWith('Text')))`)
	d.focuses(`document.querySelector('[role=textbox][aria-label=Text]')`)
	d.inserts("Open from ten to six.")
	d.sees("main", "Open from ten to six.")
	d.pushes("All blocks")
	if got := d.order(); got != "Call to action, Product listing, Features, Features, Steps, Questions and answers, Text" {
		d.t.Errorf("the order is %s", got)
	}
	d.fits("design-outline", d.width)
}

// saves keeps the page in the draft, which visitors do not see. It returns the block.
func (d *designer) saves() (block string) {
	d.t.Helper()
	if _, _, body := d.p.visit("demo", "/"); strings.Contains(body, "Tea at four") {
		d.t.Error("visitors see the draft")
	}
	d.pushes("As a call")
	d.shows("$VITRINE_DRAFT_KEY")
	d.pushes("Close")
	d.pushes("Save")
	d.shows("Saved")
	d.until(`!document.querySelector('.save-bar')`)
	block, _, _ = strings.Cut(d.text(outlined+`[0].dataset.place`), "-")
	saved := d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)
	if text := fmt.Sprint(saved["sections"]); !strings.Contains(text, "Tea at four") || !strings.Contains(text, "Open from ten to six.") {
		d.t.Errorf("saved: %s", text)
	}
	return block
}

// keepsWhatIsNewer edits a block with settings and a kind that this version does not know.
func (d *designer) keepsWhatIsNewer(block string) {
	d.t.Helper()
	sections := d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)["sections"].([]any)
	props := sections[0].(map[string]any)["payload"].(map[string]any)["props"].(map[string]any)
	props["hologram"] = map[string]any{"depth": 3}
	sections = append(sections, map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "timeMachine", "props": map[string]any{"year": 3000}}})
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": sections}})
	d.open("/cabinet/demo/design/category/1", d.width)
	d.opens("Call to action")
	d.fills("Heading", "Tea at half past four")
	sections[2].(map[string]any)["payload"].(map[string]any)["props"].(map[string]any)["title"] = "Changed by somebody"
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": sections}})
	d.pushes("Save")
	d.until(`!document.querySelector('.save-bar')`)
	if both := fmt.Sprint(d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)["sections"]); !strings.Contains(both, "Tea at half past four") || !strings.Contains(both, "Changed by somebody") {
		d.t.Errorf("changes of two people in one block: %s", both)
	}
	d.pushes("All blocks")
	d.opens("timeMachine")
	d.shows("This version does not know the kind “timeMachine”.")
	d.pushes("All blocks")
	d.opens("Call to action")
	d.shows("payload.props.hologram: {\"depth\":3}")
	d.fills("Heading", "Tea at five")
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": append(sections, sections[1])}})
	d.pushes("Save")
	d.shows("Somebody else saved this meanwhile")
	d.pushes("Save what is chosen")
	d.until(`!document.querySelector('.save-bar')`)
	saved := fmt.Sprint(d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)["sections"])
	for _, part := range []string{"Tea at five", "hologram:map[depth:3]", "timeMachine", "year:3000"} {
		if !strings.Contains(saved, part) {
			d.t.Errorf("saving lost %s: %s", part, saved)
		}
	}
}

// fillsABlock edits a block that is as large as a block may be.
func (d *designer) fillsABlock(block string) {
	d.t.Helper()
	before := d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)["sections"].([]any)
	full := before[:1:1]
	for i := range 49 {
		text := strconv.Itoa(i) + " " + strings.Repeat("word ", 235)
		full = append(full, map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "text", "props": map[string]any{"text": text}}})
	}
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": full}})
	d.open("/cabinet/demo/design/category/1", d.width)
	d.shows("No further block fits here")
	d.opens("Call to action")
	d.fills("Heading", "Tea for everybody")
	d.sees("h1", "Tea for everybody")
	d.until(`document.querySelector('[data-took]')`)
	d.t.Logf("from a keystroke to the preview of 50 sections: %s ms", d.text(`document.querySelector('[data-took]').dataset.took`))
	d.pushes("Discard")
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": before}})
}

// keepsShadowRoots edits a page beside own markup with a shadow root, which is parsed with each redraw.
func (d *designer) keepsShadowRoots(block string) {
	d.t.Helper()
	doc := itoa(d.p.must(d.key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": "Shadow", "level": 3}})["id"])
	page := `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shadow</title></head><body><div id="host"><template shadowrootmode="open"><p>In the shadow</p></template></div></body></html>`
	d.p.must(d.key, "POST", "/html-documents/"+doc+"/releases/zip?base=none&publish=1", packFiles(d.t, map[string][]byte{"index.html": []byte(page)}))
	before := d.p.must(d.dev, "GET", "/content-blocks/"+block, nil)["sections"].([]any)
	own := map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "html", "props": map[string]any{"html": map[string]any{"documentId": doc}}}}
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": append(before[:1:1], own)}})
	d.open("/cabinet/demo/design/category/1", d.width)
	d.opens("Call to action")
	d.fills("Heading", "Tea in the shadow")
	d.sees("main", "Tea in the shadow")
	if said, err := d.inside(`document.getElementById('host').shadowRoot?.textContent`); said != "In the shadow" || err != nil {
		d.t.Errorf("own markup in the redrawn preview: %q %v", said, err)
	}
	d.pushes("Discard")
	d.p.must(d.dev, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": before}})
}

// publishes sees what waits, meets a change that somebody made live, and publishes all.
func (d *designer) publishes(core string, found map[string]bool, block string) {
	d.t.Helper()
	d.open("/cabinet/demo/design/drafts", d.width)
	d.shows("3 changes")
	d.until(`((e) => e && (e.click(), true))(document.querySelector('summary'))`)
	d.shows("In the draft")
	d.fits("design-drafts", d.width)
	d.axeHere(core, "drafts", found)
	d.pushes("Address of the preview")
	d.shows("Everyone with this address sees the draft until")
	d.text(fmt.Sprintf(`(document.querySelector('input[type=checkbox][aria-label=%q]').click(), '')`, "Header, footer, template · category:1"))
	d.pushes("Publish: 1")
	d.shows("Came along: ")
	if _, _, body := d.p.visit("demo", "/"); !strings.Contains(body, "Tea at five") || strings.Contains(body, "<!--v ") || strings.Contains(body, "data-v-cabinet") {
		d.t.Error("visitors do not see what was published, or more than that")
	}
	d.shows("Nothing is waiting to be published.")

	d.open("/cabinet/demo/design/category/1", d.width)
	d.opens("Call to action")
	d.fills("Heading", "Tea at six")
	d.pushes("Save")
	d.until(`!document.querySelector('.save-bar')`)
	d.p.must(d.key, "PUT", "/content-blocks/"+block, map[string]any{"item": map[string]any{"sections": []any{
		map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "text", "props": map[string]any{"text": "Changed live."}}}}}})
	d.open("/cabinet/demo/design/drafts", d.width)
	d.shows("1 change")
	d.pushes("Publish everything")
	d.shows("The draft cannot be published as it is")
	d.shows("It was changed in the shop after the draft was begun.")
	d.axeHere(core, "a conflict of the draft", found)
	d.pushes("Publish anyway")
	d.shows("Nothing is waiting to be published.")
	if _, _, body := d.p.visit("demo", "/"); !strings.Contains(body, "Tea at six") {
		d.t.Error("the draft was not published")
	}

	d.open("/cabinet/demo/design/slots", d.width)
	d.shows("Group bound here")
	d.fits("design-slots", d.width)
	d.axeHere(core, "slots", found)
}
