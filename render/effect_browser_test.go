package render

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/compile/widget"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// gallery serves pages to a browser, with the storefront's own files and one picture for all
// picture addresses.
type gallery struct {
	t       *testing.T
	ctx     context.Context
	address string
	page    []byte
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{t: t}
	var picture bytes.Buffer
	img := image.NewNRGBA(image.Rect(0, 0, 160, 200))
	for i := range 160 * 200 {
		img.SetNRGBA(i%160, i/160, color.NRGBA{uint8(i % 251), 120, 60, 255})
	}
	if err := png.Encode(&picture, img); err != nil {
		t.Fatal(err)
	}
	files := map[string]Asset{}
	for _, a := range Assets() {
		files[a.Path] = a
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, own := files[r.URL.Path]
		switch {
		case own:
			w.Header().Set("Content-Type", file.Type)
			w.Header().Set("Cache-Control", "max-age=600")
			_, _ = w.Write(file.Body)
		case strings.HasPrefix(r.URL.Path, "/files/") || strings.HasPrefix(r.URL.Path, "/w/"):
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Cache-Control", "max-age=600")
			_, _ = w.Write(picture.Bytes())
		case r.URL.Path == "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(g.page)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	g.address = server.URL
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Fatalf("Chromium is missing; make test installs it: %v", err)
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.WSURLReadTimeout(60*time.Second),
	)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	g.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(g.ctx); err != nil { // the first call starts the browser, which ends with its context
		t.Fatal(err)
	}
	return g
}

// seen returns the measurements, styles and texts of the elements of each block, as computed
// by a browser. Class names and attributes that only carry a setting to the style sheet do
// not count as an effect.
func (g *gallery) seen(blocks []Block, only []int, width int64) (list map[string]string) {
	g.t.Helper()
	page := fixture()["article"].(*ArticlePage)
	page.Shop.Face = shop.Face{Contacts: shop.Contacts{Phone: "+44 20 7946 0000"}, Socials: []string{"https://social.example/tea"}}
	page.Layout = Layout{Template: true, Body: slices.Concat(blocks[:1], blocks, []Block{{Kind: BlockPageHeading}})} // the first of a kind may differ; without a page heading, the widget's would become the h1
	g.page = bytesOf(g.t, page)
	ctx, cancel := context.WithTimeout(g.ctx, await.Limit)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(g.address+"/page")); err != nil {
		g.t.Fatal(err)
	}
	wanted, err := json.Marshal(only)
	if err != nil {
		g.t.Fatal(err)
	}
	list, err = chromedp.Run(ctx, chromedp.Evaluate[map[string]string](`(`+looks+`)(`+string(wanted)+`)`, chromedp.EvalAwaitPromise))
	if err != nil || len(list) != len(only) {
		g.t.Fatalf("%d blocks of %d: %v", len(list), len(only), err)
	}
	return list
}

// carried lists the attributes that carry settings to the style sheet.
var carried = func() string {
	var names []string
	for _, k := range widget.Kinds() {
		for _, p := range k.Props {
			if p.Name != "autoplay" && p.Name != "drift" && p.Name != "paging" { // read by scripts
				names = append(names, "data-v-"+kebab(p.Name))
			}
		}
	}
	text, err := json.Marshal(names)
	if err != nil {
		panic(err)
	}
	return string(text)
}()

var looks = `only => new Promise(done => {
	const carried = new Set(['style', 'id', 'class', 'loading', 'sizes', 'srcset', 'fetchpriority', ...` + carried + `])
	const names = ['display', 'visibility', 'opacity', 'position', 'zIndex', 'overflowX', 'overflowY', 'color', 'backgroundColor', 'backgroundImage', 'fontSize',
		'fontWeight', 'textAlign', 'whiteSpace', 'borderTopWidth', 'borderTopStyle', 'borderTopColor', 'borderLeftWidth', 'borderLeftStyle', 'borderLeftColor',
		'borderBottomWidth', 'borderBottomColor', 'borderTopLeftRadius', 'borderBottomRightRadius', 'paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft',
		'marginTop', 'marginBottom', 'gap', 'objectFit', 'aspectRatio', 'scale', 'transform', 'scrollBehavior', 'scrollSnapType', 'maxHeight', 'minHeight', 'maxWidth',
		'justifyContent', 'alignItems', 'justifyItems', 'flexDirection', 'columnCount', 'width', 'height', 'transitionDuration', 'transitionProperty']
	const told = (style) => names.map(n => style[n]).join(',')
	const look = (box) => {
		const from = box.getBoundingClientRect(), lines = []
		for (const e of [box, ...box.querySelectorAll('*')]) {
			const at = e.getBoundingClientRect()
			const there = e.checkVisibility()
			const own = [there && at.x - from.x, there && at.y - from.y, e.tagName]
			own.push(told(getComputedStyle(e)))
			for (const part of ['::before', '::after']) {
				const style = getComputedStyle(e, part)
				if (style.content !== 'none' && style.display !== 'none') own.push(part, style.content, told(style))
			}
			for (const a of e.attributes) if (!carried.has(a.name)) own.push(a.name + '=' + a.value.replace(/v-faq-\d+/, 'v-faq'))
			if (e === box) own.push([...e.classList].filter(c => !c.startsWith('v-')).join(' '))
			for (const n of e.childNodes) if (n.nodeType === 3 && n.data.trim()) own.push(n.data.trim())
			lines.push(own.join('|'))
		}
		return lines.join('\n')
	}
	const ready = () => requestAnimationFrame(() => requestAnimationFrame(() => {
		const boxes = document.querySelectorAll('.v-box')
		done(Object.fromEntries(only.map(i => [i, look(boxes[i + 1])])))
	}))
	document.readyState === 'complete' ? ready() : addEventListener('load', ready)
})`

// plenty is a block with a widget that has enough entries for every setting to be visible.
func plenty(t *testing.T, kind widget.Kind, settings map[string]any, axes map[string]any) Block {
	t.Helper()
	block := furnished(kind, under(t, kind, settings)).(*ArticlePage).Layout.Body[0]
	switch kind.Name {
	case "breadcrumbs":
		block = Block{Kind: BlockBreadcrumbs}
	case "pageHeading":
		block = Block{Kind: BlockPageHeading}
	}
	if block.Widget != nil && len(block.Widget.Items) > 0 {
		for i := range 10 {
			block.Widget.Items = append(block.Widget.Items, block.Widget.Items[i%2])
		}
	}
	for range 6 {
		block.Articles.Articles = append(block.Articles.Articles, block.Articles.Articles[:min(len(block.Articles.Articles), 1)]...)
	}
	text, err := json.Marshal(axes)
	if err != nil {
		t.Fatal(err)
	}
	block.Wrap = &Wrap{
		Axes: widget.ReadWrapper(text, ""), Tablet: widget.ReadWrapper(text, "tablet"), Mobile: widget.ReadWrapper(text, "mobile"),
		NoFill: kind.Name == "productListing", Bleeds: kind.Name == "slideshow" || kind.Name == "cta" || kind.Name == "html",
	}
	return block
}

// trial is a value to test, the block with it and the one without.
type trial struct {
	what          string
	inert         bool
	without, with int
	differs       bool
}

// trials are the blocks of a kind to compare, each once.
type trials struct {
	t      *testing.T
	kind   widget.Kind
	blocks []Block
	at     map[string]int
	list   []trial
}

func (s *trials) block(settings, axes map[string]any) int {
	key := fmt.Sprint(settings, axes)
	at, known := s.at[key]
	if !known {
		at = len(s.blocks)
		s.at[key], s.blocks = at, append(s.blocks, plenty(s.t, s.kind, settings, axes))
	}
	return at
}

// compare draws all blocks at several window widths; a difference at one width suffices.
func (s *trials) compare(g *gallery, widths ...int64) {
	s.t.Helper()
	if len(s.blocks) == 0 {
		return
	}
	s.blocks = append(s.blocks, s.blocks[0]) // checks that equal blocks are seen as equal
	last := len(s.blocks) - 1
	for _, width := range widths {
		wanted := map[int]bool{0: true, last: true}
		for _, c := range s.list {
			if !c.differs {
				wanted[c.with], wanted[c.without] = true, true
			}
		}
		seen := g.seen(s.blocks, slices.Sorted(maps.Keys(wanted)), width)
		if first, again := seen["0"], seen[strconv.Itoa(last)]; !alike(first, again) {
			s.t.Fatalf("%s differs between two positions on a page:\n%s\n%s", s.kind.Name, first, again)
		}
		for i, c := range s.list {
			s.list[i].differs = c.differs || !alike(seen[strconv.Itoa(c.with)], seen[strconv.Itoa(c.without)])
		}
	}
	for _, c := range s.list {
		if c.differs == c.inert {
			s.t.Errorf("%s: differs %v", c.what, c.differs)
		}
	}
}

// alike reports whether two blocks look the same. Positions are rounded depending on the
// place on the page, so they may differ by a pixel; sizes are part of the style.
func alike(a, b string) bool {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	return slices.EqualFunc(left, right, func(l, r string) bool {
		lx, ly, lrest := placed(l)
		rx, ry, rrest := placed(r)
		return lrest == rrest && math.Abs(lx-rx) <= 1 && math.Abs(ly-ry) <= 1
	})
}

// placed parses the line of an element.
func placed(line string) (x, y float64, rest string) {
	rest = line
	for _, to := range []*float64{&x, &y} {
		number, after, _ := strings.Cut(rest, "|")
		*to, _ = strconv.ParseFloat(number, 64) // invisible elements have no position
		rest = after
	}
	return x, y, rest
}

// Settings that /docs/validate reports as applied have an effect: every value of every
// setting of every kind makes a visible difference in a browser, on a wide or a narrow
// screen.
func TestEverySettingHasAnEffectInABrowser(t *testing.T) {
	g := newGallery(t)
	for _, kind := range widget.Kinds() {
		if !kind.Drawn || kind.Container || kind.Props == nil || kind.Name == "text" {
			continue
		}
		s := &trials{t: t, kind: kind, at: map[string]int{}}
		for _, p := range kind.Props {
			if slices.Contains(strings.Fields(fetched[kind.Name]), p.Name) {
				continue
			}
			values := written(p)
			if len(values) == 0 {
				t.Errorf("%s %s: no value to test", kind.Name, p.Name)
			}
			for _, v := range values {
				base := with(besides[kind.Name], "", nil)
				maps.Copy(base, needs[kind.Name+" "+p.Name])
				maps.Copy(base, needs[fmt.Sprint(kind.Name, " ", p.Name, " ", v)])
				if fmt.Sprint(base[p.Name]) == fmt.Sprint(v) {
					delete(base, p.Name)
				}
				s.list = append(s.list, trial{
					what: fmt.Sprintf("%s %s %v", kind.Name, p.Name, v), inert: p.Inert != "", without: s.block(base, nil), with: s.block(with(base, p.Name, v), nil),
				})
			}
		}
		s.compare(g, 1280, 800, 390)
	}
}

// needs lists other settings required for a setting, or one of its values, to have an effect.
var needs = map[string]map[string]any{
	"reels tileWidth": {"layout": "strip"}, "siteHeader logoHeight": {"logoHeight": 60}, "articleGrid rowCoverWidth": {"view": "rows"}, "articleGrid rowMaxWidth": {"view": "rows"},
	"articleGrid coverAspect 16/9": {"view": "rows"}, "articleGrid coverAspect 1/1": {"view": "masonry"},
}

// classes are values of settings that accept class names.
var classes = map[string][]any{
	"aspectClass": {"aspect-square", "aspect-[4/5]"}, "gridClass": {"grid-cols-1", "@2xl:grid-cols-3", "@5xl:grid-cols-6"},
	"captionClass": {"text-lg", "sm:text-xl", "font-bold"}, "questionClass": {"text-xs", "lg:text-2xl"}, "answerClass": {"text-lg"},
	"stepTitleClass": {"text-xl", "font-medium"}, "stepTextClass": {"lg:text-xl"}, "itemTitleClass": {"text-xl"}, "itemTextClass": {"text-lg"},
	"markerClass": {"size-12", "text-xl", "rounded-lg", "bg-[#abcdef]"}, "iconClass": {"size-20", "rounded-full", "bg-gray-300"},
	"rowMaxWidth": {300}, "modalTpl": {7}, "parentProductId": {7},
}

// written lists the values to test for a setting, each part of an object separately.
func written(p widget.Prop) (values []any) {
	if list, ok := classes[p.Name]; ok {
		return list
	}
	if p.Type != widget.Object || len(p.Fields) < 2 {
		return others(p)
	}
	words := map[string]any{}
	if p.Fields[0].Name == "text" {
		words["text"] = "Words"
		values = append(values, map[string]any{"text": "Other words"})
	}
	for name, v := range map[string][]any{"size": {31}, "weight": {500}, "color": {"#ff0000", map[string]any{"hex": "#00ff00"}}, "align": {"right"}} {
		for _, value := range v {
			values = append(values, with(words, name, value))
		}
	}
	return values
}

// Every axis of the box around a widget has an effect, on every device it is set for.
func TestEveryAxisHasAnEffectInABrowser(t *testing.T) {
	g := newGallery(t)
	px := map[string]any{"top": 51, "right": 41, "bottom": 43, "left": 47}
	axes := []struct {
		name  string
		value any
	}{
		{"blockWidth", "full"}, {"paddingSides", px}, {"containerPadding", px}, {"blockRadius", 33}, {"blockRadius", map[string]any{"tl": 9}},
		{"container", map[string]any{"fill": "#123456"}}, {"container", map[string]any{"borderTop": true}}, {"container", map[string]any{"borderBottom": 7}},
		{"container", map[string]any{"borderTop": 2, "borderColor": "#ff0000"}}, {"innerMax", 333}, {"overflow", "clip"}, {"layer", 5}, {"wrapperClass", "mine"},
	}
	for _, kind := range widget.Kinds() {
		if !kind.Drawn || kind.Container || kind.Legacy != "" || kind.Placement == widget.Chrome || kind.Name == "html" || kind.Name == "text" {
			continue
		}
		for device, width := range map[string]int64{"": 1280, "tablet": 800, "mobile": 390} {
			s := &trials{t: t, kind: kind, at: map[string]int{}}
			for _, a := range axes {
				if device != "" && a.name == "wrapperClass" {
					continue
				}
				axes := map[string]any{a.name: a.value}
				if device != "" {
					axes = map[string]any{device: axes}
				}
				s.list = append(s.list, trial{
					what: fmt.Sprintf("%s at %d px: %v", kind.Name, width, axes), inert: kind.Name == "productListing" && strings.Contains(fmt.Sprint(a.value), "fill"),
					without: s.block(besides[kind.Name], nil), with: s.block(besides[kind.Name], axes),
				})
			}
			s.compare(g, width)
		}
	}
}
