// Package icon makes the icons of a site from one picture in its layout folder (document 3, 4.1:
// icons_generated): square PNGs in the sizes that browsers, home screens and app lists request. A
// picture that is not square is centred on a transparent background.
//
// It reads PNG, JPEG, GIF and WebP. Vector pictures are left to the folder's own link elements.
package icon

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"  // registers the decoder
	_ "image/jpeg" // registers the decoder
	"image/png"
	"path"
	"strconv"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers the decoder
)

// Folder is the folder of the icons in a release.
const Folder = "svc-icons/"

// Sizes lists the widths of the icons in pixels: browser tab, Apple home screen, Android home
// screen, splash screen.
var Sizes = [...]int{32, 180, 192, 512}

// MaxPixels limits the picture before it is decoded; each pixel takes four bytes.
const MaxPixels = 2048 * 2048

// ErrPicture is returned for a picture that no icons can be made of.
var ErrPicture = errors.New("icon: the picture cannot be read, or is larger than 2048 by 2048 pixels")

// Path returns the path of an icon inside its release.
func Path(size int) string { return Folder + "icon-" + strconv.Itoa(size) + ".png" }

// names lists the possible names of the picture, best first: large pictures tend to be called
// icon or apple-touch-icon rather than favicon.
var names = []string{"icon", "apple-touch-icon", "favicon", "logo-icon"}

// Source selects the picture among the paths of a release: by its name, then by depth, then by
// path. It returns "" when there is none.
func Source(paths []string) string {
	best, rank := "", len(names)
	for _, p := range paths {
		r := rankOf(p)
		if r < rank || r == rank && r < len(names) && nearer(p, best) {
			best, rank = p, r
		}
	}
	return best
}

func rankOf(p string) int {
	base := strings.ToLower(path.Base(p))
	switch path.Ext(base) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
	default:
		return len(names)
	}
	if strings.HasPrefix(p, Folder) {
		return len(names)
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	for i, name := range names {
		if stem == name {
			return i
		}
	}
	return len(names)
}

func nearer(a, b string) bool {
	if x, y := strings.Count(a, "/"), strings.Count(b, "/"); x != y {
		return x < y
	}
	return a < b
}

// Make scales a picture to all sizes; the icons are in the order of Sizes. The same picture gives
// the same bytes.
func Make(picture []byte) (icons [len(Sizes)][]byte, err error) {
	from, err := read(picture)
	if err != nil {
		return icons, err
	}
	for i, size := range Sizes {
		if icons[i], err = cut(from, size); err != nil {
			return icons, err
		}
	}
	return icons, nil
}

// Cut makes one icon of one of the Sizes.
func Cut(picture []byte, size int) ([]byte, error) {
	from, err := read(picture)
	if err != nil {
		return nil, err
	}
	return cut(from, size)
}

func read(picture []byte) (image.Image, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || config.Width <= 0 || config.Height <= 0 || config.Width > MaxPixels/config.Height {
		return nil, ErrPicture
	}
	from, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, ErrPicture
	}
	return from, nil
}

func cut(from image.Image, size int) ([]byte, error) {
	to := image.NewNRGBA(image.Rect(0, 0, size, size))
	draw.CatmullRom.Scale(to, fit(from.Bounds(), size), from, from.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}

// fit returns the place of a picture in a square: as large as possible, centred.
func fit(b image.Rectangle, size int) image.Rectangle {
	w, h := size, size
	if b.Dx() > b.Dy() {
		h = max(1, size*b.Dy()/b.Dx())
	} else {
		w = max(1, size*b.Dx()/b.Dy())
	}
	x, y := (size-w)/2, (size-h)/2
	return image.Rect(x, y, x+w, y+h)
}
