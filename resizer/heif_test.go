package resizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"testing"
)

// heifOf reads the test picture, 96 by 48 pixels, as AVIF or HEIC. libvips wrote both.
func heifOf(t testing.TB, format Format) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/quarters." + string(format))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// turnedHEIF is a picture that the format turns by quarters to the left. Its EXIF says that it is to
// be turned as well, which does not count.
func turnedHEIF(t testing.TB, file []byte, quarter byte) []byte {
	t.Helper()
	file = slices.Clone(file)
	pixi := bytes.Index(file, []byte("pixi\x00\x00\x00\x00\x03\x08\x08\x08"))
	exif := bytes.Index(file, []byte("\x12\x01\x03\x00\x01\x00\x00\x00\x01"))
	if pixi < 0 || exif < 0 {
		t.Fatal("the test picture has another form")
	}
	copy(file[pixi:], append([]byte("irot"), quarter, 0, 0, 0, 0, 0, 0, 0))
	file[exif+8] = 6
	return file
}

func TestPhotosOfPhonesAreRead(t *testing.T) {
	r := start(t, Config{})
	for _, format := range []Format{AVIF, HEIC} {
		file := heifOf(t, format)
		info, err := Inspect(file)
		if err != nil || info.Format != format || info.Width != 96 || info.Height != 48 || info.Frames != 1 || info.Orientation != 1 || Complete(file) != nil {
			t.Errorf("%s: %+v, %v", format, info, err)
		}
		_, m := cut(t, r, file, 96, 95)
		wantQuarters(t, string(format), m, 14)
		body, made, err := r.Master(t.Context(), file)
		if err != nil || made.Format != WebP || made.Width != 96 || bytes.Contains(body, []byte("EXIF")) {
			t.Errorf("%s as a master: %+v, %v", format, made, err)
		}
		if body, made, err = r.Photo(t.Context(), file); err != nil || made.Format != WebP || bytes.Contains(body, []byte("EXIF")) {
			t.Errorf("%s as a photo: %+v, %v", format, made, err)
		}
	}
}

// A child has memory for the largest photo, 8064 by 6048 pixels, and needs no temporary file for it.
func TestTheLargestPhotoOfPhonesIsRead(t *testing.T) {
	r := start(t, Config{Workers: 1})
	file, err := os.ReadFile("testdata/large.heic")
	if err != nil {
		t.Fatal(err)
	}
	if _, made, err := r.Photo(t.Context(), file); err != nil || made.Width != maxPhotoSide || made.Height != 1920 {
		t.Errorf("%+v, %v", made, err)
	}
}

// A rotation is applied once, and the size is that of the picture as it is seen.
func TestPhotosOfPhonesAreTurnedOnce(t *testing.T) {
	r := start(t, Config{})
	for _, format := range []Format{AVIF, HEIC} {
		for quarter, order := range map[byte][4]int{1: {1, 3, 0, 2}, 2: {3, 2, 1, 0}, 3: {2, 0, 3, 1}} {
			file := turnedHEIF(t, heifOf(t, format), quarter)
			width, height := 96, 48
			if quarter != 2 {
				width, height = height, width
			}
			info, err := Inspect(file)
			if err != nil || info.Width != width || info.Height != height || info.Orientation != 1 {
				t.Errorf("%s, %d quarters: %+v, %v", format, quarter, info, err)
			}
			v, m := cut(t, r, file, 96, 95)
			if v.Width != width {
				t.Errorf("%s, %d quarters: %d wide", format, quarter, v.Width)
			}
			for i, n := range order {
				if got := at(m, 0.25+float64(i%2)/2, 0.25+float64(i/2)/2); !near(got, quarters[n], 14) {
					t.Errorf("%s, %d quarters: quarter %d is %v, want %v", format, quarter, i, got, quarters[n])
				}
			}
		}
	}
}

func TestHostilePhotosAreRefused(t *testing.T) {
	r := start(t, Config{})
	for _, format := range []Format{AVIF, HEIC} {
		whole := heifOf(t, format)
		huge := slices.Clone(whole)
		binary.BigEndian.PutUint32(huge[bytes.LastIndex(huge, []byte("ispe"))+8:], 60_000)
		vast := slices.Clone(huge)
		binary.BigEndian.PutUint32(vast[bytes.LastIndex(vast, []byte("ispe"))+12:], 0xffffffff)
		lost := slices.Clone(whole)
		copy(lost[bytes.Index(lost, []byte("pitm"))+8:], "\x7f\x7f")
		damaged := slices.Clone(whole)
		data := bytes.Index(damaged, []byte("mdat"))
		for i := data + 4; i < len(damaged); i++ {
			damaged[i] ^= 0x5a
		}
		for name, c := range map[string]struct {
			file []byte
			want error
		}{
			"a side of 60,000 pixels":       {huge, ErrTooBig},
			"more pixels than a file has":   {vast, ErrTooBig},
			"cut off":                       {whole[:len(whole)-40], ErrBroken},
			"cut off in its header":         {whole[:100], ErrBroken},
			"a primary picture that is not": {lost, ErrBroken},
			"other data":                    {damaged, ErrBroken},
		} {
			if _, _, err := r.Master(t.Context(), c.file); !errors.Is(err, c.want) {
				t.Errorf("%s %s: %v, want %v", format, name, err, c.want)
			}
		}
	}
	if s := r.Stats(); s.Deaths != 0 {
		t.Errorf("%d children died", s.Deaths)
	}
}

// A library without a decoder cannot read its own sample either: the picture is not to blame.
func TestALibraryWithoutADecoderIsNotABrokenPicture(t *testing.T) {
	startVips()
	foreign := func(file []byte, codec string) []byte { return bytes.ReplaceAll(file, []byte(codec), []byte("zzz1")) }
	for _, c := range []struct {
		format Format
		codec  string
	}{{AVIF, "av01"}, {HEIC, "hvc1"}} {
		if !canRead(c.format, heifSamples) {
			t.Errorf("%s cannot be read here", c.format)
		}
		if canRead(c.format, map[Format][]byte{c.format: foreign(heifSamples[c.format], c.codec)}) {
			t.Errorf("%s of an unknown codec can be read", c.format)
		}
		if !canRead(JPEG, heifSamples) {
			t.Error("every libvips reads JPEG")
		}
	}
	_, refusal, failure := answer{Result: answerNoDecoder}.outcome(bytes.NewReader(nil))
	if !errors.Is(refusal, ErrNoDecoder) || failure != nil {
		t.Errorf("from a child: %v, %v", refusal, failure)
	}
}

func TestBrandsTellPicturesFromVideos(t *testing.T) {
	for head, want := range map[string]Format{
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif": AVIF, "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00heicmif1": HEIC, "\x00\x00\x00\x14ftypheix\x00\x00\x00\x00mif1": HEIC,
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1miaf": "", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42": "", "\x00\x00\x00\x0cftypavif": AVIF,
		"\x00\x00\x00\x10ftypmif1\x00\x00\x00\x00avifheic": "", "\x00\x00\x00\x04ftypavif": AVIF, "\xff\xff\xff\xffftypqt  avifheic": HEIC, "ftypheic": "",
	} {
		if got := Detect([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}

func FuzzInspectHEIF(f *testing.F) {
	for _, format := range []Format{AVIF, HEIC} {
		f.Add(heifOf(f, format))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		info, err := inspectHEIF(file, HEIC)
		if err == nil && (info.Width <= 0 || info.Height <= 0 || info.Width*info.Height > MaxPixels) {
			t.Errorf("%+v", info)
		}
		completeHEIF(file)
	})
}
