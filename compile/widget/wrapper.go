package widget

import (
	"regexp"
	"strings"
)

// Layers are the names below props that hold the axes of narrower devices. A missing layer falls
// back to the wider one.
var Layers = []string{"tablet", "mobile"}

// MaxClasses is the maximum number of names in a wrapperClass.
const MaxClasses = 3

// sides is a distance in pixels for each side.
func sides(name string) Prop {
	p := group(name, nothing("top", Number), nothing("right", Number), nothing("bottom", Number), nothing("left", Number))
	p.Default = nil
	return p
}

// axes lists the wrapper axes (document 3, 2.2), which place the box around a widget on the page.
// They are written at the root of props for every kind.
var axes = []Prop{
	choice("blockWidth", "content", "content", "full"),
	note(sides("paddingSides"), "px; the default is 12 above and below, 24 at the sides, 0 at the sides of a full block"),
	note(sides("containerPadding"), "px"),
	{Name: "blockRadius", Type: Number, Default: 16, Note: "px, or px for each corner",
		Or: &Prop{Type: Object, Fields: []Prop{nothing("tl", Number), nothing("tr", Number), nothing("br", Number), nothing("bl", Number)}}},
	container,
	{Name: "innerMax", Type: Number, Note: "px, or content", Or: &Prop{Type: Text, Choices: []any{"content"}}},
	note(choice("overflow", "visible", "visible", "clip"), "clip breaks position: sticky inside"),
	note(nothing("layer", Number), "z-order; it makes the block positioned and can clip a neighbour's dropdown"),
	{Name: "wrapperClass", Type: Classes, Note: "at most 3 names of letters, digits, _ and -, that begin with a letter or _ and not with the platform's svc or v-"},
}

var container = Prop{Name: "container", Type: Object, Note: "fill does nothing on productListing", Fields: []Prop{
	{Name: "fill", Type: Object, Open: true, Fields: []Prop{hex()}, Or: &Prop{Type: Text, Format: Colour}},
	{Name: "borderTop", Type: Bool, Default: false, Or: &Prop{Type: Number}},
	{Name: "borderBottom", Type: Bool, Default: false, Or: &Prop{Type: Number}},
	{Name: "borderColor", Type: Object, Open: true, Fields: []Prop{hex()}, Or: &Prop{Type: Text, Format: Colour}},
}}

var className = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]*$`)

// classFault returns why a class name is not given to the wrapper, or "". n is the number of
// names accepted before it.
func classFault(name string, n int) string {
	lower := strings.ToLower(name)
	switch {
	case n >= MaxClasses:
		return "a wrapper has at most 3 class names"
	case !className.MatchString(name):
		return "a class name is letters, digits, _ and -, and begins with a letter or _"
	case strings.HasPrefix(lower, "svc"), strings.HasPrefix(lower, "v-"):
		return "names that begin with svc or v- belong to the platform"
	}
	return ""
}

// WrapperClasses returns the class names of a wrapperClass that reach the page.
func WrapperClasses(list []string) (kept []string) {
	for _, name := range list {
		if classFault(name, len(kept)) == "" {
			kept = append(kept, name)
		}
	}
	return kept
}
