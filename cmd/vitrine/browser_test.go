package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"vitrine/internal/await"
)

// chromium is the browser shared by the tests of the package. The first test that needs it
// starts it, and it ends with the last one.
var chromium sharedBrowser

type sharedBrowser struct {
	once   sync.Once
	root   context.Context
	err    error
	cancel func()
}

func (b *sharedBrowser) end() {
	if b.cancel != nil {
		b.cancel()
	}
}

// browser is a tab for one test, with its own cookies, storage and cache.
func browser(t testing.TB) context.Context {
	t.Helper()
	chromium.once.Do(chromium.start)
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	ctx, cancelTab := chromedp.NewContext(chromium.root, chromedp.WithNewBrowserContext())
	t.Cleanup(cancelTab)
	limit := 10 * time.Minute
	if _, measures := t.(*testing.B); measures {
		limit = time.Hour
	}
	ctx, cancelTime := context.WithTimeout(ctx, limit)
	t.Cleanup(cancelTime)
	// The stories read pages by script. Reports of every style sheet to them would be wasted.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, css.Disable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return ctx
}

func (b *sharedBrowser) start() {
	// The shell of Chromium draws the same pages without the parts of a desktop browser, and
	// needs less processor time.
	path, err := lookAny("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
	if err != nil {
		b.err = fmt.Errorf("Chromium is missing; make test installs it: %w", err)
		return
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("no-first-run", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag(
			"host-resolver-rules", "MAP *.localhost 127.0.0.1, MAP localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		),
		chromedp.WSURLReadTimeout(60*time.Second),
	)
	// The optimizing compilers for scripts cost more than they save on a page that is open for seconds.
	// Benchmarks measure with them, as visitors have them.
	if flag.Lookup("test.bench").Value.String() == "" {
		options = append(options, chromedp.Flag("js-flags", "--no-maglev --no-turbofan"))
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	root, _ := chromedp.NewContext(ctx) // ends with its parent
	b.root, b.cancel = root, cancel
	b.err = chromedp.Do(b.root) // the first call starts it
}

// lookAny returns the first installed program of a list.
func lookAny(names ...string) (path string, err error) {
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// faults collects the errors of a page: console errors, exceptions and failed requests.
type faults struct {
	mu   sync.Mutex
	list []string
	from map[network.RequestID]string // the document of each request
}

func (f *faults) listen(ctx context.Context) error {
	err := chromedp.Listen(ctx, func(event any) {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if f.from == nil {
				f.from = map[network.RequestID]string{}
			}
			f.from[e.RequestID] = e.DocumentURL
		case *runtime.EventExceptionThrown:
			what := e.ExceptionDetails.Text
			if thrown := e.ExceptionDetails.Exception; thrown != nil {
				what += " " + thrown.Description
			}
			f.list = append(f.list, "exception: "+what+" "+e.ExceptionDetails.URL)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				f.list = append(f.list, "console: "+e.Entry.Text+" "+e.Entry.URL+f.of(e.Entry.NetworkRequestID))
			}
		case *network.EventLoadingFailed:
			if !e.Canceled {
				f.list = append(f.list, "request failed: "+e.ErrorText+f.of(e.RequestID))
			}
		case *network.EventResponseReceived:
			if e.Response.Status >= 400 && e.Type != network.ResourceTypeDocument {
				f.list = append(f.list, fmt.Sprintf("%d %s", e.Response.Status, e.Response.URL))
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	}
	return err
}

// of names the document of a request, which may be that of a frame.
func (f *faults) of(request network.RequestID) string {
	if from := f.from[request]; from != "" {
		return " of " + from
	}
	return ""
}

func (f *faults) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}

// The demo shop in a browser, wide and narrow: no errors, no horizontal overflow, and all
// pictures on the screen are loaded.
func TestDemoShopInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	_, port, err := net.SplitHostPort(p.edge)
	if err != nil {
		t.Fatal(err)
	}
	_, _, sitemap := p.visit("demo", "/sitemap.xml")
	paths := []string{"/", "/no-such-page", "/cart"}
	for i, part := range strings.Split(sitemap, "<loc>") {
		address, _, _ := strings.Cut(part, "</loc>")
		if path, ok := strings.CutPrefix(address, "http://demo.localhost:"+port); ok && i%7 == 1 {
			paths = append(paths, path)
		}
	}
	if len(paths) < 8 {
		t.Fatalf("the sitemap has too few pages:\n%.1000s", sitemap)
	}
	ctx := browser(t)
	seen := &faults{}
	if err := seen.listen(ctx); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 390} {
		for _, path := range paths {
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("http://demo.localhost:"+port+path)); err != nil {
				t.Fatalf("%s at %d: %v", path, width, err)
			}
			overflow := evaluate(t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
			broken := evaluate(
				t, ctx,
				`[...document.images].filter(i => i.complete && i.naturalWidth === 0 && i.src && i.getBoundingClientRect().top < 900).length`,
			)
			if overflow > 0 {
				t.Errorf("%s at %d px overflows by %d px", path, width, overflow)
			}
			if broken > 0 {
				t.Errorf("%s at %d px: %d pictures are broken", path, width, broken)
			}
			if changed := evaluate(t, ctx, leftToBrowsers); changed > 0 {
				t.Errorf("%s at %d px: %d headings and links depend on browser defaults", path, width, changed)
			}
			for _, fault := range seen.take() {
				if path == "/no-such-page" && strings.Contains(fault, "404") {
					continue // the page itself
				}
				t.Errorf("%s at %d px: %s", path, width, fault)
			}
			shoot(t, ctx, path, width)
		}
	}
}

// leftToBrowsers counts the storefront's own headings and links whose font weight or text
// decoration comes from the browser's style sheet: they would change if that was reset.
const leftToBrowsers = `(() => {
	const own = [...document.querySelectorAll('a, h1, h2, h3, h4, h5, h6')].filter((e) => !e.closest('div.svc-body'))
	const look = () => own.map((e) => getComputedStyle(e).fontWeight + getComputedStyle(e).textDecorationLine)
	const before = look()
	const sheet = new CSSStyleSheet()
	sheet.replaceSync('@layer base { h1, h2, h3, h4, h5, h6 { font-weight: inherit } a { text-decoration: inherit } }')
	document.adoptedStyleSheets.push(sheet)
	const after = look()
	document.adoptedStyleSheets.pop()
	return before.filter((was, i) => was !== after[i]).length
})()`

// shoot saves a screenshot of the page if VITRINE_TEST_SHOTS names a folder.
func shoot(t testing.TB, ctx context.Context, path string, width int64) {
	t.Helper()
	dir := os.Getenv("VITRINE_TEST_SHOTS")
	if dir == "" {
		return
	}
	var picture []byte
	var err error
	await.Within(await.Limit, func() bool { // a page without a size is being replaced
		picture, err = chromedp.Run(ctx, chromedp.FullScreenshot(90))
		return err == nil || !strings.Contains(err.Error(), "0 width")
	})
	if err != nil {
		t.Error(err)
		return
	}
	name := fmt.Sprintf("%s/%d%s.jpg", dir, width, strings.ReplaceAll(path, "/", "_"))
	if err := os.WriteFile(name, picture, 0o644); err != nil {
		t.Error(err)
	}
}

// wholePage is a picture of the whole page, in a format that costs a browser little.
func wholePage(ctx context.Context) ([]byte, error) {
	got, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: new(true), FromSurface: new(true), OptimizeForSpeed: new(true),
	})
	return got.Data, err
}

func evaluate(t testing.TB, ctx context.Context, expression string) int64 {
	t.Helper()
	n, err := chromedp.Run(ctx, chromedp.Evaluate[int64](expression))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
