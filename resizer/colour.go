package resizer

import (
	"bytes"
	"context"
	"fmt"
	"image"

	"golang.org/x/image/webp"

	"vitrine/internal/shop"
)

// Prepared is what is known about a picture from its steps.
type Prepared struct {
	Colour        string // mean colour as #rrggbb, or empty
	Width, Height int    // of the largest step, in pixels: the size of the picture, unless it is larger than all steps
}

// Prepare makes all steps up to the source's width for a picture that has just been
// uploaded, and returns its placeholder data. A picture with transparent parts has no
// colour, because it would show through. Prepare stops at the first error; after ErrBusy it
// can be called again and continues where it stopped.
func (r *Resizer) Prepare(ctx context.Context, src Source) (p Prepared, err error) {
	for i, step := range shop.PictureSteps {
		v, err := r.Variant(ctx, src, step, 0)
		switch {
		case err != nil:
			return Prepared{}, err
		case v.StandIn:
			return Prepared{}, ErrBusy
		}
		if i == 0 {
			p.Colour = meanColour(v.Body)
		}
		size, err := webp.DecodeConfig(bytes.NewReader(v.Body))
		if err != nil {
			return Prepared{}, fmt.Errorf("%w: a generated step: %w", ErrBroken, err)
		}
		p.Width, p.Height = size.Width, size.Height
		if v.Width < step {
			break
		}
	}
	return p, nil
}

// meanColour is the mean colour of a small still picture without alpha, or empty.
func meanColour(file []byte) string {
	m, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return ""
	}
	switch m := m.(type) {
	case *image.YCbCr:
		size := m.Rect.Size()
		y := mean(m.Y, size.X, size.Y, m.YStride)
		cb := mean(m.Cb, (size.X+1)/2, (size.Y+1)/2, m.CStride)
		cr := mean(m.Cr, (size.X+1)/2, (size.Y+1)/2, m.CStride)
		return fromVideo(y, cb, cr)
	case *image.NRGBA:
		if !m.Opaque() {
			return ""
		}
		var sum [4]int
		for i, v := range m.Pix {
			sum[i%4] += int(v)
		}
		n := float64(len(m.Pix) / 4)
		return hexColour(float64(sum[0])/n, float64(sum[1])/n, float64(sum[2])/n)
	}
	return ""
}

func mean(plane []byte, width, height, stride int) float64 {
	sum := 0
	for y := range height {
		for _, v := range plane[y*stride : y*stride+width] {
			sum += int(v)
		}
	}
	return float64(sum) / float64(width*height)
}

// fromVideo converts from the narrow range of BT.601, which WebP uses; Go's image package
// treats the values as the full range of JPEG.
func fromVideo(y, cb, cr float64) string {
	y, cb, cr = 1.164*(y-16), cb-128, cr-128
	return hexColour(y+1.596*cr, y-0.813*cr-0.392*cb, y+2.017*cb)
}

func hexColour(r, g, b float64) string {
	byteOf := func(v float64) int { return int(min(max(v, 0), 255) + .5) }
	return fmt.Sprintf("#%02x%02x%02x", byteOf(r), byteOf(g), byteOf(b))
}
