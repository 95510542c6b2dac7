package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// framing is another site of the browser: its pages show the address of their query in a frame.
func framing(t *testing.T) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := fmt.Fprintf(w, `<!doctype html><title>Frames</title><link rel="icon" href="data:,"><body style="margin:0">
			<iframe style="border:0;width:100%%;height:700px" src="%s"></iframe>`, html.EscapeString(r.URL.Query().Get("of"))); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// inside evaluates an expression that returns a string in the frame on the page.
func (b *tab) inside(expression string) (string, error) {
	tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", err
	}
	if len(tree.FrameTree.ChildFrames) != 1 {
		return "", fmt.Errorf("the page has %d frames", len(tree.FrameTree.ChildFrames))
	}
	world, err := chromedp.Call(b.ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
	if err != nil {
		return "", err
	}
	found, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: `String(` + expression + `)`, ContextID: world.ExecutionContextID})
	if err != nil {
		return "", err
	}
	if found.ExceptionDetails != nil {
		return "", fmt.Errorf("%s: %s", expression, found.ExceptionDetails.Text)
	}
	var text string
	return text, json.Unmarshal(found.Result.Value, &text)
}

// leads clicks on something in the frame, or moves it by script, and waits for what it shows.
func (b *tab) leads(script, shows string) {
	b.t.Helper()
	if _, err := b.inside(script); err != nil && !strings.Contains(err.Error(), "context") { // the page may be gone before it has answered
		b.t.Fatalf("%s: %v", script, err)
	}
	last := ""
	wait(b.t, shows, func() bool {
		last, _ = b.inside(`[location.href, ` + shows + `]`) // fails during a change of pages
		return strings.HasSuffix(last, ",true")
	})
}

// The cabinet shows the draft beside its forms: a page of the admin origin frames the preview, on
// the host of the shop's slug although the shop has a domain, and links stay in it. The frame is of
// another site than the page around it, so the browser keeps the cookie for these two alone. A page
// of another origin cannot show it.
func TestAPreviewInAFrame(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	admin, stranger := framing(t), framing(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL="+admin.URL+"/api/")
	key := p.shop("tea")
	p.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test", "--at-once")
	dev := p.verb("key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "dev")["key"].(string)
	p.start()
	section := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Green tea", "type": "product", "is_published": true, "is_show_menu": true}})
	p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sencha", "category_id": section["id"], "is_published": true, "price": map[string]any{"price": 13}}})
	p.must(dev, "PUT", "/categories/"+itoa(section["id"]), map[string]any{"item": map[string]any{"name": "Tea of the draft"}})
	link := p.must(dev, "POST", "/drafts/preview", nil)["url"].(string)
	b := p.tab(t)
	if !strings.HasPrefix(link, b.host+"/_vitrine/preview/") {
		t.Errorf("the address is %s", link)
	}
	address := "/?of=" + url.QueryEscape(link+"?path="+url.QueryEscape("/green-tea?sort=price"))
	for _, width := range []int64{390, 1280} {
		b.host = admin.URL
		b.open(address, width)
		draft := `document.readyState === 'complete' && !!document.querySelector('.v-preview')`
		b.leads(`1`, draft+` && document.querySelector('h1').textContent.startsWith('Tea of the draft')`)
		said, err := b.inside(`[location.pathname + location.search, innerWidth, document.documentElement.scrollWidth <= innerWidth, document.cookie]`)
		if want := fmt.Sprintf("/green-tea?sort=price,%d,true,", width); said != want || err != nil {
			t.Errorf("%q, want %q, %v", said, want, err)
		}
		b.leads(`document.querySelector('.v-card a[href$="/sencha"]').click()`, draft+` && location.pathname === '/green-tea/sencha' && document.querySelector('h1').textContent === 'Sencha'`)
		b.leads(`location.assign('/')`, draft+` && location.pathname === '/'`)
		b.leads(`location.assign('/green-tea.html')`, draft+` && location.pathname === '/green-tea'`)
		b.leads(`document.querySelector('header a[href="/cart"]').click()`, draft+` && location.pathname === '/cart' && document.querySelector('main').textContent.includes('a preview does not show it in a frame') && !document.querySelector('main form, main button, main input')`)
		b.leads(`document.querySelector('main a[href="/"]').click()`, draft+` && location.pathname === '/'`)

		b.host = stranger.URL
		b.seen.take()
		b.open(address, width)
		wait(t, "the browser refuses to show it", func() bool {
			return strings.Contains(strings.Join(b.seen.take(), "\n"), "frame-ancestors")
		})
	}
}
