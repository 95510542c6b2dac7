package resizer

import (
	"bytes"
	"errors"
	"fmt"
)

// Format is an accepted raster format, detected from the bytes (document 1, 4.4).
type Format string

// The accepted formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	GIF  Format = "gif"
	WebP Format = "webp"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
	AVIF Format = "avif"
	HEIC Format = "heic" // only read, and only where the installed libvips can
)

// Limits checked before anything is decoded. A file of 100 kB can claim 65535 x 65535
// pixels, and a decoder would allocate them.
const (
	MaxPixels = 50_000_000 // of one frame, or of all frames of an animation that is kept
	MaxSide   = 32_767
	MaxFrames = 1000 // more are refused; above maxKept only the first one is used
)

// Errors of a picture. The caller can still serve the original for all four: browsers
// accept more than a resizer should.
var (
	// ErrNotResizable: not an accepted format, such as SVG, or an unsupported variant of
	// one, such as a compressed BMP.
	ErrNotResizable = errors.New("resizer: not a picture that can be resized")
	// ErrBroken: the header or the data is damaged or truncated.
	ErrBroken = errors.New("resizer: broken picture")
	// ErrNoDecoder: an AVIF or HEIC, which the installed libvips cannot read.
	ErrNoDecoder = errors.New("resizer: no decoder for the format")
	// ErrTooBig: beyond MaxPixels, MaxSide or MaxFrames.
	ErrTooBig = errors.New("resizer: picture beyond the limits")
)

// Info is the content of a header.
type Info struct {
	Format        Format
	Width, Height int  // of one frame after rotation, so exchanged for Orientation 5 to 8
	Frames        int  // frames of an animation, pages of a TIFF
	Alpha         bool // may have transparent parts
	Orientation   int  // EXIF, 1 (upright) to 8
}

// Animated reports whether the frames form an animation.
func (i Info) Animated() bool { return i.Frames > 1 && (i.Format == GIF || i.Format == WebP) }

// Detect returns the format by the first bytes, or empty. Twelve bytes are enough for all but AVIF
// and HEIC, which name their kinds in a list.
func Detect(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return PNG
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return WebP
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return TIFF
	case bytes.HasPrefix(head, []byte("BM")):
		return BMP
	}
	return detectHEIF(head)
}

// Inspect reads the header in Go and checks the limits, without decoding and without
// trusting any length. It accepts the head of a file; frames are counted as far as the
// bytes go.
//
// It does not run in the child: the limits must be checked before libvips reads a byte,
// libvips does not report where a file is truncated, and cached variants and sources are
// inspected here while a visitor waits, when a child may be busy or dead.
func Inspect(file []byte) (Info, error) {
	info, err := readHeader(file)
	if err != nil {
		return Info{}, err
	}
	if info.Width < 1 || info.Height < 1 {
		return Info{}, fmt.Errorf("%w: %s of %d x %d pixels", ErrBroken, info.Format, info.Width, info.Height)
	}
	if info.Width > MaxSide || info.Height > MaxSide || info.Width*info.Height > MaxPixels || info.Frames > MaxFrames {
		return Info{}, fmt.Errorf("%w: %s of %d x %d pixels, %d frames",
			ErrTooBig, info.Format, info.Width, info.Height, info.Frames)
	}
	if info.Animated() {
		info.Orientation = upright // browsers do not rotate animations
	}
	if swapsSides(info.Orientation) {
		info.Width, info.Height = info.Height, info.Width
	}
	return info, nil
}

func readHeader(file []byte) (Info, error) {
	switch format := Detect(file); format {
	case JPEG:
		return inspectJPEG(file)
	case PNG:
		return inspectPNG(file)
	case GIF:
		info, _, err := inspectGIF(file)
		return info, err
	case WebP:
		return inspectWebP(file)
	case BMP:
		return inspectBMP(file)
	case TIFF:
		return inspectTIFF(file)
	case AVIF, HEIC:
		return inspectHEIF(file, format)
	}
	return Info{}, ErrNotResizable
}

// Complete returns ErrBroken if a file accepted by Inspect is truncated. Decoders fill the
// missing part with grey and report success.
func Complete(file []byte) error {
	whole := true
	switch Detect(file) {
	case JPEG:
		whole = completeJPEG(file)
	case PNG:
		whole = bytes.Contains(file[max(0, len(file)-1<<16):], []byte("\x00\x00\x00\x00IEND"))
	case GIF:
		_, ended, err := inspectGIF(file)
		whole = ended && err == nil
	case WebP:
		whole = completeWebP(file)
	case TIFF:
		whole = completeTIFF(file)
	case BMP:
		whole = completeBMP(file)
	case AVIF, HEIC:
		whole = completeHEIF(file)
	}
	if !whole {
		return fmt.Errorf("%w: truncated", ErrBroken)
	}
	return nil
}

func headerBroken(format Format) error { return fmt.Errorf("%w: %s header", ErrBroken, format) }
