package widget

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

var (
	hexColour  = regexp.MustCompile(`^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$`)
	funcColour = regexp.MustCompile(`^(rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(([-+0-9a-z%.,/ ]{1,100})\)$`)
)

// ReadColour parses a colour in any self-contained form of CSS: a name, hexadecimal digits or a
// colour function. light is its perceived lightness from 0 to 1, and solid reports whether it is
// mostly opaque.
func ReadColour(text string) (css string, light float64, solid, ok bool) {
	css = strings.ToLower(strings.TrimSpace(text))
	if named, is := colornames.Map[css]; is {
		return css, luma(float64(named.R)/255, float64(named.G)/255, float64(named.B)/255), true, true
	}
	if css == "transparent" {
		return css, 1, false, true
	}
	if hexColour.MatchString(css) {
		light, solid = hexLight(css[1:])
		return css, light, solid, true
	}
	parts := funcColour.FindStringSubmatch(css)
	if parts == nil {
		return "", 0, false, false
	}
	light, solid, ok = funcLight(strings.TrimSuffix(parts[1], "a"), parts[2])
	if !ok {
		return "", 0, false, false
	}
	return css, light, solid, true
}

func luma(r, g, b float64) float64 { return 0.299*r + 0.587*g + 0.114*b }

func hexLight(hex string) (light float64, solid bool) {
	if len(hex) < 6 {
		wide := make([]byte, 0, 8)
		for i := range len(hex) {
			wide = append(wide, hex[i], hex[i])
		}
		hex = string(wide)
	}
	c := [4]float64{3: 1}
	for i := range len(hex) / 2 {
		n, _ := strconv.ParseUint(hex[2*i:2*i+2], 16, 8) // always valid: the pattern allows only digits
		c[i] = float64(n) / 255
	}
	return luma(c[0], c[1], c[2]), c[3] >= 0.5
}

// funcLight parses the arguments of a colour function: three components, and the opacity after a
// slash or as the fourth.
func funcLight(name, arguments string) (light float64, solid, ok bool) {
	colour, alpha, slash := strings.Cut(arguments, "/")
	commas := strings.Contains(colour, ",")
	fields := strings.FieldsFunc(colour, func(r rune) bool { return r == ' ' || r == ',' })
	if commas && strings.Count(colour, ",") != len(fields)-1 || commas && slash {
		return 0, false, false
	}
	if len(fields) == 4 && commas {
		fields, alpha, slash = fields[:3], fields[3], true
	}
	opacity := 1.0
	if slash {
		if opacity, ok = part(strings.TrimSpace(alpha), 1); !ok {
			return 0, false, false
		}
	}
	if len(fields) != 3 {
		return 0, false, false
	}
	scale := map[string][3]float64{
		"rgb": {255, 255, 255}, "hsl": {0, 100, 100}, "hwb": {0, 100, 100}, "lab": {100, 125, 125}, "lch": {100, 150, 0}, "oklab": {1, 0.4, 0.4}, "oklch": {1, 0.4, 0},
	}[name]
	var v [3]float64
	for i, field := range fields {
		if scale[i] == 0 {
			v[i], ok = angle(field)
		} else {
			v[i], ok = part(field, scale[i])
		}
		if !ok {
			return 0, false, false
		}
	}
	switch name {
	case "rgb":
		light = luma(v[0], v[1], v[2])
	case "hsl":
		light = hslLight(v[0], min(v[1], 1), min(v[2], 1))
	case "hwb":
		white, black := v[1], v[2]
		if sum := white + black; sum > 1 {
			white, black = white/sum, black/sum
		}
		light = hslLight(v[0], 1, 0.5)*(1-white-black) + white
	default:
		light = v[0]
	}
	return min(max(light, 0), 1), opacity >= 0.5, true
}

// part parses a number, a percentage or none as a fraction of whole.
func part(text string, whole float64) (float64, bool) {
	if text == "none" {
		return 0, true
	}
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	if percent {
		return n / 100, true
	}
	return n / whole, true
}

// angle parses a hue as a fraction of the circle.
func angle(text string) (float64, bool) {
	whole := 360.0
	for unit, circle := range map[string]float64{"deg": 360, "grad": 400, "turn": 1} {
		if digits, ok := strings.CutSuffix(text, unit); ok {
			text, whole = digits, circle
		}
	}
	if digits, ok := strings.CutSuffix(text, "rad"); ok {
		text, whole = digits, 2*math.Pi
	}
	if strings.HasSuffix(text, "%") {
		return 0, false
	}
	n, ok := part(text, whole)
	return n - math.Floor(n), ok
}

func hslLight(hue, saturation, lightness float64) float64 {
	channel := func(n float64) float64 {
		k := math.Mod(n+hue*12, 12)
		return lightness - saturation*min(lightness, 1-lightness)*max(-1, min(k-3, 9-k, 1))
	}
	return luma(channel(0), channel(8), channel(4))
}
