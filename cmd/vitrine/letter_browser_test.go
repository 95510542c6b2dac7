package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	letterdb "vitrine/internal/store/letter"
)

// Each email about events in the demo shop, in both languages, fits into mail programs of 600
// and 360 px, with its pictures, on light and dark screens.
func TestEmailsInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	b := demoTab(t, p)
	for _, lang := range []string{"en", "ru"} {
		p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"language": lang})
		for _, name := range letterdb.Names {
			words := p.must(owner, "POST", "/v1/shop/letters/"+name+"/preview", map[string]any{})
			file := filepath.Join(p.dir, lang+"_"+name+".html")
			if err := os.WriteFile(file, []byte(words["html"].(string)), 0o600); err != nil {
				t.Fatal(err)
			}
			b.goTo("file://"+file, 600)
			b.until(`document.readyState === 'complete'`)
			for _, width := range []int64{600, 360} { // an email has no scripts, so it need not be loaded again
				if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 800)); err != nil {
					t.Fatal(err)
				}
				b.is(`innerWidth`, itoa(width))
				b.is(`document.scripts.length`, "0")
				b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
				b.is(`[...document.images].every((i) => i.complete && i.naturalWidth > 0)`, "true")
				b.is(`document.documentElement.lang`, lang)
				if strings.HasPrefix(name, "order_made") || name == "message_buyer" || name == "personal_coupon_buyer" || name == "cart_left_buyer" {
					shoot(t, b.ctx, fmt.Sprintf("/letter/%s/%s", lang, name), width)
				}
			}
		}
	}
	for _, found := range b.complaints() {
		t.Error(found)
	}
}
