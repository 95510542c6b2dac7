package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// The buyer of an invoiced order prints the invoice from the page that the letter links to, and
// the credit note after a refund. The seller prints many slips at once, each on its own sheets of
// A4; the header of a long one is on each of them.
func TestPapersArePrinted(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{
		"invoice_prefix": "TEA-", "legal": map[string]any{"name": "Tea House Ltd", "details": "Company no. 1234567\nVAT PT501234567"},
		"tax": map[string]any{"included": false, "default_country": "PT", "rates": []any{
			map[string]any{"country": "PT", "class": "standard", "name": "IVA", "percent": 23}, map[string]any{"country": "PT", "class": "reduced", "name": "IVA", "percent": 13},
		}},
	})
	company := itoa(p.must(owner, "GET", "/v1/orgs/current", nil)["id"])
	product := itoa(p.must(owner, "GET", "/products/by-slug/longjing-before-the-rains?company_id="+company, nil)["id"])
	var many []any
	for i := range 100 {
		many = append(many, map[string]any{"product_id": product, "key": fmt.Sprint("k", i), "quantity": 1})
	}
	p.must(owner, "PUT", "/products/"+product+"/stock", map[string]any{"quantity": 1000})
	guest := p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	p.must(guest, "POST", "/cart/merge", map[string]any{"company_id": company, "items": many})
	long := itoa(p.must(guest, "POST", "/cart/confirm", map[string]any{
		"company_id": company, "contact": map[string]any{"name": "Ines Baker", "phone": "+351 912 345 678"},
		"address": map[string]any{"street": "Rua do Alecrim 12", "city": "Lisboa", "country": "PT"}})["id"])
	inEveryWindow(t, p, func(b *tab, name string, width int64, _ bool) {
		id, link := p.ordersByAPI(owner, name+"@example.com")
		b.open(link, width)
		b.is(`document.querySelectorAll('a[href*="/invoice"]').length`, "0")
		number := itoa(p.must(owner, "POST", "/orders/"+id+"/invoice", nil)["number"])
		b.open(link, width)
		b.is(`document.body.textContent.includes('Plus IVA 13%')`, "true")
		shoot(b.t, b.ctx, "/papers/"+name+"/order", width)
		invoice := strings.Replace(link, id+"?", id+"/invoice?", 1)
		b.is(`document.querySelector('a[href*="/invoice"]').getAttribute('href')`, invoice)
		b.open(invoice, width)
		b.is(`document.querySelector('h1').textContent`, "Invoice "+number)
		b.is(`document.body.textContent.includes('Tea House Ltd') && document.body.textContent.includes('Plus IVA 13% on €')`, "true")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		order := p.must(owner, "GET", "/orders/"+id, nil)
		line, tax := order["items"].([]any)[0].(map[string]any), order["taxes"].([]any)[0].(map[string]any)
		euro := func(sum any) string { return fmt.Sprintf("€%v", sum) }
		recipient := []string{"Ines Baker", "Rua do Alecrim 12", "Lisboa", "Order " + itoa(order["number"])}
		priced := append([]string{
			"Tea House Ltd", "VAT PT501234567", itoa(line["name"]), fmt.Sprintf("IVA 13%% 2 %s %s", euro(line["unit_price"]), euro(line["total"])), "Goods " + euro(order["items_total"]),
			fmt.Sprintf("Plus IVA 13%% on %s %s", euro(tax["base"]), euro(tax["amount"])),
		}, recipient...)
		b.reads(append(priced, "Invoice "+number, "Total "+euro(order["grand_total"]))...)
		shoot(b.t, b.ctx, "/papers/"+name+"/invoice", width)
		if sheets := b.prints("/papers/" + name + "/invoice.pdf"); sheets != 1 {
			b.t.Errorf("the invoice has %d sheets", sheets)
		}
		p.must(owner, "POST", "/orders/"+id+"/payment/confirm", map[string]any{})
		p.must(owner, "POST", "/orders/"+id+"/refund", map[string]any{})
		b.open(strings.Replace(link, id+"?", id+"/credit_note?", 1), width)
		b.is(`document.querySelector('h1').textContent.startsWith('Credit note TEA-CN') && document.body.textContent.includes('`+number+`')`, "true")
		b.reads(append(priced, "Credit note TEA-CN", number+", ", "Refunded "+euro(order["grand_total"]))...)
		shoot(b.t, b.ctx, "/papers/"+name+"/credit", width)
		slips := itoa(p.must(owner, "POST", "/orders/papers/link", map[string]any{"kind": "slip", "ids": []string{id, long}})["url"])
		if err := chromedp.Do(b.ctx, chromedp.Navigate(slips)); err != nil {
			b.t.Fatal(err)
		}
		b.is(`document.querySelectorAll('article').length + ' ' + document.querySelectorAll('tbody tr').length`, "2 103")
		b.reads(append(recipient, "+351 912 345 678", "Packing slip "+itoa(order["number"]), itoa(line["name"])+" ")...)
		b.is(`document.body.innerText.includes('€')`, "false")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(b.t, b.ctx, "/papers/"+name+"/slips", width)
		if sheets := b.prints("/papers/" + name + "/slips.pdf"); sheets < 4 || sheets > 7 {
			b.t.Errorf("the slips have %d sheets", sheets)
		}
	})
}

// reads checks what the papers of the page say, on the screen and as they are printed: only visible
// text counts, with cells separated by a space.
func (b *tab) reads(want ...string) {
	b.t.Helper()
	for _, media := range []string{"print", ""} {
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media}); err != nil {
			b.t.Fatal(err)
		}
		text := b.text(`document.body.innerText.replace(/\s+/g, ' ')`)
		for _, part := range want {
			if !strings.Contains(text, part) {
				b.t.Errorf("no %q in media %q: %s", part, media, text)
			}
		}
	}
}

var (
	pdfSheet = regexp.MustCompile(`/Type\s*/Page\b`)
	pdfSize  = regexp.MustCompile(`/MediaBox\s*\[0 0 ([0-9.]+) ([0-9.]+)\]`)
)

// prints prints the page as its style sheet says, and returns the number of sheets, which are A4.
func (b *tab) prints(name string) int {
	b.t.Helper()
	got, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true)})
	if err != nil {
		b.t.Fatal(err)
	}
	pdf := got.Data
	if dir := os.Getenv("VITRINE_TEST_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(strings.Trim(name, "/"), "/", "-")), pdf, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, size := range pdfSize.FindAllSubmatch(pdf, -1) {
		if w, h := string(size[1]), string(size[2]); !strings.HasPrefix(w, "59") || !strings.HasPrefix(h, "84") {
			b.t.Errorf("%s: a sheet of %s × %s points, not A4", name, w, h)
		}
	}
	return len(pdfSheet.FindAll(pdf, -1))
}
