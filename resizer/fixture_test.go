package resizer

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/h2non/bimg"
	"go.uber.org/goleak"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/internal/blob"
)

// childArgument makes the test binary a child of the resizer with a memory limit in bytes.
const childArgument = "decode-pictures"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childArgument {
		memory, err := strconv.ParseUint(os.Args[2], 10, 64)
		if err == nil {
			err = Child(memory)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == brokenArgument {
		if err := turnWithBimg(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// children is the command line of a child with a memory limit in bytes.
func children(memory uint64) []string {
	return []string{"/proc/self/exe", childArgument, strconv.FormatUint(memory, 10)}
}

// The four quarters of a test picture, from the top left in reading order.
var quarters = [4]color.NRGBA{{231, 40, 41, 255}, {30, 160, 60, 255}, {40, 60, 200, 255}, {250, 240, 230, 255}}

func quartered(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, c := range quarters {
		x, y := i%2*width/2, i/2*height/2
		draw.Draw(m, image.Rect(x, y, x+width-width/2, y+height-height/2), image.NewUniform(c), image.Point{}, draw.Src)
	}
	return m
}

// written returns the file that an encoder writes.
func written(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	return written(t, func(b *bytes.Buffer) error { return encodeJPEG(b, m) })
}

func encodeJPEG(b *bytes.Buffer, m image.Image) error {
	return jpeg.Encode(b, m, &jpeg.Options{Quality: 95})
}

func pngOf(t testing.TB, m image.Image) []byte {
	return written(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

func bmpOf(t testing.TB, m image.Image) []byte {
	return written(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) })
}

// glassBMP has the version 4 header, which declares the fourth byte as alpha.
func glassBMP(t testing.TB, m *image.NRGBA) []byte {
	const header, info = 14, 108
	b := bmpOf(t, m)[:header+40]
	binary.LittleEndian.PutUint32(b[2:], uint32(header+info+len(m.Pix)))
	binary.LittleEndian.PutUint32(b[10:], header+info)
	binary.LittleEndian.PutUint32(b[header:], info)
	binary.LittleEndian.PutUint32(b[30:], 3)
	for _, mask := range []uint32{0xff0000, 0xff00, 0xff, 0xff000000} {
		b = binary.LittleEndian.AppendUint32(b, mask)
	}
	b = append(b, make([]byte, header+info-len(b))...)
	for y := m.Rect.Dy() - 1; y >= 0; y-- {
		for x := range m.Rect.Dx() {
			c := m.NRGBAAt(x, y)
			b = append(b, c.B, c.G, c.R, c.A)
		}
	}
	return b
}

func tiffOf(t testing.TB, m image.Image) []byte {
	return written(t, func(b *bytes.Buffer) error { return tiff.Encode(b, m, &tiff.Options{Compression: tiff.Deflate}) })
}

// exifWith is EXIF data of one directory with one entry.
func exifWith(orientation uint16) []byte {
	b := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01")
	b = binary.BigEndian.AppendUint16(b, tagOrientation)
	b = append(b, 0, 3, 0, 0, 0, 1)
	b = binary.BigEndian.AppendUint16(b, orientation)
	return append(b, 0, 0, 0, 0, 0, 0)
}

// tagged inserts EXIF data after the start marker of a JPEG.
func tagged(file []byte, orientation uint16) []byte {
	exif := exifWith(orientation)
	out := append([]byte{}, file[:2]...)
	out = append(out, 0xff, jpegAPP1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(exif)+2))
	return append(append(out, exif...), file[2:]...)
}

// withChunk inserts a chunk after the header of a PNG.
func withChunk(file []byte, kind string, payload []byte) []byte {
	const header = 8 + 25
	return slices.Concat(file[:header], pngChunk(kind, payload), file[header:])
}

func pngChunk(kind string, payload []byte) []byte {
	body := append([]byte(kind), payload...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// adam7 is the size of an interlaced picture in bytes, including a filter byte per row and
// pass.
func adam7(size image.Point, pixel int) (total int) {
	for _, pass := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		w, h := (size.X-pass[0]+pass[2]-1)/pass[2], (size.Y-pass[1]+pass[3]-1)/pass[3]
		total += h * (1 + w*pixel)
	}
	return total
}

// deflated is a zlib stream of zeros zero bytes.
func deflated(t testing.TB, zeros int) []byte {
	return written(t, func(b *bytes.Buffer) error {
		z, err := zlib.NewWriterLevel(b, zlib.BestSpeed)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(z, zeroReader{}, int64(zeros)); err != nil {
			return err
		}
		return z.Close()
	})
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// gifOf is an animation in which each frame has another colour on top.
func gifOf(t testing.TB, width, height, frames int) []byte {
	palette := color.Palette{color.NRGBA{}, quarters[0], quarters[1], quarters[2], quarters[3]}
	g := &gif.GIF{Config: image.Config{ColorModel: palette, Width: width, Height: height}}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
		for p := range m.Pix {
			m.Pix[p] = uint8(1 + (i+p/(width*height/2))%4)
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	return written(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// turnedTIFF is a TIFF with an orientation in its directory, in place of an optional tag.
func turnedTIFF(t testing.TB, m image.Image, orientation uint16) []byte {
	b := tiffOf(t, m)
	const resolutionUnit = 296
	dir := int(binary.LittleEndian.Uint32(b[4:]))
	n := int(binary.LittleEndian.Uint16(b[dir:]))
	var entries [][]byte
	for i := range n {
		entry := slices.Clone(b[dir+2+12*i : dir+14+12*i])
		if binary.LittleEndian.Uint16(entry) == resolutionUnit {
			binary.LittleEndian.PutUint16(entry, tagOrientation)
			binary.LittleEndian.PutUint16(entry[8:], orientation)
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b []byte) int {
		return int(binary.LittleEndian.Uint16(a)) - int(binary.LittleEndian.Uint16(b))
	})
	copy(b[dir+2:], bytes.Join(entries, nil))
	return b
}

// turnedWebP is an extended WebP with an EXIF chunk.
func turnedWebP(t testing.TB, png []byte, orientation uint16) []byte {
	t.Helper()
	info, err := Inspect(png)
	if err != nil {
		t.Fatal(err)
	}
	startVips()
	simple, err := encode(png, info, shape{width: 4096, height: 4096, orientation: 1, quality: 95})
	if err != nil {
		t.Fatal(err)
	}
	chunk := func(kind string, payload []byte) []byte {
		out := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(payload)))
		return append(append(out, payload...), make([]byte, len(payload)%2)...)
	}
	extended := []byte{0x08, 0, 0, 0}
	for _, side := range []int{info.Width - 1, info.Height - 1} {
		extended = append(extended, byte(side), byte(side>>8), byte(side>>16))
	}
	body := slices.Concat([]byte("WEBP"), chunk("VP8X", extended), simple.body[12:], chunk("EXIF", exifWith(orientation)))
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// samples is one small file of each format.
func samples(t testing.TB) map[Format][]byte {
	m := quartered(64, 48)
	return map[Format][]byte{
		JPEG: tagged(jpegOf(t, m), 6), PNG: pngOf(t, m), GIF: gifOf(t, 64, 48, 3), BMP: bmpOf(t, m),
		TIFF: tiffOf(t, m), WebP: turnedWebP(t, pngOf(t, m), 3),
	}
}

// saved uses bimg, for upright pictures and so without its defects, to make what Go's
// encoders cannot: profiles, CMYK, progressive files.
func saved(t testing.TB, source []byte, o bimg.Options) []byte {
	t.Helper()
	out, err := bimg.Resize(source, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// start starts a resizer with children, as the program does.
func start(t testing.TB, cfg Config) *Resizer {
	t.Helper()
	if cfg.Child == nil {
		cfg.Child = children(ChildMemory)
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func cacheFor(t testing.TB) *blob.Cache {
	t.Helper()
	c, err := blob.OpenCache(t.TempDir(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// given is a source whose key is its hash.
func given(file []byte) Source {
	return Source{Key: blob.Sum(file), Open: func(context.Context) ([]byte, error) { return file, nil }}
}

// cut makes a variant and decodes it.
func cut(t testing.TB, r *Resizer, file []byte, width, quality int) (Variant, image.Image) {
	t.Helper()
	v, err := r.Variant(t.Context(), given(file), width, quality)
	if err != nil {
		t.Fatal(err)
	}
	// Go's WebP decoder treats the colours as full range, which they are not.
	m, err := png.Decode(bytes.NewReader(saved(t, v.Body, bimg.Options{Type: bimg.PNG})))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != v.Width {
		t.Errorf("variant reports %d pixels, its picture has %d", v.Width, m.Bounds().Dx())
	}
	return v, m
}

// at is the colour at a position between 0 and 1 on both axes.
func at(m image.Image, x, y float64) color.NRGBA {
	b := m.Bounds()
	px := b.Min.X + int(x*float64(b.Dx()))
	py := b.Min.Y + int(y*float64(b.Dy()))
	return color.NRGBAModel.Convert(m.At(px, py)).(color.NRGBA)
}

// near compares colours channel by channel.
func near(a, b color.NRGBA, tolerance int) bool {
	for _, d := range [4]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// wantQuarters checks the middle of each quarter.
func wantQuarters(t testing.TB, name string, m image.Image, tolerance int) {
	t.Helper()
	for i, want := range quarters {
		if got := at(m, 0.25+float64(i%2)/2, 0.25+float64(i/2)/2); !near(got, want, tolerance) {
			t.Errorf("%s: quarter %d is %v, want %v", name, i, got, want)
		}
	}
}
