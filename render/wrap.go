package render

import (
	"cmp"
	"html/template"
	"maps"
	"strconv"
	"strings"

	"vitrine/compile/widget"
)

// Wrap is the box around a widget (document 3, 2.2): the wrapper props (axes), and those of
// narrower devices, which fall back to the wider ones.
type Wrap struct {
	Axes           widget.Values
	Tablet, Mobile widget.Values // nil: like the wider device
	NoFill         bool          // container.fill has no effect on productListing
	Bleeds         bool          // the widget extends to the edges of a full box; text keeps a distance
}

// open is the start tag of the box. Numbers are custom properties that storefront.css reads;
// those of tablets and phones have the suffixes -t and -m and are printed only if they differ
// from the wider device's.
func (b *Wrap) open() string {
	var style strings.Builder
	class := "v-box"
	wider, axes := b.look(nil), widget.Values(nil)
	for _, layer := range []struct {
		suffix string
		own    widget.Values
	}{{"", b.Axes}, {"-t", b.Tablet}, {"-m", b.Mobile}} {
		axes = over(axes, layer.own)
		look := b.look(axes)
		for i, name := range properties {
			if look[i] != wider[i] {
				style.WriteString("--b-" + name + layer.suffix + ":" + look[i] + ";")
			}
		}
		if look[zOrder] != wider[zOrder] {
			class += " v-box--layer" + layer.suffix
		}
		if layer.suffix == "" && !b.NoFill && dark(colourOf(axes.Of("container")["fill"])) {
			class += " v-box--dark"
		} else if layer.suffix == "" && !b.NoFill && colourOf(axes.Of("container")["fill"]) != "" {
			class += " v-box--light"
		}
		wider = look
	}
	if sidesOf(b.Axes.Of("containerPadding"), 0, 0) != "" {
		class += " v-box--inner"
	}
	names, _ := b.Axes["wrapperClass"].([]string)
	for _, name := range names {
		class += " " + name
	}
	return `<div class="` + template.HTMLEscapeString(class) + `" style="` + template.HTMLEscapeString(style.String()) + "\">\n"
}

// over merges the axes of a device over those of the wider one, down to each side and corner.
func over(wider, own widget.Values) widget.Values {
	if len(wider) == 0 {
		return own
	}
	out := maps.Clone(wider)
	for name, v := range own {
		if parts, ok := v.(widget.Values); ok {
			before, _ := out[name].(widget.Values)
			if n, ok := number(out[name]); ok { // one radius for all corners
				before = widget.Values{"tl": n, "tr": n, "br": n, "bl": n}
			}
			v = over(before, parts)
		}
		out[name] = v
	}
	return out
}

// properties are the custom properties of the box; zOrder is the one that also needs a class.
// Unset properties have the fallback values of storefront.css.
var properties = [...]string{"width", "inner", "padding", "radius", "fill", "top", "bottom", "line", "max", "overflow", "layer"}

const zOrder = len(properties) - 1

// look computes the value of each property from complete axes.
func (b *Wrap) look(axes widget.Values) [len(properties)]string {
	width, inner, padding, across := "1264px", "0", "12px 24px", 24.0
	if axes.Text("blockWidth") == "full" {
		width, padding, across = "none", "12px 0", 0
		if !b.Bleeds {
			inner = "0 clamp(1rem, 2.5vw, 1.5rem)"
		}
	}
	container, fill := axes.Of("container"), ""
	if !b.NoFill {
		fill = colourOf(container["fill"])
	}
	most := ""
	if n, ok := pixels(axes["innerMax"]); ok {
		most = n
	}
	if axes.Text("innerMax") == "content" {
		most = "1264px"
	}
	z := ""
	if n, ok := number(axes["layer"]); ok {
		z = strconv.Itoa(int(n))
	}
	return [...]string{
		width, cmp.Or(sidesOf(axes.Of("containerPadding"), 0, 0), inner), cmp.Or(sidesOf(axes.Of("paddingSides"), 12, across), padding),
		cmp.Or(radiusOf(axes["blockRadius"]), "16px"), cmp.Or(fill, "none"), cmp.Or(borderOf(container["borderTop"]), "0"),
		cmp.Or(borderOf(container["borderBottom"]), "0"), cmp.Or(colourOf(container["borderColor"]), "#e7dfd5"), cmp.Or(most, "none"),
		cmp.Or(axes.Text("overflow"), "visible"), z,
	}
}

// sidesOf formats the padding of four sides; missing sides have the default of their
// direction. It is empty if no side is given.
func sidesOf(sides widget.Values, upright, across float64) string {
	given := false
	var out []string
	for i, name := range [...]string{"top", "right", "bottom", "left"} {
		n, ok := number(sides[name])
		given = given || ok
		if !ok {
			n = [...]float64{upright, across}[i%2]
		}
		out = append(out, px(n))
	}
	if !given {
		return ""
	}
	return strings.Join(out, " ")
}

func radiusOf(v any) string {
	if n, ok := pixels(v); ok {
		return n
	}
	corners, _ := v.(widget.Values)
	var out []string
	given := false
	for _, name := range [...]string{"tl", "tr", "br", "bl"} {
		n, ok := number(corners[name])
		given = given || ok
		out = append(out, px(n))
	}
	if !given {
		return ""
	}
	return strings.Join(out, " ")
}

// borderOf reads a border as a flag (one pixel) or as a width.
func borderOf(v any) string {
	if v == true {
		return "1px"
	}
	n, ok := number(v)
	if !ok {
		return ""
	}
	return px(n)
}

// maxPixels is the largest accepted distance.
const maxPixels = 4000

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), n >= -maxPixels && n <= maxPixels
	case float64:
		return n, n >= -maxPixels && n <= maxPixels
	}
	return 0, false
}

func pixels(v any) (string, bool) {
	n, ok := number(v)
	return px(n), ok
}

func px(n float64) string { return strconv.FormatFloat(max(n, 0), 'f', -1, 64) + "px" }
