package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Every text of products, sections, attributes, groups, articles and galleries may be as long as it
// can, run from right to left, or hold markup: each list and form shows it as text, and nothing is wider
// than the window.
func TestEveryTextOfTheCatalogueIsShownAsText(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 1280)
	markup := `<img src=x onerror="hacked=1">"'&lt;<script>hacked=1</script>{{hacked}}`
	lists := []string{"products", "products?view=grid", "sections", "attributes", "groups", "articles", "articles/rubrics", "files/galleries", "files"}
	var forms []string
	made := func(form, path string, item map[string]any) string {
		id := itoa(p.must(key, "POST", path, map[string]any{"item": item})["id"])
		forms = append(forms, form+"/"+id)
		return id
	}
	for _, text := range []string{strings.Repeat("W", 255), "\u202eשלום עולם " + strings.Repeat("א", 60) + strings.Repeat("🫖", 40), markup} {
		short := string([]rune(text)[:min(30, len([]rune(text)))])
		attribute := made("attributes", "/attributes", map[string]any{"name": text, "kind": "text", "unit": short})
		made("attributes", "/attributes", map[string]any{"name": "Values " + short, "kind": "option", "options": []any{map[string]any{"value": "one", "label": text}}})
		search := map[string]any{"meta_title": text, "meta_description": text, "page_title": text, "meta_keywords": []string{short}}
		section := made("sections", "/categories", map[string]any{"name": text, "type": "product", "description": text, "seo": search})
		rubric := made("sections", "/categories", map[string]any{"name": text, "type": "news"})
		product := made("products", "/products", map[string]any{
			"name": text, "sku": short, "brand": text, "tags": []string{short}, "category_id": section, "description": text, "seo": search,
			"attributes": []any{map[string]any{"attribute_id": attribute, "text": text}},
		})
		p.must(key, "PUT", "/products/"+product+"/variants", map[string]any{"items": []any{map[string]any{"sku": "v" + short, "title": text, "price": 1, "options": map[string]any{short: text}}}})
		made("groups", "/product-groups", map[string]any{"name": text, "product_ids": []string{product}})
		made("articles", "/articles", map[string]any{"title": text, "announce": text, "badge": short, "category_id": rubric, "author": map[string]any{"mode": "manual", "name": text, "description": text}})
		_, files := p.call(key, "GET", "/v1/storages/files?per_page=1", nil)
		file := files["result"].([]any)[0].(map[string]any)["id"].(string)
		p.must(key, "PUT", "/v1/storages/files/"+file, map[string]any{"item": map[string]any{"alt": text}})
		forms = append(forms, "files/"+file)
		made("files/galleries", "/galleries", map[string]any{"name": text, "items": []any{map[string]any{"caption": text, "file": map[string]any{"id": file}, "item_key": "one"}}})
	}
	for _, width := range []int64{1280, 390} {
		for _, path := range append(lists, forms...) {
			b.open("/cabinet/demo/"+path, width)
			b.until(`document.querySelector('main h1') && !document.querySelector('main .mantine-Skeleton-root, main .mantine-Loader-root')`)
			b.awaited(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(''))))`)
			if got := b.text(`[document.documentElement.scrollWidth <= innerWidth, typeof hacked, document.querySelectorAll('img[src="x"], main script').length].join(' ')`); got != "true undefined 0" {
				t.Errorf("%s at %d: fits, hacked, markup: %s", path, width, got)
			}
			if width == 390 && path == forms[len(forms)-6] {
				shoot(t, b.ctx, "/cabinet/odd-form", width)
			}
		}
	}
	b.quiet("Executing inline event handler") // the browser says so of markup that it only parses
}

// A list of more sections than a menu draws is walked with the arrows, searched and scrolled to its end.
func TestALongListOfSectionsIsChosenFromByKeyboard(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 390)
	const shelves = 70
	ids := []string{}
	for n := range shelves {
		ids = append(ids, itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": fmt.Sprintf("Shelf %02d", n), "type": "product"}})["id"]))
	}
	b.open("/cabinet/demo/products", 390)
	b.shows("62 products")
	options := `[...document.querySelectorAll('[role=option]')].filter((e) => e.checkVisibility())`
	field := "main input[aria-label=Section]"
	b.tabsTo(field)
	b.presses(kb.ArrowDown)
	b.until(options + `.length > 6`)
	b.is(options+`.length < 20`, "true")
	for range 90 {
		if strings.HasPrefix(b.text(`document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`), "Shelf 69") {
			break
		}
		b.presses(kb.ArrowDown)
	}
	b.presses(kb.Enter)
	b.until(`location.search === '?section=` + ids[69] + `' && document.activeElement.value === 'Shelf 69'`)

	b.presses(kb.ArrowDown)
	b.until(options + `[0]?.textContent === 'Shelf 69'`) // what is chosen comes first
	b.presses(kb.Escape)
	b.chord("a")
	b.keys("shelf 3")
	b.until(options + `.length === 10`)
	b.presses(kb.ArrowDown, kb.Enter)
	b.until(`location.search === '?section=` + ids[30] + `'`)

	b.click(field)
	b.until(options + `[0]?.textContent === 'Shelf 30'`)
	for range shelves {
		if b.text(options+`.some((e) => e.textContent === 'Shelf 69')`) == "true" {
			break
		}
		before := b.text(options + `.length`)
		b.text(`((e) => e.scrollTo(0, e.scrollHeight))([...document.querySelectorAll('[role=listbox] .mantine-ScrollArea-viewport')].find((e) => e.checkVisibility()))`)
		b.until(options + `.length > ` + before)
	}
	b.quiet()
}
