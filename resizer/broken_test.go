package resizer

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

func TestTruncatedFilesAreBroken(t *testing.T) {
	r := start(t, Config{})
	for format, whole := range samples(t) {
		for _, keep := range []float64{0, 0.05, 0.3, 0.5, 0.9} {
			short := whole[:int(float64(len(whole))*keep)]
			if v, err := r.Variant(t.Context(), given(short), 32, 0); !isFinal(err) {
				t.Errorf("%s cut to %d of %d bytes: %d wide, %v", format, len(short), len(whole), v.Width, err)
			}
			if _, _, err := r.Master(t.Context(), short); !isFinal(err) {
				t.Errorf("%s cut to %d of %d bytes as a master: %v", format, len(short), len(whole), err)
			}
		}
		if _, err := r.Variant(t.Context(), given(whole), 32, 0); err != nil {
			t.Errorf("%s whole: %v", format, err)
		}
	}
}

func TestDamagedFilesAreAnErrorOrAPicture(t *testing.T) {
	r := start(t, Config{})
	for format, whole := range samples(t) {
		state := uint32(7)
		for range 60 {
			damaged := slices.Clone(whole)
			for range 3 {
				state = state*1664525 + 1013904223
				damaged[int(state>>8)%len(damaged)] = byte(state)
			}
			if _, err := r.Variant(t.Context(), given(damaged), 32, 0); err != nil && !isFinal(err) {
				t.Errorf("%s: %v", format, err)
			}
		}
		if _, err := r.Variant(t.Context(), given(whole), 32, 0); err != nil {
			t.Errorf("%s afterwards: %v", format, err)
		}
	}
}

func TestOtherFilesAreNotResizable(t *testing.T) {
	r := start(t, Config{})
	for name, file := range map[string]string{
		"nothing":   "",
		"text":      "hello",
		"svg":       `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`,
		"svg later": `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`,
		"pdf":       "%PDF-1.4\n",
		"a video":   "\x00\x00\x00\x20ftypisom\x00\x00\x00\x00isomiso2avc1mp41",
		"jpeg xl":   "\xff\x0a\xfa\x1f",
		"ppm":       "P6 1 1 255\n\x00\x00\x00",
		"bigtiff":   "II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00",
		"magick":    "id=ImageMagick version=1.0\n",
		"html":      "<!doctype html><script>alert(1)</script>",
	} {
		if _, err := r.Variant(t.Context(), given([]byte(file)), 32, 0); !errors.Is(err, ErrNotResizable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s := r.Stats(); s.Decodes != 0 {
		t.Errorf("%d decodes", s.Decodes)
	}
}

func TestOnlySixLoadersRun(t *testing.T) {
	startVips()
	for name, file := range map[string]string{
		"svg": `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`,
		"ppm": "P6 1 1 255\n\x00\x00\x00",
		"hdr": "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x00\x00\x00\x00",
		"jxl": "\xff\x0a\xfa\x1f\x00\x90\x01\x00\x12\x88\x02\x00\xd4\x00\x55\x0f",
	} {
		disguised := Info{Format: JPEG, Width: 9, Height: 9, Frames: 1, Orientation: 1}
		if _, err := encode([]byte(file), disguised, shape{width: 9, height: 9, quality: 80}); !errors.Is(err, ErrBroken) {
			t.Errorf("%s reached a loader: %v", name, err)
		}
	}
}

func TestRefusedSourceIsNotReadAgain(t *testing.T) {
	r, reads := start(t, Config{Workers: 1}), 0
	src := Source{Key: "svg", Open: func(context.Context) ([]byte, error) {
		reads++
		return []byte("<svg/>"), nil
	}}
	for range 3 {
		if _, err := r.Variant(t.Context(), src, 32, 0); !errors.Is(err, ErrNotResizable) {
			t.Errorf("error %v", err)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times", reads)
	}
}

func TestBrokenPictureIsDecodedOnce(t *testing.T) {
	r := start(t, Config{})
	file := pngOf(t, noise(64, 48))
	file[bytes.Index(file, []byte("IDAT"))+4] = 0xff // no compression method has this number
	for _, width := range []int{32, 32, 48, 64} {
		if _, err := r.Variant(t.Context(), given(file), width, 0); !errors.Is(err, ErrBroken) {
			t.Errorf("error %v", err)
		}
	}
	if s := r.Stats(); s.Decodes != 1 {
		t.Errorf("decoded %d times", s.Decodes)
	}
}

func TestPanicFailsOnlyOneRequest(t *testing.T) {
	r := start(t, Config{Workers: 1})
	src := Source{Key: "x", Open: func(context.Context) ([]byte, error) { panic("out of luck") }}
	if _, err := r.Variant(t.Context(), src, 32, 0); !errors.Is(err, ErrPanic) {
		t.Errorf("error %v", err)
	}
	cut(t, r, jpegOf(t, quartered(100, 80)), 32, 0)
}

func TestClosedResizerRefuses(t *testing.T) {
	r := start(t, Config{})
	r.Close()
	file := jpegOf(t, quartered(100, 80))
	if _, err := r.Variant(t.Context(), given(file), 32, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("variant: %v", err)
	}
	if _, _, err := r.Master(t.Context(), file); !errors.Is(err, ErrClosed) {
		t.Errorf("master: %v", err)
	}
	if _, err := New(Config{Workers: -1}); err == nil {
		t.Error("a negative number of workers was accepted")
	}
}
