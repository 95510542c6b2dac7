package resizer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/h2non/bimg"

	"vitrine/internal/shop"
)

// maxHeight is the maximum height of a WebP.
const maxHeight = 16_383

// maxKept is the maximum number of frames of an animation that is kept; for a longer one,
// or one over MaxPixels in total, a variant shows the first frame.
const maxKept = 60

// policy identifies the rules and the encoder that make a variant from its source. If they
// change, change it too: every variant then gets another key and another ETag.
//
// Variants are WebP for all clients. AVIF was measured with libvips 8.14 on photos of 640
// and 1600 pixels at equal signal to noise: at effort 4 mostly 25 to 46 % smaller, for 6 to
// 24 times the processor time of encoding (6 to 7 s for one of 1600); at effort 1 from a
// third smaller to 40 % larger. An address with one content also needs no Vary.
const policy = "1/vips-" + bimg.VipsVersion

// spec is a requested variant: width in pixels, quality 0 for the default.
type spec struct{ width, quality int }

// specFor clamps the values of an address.
func specFor(width, quality int) spec {
	w := spec{width: min(max(width, shop.MinPictureWidth), shop.MaxPictureWidth)}
	if quality != 0 {
		w.quality = min(max(quality, shop.MinPictureQuality), shop.MaxPictureQuality)
	}
	return w
}

// within limits the width to that of the source: all widths beyond it are one variant.
func (w spec) within(info Info) spec {
	return spec{width: min(w.width, info.Width), quality: w.quality}
}

// key is the cache key of the variant of a source.
func (w spec) key(source string) string {
	return fmt.Sprintf("%s %s w%d q%d", policy, source, w.width, w.quality)
}

// etag is a strong entity tag: source, spec and policy determine every byte.
func (w spec) etag(source string) string {
	sum := sha256.Sum256([]byte(w.key(source)))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// shape returns the parameters of the encoder.
func (w spec) shape(info Info) shape {
	s := shape{width: w.width, height: maxHeight, orientation: info.Orientation, quality: w.quality}
	if s.quality == 0 {
		s.quality = defaultQuality(w.width)
	}
	s.allFrames = info.Animated() && info.Frames <= maxKept && info.Width*info.Height*info.Frames <= MaxPixels
	return s
}

// defaultQuality depends on the step that a width falls into: small pictures hide losses,
// and the largest are shown on dense screens, which hide them too.
func defaultQuality(width int) int {
	switch {
	case width <= 128:
		return 70
	case width <= 320:
		return 76
	case width <= 640:
		return 78
	case width <= 1024:
		return 80
	case width <= 1600:
		return 78
	}
	return 72
}
