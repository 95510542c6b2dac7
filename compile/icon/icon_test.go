package icon

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// picture returns a red PNG.
func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{200, 0, 0, 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestIconsAreSquareInEverySize(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
		corner        uint8 // alpha in the corner
	}{
		{"a square", 600, 600, 255},
		{"a wide one is centred", 400, 100, 0},
		{"a tall one too", 100, 300, 0},
		{"a small one is enlarged", 1, 1, 255},
	} {
		icons, err := Make(picture(t, c.width, c.height))
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range Sizes {
			img, err := png.Decode(bytes.NewReader(icons[i]))
			if err != nil || img.Bounds() != image.Rect(0, 0, size, size) {
				t.Fatalf("%s at %d: %v, %v", c.name, size, img.Bounds(), err)
			}
			_, _, _, alpha := img.At(0, 0).RGBA()
			red, _, _, middle := img.At(size/2, size/2).RGBA()
			if uint8(alpha>>8) != c.corner || middle != 0xFFFF || red>>8 < 190 {
				t.Errorf("%s at %d: corner %d, middle %d %d", c.name, size, alpha>>8, red>>8, middle>>8)
			}
		}
	}
}

func TestPictureIsChosenByName(t *testing.T) {
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, ""},
		{[]string{"index.html", "css/a.css", "img/photo.png", "favicon.svg", "favicon.ico"}, ""},
		{[]string{"favicon.png", "img/icon.png"}, "img/icon.png"},
		{[]string{"a/b/favicon.png", "z/favicon.jpg", "b/favicon.png"}, "b/favicon.png"},
		{[]string{"FavIcon.PNG"}, "FavIcon.PNG"},
		{[]string{Folder + "icon.png", "icon-32.png"}, ""},
	} {
		if got := Source(c.paths); got != c.want {
			t.Errorf("%v: %q, want %q", c.paths, got, c.want)
		}
	}
}

func TestHostilePicturesAreRefused(t *testing.T) {
	whole := picture(t, 8, 8)
	huge := bytes.Clone(whole)
	copy(huge[16:], []byte{0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF}) // the width and height of IHDR
	for name, text := range map[string][]byte{"nothing": nil, "text": []byte("<svg/>"), "cut off": whole[:len(whole)/2], "huge": huge} {
		if _, err := Make(text); !errors.Is(err, ErrPicture) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzMake(f *testing.F) {
	f.Add(picture(f, 3, 5))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(text)); err == nil && config.Width > 1<<20/max(config.Height, 1) {
			return // slow, not wrong
		}
		icons, err := Make(text)
		if err != nil {
			return
		}
		for i, size := range Sizes {
			if c, err := png.DecodeConfig(bytes.NewReader(icons[i])); err != nil || c.Width != size || c.Height != size {
				t.Fatalf("%d: %v, %v", size, c, err)
			}
		}
	})
}
