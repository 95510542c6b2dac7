package render

import (
	"html/template"
	"strconv"
	"strings"

	"vitrine/compile/widget"
)

// Wrap is the box around a widget (document 3, 2.2): the wrapper axes, and
// those of narrower devices, which fall back to the wider ones.
type Wrap struct {
	Axes           widget.Values
	Tablet, Mobile widget.Values // nil: as the wider device
	NoFill         bool          // container.fill does nothing on productListing
	Bleeds         bool          // the widget fills a full box to its edges; words keep off them
}

// open is the start tag of the box. Numbers are custom properties that
// storefront.css reads; those of tablets and phones carry -t and -m.
func (b *Wrap) open() string {
	var style strings.Builder
	var class strings.Builder
	class.WriteString("v-box")
	b.device(&class, &style, "", b.Axes)
	if !b.NoFill && dark(colorOf(b.Axes.Of("container")["fill"])) {
		class.WriteString(" v-box--dark")
	}
	b.device(&class, &style, "-t", b.Tablet)
	b.device(&class, &style, "-m", b.Mobile)
	names, _ := b.Axes["wrapperClass"].([]string)
	for _, name := range names {
		class.WriteString(" " + name)
	}
	return `<div class="` + template.HTMLEscapeString(class.String()) + `" style="` + template.HTMLEscapeString(style.String()) + "\">\n"
}

func (b *Wrap) device(class, style *strings.Builder, suffix string, axes widget.Values) {
	if axes == nil {
		return
	}
	set := func(name, value string) {
		if value != "" {
			style.WriteString("--b-" + name + suffix + ":" + value + ";")
		}
	}
	full := axes.Text("blockWidth") == "full"
	if full {
		set("width", "none")
		if !b.Bleeds {
			set("inner", "0 clamp(1rem, 2.5vw, 1.5rem)")
		}
		set("padding", "12px 0")
	}
	set("padding", sidesOf(axes.Of("paddingSides"), 12, map[bool]float64{false: 24, true: 0}[full]))
	set("inner", sidesOf(axes.Of("containerPadding"), 0, 0))
	set("radius", radiusOf(axes["blockRadius"]))
	container := axes.Of("container")
	if !b.NoFill {
		set("fill", colorOf(container["fill"]))
	}
	set("top", borderOf(container["borderTop"]))
	set("bottom", borderOf(container["borderBottom"]))
	set("line", colorOf(container["borderColor"]))
	if n, ok := pixels(axes["innerMax"]); ok {
		set("max", n)
	} else if axes.Text("innerMax") == "content" {
		set("max", "1264px")
	}
	if axes.Text("overflow") == "clip" {
		set("overflow", "clip")
	}
	if n, ok := number(axes["layer"]); ok {
		set("layer", strconv.Itoa(int(n)))
		class.WriteString(" v-box--layer" + suffix)
	}
}

// sidesOf prints the padding of four sides; one that is not given has the
// default of its direction. Without any it is empty.
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
		if n == "16px" {
			return ""
		}
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

// colorOf reads a colour as a text or as an object with a hex value.
func colorOf(v any) string {
	if text, ok := v.(string); ok {
		return hexOf(text)
	}
	fields, _ := v.(widget.Values)
	return hexOf(fields.Text("hex"))
}

// borderOf reads a border as a flag, one pixel, or as its width.
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

// maxPixels bounds a distance: a larger one is a mistake.
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
