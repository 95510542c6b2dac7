package resizer

import (
	"bytes"
	"errors"
	"testing"
)

func TestMasterIsUprightSRGBWebP(t *testing.T) {
	r := start(t, Config{})
	for name, c := range map[string]struct {
		source        []byte
		width, height int
	}{
		"jpeg turned":    {tagged(jpegOf(t, quartered(300, 200)), 6), 200, 300},
		"png":            {pngOf(t, quartered(300, 200)), 300, 200},
		"wide":           {jpegOf(t, quartered(5000, 500)), 4096, 410},
		"bmp":            {bmpOf(t, quartered(30, 20)), 30, 20},
		"photo-like png": {pngOf(t, noise(300, 200)), 300, 200},
	} {
		body, info, err := r.Master(t.Context(), c.source)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info.Format != WebP || info.Width != c.width || info.Height != c.height || info.Orientation != 1 {
			t.Errorf("%s: %+v", name, info)
		}
		if len(body) > len(c.source) {
			t.Errorf("%s: grew from %d to %d bytes", name, len(c.source), len(body))
		}
		if bytes.Contains(body, []byte("EXIF")) || bytes.Contains(body, []byte("ICCP")) {
			t.Errorf("%s: metadata was left in", name)
		}
	}
}

func TestMasterOfPNGIsExact(t *testing.T) {
	r := start(t, Config{})
	m := quartered(120, 80)
	body, _, err := r.Master(t.Context(), pngOf(t, m))
	if err != nil {
		t.Fatal(err)
	}
	_, decoded := cut(t, r, body, 120, 95)
	wantQuarters(t, "resized again", decoded, 6)
	if !bytes.Contains(body[:32], []byte("VP8L")) {
		t.Error("a drawing did not stay lossless")
	}
}

func TestMasterRefusesAnimations(t *testing.T) {
	r := start(t, Config{})
	for _, format := range []Format{GIF, WebP} {
		if _, _, err := r.Master(t.Context(), samples(t)[format]); !errors.Is(err, ErrNotResizable) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A visitor's photo is converted from every format, without location, camera or other
// frames.
func TestPhotoContainsOnlyThePicture(t *testing.T) {
	r := start(t, Config{})
	files := samples(t)
	files["jpeg turned"] = tagged(jpegOf(t, quartered(300, 200)), 6)
	files["wide"] = jpegOf(t, quartered(5000, 500))
	for name, file := range files {
		body, info, err := r.Photo(t.Context(), file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info.Format != WebP || info.Animated() || info.Orientation != 1 || info.Width > 2560 || bytes.Equal(body, file) {
			t.Errorf("%s: %+v", name, info)
		}
		for _, chunk := range []string{"EXIF", "ICCP", "XMP ", "ANIM"} {
			if bytes.Contains(body, []byte(chunk)) {
				t.Errorf("%s: %s was left in", name, chunk)
			}
		}
	}
	if _, _, err := r.Photo(t.Context(), []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")); !errors.Is(err, ErrNotResizable) {
		t.Errorf("a drawing: %v", err)
	}
}
