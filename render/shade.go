package render

import (
	"regexp"

	"vitrine/compile/widget"
)

var hexIn = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`)

// dark reports whether light text is more readable than dark text on a background: whether
// the background's colours are dark on average. Of a gradient it considers only opaque
// hexadecimal colours.
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
