package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe checks the page, except the content of an author's website, and returns the
// violations of some rules: "everything" are the rules of WCAG 2.2 AA and the best practices
// of axe-core, "colours" are those whose outcome depends on the colour scheme. None of them reads
// the style sheets, so axe-core does not parse them.
const axe = `(only) => axe.run({exclude: ['.svc-body']}, {resultTypes: ['violations'], runOnly: only, preload: {assets: ['media']}}).then(
	(r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' — ' + n.failureSummary.split('\n').slice(1).join(';') + ' ' + n.html)).join('\n'))`

const (
	axeEverything = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	axeColours    = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`
)

// axeCore is the axe-core script from npm.
func axeCore(t *testing.T) string {
	t.Helper()
	file, err := os.Open("testdata/axe/axe.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// axe-core finds no violation on any kind of storefront page, wide and narrow, light and
// dark.
func TestAxeFindsNoViolations(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	form := itoa(p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Ask us", "fields": []any{
		map[string]any{"name": "name", "type": "text", "label": "Name", "required": true}, map[string]any{"name": "tea", "type": "radio", "label": "Tea", "options": []any{"Black", "Green"}},
		map[string]any{"name": "paper", "type": "file", "label": "Paper"}, map[string]any{"name": "words", "type": "textarea", "label": "Words"},
		map[string]any{"name": "agree", "type": "consent", "label": "I agree", "required": true},
	}}})["id"])
	gifts := ""
	status, answer := p.call(key, "GET", "/categories?page.limit=100", nil)
	for _, entry := range answer["result"].([]any) {
		if section := entry.(map[string]any); section["name"] == "Gift boxes" {
			gifts = itoa(section["id"])
		}
	}
	if status != 200 || gifts == "" {
		t.Fatalf("no section of gifts: %d %v", status, answer)
	}
	p.must(key, "POST", "/access-policies", map[string]any{"name": "Friends", "kind": "password", "title": "For friends",
		"resources": []any{map[string]any{"type": "category", "id": gifts}}})
	paths := []string{
		"/", "/tea", "/tea/green-tea", "/teaware/cups/dipped-tea-bowl-sea-and-sand", "/teaware/teapots/tetsubin-suzuki", "/journal", "/journal/brewing/water-first", "/about",
		"/gifts", "/no-such-page", "/cart", "/checkout", "/orders", "/account", "/wishlist", "/deals", "/search?q=tea", "/search?q=xqzt", "/tea?in_stock=1&sort=price", "/_vitrine/form/" + form,
	}
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) { demoTab(t, p).axe(core, width, paths) })
	}
}

// axe fills a cart and reports the violations on some pages, each one once.
func (b *tab) axe(core string, width int64, paths []string) {
	b.t.Helper()
	found := map[string]bool{}
	b.open("/teaware/cups/dipped-tea-bowl-sea-and-sand", width)
	b.click("[data-v-add=wishlist]")
	b.click("[data-v-add=cart]")
	b.until(`document.querySelector('.v-drawer[open] .v-line__name') && !document.querySelector('[aria-busy=true]')`) // a busy button is pale
	b.axeHere(core, "the drawer", found)
	for _, path := range paths {
		b.open(path, width)
		b.until(`document.readyState === 'complete'`)
		b.axeHere(core, path, found)
	}
}

// axeHere reports the violations on the page as it is now, in light and in dark, except those that
// were found before.
func (b *tab) axeHere(core, what string, found map[string]bool) {
	b.t.Helper()
	// What fades in or out has any contrast: here it is there or not.
	const still = `;(() => { const s = new CSSStyleSheet(); s.replaceSync('*, ::before, ::after { transition: none !important }'); document.adoptedStyleSheets.push(s); return true })()`
	// A page of the cabinet stays loaded from one address to the next, and so does the script.
	if b.text(`'axe' in window`) == "false" {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](core+still)); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, scheme := range []string{"dark", "light"} {
		rules := axeColours
		if scheme == "light" {
			rules = axeEverything
		}
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
			b.t.Fatal(err)
		}
		b.until(`(document.documentElement.dataset.mantineColorScheme ?? '` + scheme + `') === '` + scheme + `'`) // of the cabinet, whose script follows
		said, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("("+axe+")("+rules+")", func(e *runtime.EvaluateParams) { e.AwaitPromise = new(true) }))
		if err != nil {
			b.t.Fatalf("%s in %s: %v", what, scheme, err)
		}
		for fault := range strings.Lines(said) {
			if !found[fault] {
				found[fault] = true
				b.t.Errorf("%s in %s: %s", what, scheme, fault)
			}
		}
	}
}
