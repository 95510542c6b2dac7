package main

import (
	"bytes"
	"flag"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/webp"
)

var updateScreenshots = flag.Bool("update", false, "take the screenshots of the README again")

// screenshots are the pictures of the README: pages of the demo shop and of its cabinet in a wide
// window.
var screenshots = []struct {
	file string // in docs
	path string // on the storefront of the demo shop, or of the cabinet
	high int64  // of the window, in pixels
}{
	{"storefront.webp", "/", 980},
	{"cabinet.webp", "/cabinet/demo/products", 700},
}

const (
	screenshotWidth = 1280
	screenshotBytes = 200_000
	screenshotsDir  = "../../docs"
)

// The README shows every screenshot, and only those. After a change of the look, run
//
//	go test ./cmd/vitrine -run TestScreenshots -update
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if *updateScreenshots {
		takeScreenshots(t)
	}
	shown := map[string]bool{}
	for _, link := range regexp.MustCompile(`!\[[^\]]*\]\(docs/([^)]+)\)`).FindAllStringSubmatch(readme(t, ""), -1) {
		shown[link[1]] = true
	}
	for _, s := range screenshots {
		if !shown[s.file] {
			t.Errorf("the README does not show docs/%s", s.file)
		}
		delete(shown, s.file)
		data, err := os.ReadFile(filepath.Join(screenshotsDir, s.file))
		if err != nil {
			t.Error(err)
			continue
		}
		picture, err := webp.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", s.file, err)
			continue
		}
		if want := image.Pt(screenshotWidth, int(s.high)); picture.Bounds().Size() != want || len(data) > screenshotBytes {
			t.Errorf("%s: %v, %d bytes; want %v, at most %d bytes", s.file, picture.Bounds().Size(), len(data), want, screenshotBytes)
		}
	}
	for file := range shown {
		t.Errorf("the README shows docs/%s, which is not in the list of screenshots", file)
	}
}

// takeScreenshots saves each page at the best quality that fits the size limit.
func takeScreenshots(t *testing.T) {
	t.Helper()
	p := newDemo(t)
	p.start()
	shop, owner := demoTab(t, p), cabinet(t, p, screenshotWidth)
	owner.entersCabinet("owner@demo.example", "tea-at-four")
	owner.until(`location.pathname === '/cabinet/demo/start'`)
	if err := os.MkdirAll(screenshotsDir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range screenshots {
		b := shop
		if strings.HasPrefix(s.path, "/cabinet/") {
			b = owner
		}
		b.prefers("light", "")
		if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(screenshotWidth, s.high), chromedp.Navigate(b.host+s.path)); err != nil {
			t.Fatal(err)
		}
		b.until(`!document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') && document.querySelector('main img') && document.readyState === 'complete' && document.fonts.status === 'loaded' && [...document.images].every((i) => i.complete || i.getBoundingClientRect().top > innerHeight)`)
		data := b.shot(95)
		for quality := int64(90); len(data) > screenshotBytes; quality -= 5 {
			data = b.shot(quality)
		}
		if err := os.WriteFile(filepath.Join(screenshotsDir, s.file), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if faults := b.complaints(); len(faults) > 0 {
			t.Errorf("%s: %s", s.path, strings.Join(faults, "\n"))
		}
	}
}

// shot captures the window as WebP.
func (b *tab) shot(quality int64) []byte {
	b.t.Helper()
	got, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
	if err != nil {
		b.t.Fatal(err)
	}
	return got.Data
}
