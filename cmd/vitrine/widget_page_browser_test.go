package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The three pages of the guide, published in the demo shop by a shell that runs the guide's
// examples byte for byte: they are valid, have one h1, and do not overflow, at both widths.
func TestPagesOfTheGuideInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	guide := p.printed("/docs/widget-pages")
	p.asPrinted(key, guide)
	p.validPages(guide)

	_, port, err := net.SplitHostPort(p.edge)
	if err != nil {
		t.Fatal(err)
	}
	ctx, seen := browser(t), &faults{}
	if err := seen.listen(ctx); err != nil {
		t.Fatal(err)
	}
	for _, scripts := range []bool{true, false} {
		if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{1280, 390} {
			for path, heading := range map[string]string{"/": "Tea that keeps its promise", "/about-us": "A shop of three people", "/winter-sale": "Winter sale: up to 30% off"} {
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("http://demo.localhost:"+port+path)); err != nil {
					t.Fatal(err)
				}
				for what, expression := range map[string]string{
					"sticks out":             `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
					"has another h1":         `[...document.querySelectorAll('h1')].filter(h => h.textContent !== ` + quoted(heading) + ` || !h.checkVisibility()).length + Math.abs(document.querySelectorAll('h1').length - 1)`,
					"skips a heading":        `[...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1]).filter((n, i, all) => n > (all[i - 1] ?? 0) + 1).length`,
					"cuts words off a slide": `[...document.querySelectorAll('.v-slides__slide--over .v-slides__caption')].filter(c => c.scrollHeight > c.clientHeight + 1).length`,
				} {
					if n := evaluate(t, ctx, expression); n > 0 {
						t.Errorf("%s at %d px %s: %d", path, width, what, n)
					}
				}
				small, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[...document.querySelectorAll('main .v-button, main summary')].filter(b => b.checkVisibility() && b.getBoundingClientRect().height < 43.99).map(b => b.outerHTML).join('\n')`))
				if err != nil || small != "" {
					t.Errorf("%s at %d px has small buttons: %s %v", path, width, small, err)
				}
				if scripts {
					pictured(t, ctx)
					shoot(t, ctx, "/page-of-widgets"+path, width)
				}
			}
		}
	}
	for _, fault := range seen.take() {
		t.Error(fault)
	}
}

// pictured loads all visible pictures of the page and waits for them, if screenshots are
// saved.
func pictured(t *testing.T, ctx context.Context) {
	t.Helper()
	if os.Getenv("VITRINE_TEST_SHOTS") == "" {
		return
	}
	wait(t, "the pictures", func() bool {
		return evaluate(t, ctx, `[...document.images].filter(i => { i.loading = 'eager'; return i.checkVisibility() && i.naturalWidth === 0 }).length`) == 0
	})
}

func quoted(text string) string {
	out, _ := json.Marshal(text) //nolint:errcheck // a string
	return string(out)
}

// printed is a guide as served.
func (p *program) printed(path string) string {
	p.t.Helper()
	answer, err := http.Get("http://" + p.admin + path)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if closing := answer.Body.Close(); err != nil || closing != nil || answer.StatusCode != http.StatusOK {
		p.t.Fatal(answer.Status, err, closing)
	}
	return string(text)
}

// asPrinted runs the examples of a guide in a shell, in a folder with three photographs.
func (p *program) asPrinted(key, guide string) {
	p.t.Helper()
	dir := p.t.TempDir()
	for name, photograph := range map[string]string{"hero.jpg": "article-the-second-pot.webp", "hands.jpg": "article-a-repair-counter.webp", "table.jpg": "article-the-winter-table-opens.webp"} {
		picture, err := os.ReadFile(filepath.Join("demo/photographs", photograph))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), picture, 0o600)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	script := "set -eu\n"
	for _, part := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(guide, -1) {
		script += part[1]
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir, shell.Env = dir, append(os.Environ(), "AUTH=Authorization: Bearer "+key)
	out, err := shell.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte(`"error"`)) {
		p.t.Fatalf("%v\n%s", err, out)
	}
}

// validPages checks that the sections written by a guide contain nothing that is not drawn.
func (p *program) validPages(guide string) {
	p.t.Helper()
	ids := strings.NewReplacer("'\\\n'", "", "'$HERO'", "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "'$HANDS'", "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "'$TABLE'", "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "'$BLOCK'", "5")
	found := regexp.MustCompile(`/content-blocks -d '(.*)' \| jq`).FindAllStringSubmatch(ids.Replace(guide), -1)
	if len(found) != 4 {
		p.t.Fatalf("%d blocks", len(found))
	}
	for _, body := range found {
		answer, err := http.Post("http://"+p.admin+"/docs/validate", "application/json", strings.NewReader(body[1]))
		if err != nil {
			p.t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if closing := answer.Body.Close(); err != nil || closing != nil {
			p.t.Fatal(err, closing)
		}
		if !bytes.Contains(text, []byte(`"ignored":0,"unknown":0`)) {
			p.t.Errorf("%s\n%s", body[1], text)
		}
	}
}
