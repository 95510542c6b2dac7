package widget

import (
	"regexp"
	"strconv"
	"strings"
)

// Some settings hold utility class names, which editors use for sizes and shapes: text-sm,
// sm:text-base, size-8, rounded-xl, aspect-[9/16], @2xl:grid-cols-3. A setting draws the classes
// it supports and ignores others.

// Utility is a parsed class name: a property of the style sheet and its value.
type Utility struct {
	At       string // minimum width: "", "sm", "lg", or "@" and a section width
	Property string // font-size, font-weight, aspect-ratio, columns, size, border-radius, background
	Value    string
}

// The formats of settings that hold class names, and the properties that each supports.
const (
	TextClass   Format = "text classes"   // font-size at every width, font-weight
	AspectClass Format = "aspect classes" // aspect-ratio
	GridClass   Format = "grid classes"   // columns at every width
	MarkClass   Format = "mark classes"   // size, border-radius, background, font-size, font-weight
)

var supported = map[Format]string{
	TextClass: "font-size font-weight", AspectClass: "aspect-ratio", GridClass: "columns", MarkClass: "size border-radius background font-size font-weight",
}

var (
	textSizes = map[string]string{"xs": "12", "sm": "14", "base": "16", "lg": "18", "xl": "20", "2xl": "24", "3xl": "30", "4xl": "36"}
	weights   = map[string]string{"normal": "400", "medium": "500", "semibold": "600", "bold": "700"}
	corners   = map[string]string{"": "4px", "-none": "0", "-sm": "2px", "-md": "6px", "-lg": "8px", "-xl": "12px", "-2xl": "16px", "-3xl": "24px", "-full": "999px"}
	grays     = map[string]string{
		"50": "#f9fafb", "100": "#f3f4f6", "200": "#e5e7eb", "300": "#d1d5db", "400": "#9ca3af", "500": "#6b7280", "600": "#4b5563", "700": "#374151", "800": "#1f2937", "900": "#111827",
	}
	inBrackets = regexp.MustCompile(`^\[([0-9]{1,4})/([0-9]{1,4})\]$`)
)

// Utilities parses the class names that a setting of the format supports; rest holds the others.
func (f Format) Utilities(text string) (known []Utility, rest []string) {
	for word := range strings.FieldsSeq(text) {
		u, ok := utility(word)
		wide := u.At == "" || u.Property == "columns" || u.Property == "font-size" && f == TextClass && !strings.HasPrefix(u.At, "@")
		if ok && wide && strings.Contains(" "+supported[f]+" ", " "+u.Property+" ") {
			known = append(known, u)
		} else {
			rest = append(rest, word)
		}
	}
	return known, rest
}

func utility(word string) (u Utility, ok bool) {
	if at, class, narrow := strings.Cut(word, ":"); narrow {
		switch u.At, word = at, class; {
		case at == "sm", at == "lg", strings.HasPrefix(at, "@") && len(at) > 1:
		default:
			return u, false
		}
	}
	take := func(property, value string) { u.Property, u.Value, ok = property, value, value != "" }
	switch name, rest, _ := strings.Cut(word, "-"); {
	case name == "text":
		take("font-size", textSizes[rest])
	case name == "font":
		take("font-weight", weights[rest])
	case name == "rounded":
		take("border-radius", corners[strings.TrimPrefix(word, "rounded")])
	case name == "size":
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= 64 {
			take("size", strconv.Itoa(n*4))
		}
	case word == "aspect-video":
		take("aspect-ratio", "16/9")
	case word == "aspect-square":
		take("aspect-ratio", "1/1")
	case name == "aspect":
		if parts := inBrackets.FindStringSubmatch(rest); parts != nil {
			take("aspect-ratio", parts[1]+"/"+parts[2])
		}
	case strings.HasPrefix(word, "grid-cols-"):
		if n, err := strconv.Atoi(strings.TrimPrefix(word, "grid-cols-")); err == nil && n >= 1 && n <= 12 {
			take("columns", strconv.Itoa(n))
		}
	case name == "bg":
		switch gray, isGray := strings.CutPrefix(rest, "gray-"); {
		case isGray:
			take("background", grays[gray])
		case rest == "white" || rest == "black" || rest == "transparent":
			take("background", rest)
		case strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]"):
			if css, _, _, is := ReadColour(rest[1 : len(rest)-1]); is {
				take("background", css)
			}
		}
	}
	return u, ok
}
