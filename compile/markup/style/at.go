package style

import "strings"

// Kind is how the block of an at-rule is treated.
type Kind uint8

// The kinds.
const (
	Copied      Kind = iota // unknown: copied byte for byte
	Importing               // a statement whose first string is an address
	Conditional             // may contain whatever its surroundings may contain
	Scoping                 // its prelude is selectors
	Declaring               // declarations, possibly in blocks: addresses only
)

// Kinds maps at-rules, by name without vendor prefix, to their kind.
var Kinds = map[string]Kind{
	"import": Importing,
	"media":  Conditional, "supports": Conditional, "layer": Conditional, "container": Conditional,
	"starting-style": Conditional, "document": Conditional, "when": Conditional, "else": Conditional,
	"scope":     Scoping,
	"font-face": Declaring, "page": Declaring, "property": Declaring, "counter-style": Declaring,
	"keyframes": Declaring, "font-feature-values": Declaring, "font-palette-values": Declaring,
	"view-transition": Declaring, "position-try": Declaring, "color-profile": Declaring, "viewport": Declaring,
}

// AtName returns the name of an at-rule without vendor prefix.
func AtName(text string) string {
	name := strings.ToLower(Unescape(text[1:]))
	for _, vendor := range [...]string{"-webkit-", "-moz-", "-ms-", "-o-"} {
		if rest, ok := strings.CutPrefix(name, vendor); ok {
			return rest
		}
	}
	return name
}

// Conditions returns the text after the address of an import: layer, supports and media.
func (s *Sheet) Conditions(i, end int) string {
	if i >= end {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(s.Src[s.Toks[i].From:s.Toks[end-1].To], ";"))
}

// SplitConditions splits "layer(x) supports(display:grid) screen". A layer without a name has an
// empty name.
func SplitConditions(text string) (layer *string, supports, media string) {
	text = strings.Trim(text, spaces)
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "layer("):
		name, rest, _ := strings.Cut(text[len("layer("):], ")")
		layer, text = &name, strings.TrimLeft(rest, spaces)
	case lower == "layer" || strings.HasPrefix(lower, "layer "):
		layer, text = new(string), strings.TrimLeft(text[len("layer"):], spaces)
	}
	const call = "supports("
	if len(text) >= len(call) && strings.EqualFold(text[:len(call)], call) {
		depth, end := 1, len(call)
		for ; end < len(text) && depth > 0; end++ {
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		supports = strings.TrimSuffix(text[len(call):end], ")")
		text = strings.TrimLeft(text[end:], spaces)
	}
	return layer, supports, text
}
