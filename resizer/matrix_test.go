package resizer

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/h2non/bimg"
)

// still is a picture without symmetry, so that every wrong rotation shows, with strong
// colours and a soft gradient; with alpha it has a hole and a translucent area.
func still(width, height int, grey, alpha bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			fx, fy := float64(x)/float64(width), float64(y)/float64(height)
			c := color.NRGBA{uint8(60 + 150*fx), uint8(200 - 140*fy), uint8(80 + 90*fx*fy), 255}
			switch {
			case math.Hypot(fx-.25, fy-.3) < .17:
				c = quarters[0]
			case fx > .6 && fy > .65 && fx+fy < 1.6:
				c = quarters[2]
			case fy > .8 && fx < .3:
				c = quarters[3]
			}
			if grey {
				v := uint8((2*int(c.R) + 5*int(c.G) + int(c.B)) / 8)
				c.R, c.G, c.B = v, v, v
			}
			switch {
			case alpha && fx > .7 && fy < .3:
				c = color.NRGBA{}
			case alpha && fx > .4 && fx < .6:
				c.A = 128
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// storedAs stores an upright picture as a camera with that orientation would.
func storedAs(orientation int, m *image.NRGBA) *image.NRGBA {
	size := m.Rect.Size()
	flat := size
	if swapsSides(orientation) {
		flat = image.Pt(size.Y, size.X)
	}
	out := image.NewNRGBA(image.Rectangle{Max: flat})
	for y := range size.Y {
		for x := range size.X {
			fx, fy := place(orientation, (float64(x)+.5)/float64(size.X), (float64(y)+.5)/float64(size.Y))
			out.SetNRGBA(int(fx*float64(flat.X)), int(fy*float64(flat.Y)), m.NRGBAAt(x, y))
		}
	}
	return out
}

// fingerprint describes a picture: the mean colours of eight by eight fields, premultiplied
// with alpha, and for each field whether it is clearly brighter than its right neighbour.
type fingerprint struct {
	fields [64][4]float64
	edges  [64]int
}

func fingerprintOf(m image.Image) (l fingerprint) {
	b := m.Bounds()
	var count [64]float64
	for y := range b.Dy() {
		for x := range b.Dx() {
			i := y*8/b.Dy()*8 + x*8/b.Dx()
			c := color.RGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
			for k, v := range [4]uint8{c.R, c.G, c.B, c.A} {
				l.fields[i][k] += float64(v)
			}
			count[i]++
		}
	}
	light := func(i int) float64 { return l.fields[i][0]*.3 + l.fields[i][1]*.6 + l.fields[i][2]*.1 }
	for i := range l.fields {
		for k := range l.fields[i] {
			l.fields[i][k] /= count[i]
		}
	}
	for i := range l.edges {
		if i%8 < 7 {
			switch d := light(i) - light(i+1); {
			case d > 12:
				l.edges[i] = 1
			case d < -12:
				l.edges[i] = -1
			}
		}
	}
	return l
}

// distance compares two fingerprints: the greatest difference of a colour, and the number
// of places where light and dark are exchanged.
func (l fingerprint) distance(other fingerprint) (colour float64, edges int) {
	for i := range l.fields {
		for k := range l.fields[i] {
			colour = max(colour, math.Abs(l.fields[i][k]-other.fields[i][k]))
		}
		if l.edges[i]*other.edges[i] < 0 {
			edges++
		}
	}
	return colour, edges
}

// A picture looks the same in every format, orientation and colour space, with and without
// alpha.
func TestMatrixOfFormatsOrientationsColoursAndAlpha(t *testing.T) {
	r := start(t, Config{Workers: 2})
	deep := func(m *image.NRGBA) image.Image {
		out := image.NewNRGBA64(m.Rect)
		draw.Draw(out, m.Rect, m, image.Point{}, draw.Src)
		return out
	}
	as := func(o bimg.Options) func(m *image.NRGBA) []byte {
		return func(m *image.NRGBA) []byte { return saved(t, pngOf(t, m), o) }
	}
	asJPEG := func(make func(*image.NRGBA) []byte) func(*image.NRGBA, uint16) []byte {
		return func(m *image.NRGBA, o uint16) []byte { return tagged(make(m), o) }
	}
	asPNG := func(make func(*image.NRGBA) []byte) func(*image.NRGBA, uint16) []byte {
		return func(m *image.NRGBA, o uint16) []byte { return withChunk(make(m), "eXIf", exifWith(o)[6:]) }
	}
	flat := func(make func(*image.NRGBA) []byte) func(*image.NRGBA, uint16) []byte {
		return func(m *image.NRGBA, _ uint16) []byte { return make(m) }
	}
	grey := func(m *image.NRGBA) image.Image {
		out := image.NewGray(m.Rect)
		draw.Draw(out, m.Rect, m, image.Point{}, draw.Src)
		return out
	}
	const ink = 60 // CMYK has a smaller gamut
	cells := []struct {
		name        string
		file        func(*image.NRGBA, uint16) []byte
		grey, alpha bool
		upright     bool // the format has no orientation
		tolerance   float64
	}{
		{name: "jpeg sRGB", file: asJPEG(func(m *image.NRGBA) []byte { return jpegOf(t, m) })},
		{name: "jpeg P3", file: asJPEG(as(bimg.Options{Type: bimg.JPEG, Quality: 97, InputICC: "srgb", OutputICC: "p3"}))},
		{name: "jpeg CMYK", file: asJPEG(as(bimg.Options{Type: bimg.JPEG, Quality: 97, Interpretation: bimg.InterpretationCMYK})), tolerance: ink},
		{name: "jpeg grey", file: asJPEG(func(m *image.NRGBA) []byte { return jpegOf(t, grey(m)) }), grey: true},
		{name: "jpeg progressive", file: asJPEG(as(bimg.Options{Type: bimg.JPEG, Quality: 97, Interlace: true}))},
		{name: "png sRGB", file: asPNG(func(m *image.NRGBA) []byte { return pngOf(t, m) })},
		{name: "png alpha", file: asPNG(func(m *image.NRGBA) []byte { return pngOf(t, m) }), alpha: true},
		{name: "png 16-bit", file: asPNG(func(m *image.NRGBA) []byte { return pngOf(t, deep(m)) })},
		{name: "png 16-bit alpha", file: asPNG(func(m *image.NRGBA) []byte { return pngOf(t, deep(m)) }), alpha: true},
		{name: "png P3", file: asPNG(as(bimg.Options{Type: bimg.PNG, InputICC: "srgb", OutputICC: "p3"}))},
		{name: "png P3 alpha", file: asPNG(as(bimg.Options{Type: bimg.PNG, InputICC: "srgb", OutputICC: "p3"})), alpha: true},
		{name: "png grey", file: asPNG(func(m *image.NRGBA) []byte { return pngOf(t, grey(m)) }), grey: true},
		{name: "tiff sRGB", file: func(m *image.NRGBA, o uint16) []byte { return turnedTIFF(t, m, o) }},
		{name: "tiff alpha", file: func(m *image.NRGBA, o uint16) []byte { return turnedTIFF(t, m, o) }, alpha: true},
		{name: "tiff 16-bit", file: func(m *image.NRGBA, o uint16) []byte { return turnedTIFF(t, deep(m), o) }},
		{name: "tiff grey", file: func(m *image.NRGBA, o uint16) []byte { return turnedTIFF(t, grey(m), o) }, grey: true},
		{name: "webp", file: func(m *image.NRGBA, o uint16) []byte { return turnedWebP(t, pngOf(t, m), o) }},
		{name: "webp P3", upright: true, file: flat(as(bimg.Options{Type: bimg.WEBP, Quality: 95, InputICC: "srgb", OutputICC: "p3"}))},
		{name: "webp lossless alpha", upright: true, file: flat(as(bimg.Options{Type: bimg.WEBP, Lossless: true})), alpha: true},
		{name: "bmp", upright: true, file: flat(func(m *image.NRGBA) []byte { return bmpOf(t, m) })},
		{name: "bmp alpha", upright: true, file: flat(func(m *image.NRGBA) []byte { return glassBMP(t, m) }), alpha: true},
		{name: "gif", upright: true, tolerance: 24, file: flat(as(bimg.Options{Type: bimg.GIF}))}, // 256 colours
	}
	for _, c := range cells {
		scene := still(240, 160, c.grey, c.alpha)
		want := fingerprintOf(scene)
		for o := 1; o <= 8 && (o == 1 || !c.upright); o++ {
			_, got := cut(t, r, c.file(storedAs(o, scene), uint16(o)), 120, 90)
			if size := got.Bounds().Size(); size != image.Pt(120, 80) {
				t.Errorf("%s, orientation %d: %v", c.name, o, size)
				continue
			}
			colour, edges := fingerprintOf(got).distance(want)
			if edges > 0 || colour > max(c.tolerance, 9) {
				t.Errorf("%s, orientation %d: colours are off by %.0f, %d edges turned", c.name, o, colour, edges)
			}
		}
	}
}

// The measure detects wrong pictures.
func TestFingerprintsOfWrongPicturesDiffer(t *testing.T) {
	scene := still(240, 160, false, false)
	right := fingerprintOf(scene)
	for o := 2; o <= 8; o++ {
		wrong := storedAs(o, scene)
		if colour, edges := fingerprintOf(wrong).distance(right); edges == 0 && colour <= 9 {
			t.Errorf("orientation %d looks like 1", o)
		}
	}
	p3 := saved(t, pngOf(t, scene), bimg.Options{Type: bimg.PNG, InputICC: "srgb", OutputICC: "p3"})
	m, _, err := image.Decode(bytes.NewReader(p3))
	if err != nil {
		t.Fatal(err)
	}
	if colour, _ := fingerprintOf(m).distance(right); colour <= 9 {
		t.Errorf("P3 without its profile is off by %.0f only", colour)
	}
}

func TestPolyglotsBecomePlainPictures(t *testing.T) {
	r := start(t, Config{})
	const page = "<!doctype html><script>alert(1)</script><?php system($_GET['x']); ?>"
	m := quartered(64, 48)
	for name, file := range map[string][]byte{
		"page behind a jpeg": append(jpegOf(t, m), page...),
		"page behind a png":  append(pngOf(t, m), page...),
		"page behind a gif":  append(gifOf(t, 64, 48, 1), page...),
		"page in a png":      withChunk(pngOf(t, m), "tEXt", []byte("Comment\x00"+page)),
		"archive in a jpeg":  append(jpegOf(t, m), "PK\x05\x06"+string(make([]byte, 18))...),
		"picture in a jpeg":  append(jpegOf(t, m), pngOf(t, m)...),
	} {
		v, _ := cut(t, r, file, 32, 0)
		if bytes.Contains(v.Body, []byte("script")) || bytes.Contains(v.Body, []byte("PK\x05\x06")) {
			t.Errorf("%s: the data is in the output", name)
		}
	}
	for name, file := range map[string]string{
		"page that begins like a gif": "GIF89a/*" + page + "*/=1;alert(1)",
		"page that begins like a bmp": "BM" + page,
		"svg with a script":           `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`,
		"svg with entities":           `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><svg>&b;</svg>`,
		"svg that reads a file":       `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>`,
		"svg that asks a neighbour":   `<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="http://169.254.169.254/"/></svg>`,
	} {
		if v, err := r.Variant(t.Context(), given([]byte(file)), 32, 0); !isFinal(err) {
			t.Errorf("%s: %d wide, %v", name, v.Width, err)
		}
	}
}

func TestAThousandFramesAreOnePicture(t *testing.T) {
	r := start(t, Config{})
	for frames, want := range map[int]error{MaxFrames: nil, MaxFrames + 1: ErrTooBig} {
		v, err := r.Variant(t.Context(), given(gifOf(t, 40, 30, frames)), 32, 0)
		if fmt.Sprint(err == nil) != fmt.Sprint(want == nil) || err != nil && !isFinal(err) {
			t.Errorf("%d frames: %v", frames, err)
		}
		if info, ierr := Inspect(v.Body); err == nil && (ierr != nil || info.Frames != 1) {
			t.Errorf("%d frames became %d, %v", frames, info.Frames, ierr)
		}
	}
}
