package render

import (
	"regexp"
	"strconv"
)

var hexIn = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`)

// dark reports whether light words read better than dark ones on a background:
// whether the colours that it names, all in all, are dark. It sees hexadecimal
// colours only, and none of those that are half transparent.
func dark(css string) bool {
	sum, n := 0.0, 0
	for _, color := range hexIn.FindAllString(css, -1) {
		if light, ok := lightness(color[1:]); ok {
			sum += light
			n++
		}
	}
	return n > 0 && sum/float64(n) < 0.42
}

// lightness is how light a colour looks, from 0 to 1.
func lightness(hex string) (float64, bool) {
	if len(hex) == 3 || len(hex) == 4 {
		wide := make([]byte, 0, 8)
		for i := range len(hex) {
			wide = append(wide, hex[i], hex[i])
		}
		hex = string(wide)
	}
	if len(hex) != 6 && len(hex) != 8 {
		return 0, false
	}
	var c [4]float64
	for i := range len(hex) / 2 {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			return 0, false
		}
		c[i] = float64(n) / 255
	}
	if len(hex) == 8 && c[3] < 0.5 {
		return 0, false
	}
	return 0.299*c[0] + 0.587*c[1] + 0.114*c[2], true
}
