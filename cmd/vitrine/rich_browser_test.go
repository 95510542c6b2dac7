package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// richText contains elements wider than a phone.
var richText = "<h2>How it is made</h2><p>By <b>hand</b>.</p><table><tr>" + strings.Repeat("<th>Harvest of the year</th>", 9) + "</tr><tr>" +
	strings.Repeat("<td>Spring</td>", 9) + "</tr></table><pre>brew --water 80 --leaves 5 --minutes 2 --then pour-away-and-begin-again-with-fresh-water</pre>" +
	"<p>" + strings.Repeat("Donaudampfschifffahrt", 12) + "</p><blockquote>Good tea waits.</blockquote><ul><li>one</li></ul>"

// An owner's text is returned by the API as sent, drawn as HTML, and not wider than the page:
// tables and code scroll, and in print, which does not scroll, nothing is cut off.
func TestOwnersTextFitsThePage(t *testing.T) {
	t.Parallel()
	var paths []string
	b := visitShop(t, func(p *program, key string) {
		for _, name := range []string{"page", "product"} {
			made := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
				"name": "Rich " + name, "type": name, "is_published": true, "description": richText, "seo": map[string]any{"slug": "rich-" + name}}})
			if made["description"] != richText {
				t.Errorf("the API returns %v", made["description"])
			}
			paths = append(paths, "/rich-"+name)
		}
		made := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": "Rich", "is_published": true, "description": richText, "price": map[string]any{"price": 9}, "seo": map[string]any{"slug": "rich"}}})
		paths = append(paths, "/product/"+itoa(made["id"]))
	})
	for _, width := range []int64{390, 1280} {
		for _, path := range paths {
			b.open(path, width)
			b.is(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`, "true")
			b.is(`[...document.querySelectorAll('.v-rich h1')].length`, "0")
			b.is(`[...document.querySelectorAll('.v-rich__wide, .v-rich pre')].map(e => [e.tabIndex, e.scrollWidth >= e.clientWidth].join())`, "0,true,0,true")
			if width == 390 {
				b.is(`[...document.querySelectorAll('.v-rich__wide, .v-rich pre')].every(e => e.scrollWidth > e.clientWidth)`, "true")
			}
			shoot(t, b.ctx, "/rich"+path, width)
		}
	}
	b.prefers("light", "print")
	for _, path := range paths {
		b.open(path, 794)
		b.is(`[...document.querySelectorAll('.v-rich__wide, .v-rich pre')].map(e => e.scrollWidth - e.clientWidth).join()`, "0,0")
	}
	for _, fault := range b.complaints() {
		t.Error(fault)
	}
}

// No text of the attack lists has an effect in a browser, with all of them together and in every
// way that a text reaches a page: nothing runs, nothing is fetched.
func TestHostileTextsHaveNoEffectInABrowser(t *testing.T) {
	t.Parallel()
	var hostile strings.Builder
	for _, name := range []string{"owasp", "cure53", "escape"} {
		text, err := os.ReadFile(filepath.Join("../../compile/richtext/testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "//") && !strings.Contains(line, "plaintext") {
				hostile.WriteString("<p>x</p>" + strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "").Replace(line))
			}
		}
	}
	var paths []string
	b := visitShop(t, func(p *program, key string) {
		text := hostile.String()
		p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Hostile", "type": "page", "is_published": true, "description": text, "seo": map[string]any{"slug": "hostile"}}})
		product := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Hostile", "is_published": true, "description": text, "price": map[string]any{"price": 9}}})
		paths = []string{"/hostile", "/product/" + itoa(product["id"])}
	})
	b.complaints()
	for _, path := range paths {
		b.open(path, 1280)
		b.is(`[document.querySelectorAll('main script, main style, main iframe, .v-rich svg, .v-rich form, .v-rich [style]:not(img)').length,
			[...document.querySelectorAll('.v-rich *')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on')).length,
			[...document.querySelectorAll('.v-rich a')].filter(a => !/^(https?|mailto|tel):$/.test(a.protocol)).length,
			document.querySelector('main').nextElementSibling.matches('footer')]`, "0,0,0,true")
	}
	for _, fault := range b.complaints() {
		if !strings.Contains(fault, "/w/") && !strings.Contains(fault, "/files/") && !strings.Contains(fault, "404") { // its pictures do not exist
			t.Error(fault)
		}
	}
}
