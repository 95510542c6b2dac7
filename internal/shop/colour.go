package shop

import (
	"math"
	"strconv"
	"strings"
)

// Color is an opaque colour.
type Color struct{ R, G, B uint8 }

// The extremes of contrast.
var (
	Black = Color{}
	White = Color{255, 255, 255}
)

// ParseColor parses #rgb and #rrggbb in any case; ok is false for all other text, so that
// accepted text is safe in a style sheet.
func ParseColor(text string) (c Color, ok bool) {
	hex, ok := strings.CutPrefix(text, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if !ok || len(hex) != 6 {
		return c, false
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, err == nil
}

// String returns the colour as #rrggbb.
func (c Color) String() string {
	const digits = "0123456789abcdef"
	out := []byte("#")
	for _, part := range [...]uint8{c.R, c.G, c.B} {
		out = append(out, digits[part>>4], digits[part&15])
	}
	return string(out)
}

// Contrast returns the contrast ratio of two colours, 1 to 21 (WCAG 2, "contrast ratio"):
// text needs 4.5, other elements 3.
func (c Color) Contrast(on Color) float64 {
	a, b := c.luminance(), on.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		} else {
			return s / 12.92
		}
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Mix returns the colour mixed with a part, 0 to 1, of another.
func (c Color) Mix(other Color, part float64) Color {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*part)) }
	return Color{mix(c.R, other.R), mix(c.G, other.G), mix(c.B, other.B)}
}
