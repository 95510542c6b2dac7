package render

import (
	"regexp"

	"vitrine/compile/widget"
)

var hexIn = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`)

// dark reports whether light words read better than dark ones on a background:
// whether the colours that it names, all in all, are dark. Of a gradient it sees the
// hexadecimal colours only, and none of those that are half transparent.
func dark(css string) bool {
	if _, light, solid, ok := widget.ReadColour(css); ok {
		return solid && light < 0.42
	}
	sum, n := 0.0, 0
	for _, color := range hexIn.FindAllString(css, -1) {
		if _, light, solid, ok := widget.ReadColour(color); ok && solid {
			sum += light
			n++
		}
	}
	return n > 0 && sum/float64(n) < 0.42
}
