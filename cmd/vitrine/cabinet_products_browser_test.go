package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pastes puts a text from a spreadsheet where the focus is.
func (b *tab) pastes(text string) {
	b.t.Helper()
	b.text(fmt.Sprintf(`(() => { const d = new DataTransfer(); d.setData('text/plain', %q);
		document.activeElement.dispatchEvent(new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true})); return 'pasted' })()`, text))
}

// keys types a text, and keys such as kb.Enter, where the focus is.
func (b *tab) keys(text string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(text)); err != nil {
		b.t.Fatal(err)
	}
}

// goesTo clicks a cell of a sheet, by its row and column from 1.
func (b *tab) goesTo(row, column int) {
	b.t.Helper()
	cell := fmt.Sprintf(`[role=row][aria-rowindex="%d"] [role=gridcell][aria-colindex="%d"]`, row+1, column)
	b.until(fmt.Sprintf(`document.querySelector('%s')`, cell))
	b.click(cell)
}

// screenIsFit checks what every screen of the cabinet holds: axe-core finds nothing in light and
// dark, and nothing is wider than the window.
func (b *tab) screenIsFit(core, name string, width int64) {
	b.t.Helper()
	b.until(`[...document.images].every((i) => i.complete) && !document.querySelector('[data-transitioning]')`)
	b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
	shoot(b.t, b.ctx, "/cabinet/"+name, width)
	b.axeHere(core, name, map[string]bool{})
}

func pricesOf(p *program, key, query string) (prices []string) {
	for page := 1; ; page++ {
		items := p.must(key, "GET", fmt.Sprintf("/products?%s&sort.field=name&sort.order=asc&page.limit=100&page.number=%d", query, page), nil)["items"].([]any)
		for _, i := range items {
			prices = append(prices, itoa(i.(map[string]any)["price"].(map[string]any)["price"]))
		}
		if len(items) < 100 {
			return prices
		}
	}
}

// makesSaucers makes 200 products that cost 1 each.
func (p *program) makesSaucers(key string) {
	p.t.Helper()
	for half := range 2 {
		var items []any
		for i := range 100 {
			n := half*100 + i
			items = append(items, map[string]any{"name": fmt.Sprintf("Saucer %03d", n), "sku": fmt.Sprintf("SAUCER-%03d", n), "price": map[string]any{"price": 1}})
		}
		if status, answer := p.call(key, "POST", "/products/batch", map[string]any{"items": items}); status != 200 || answer["created"] != 100.0 {
			p.t.Fatalf("%d %v", status, answer)
		}
	}
}

// An owner pastes two hundred prices from a spreadsheet and saves them at once. What is refused
// keeps what was typed and says why; the rest is saved. In a wide and in a narrow window.
func TestOwnerPastesPricesIntoTheCabinet(t *testing.T) {
	t.Parallel()
	p, key := demoWithCabinet(t)
	p.makesSaucers(key)
	core := axeCore(t)
	for i, width := range []int64{1280, 390} {
		b := p.owner(t, width)
		b.open("/cabinet/demo/products?q=Saucer&view=grid&sort=name", width)
		b.until(`document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '101'`) // the others come when they are needed
		b.goesTo(1, 2)
		b.keys(kb.ArrowRight)
		var prices []string
		for n := range 200 {
			prices = append(prices, itoa(float64(100*(i+1)+n)))
		}
		b.pastes(strings.Join(prices, "\r\n"))
		b.shows("Not saved: 200 cells")
		b.pushes("Save")
		b.shows("200 cells saved")
		if got := pricesOf(p, key, "filter.query=Saucer"); strings.Join(got, " ") != strings.Join(prices, " ") {
			t.Errorf("saved prices: %v", got)
		}

		b.goesTo(1, 2)
		b.pastes("SAUCER-005\t7\nSAUCER-001\tseven\nSAUCER-002\t9")
		b.pushes("Save")
		b.shows("2 cells are not saved. They keep what you typed.")
		b.shows("1 cell saved")
		b.shows("Another product has this.")
		b.is(`[...document.querySelectorAll('.sheet-refused')].map((c) => c.textContent).join()`, "SAUCER-005,seven")
		if got := pricesOf(p, key, "filter.query=Saucer")[:3]; strings.Join(got, " ") != strings.Join(append(prices[:2:2], "9"), " ") {
			t.Errorf("after refusals: %v", got)
		}
		b.screenIsFit(core, "grid", width)
		b.pushes("Discard")

		b.pushes([]string{"Views", "Saucers 1280"}[i]) // the button is called as the view that is shown
		b.fills("Save these filters as", fmt.Sprintf("Saucers %d", width))
		b.keys(kb.Enter)
		b.open("/cabinet/demo/products", width)
		b.pushes("Views")
		b.pushes(fmt.Sprintf("Saucers %d", width))
		b.until(`document.querySelector('[role=grid]')`)
		for _, complaint := range b.complaints() {
			t.Error(complaint)
		}
	}
}

// An owner makes variants from two options with the keyboard alone, and saves prices of them after the
// session has ended; receives goods, and finds the movement in the ledger. Another person changes
// another field meanwhile: both changes are kept.
func TestOwnerMakesVariantsInTheCabinet(t *testing.T) {
	t.Parallel()
	p, key := demoWithCabinet(t)
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		b := p.owner(t, width)
		b.open("/cabinet/demo/products/new", width)
		b.shows("New product")
		b.until(`document.querySelector('.ProseMirror')`)
		b.fills("Name", fmt.Sprintf("Jug %d", width))
		b.fills("Price", "20")
		for _, option := range [][]string{{"Size", "S", "M"}, {"Glaze", "white", "blue", "moss"}} {
			b.pushes("Add an option")
			b.until(`document.activeElement.placeholder === 'Colour'`)
			b.keys(option[0] + kb.Tab)
			for _, value := range option[1:] {
				b.keys(value + kb.Enter)
			}
		}
		b.shows("6 variants.")
		b.text(`([...document.querySelectorAll('label')].find((l) => l.textContent === 'Count each variant').click(), '')`)
		b.goesTo(1, 1)
		b.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowRight) // to the price, which a narrow window has to scroll to
		b.pastes("21\t25\t4\t\tJUG-1\n\t\t5\t\tJUG-1")
		b.pushes("Save")
		b.shows("Two variants have this SKU.")
		b.until(`document.activeElement.textContent === 'JUG-1'`) // the refused cell has the focus
		b.keys(fmt.Sprintf("JUG-2-%d\r", width))
		b.goesTo(1, 1)
		b.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowRight) // to the price, which a narrow window has to scroll to
		b.pastes(fmt.Sprintf("21\t25\t4\t\tJUG-1-%d", width))
		b.pushes("Save")
		b.until(`/products\/\d+$/.test(location.pathname)`)
		path := "/products/" + b.text(`location.pathname.split('/').pop()`)
		saved := p.must(key, "GET", path, nil)
		if sets := saved["variants"].([]any); len(sets) != 6 || saved["stock_by"] != "variant" || itoa(saved["stock_quantity"]) != "9" {
			t.Fatalf("%v", saved)
		} else if first := sets[0].(map[string]any); itoa(first["price"]) != "21" || itoa(first["old_price"]) != "25" || itoa(first["stock_quantity"]) != "4" {
			t.Errorf("the first variant: %v", first)
		}
		b.screenIsFit(core, "variants", width)

		b.goesTo(2, 1)
		b.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowRight)
		b.pastes("22")
		b.keys(kb.ArrowDown + "23") // the cell is still open
		b.endsSession()
		b.chord("s")
		b.shows("Your session has ended.")
		b.tabsTo("[role=dialog] [name=password]")
		b.keys("tea-at-four" + kb.Enter)
		b.until(`!document.querySelector('.save-bar') && !document.querySelector('[role=dialog]')`)
		sets := p.must(key, "GET", path, nil)["variants"].([]any)
		if second, third := sets[1].(map[string]any), sets[2].(map[string]any); itoa(second["price"]) != "22" || itoa(third["price"]) != "23" {
			t.Errorf("after the sign-in: %v, %v", second, third)
		}

		b.pushes("Movements of the stock")
		b.shows("In stock: 4")
		b.text(`(document.querySelector('[role=dialog] input[inputmode=numeric]').focus(), '')`)
		b.keys("10\tDelivery 17\r")
		b.shows("In stock: 14")
		b.shows("Delivery 17")
		b.shows("+10")
		b.screenIsFit(core, "stock", width)
		b.pushes("Close")
		if now := p.must(key, "GET", path, nil); itoa(now["stock_quantity"]) != "19" {
			t.Errorf("after the receipt: %v", now["stock_quantity"])
		}

		b.fills("Brand", "Hearth")
		p.must(key, "PUT", path, map[string]any{"item": map[string]any{"tags": []any{"new"}}})
		b.pushes("Save")
		b.shows("Both are kept.")
		b.until(`!document.body.innerText.includes('Not saved')`)
		if now := p.must(key, "GET", path, nil); now["brand"] != "Hearth" || len(now["tags"].([]any)) != 1 {
			t.Errorf("brand %v, tags %v", now["brand"], now["tags"])
		}
		for _, complaint := range b.complaints() {
			if !strings.Contains(complaint, "400") && !strings.Contains(complaint, "401") && !strings.Contains(complaint, "409") { // the browser reports the refusals above
				t.Error(complaint)
			}
		}
	}
}
