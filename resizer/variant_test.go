package resizer

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"log/slog"
	"os"
	"testing"

	"github.com/h2non/bimg"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
)

func TestFormatsKeepTheirColours(t *testing.T) {
	r := start(t, Config{})
	m := quartered(300, 200)
	deep := image.NewNRGBA64(m.Rect)
	draw.Draw(deep, m.Rect, m, image.Point{}, draw.Src)
	indexed := image.NewPaletted(m.Rect, color.Palette{quarters[0], quarters[1], quarters[2], quarters[3]})
	draw.Draw(indexed, m.Rect, m, image.Point{}, draw.Src)
	plain := pngOf(t, m)
	for name, source := range map[string][]byte{
		"jpeg":             jpegOf(t, m),
		"progressive jpeg": saved(t, plain, bimg.Options{Type: bimg.JPEG, Quality: 95, Interlace: true}),
		"png":              plain,
		"16-bit png":       pngOf(t, deep),
		"palette png":      pngOf(t, indexed),
		"interlaced png":   saved(t, plain, bimg.Options{Type: bimg.PNG, Interlace: true}),
		"webp":             saved(t, plain, bimg.Options{Type: bimg.WEBP, Quality: 95}),
		"lossless webp":    saved(t, plain, bimg.Options{Type: bimg.WEBP, Lossless: true}),
		"tiff":             tiffOf(t, m),
		"16-bit tiff":      tiffOf(t, deep),
		"bmp":              bmpOf(t, m),
		"palette bmp":      bmpOf(t, indexed),
		"cmyk jpeg":        saved(t, plain, bimg.Options{Type: bimg.JPEG, Quality: 98, Interpretation: bimg.InterpretationCMYK}),
		"display p3 jpeg":  saved(t, plain, bimg.Options{Type: bimg.JPEG, Quality: 98, InputICC: "srgb", OutputICC: "p3"}),
		"display p3 png":   saved(t, plain, bimg.Options{Type: bimg.PNG, InputICC: "srgb", OutputICC: "p3"}),
	} {
		v, got := cut(t, r, source, 100, 90)
		tolerance := 8
		if name == "cmyk jpeg" { // CMYK has a smaller gamut
			tolerance = 60
		}
		wantQuarters(t, name, got, tolerance)
		if got.Bounds().Dx() != 100 || got.Bounds().Dy() < 66 || got.Bounds().Dy() > 67 {
			t.Errorf("%s: size %v", name, got.Bounds())
		}
		if v.ContentType != "image/webp" || bytes.Contains(v.Body, []byte("ICCP")) {
			t.Errorf("%s: type %s, or a profile was left in", name, v.ContentType)
		}
	}
}

func TestDisplayP3FixtureIsNotSRGB(t *testing.T) {
	p3 := saved(t, pngOf(t, quartered(300, 200)), bimg.Options{Type: bimg.PNG, InputICC: "srgb", OutputICC: "p3"})
	m, err := png.Decode(bytes.NewReader(p3))
	if err != nil {
		t.Fatal(err)
	}
	if got := at(m, 0.25, 0.25); near(got, quarters[0], 8) {
		t.Errorf("red is %v with and without its profile: the colour test proves nothing", got)
	}
}

func TestGreyAndAlpha(t *testing.T) {
	r := start(t, Config{})
	grey := image.NewGray(image.Rect(0, 0, 200, 100))
	draw.Draw(grey, grey.Rect, image.NewUniform(color.Gray{90}), image.Point{}, draw.Src)
	want := color.NRGBA{90, 90, 90, 255}
	for name, source := range map[string][]byte{
		"grey jpeg": jpegOf(t, grey), "grey png": pngOf(t, grey), "grey tiff": tiffOf(t, grey), "grey bmp": bmpOf(t, grey),
		"grey jpeg as p3": saved(t, pngOf(t, grey), bimg.Options{Type: bimg.JPEG, Interpretation: bimg.InterpretationBW}),
	} {
		if _, m := cut(t, r, source, 50, 90); !near(at(m, 0.5, 0.5), want, 4) {
			t.Errorf("%s: %v, want %v", name, at(m, 0.5, 0.5), want)
		}
	}

	glass := quartered(200, 100)
	draw.Draw(glass, image.Rect(0, 0, 100, 100), image.NewUniform(color.NRGBA{200, 10, 10, 128}), image.Point{}, draw.Src)
	draw.Draw(glass, image.Rect(100, 0, 200, 100), image.Transparent, image.Point{}, draw.Src)
	web := palette.WebSafe[:200:200]
	indexed := image.NewPaletted(glass.Rect, append(append(color.Palette{}, web...), color.NRGBA{200, 10, 10, 128}, color.NRGBA{}))
	draw.Draw(indexed, glass.Rect, glass, image.Point{}, draw.Src)
	for i := range indexed.Pix {
		indexed.Pix[i] = uint8(200 + i%200/100)
	}
	for name, source := range map[string][]byte{
		"png": pngOf(t, glass), "palette png": pngOf(t, indexed), "tiff": tiffOf(t, glass), "bmp": glassBMP(t, glass),
		"webp": saved(t, pngOf(t, glass), bimg.Options{Type: bimg.WEBP, Lossless: true}),
	} {
		_, m := cut(t, r, source, 50, 90)
		if got := at(m, 0.25, 0.5); !near(got, color.NRGBA{200, 10, 10, 128}, 10) {
			t.Errorf("%s: half transparent red is %v", name, got)
		}
		if got := at(m, 0.75, 0.5); got.A > 4 {
			t.Errorf("%s: transparent is %v", name, got)
		}
	}
}

// place maps a position of the upright picture to the stored one.
func place(orientation int, x, y float64) (float64, float64) {
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
		return y, 1 - x
	case 7:
		return 1 - y, 1 - x
	case 8:
		return 1 - y, x
	}
	return x, y
}

func TestEveryOrientationComesUpright(t *testing.T) {
	r := start(t, Config{})
	stored := quartered(320, 200)
	reference := jpegOf(t, stored)
	asPNG := pngOf(t, stored)
	for o := range 10 { // 0 and 9 are invalid
		for name, source := range map[string][]byte{
			"jpeg":           tagged(reference, uint16(o)),
			"p3 jpeg":        tagged(saved(t, asPNG, bimg.Options{Type: bimg.JPEG, InputICC: "srgb", OutputICC: "p3"}), uint16(o)),
			"png with eXIf":  withChunk(asPNG, "eXIf", exifWith(uint16(o))[6:]),
			"tiff by tag":    turnedTIFF(t, stored, uint16(o)),
			"webp with EXIF": turnedWebP(t, asPNG, uint16(o)),
		} {
			_, got := cut(t, r, source, 100, 90)
			size := got.Bounds().Size()
			if upright := o < 5 || o > 8; upright && size.Y > 70 || !upright && size.Y != 160 {
				t.Errorf("%s, orientation %d: size %v", name, o, size)
			}
			for i := range quarters {
				x, y := 0.25+float64(i%2)/2, 0.25+float64(i/2)/2
				sx, sy := place(o, x, y)
				if want := at(stored, sx, sy); !near(at(got, x, y), want, 8) {
					t.Errorf("%s, orientation %d: quarter %d is %v, want %v", name, o, i, at(got, x, y), want)
				}
			}
		}
	}
}

func TestNeverEnlargedAndClamped(t *testing.T) {
	r := start(t, Config{})
	small, large := jpegOf(t, quartered(180, 90)), jpegOf(t, quartered(5000, 40))
	for _, c := range []struct {
		name   string
		source []byte
		asked  int
		want   int
	}{
		{"narrower than asked", small, 640, 180},
		{"exactly as wide", small, 180, 180},
		{"below the least", small, 1, 16},
		{"negative", small, -5, 16},
		{"beyond the most", large, 100_000, 4096},
		{"turned and narrower", tagged(small, 6), 640, 90},
		{"taller than a WebP can be", pngOf(t, image.NewGray(image.Rect(0, 0, 400, 20_000))), 4096, 328},
		{"one pixel", pngOf(t, quartered(1, 1)), 320, 1},
		{"a line", pngOf(t, quartered(3000, 1)), 320, 320},
	} {
		if v, m := cut(t, r, c.source, c.asked, 0); v.Width != c.want {
			t.Errorf("%s: %d wide (%v), want %d", c.name, v.Width, m.Bounds(), c.want)
		}
	}
}

func TestAnimationsKeepTheirFrames(t *testing.T) {
	r := start(t, Config{})
	moving := gifOf(t, 60, 40, 7)
	asWebP, err := r.Variant(t.Context(), given(moving), 60, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		source []byte
		frames int
	}{
		{"gif", moving, 7},
		{"webp", asWebP.Body, 7},
		{"as many frames as are kept", gifOf(t, 20, 20, maxKept), maxKept},
		{"frames that together are taller than a WebP can be", gifOf(t, 300, 400, maxKept), maxKept},
		{"one more", gifOf(t, 20, 20, maxKept+1), 1},
		{"too many pixels in all", gifOf(t, 2000, 1300, 20), 1},
		{"still gif", gifOf(t, 60, 40, 1), 1},
	} {
		v, err := r.Variant(t.Context(), given(c.source), 16, 0)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if info, err := Inspect(v.Body); err != nil || info.Frames != c.frames || info.Width != 16 {
			t.Errorf("%s: %+v, %v, want %d frames", c.name, info, err, c.frames)
		}
	}
}

func TestLibraryKeepsNoMemoryBetweenPictures(t *testing.T) {
	r := start(t, Config{Child: []string{}}) // in this process, whose memory is measured
	cut(t, r, jpegOf(t, noise(900, 700)), 320, 0)
	if now, high := LibraryMemory(); now > 1<<20 || high <= now {
		t.Errorf("%d bytes held, %d at most", now, high)
	}
}

func TestQualityIsClampedAndHasADefault(t *testing.T) {
	r := start(t, Config{})
	source := jpegOf(t, noise(400, 300))
	size := func(width, quality int) int {
		v, _ := cut(t, r, source, width, quality)
		return len(v.Body)
	}
	if size(300, 1) != size(300, 40) || size(300, 100) != size(300, 95) || size(300, 40) >= size(300, 95) {
		t.Error("quality is not clamped to 40..95")
	}
	if size(320, 0) != size(320, defaultQuality(320)) || size(320, 0) == size(320, 95) {
		t.Error("the default quality is not that of the step")
	}
}

func TestVariantsAreDeterministic(t *testing.T) {
	source := tagged(jpegOf(t, noise(900, 700)), 6)
	first, _ := cut(t, start(t, Config{}), source, 320, 0)
	again, _ := cut(t, start(t, Config{Workers: 3, Cache: cacheFor(t)}), source, 320, 0)
	if !bytes.Equal(first.Body, again.Body) || first.ETag != again.ETag {
		t.Error("another resizer makes another variant of the same source")
	}
	key := given(source).Key
	if first.ETag != ETag(key, 320, 0) || first.ETag == ETag(key, 321, 0) ||
		first.ETag == ETag(key, 320, 90) || first.ETag == ETag("other", 320, 0) {
		t.Error("the entity tag does not follow source, width and quality")
	}
}

func TestCachedVariantIsNotMadeAgain(t *testing.T) {
	cache, source := cacheFor(t), jpegOf(t, quartered(500, 300))
	first := start(t, Config{Cache: cache})
	made, _ := cut(t, first, source, 320, 0)
	cut(t, first, source, 320, 0)
	second := start(t, Config{Cache: cache})
	kept, _ := cut(t, second, source, 320, 0)
	if !bytes.Equal(made.Body, kept.Body) {
		t.Error("the cached variant differs")
	}
	if a, b := first.Stats(), second.Stats(); a.Decodes != 1 || a.Hits != 1 || b.Decodes != 0 || b.Hits != 1 {
		t.Errorf("first %+v, second %+v", a, b)
	}
}

func TestAllWidthsBeyondTheSourceAreOneVariant(t *testing.T) {
	r, source := start(t, Config{Cache: cacheFor(t)}), jpegOf(t, quartered(500, 300))
	for _, width := range []int{500, 501, 640, 1024, 4096, 9999} {
		cut(t, r, source, width, 0)
	}
	if s := r.Stats(); s.Decodes != 1 {
		t.Errorf("decoded %d times", s.Decodes)
	}
}

func TestPrepareMakesTheSteps(t *testing.T) {
	cache := cacheFor(t)
	r, src := start(t, Config{Cache: cache}), given(jpegOf(t, quartered(700, 400)))
	if p, err := r.Prepare(t.Context(), src); err != nil || len(p.Colour) != 7 || p.Width != 700 || p.Height != 400 {
		t.Fatalf("%+v, %v", p, err)
	}
	before := r.Stats().Decodes
	for _, step := range shop.PictureSteps {
		if _, err := r.Variant(t.Context(), src, step, 0); err != nil {
			t.Fatal(err)
		}
	}
	if after := r.Stats().Decodes; before != 6 || after != before {
		t.Errorf("%d decodes, then %d: want 32, 64, 128, 320, 640 and 700 once each", before, after)
	}
}

func TestSourceFromAStore(t *testing.T) {
	store, err := blob.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := jpegOf(t, quartered(100, 80))
	ref, err := store.Put(t.Context(), bytes.NewReader(file), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{})
	if _, err := r.Variant(t.Context(), Stored(store, ref.SHA256, 10), 64, 0); !errors.Is(err, blob.ErrTooLarge) {
		t.Errorf("over the bound: %v", err)
	}
	if v, err := r.Variant(t.Context(), Stored(store, ref.SHA256, 1<<20), 64, 0); err != nil || v.Width != 64 {
		t.Errorf("%d wide, %v", v.Width, err)
	}
}

func TestFullDiskDoesNotFailRequests(t *testing.T) {
	root := t.TempDir()
	cache, err := blob.OpenCache(root, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil { // every write fails from now on
		t.Fatal(err)
	}
	r := start(t, Config{Cache: cache, Log: slog.New(slog.DiscardHandler)})
	cut(t, r, jpegOf(t, quartered(100, 80)), 64, 0)
}

func TestErrorsOfTheSourceAreNotRemembered(t *testing.T) {
	r, file := start(t, Config{}), jpegOf(t, quartered(100, 80))
	unavailable := errors.New("storage is unavailable")
	src := given(file)
	src.Open = func(context.Context) ([]byte, error) { return nil, unavailable }
	if _, err := r.Variant(t.Context(), src, 64, 0); !errors.Is(err, unavailable) {
		t.Errorf("error %v", err)
	}
	cut(t, r, file, 64, 0)
}

// noise is a picture that compresses badly, the same in every run.
func noise(width, height int) *image.NRGBA {
	m := quartered(width, height)
	state := uint32(1)
	for i := range m.Pix {
		if i%4 == 3 {
			continue
		}
		state = state*1664525 + 1013904223
		m.Pix[i] = uint8((int(m.Pix[i])*3 + int(state>>24)) / 4)
	}
	return m
}
