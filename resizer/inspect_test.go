package resizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"slices"
	"testing"

	"github.com/h2non/bimg"
)

func TestInspectReadsHeaders(t *testing.T) {
	m := quartered(64, 48)
	glass := image.NewNRGBA(m.Rect)
	plain := pngOf(t, m)
	for name, c := range map[string]struct {
		file []byte
		want Info
	}{
		"jpeg":             {jpegOf(t, m), Info{JPEG, 64, 48, 1, false, 1}},
		"progressive jpeg": {saved(t, plain, bimg.Options{Type: bimg.JPEG, Interlace: true}), Info{JPEG, 64, 48, 1, false, 1}},
		"turned jpeg":      {tagged(jpegOf(t, m), 8), Info{JPEG, 48, 64, 1, false, 8}},
		"png":              {plain, Info{PNG, 64, 48, 1, false, 1}},
		"png with alpha":   {pngOf(t, glass), Info{PNG, 64, 48, 1, true, 1}},
		"png with tRNS":    {withChunk(plain, "tRNS", make([]byte, 6)), Info{PNG, 64, 48, 1, true, 1}},
		"gif":              {gifOf(t, 64, 48, 5), Info{GIF, 64, 48, 5, true, 1}},
		"bmp":              {bmpOf(t, m), Info{BMP, 64, 48, 1, false, 1}},
		"bmp with alpha":   {glassBMP(t, glass), Info{BMP, 64, 48, 1, true, 1}},
		"tiff":             {tiffOf(t, m), Info{TIFF, 64, 48, 1, true, 1}},
		"turned tiff":      {turnedTIFF(t, m, 5), Info{TIFF, 48, 64, 1, true, 5}},
		"webp":             {saved(t, plain, bimg.Options{Type: bimg.WEBP}), Info{WebP, 64, 48, 1, false, 1}},
		"lossless webp":    {saved(t, plain, bimg.Options{Type: bimg.WEBP, Lossless: true}), Info{WebP, 64, 48, 1, false, 1}},
		"webp with alpha":  {saved(t, pngOf(t, glass), bimg.Options{Type: bimg.WEBP}), Info{WebP, 64, 48, 1, true, 1}},
		"turned webp":      {turnedWebP(t, plain, 6), Info{WebP, 48, 64, 1, false, 6}},
	} {
		if got, err := Inspect(c.file); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
		if err := Complete(c.file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// claiming are files whose headers declare more than may be decoded.
func claiming(t testing.TB) map[string][]byte {
	small := quartered(8, 8)
	png, jpeg, bmp := pngOf(t, small), jpegOf(t, small), bmpOf(t, small)
	binary.BigEndian.PutUint32(png[16:], 65_535)
	binary.BigEndian.PutUint32(png[20:], 65_535)
	tallPNG := pngOf(t, small)
	binary.BigEndian.PutUint32(tallPNG[20:], 1<<31-1)
	sof := slices.Index(jpeg, 0xc0) + 4
	binary.BigEndian.PutUint32(jpeg[sof:], 0xffffffff)
	binary.LittleEndian.PutUint32(bmp[18:], 20_000)
	binary.LittleEndian.PutUint32(bmp[22:], 20_000)
	webp := append([]byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	webp = append(webp, "VP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00\x00"...)
	gif := gifOf(t, 8, 8, 1)
	binary.LittleEndian.PutUint32(gif[6:], 0xffffffff)
	return map[string][]byte{
		"65535 x 65535 png": png, "2^31 tall png": tallPNG, "65535 x 65535 jpeg": jpeg, "400 MP bmp": bmp,
		"2^24 x 2^24 webp": webp, "65535 x 65535 gif": gif, "thousands of gif frames": gifOf(t, 2, 2, 5000),
		"a circle of tiff pages": circularTIFF(t), "a thousand scans": scans(jpegOf(t, small), 1000),
	}
}

// scans repeats an empty scan at the end of a JPEG.
func scans(file []byte, n int) []byte {
	empty := []byte{0xff, jpegSOS, 0, 8, 1, 1, 0, 0, 63, 0}
	return slices.Concat(file[:len(file)-2], bytes.Repeat(empty, n), file[len(file)-2:])
}

// circularTIFF has a page that refers to itself as the next one.
func circularTIFF(t testing.TB) []byte {
	b := tiffOf(t, quartered(8, 8))
	dir := int(binary.LittleEndian.Uint32(b[4:]))
	n := int(binary.LittleEndian.Uint16(b[dir:]))
	binary.LittleEndian.PutUint32(b[dir+2+12*n:], uint32(dir))
	return b
}

func TestBombsAreRefusedUndecoded(t *testing.T) {
	r := start(t, Config{})
	for name, file := range claiming(t) {
		if info, err := Inspect(file); !errors.Is(err, ErrTooBig) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		if _, err := r.Variant(t.Context(), given(file), 320, 0); !errors.Is(err, ErrTooBig) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := r.Master(t.Context(), file); !errors.Is(err, ErrTooBig) {
			t.Errorf("%s as a master: %v", name, err)
		}
	}
	if s := r.Stats(); s.Decodes != 0 {
		t.Errorf("%d decodes", s.Decodes)
	}
}

// A header that declares less than libvips finds must not bypass the limits.
func TestLibraryChecksTheSizeAgain(t *testing.T) {
	startVips()
	file := claiming(t)["65535 x 65535 png"]
	binary.BigEndian.PutUint32(file[16:], 30_000)
	binary.BigEndian.PutUint32(file[20:], 30_000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	disguised := Info{Format: PNG, Width: 8, Height: 8, Frames: 1, Orientation: 1}
	if _, err := encode(file, disguised, shape{width: 8, height: 8, quality: 80}); !errors.Is(err, ErrTooBig) {
		t.Errorf("error %v", err)
	}
}

func TestDamagedHeaders(t *testing.T) {
	whole := samples(t)
	twoFrames := slices.Clone(whole[JPEG])
	sof := slices.Index(twoFrames, 0xc0) - 1
	twoFrames = slices.Insert(twoFrames, sof, twoFrames[sof:sof+19]...)
	for name, file := range map[string][]byte{
		"jpeg with two frame headers":  twoFrames,
		"jpeg without one":             []byte("\xff\xd8\xff\xda\x00\x02\xff\xd9"),
		"png whose first chunk is not": append([]byte(pngSignature), "\x00\x00\x00\x00IDAT\x00\x00\x00\x00"...),
		"gif without frames":           []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"),
		"tiff directory outside":       []byte("II*\x00\xff\xff\xff\xff"),
		"webp of no chunk":             []byte("RIFF\x04\x00\x00\x00WEBP"),
		"webp header only":             append([]byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), make([]byte, 10)...),
		"bmp header cut":               whole[BMP][:20],
	} {
		if info, err := Inspect(file); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

func TestGIFWithoutTrailerIsWhole(t *testing.T) {
	file := gifOf(t, 20, 10, 2)
	if err := Complete(file[:len(file)-1]); err != nil {
		t.Error(err)
	}
	if err := Complete(file[:len(file)-4]); !errors.Is(err, ErrBroken) {
		t.Errorf("cut within a block: %v", err)
	}
}

func TestTrailingDataIsAllowed(t *testing.T) {
	r := start(t, Config{})
	for _, format := range []Format{JPEG, PNG, GIF, BMP} {
		file := append(slices.Clone(samples(t)[format]), "<script>alert(1)</script>"...)
		if _, err := r.Variant(t.Context(), given(file), 32, 0); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, file := range samples(f) {
		f.Add(file)
	}
	for _, file := range claiming(f) {
		f.Add(file[:min(len(file), 4096)])
	}
	f.Add([]byte("<svg/>"))
	f.Fuzz(func(t *testing.T, file []byte) {
		info, err := Inspect(file)
		if complete := Complete(file); complete != nil && !errors.Is(complete, ErrBroken) {
			t.Errorf("complete: %v", complete)
		}
		if err != nil {
			if !isFinal(err) || info != (Info{}) {
				t.Errorf("%+v with the error %v", info, err)
			}
			return
		}
		if info.Width < 1 || info.Height < 1 || info.Width > MaxSide || info.Height > MaxSide ||
			info.Width*info.Height > MaxPixels || info.Frames < 1 || info.Frames > MaxFrames ||
			info.Orientation < 1 || info.Orientation > 8 || info.Format != Detect(file) {
			t.Errorf("accepted %+v", info)
		}
	})
}
