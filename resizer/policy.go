package resizer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/h2non/bimg"

	"vitrine/internal/shop"
)

// maxHeight is where WebP ends.
const maxHeight = 16_383

// maxKept is how many frames of an animation are kept; of a longer one, or one
// over MaxPixels in all, a variant shows the first frame.
const maxKept = 60

// policy names the rules and the encoder that make a variant from its source.
// Change it with them, and every variant has another key and another ETag.
//
// Variants are WebP for everybody. AVIF was measured with libvips 8.14 on photos
// of 640 and 1600 pixels at equal signal to noise: at effort 4 mostly 25 to 46 %
// smaller, for 6 to 24 times the processor time of encoding (6 to 7 s for one of
// 1600); at effort 1 anything from a third smaller to 40 % larger. An address with
// one content also needs no Vary.
const policy = "1/vips-" + bimg.VipsVersion

// wish is a variant as asked for: width in pixels, quality 0 for the default.
type wish struct{ width, quality int }

// wishFor clamps what an address asks for.
func wishFor(width, quality int) wish {
	w := wish{width: min(max(width, shop.MinPictureWidth), shop.MaxPictureWidth)}
	if quality != 0 {
		w.quality = min(max(quality, shop.MinPictureQuality), shop.MaxPictureQuality)
	}
	return w
}

// within narrows the wish to the source: all widths beyond it are one variant.
func (w wish) within(info Info) wish {
	return wish{width: min(w.width, info.Width), quality: w.quality}
}

// key is the cache key of the wish for a source.
func (w wish) key(source string) string {
	return fmt.Sprintf("%s %s w%d q%d", policy, source, w.width, w.quality)
}

// etag is a strong entity tag: source, wish and policy determine every byte.
func (w wish) etag(source string) string {
	sum := sha256.Sum256([]byte(w.key(source)))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// shape is what the encoder must do to fulfil the wish.
func (w wish) shape(info Info) shape {
	s := shape{width: w.width, height: maxHeight, orientation: info.Orientation, quality: w.quality}
	if s.quality == 0 {
		s.quality = defaultQuality(w.width)
	}
	s.allFrames = info.Animated() && info.Frames <= maxKept && info.Width*info.Height*info.Frames <= MaxPixels
	return s
}

// defaultQuality follows the step that a width falls into: small pictures hide
// losses, and the largest are shown on dense screens, which hide them too.
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
