package resizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/bmp"
)

// inspectBMP reads the header. libvips would pass the file to ImageMagick, so BMP is both
// inspected and decoded in Go.
func inspectBMP(file []byte) (Info, error) {
	cfg, err := bmp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, bmpError(err)
	}
	// Only headers of version 4 and later define the fourth byte.
	alpha := binary.LittleEndian.Uint32(file[14:]) >= 108 && binary.LittleEndian.Uint16(file[28:]) == 32
	return Info{Format: BMP, Width: cfg.Width, Height: cfg.Height, Frames: 1, Alpha: alpha, Orientation: upright}, nil
}

// decodeBMP decodes a file accepted by Inspect into four bytes per pixel.
func decodeBMP(file []byte) (*image.NRGBA, error) {
	decoded, err := bmp.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, bmpError(err)
	}
	pixels := image.NewNRGBA(decoded.Bounds())
	switch from := decoded.(type) {
	case *image.NRGBA:
		return from, nil
	case *image.RGBA: // the decoder has set all alpha to 255
		copy(pixels.Pix, from.Pix)
	case *image.Paletted:
		expandPalette(pixels, from)
	default:
		return nil, fmt.Errorf("%w: bmp decoded as %T", ErrNotResizable, decoded)
	}
	return pixels, nil
}

// expandPalette looks colours up in a flat table; the image package would convert the
// palette's entry again for every pixel.
func expandPalette(pixels *image.NRGBA, indexed *image.Paletted) {
	var table [256][4]byte
	for i, c := range indexed.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		table[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	for i, index := range indexed.Pix {
		copy(pixels.Pix[4*i:], table[index][:])
	}
}

// completeBMP compares the announced pixels with the file's length, since the decoder
// allocates all of them before it reads the first.
func completeBMP(file []byte) bool {
	cfg, err := bmp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return false
	}
	start, depth := int64(binary.LittleEndian.Uint32(file[10:])), int64(binary.LittleEndian.Uint16(file[28:]))
	row := (int64(cfg.Width)*depth + 31) / 32 * 4
	return start+row*int64(cfg.Height) <= int64(len(file))
}

func bmpError(err error) error {
	if errors.Is(err, bmp.ErrUnsupported) {
		return fmt.Errorf("%w: %w", ErrNotResizable, err)
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
