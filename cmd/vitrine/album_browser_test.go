package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The colours of an album picture's corners, from the top left in reading order.
var corners = [4]color.RGBA{{220, 50, 40, 255}, {40, 150, 70, 255}, {50, 70, 200, 255}, {235, 200, 60, 255}}

// photo is a picture with four coloured corners and grain, stored in one of the eight EXIF
// orientations. width and height are those of the upright picture.
func photo(t *testing.T, width, height, orientation int) []byte {
	t.Helper()
	flat := image.Rect(0, 0, width, height)
	if orientation >= 5 {
		flat = image.Rect(0, 0, height, width)
	}
	m, grain := image.NewRGBA(flat), uint32(orientation)
	for y := range flat.Dy() {
		for x := range flat.Dx() {
			fx, fy := (float64(x)+.5)/float64(flat.Dx()), (float64(y)+.5)/float64(flat.Dy())
			u, v := upright(orientation, fx, fy)
			c := corners[int(v*2)*2+int(u*2)]
			grain = grain*1664525 + 1013904223
			shade := uint8(grain >> 28)
			m.SetRGBA(x, y, color.RGBA{c.R - shade, c.G - shade, c.B - shade, 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 85}); err != nil {
		t.Fatal(err)
	}
	exif := append(
		[]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"), 0, byte(orientation), 0, 0, 0,
		0, 0, 0,
	)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(head, exif, file.Bytes()[2:])
}

// upright maps a place of the stored picture to the upright one.
func upright(orientation int, x, y float64) (u, v float64) {
	switch orientation {
	case 2:
		return 1 - x, y
	case 3:
		return 1 - x, 1 - y
	case 4:
		return x, 1 - y
	case 5:
		return y, x
	case 6:
		return 1 - y, x
	case 7:
		return 1 - y, 1 - x
	case 8:
		return y, 1 - x
	}
	return x, y
}

// album is forty pictures: those in the folder VITRINE_TEST_PHOTOS, to be inspected by eye,
// else generated ones, which are checked more closely.
func album(t *testing.T) (files [][]byte, made bool) {
	if dir := os.Getenv("VITRINE_TEST_PHOTOS"); dir != "" {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for i := range 40 {
			file, err := os.ReadFile(names[i%len(names)])
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		return files, false
	}
	sides := [][2]int{{1100, 730}, {730, 1020}, {880, 880}, {1320, 590}, {500, 400}} // the widest exceeds what a dense phone shows
	for i := range 40 {
		size := sides[i%len(sides)]
		files = append(files, photo(t, size[0], size[1], 1+i%8))
	}
	return files, true
}

// lookAtPictures returns the defects of the visible pictures of the page. The srcset
// candidate chosen by the browser must have a pixel for each of the screen's, up to the size
// of the original.
const lookAtPictures = `(made => {
	const wrong = [], shown = [...document.querySelectorAll('main img')].filter(i => i.getBoundingClientRect().width > 0)
	for (const i of shown) {
		const name = i.className + ' ' + i.currentSrc, box = i.getBoundingClientRect()
		const width = +i.getAttribute('width'), height = +i.getAttribute('height')
		if (!i.complete || !i.naturalWidth) { wrong.push('not there: ' + name); continue }
		if (!width || !height) wrong.push('no size: ' + name)
		if (made && !/^background-color:#[0-9a-f]{6}$/.test(i.getAttribute('style'))) wrong.push('no colour: ' + name + ' ' + i.getAttribute('style'))
		if ((i.loading === 'lazy') === (i.fetchPriority === 'high')) wrong.push('lazy and first, or neither: ' + name)
		const chosen = +(i.currentSrc.match(/\/w\/(\d+)\/webp\//) || [])[1]
		const drawn = getComputedStyle(i).objectFit === 'cover' ? Math.max(box.width, box.height * width / height) : box.width
		const need = Math.min(width, Math.floor(drawn * devicePixelRatio))
		if (!(chosen >= need)) wrong.push('soft: ' + chosen + ' of ' + need + ' pixels, ' + name)
		if (!made) continue
		const canvas = document.createElement('canvas'), at = canvas.getContext('2d')
		canvas.width = canvas.height = 8
		at.drawImage(i, 0, 0, 8, 8)
		const got = [[1, 1], [6, 1], [1, 6], [6, 6]].flatMap(([x, y]) => [...at.getImageData(x, y, 1, 1).data]), want = [[220,50,40],[40,150,70],[50,70,200],[235,200,60]]
		for (let k = 0; k < 4; k++) for (let c = 0; c < 3; c++)
			if (Math.abs(got[4*k+c] - want[k][c]) > 40) { wrong.push('turned or off in colour: ' + name + ' ' + [...got]); k = 4; break }
	}
	return shown.length + ' pictures' + wrong.map(w => '\n' + w).join('')
})`

// Forty pictures, in all eight orientations, on the pages of four products and of their
// section, on a wide screen and on a dense narrow one.
func TestAlbumInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("album")
	p.start()
	files, made := album(t)
	section := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Cups", "type": "product", "is_published": true}},
	)
	for product := range 4 {
		var gallery []any
		for i, file := range files[product*10 : product*10+10] {
			gallery = append(gallery, map[string]any{"id": p.upload(key, fmt.Sprintf("%d-%d.jpg", product, i), file)})
		}
		p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": fmt.Sprintf("Cup %d", product), "category_id": section["id"], "is_published": true, "price": map[string]any{"price": 13}, "gallery": gallery}})
	}
	for n := range files {
		wait(t, "the steps of the next picture", func() bool { return p.preparedPictures() > n })
	}
	_, port, err := net.SplitHostPort(p.edge)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: browser(t), host: "http://album.localhost:" + port, seen: &faults{}}
	if err := b.seen.listen(b.ctx); err != nil {
		t.Fatal(err)
	}
	for _, screen := range []struct {
		width int64
		scale float64
	}{{1280, 1}, {390, 3}} {
		for _, path := range []string{"/cups", "/cups/cup-0", "/cups/cup-1", "/cups/cup-2", "/cups/cup-3"} {
			if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(screen.width, 800, chromedp.EmulateScale(screen.scale)), chromedp.Navigate(b.host+path)); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			b.turnThePages(path, screen.width, made)
			shoot(t, b.ctx, path, screen.width)
			if rest := b.complaints(); len(rest) > 0 {
				t.Errorf("%s at %d: %q", path, screen.width, rest)
			}
		}
	}
}

// turnThePages checks every picture of a page, those of a gallery one by one, and the layout
// shifts meanwhile.
func (b *tab) turnThePages(path string, width int64, made bool) {
	b.t.Helper()
	// The browser may paint a row or a button that has only partly arrived (for a <details>
	// without its <summary> it draws its own one); the content to its right is then shifted.
	// No other shift is allowed.
	b.text(
		`(window.moved = [], window.watch = new PerformanceObserver(list => { for (const e of list.getEntries()) for (const s of e.sources) if (!s.node?.parentElement?.closest("header, button, .v-find__bar"))
		moved.push([e.value, s.node?.className || s.node?.nodeName, ...[s.previousRect, s.currentRect].flatMap(r => [r.x, r.y, r.width, r.height])].join(' ')) }),
		watch.observe({ type: 'layout-shift', buffered: true }), 'on')`)
	slides := 1
	if path != "/cups" {
		slides = 10
	}
	for i := range slides {
		if i > 0 {
			b.text(fmt.Sprintf(`document.querySelectorAll('.v-gallery__thumb')[%d].click()`, i))
		}
		b.text(`window.scrollTo(0, document.body.scrollHeight)`)
		b.until(`(window.scrollTo(0, scrollY ? 0 : document.body.scrollHeight), [...document.querySelectorAll('main img')].every(i => i.getBoundingClientRect().width === 0 || i.complete && i.naturalWidth))`)
		said, wrong, _ := strings.Cut(b.text(fmt.Sprintf(`%s(%v)`, lookAtPictures, made)), "\n")
		if wrong != "" || said == "0 pictures" {
			b.t.Errorf("%s at %d, picture %d, %s:\n%s", path, width, i, said, wrong)
		}
	}
	b.text(`window.scrollTo(0, 0)`)
	b.is(`moved.join('; ')`, "")
	// Check the measurement: inserting a block at the top shifts the rest.
	b.text(`(document.querySelector('main').prepend(Object.assign(document.createElement('div'), { style: 'height: 300px' })), 'in')`)
	b.until(`moved.length > 0`)
	b.text(`(document.querySelector('main').firstChild.remove(), 'out')`)
}

// preparedPictures is the number of pictures whose preset sizes exist.
func (p *program) preparedPictures() (n int) {
	p.t.Helper()
	response, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "vitrine_pictures_prepared_total %d", &n); err == nil {
			return n
		}
	}
	p.t.Fatal("no such metric")
	return 0
}
