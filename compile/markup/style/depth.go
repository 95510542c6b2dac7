package style

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// Depths collects the z-index values of styles, to find out whether any element lies below the
// background.
type Depths struct {
	Below    bool            // a value is negative
	negative map[string]bool // custom properties with a negative number
	asked    map[string]bool // custom properties used by a z-index
}

// NewDepths returns empty Depths.
func NewDepths() Depths { return Depths{negative: map[string]bool{}, asked: map[string]bool{}} }

// Any reports whether a z-index is negative, as far as the values can be read.
func (f *Depths) Any() bool {
	for name := range f.asked {
		f.Below = f.Below || f.negative[name]
	}
	return f.Below
}

// Read checks every declaration among tokens, regardless of its position.
func (f *Depths) Read(toks []Token, src string) {
	for i := range toks {
		tt, name := toks[i].Type, src[toks[i].From:toks[i].To]
		if tt != css.CustomPropertyNameToken &&
			(tt != css.IdentToken || len(name) < len("z-index") || !strings.EqualFold(Unescape(name), "z-index")) {
			continue
		}
		value, ok := valueOf(toks[i+1:], src)
		switch {
		case !ok:
		case tt == css.CustomPropertyNameToken:
			f.Define(name, value)
		case Negative(value):
			f.Below = true
		default:
			f.AddReference(value)
		}
	}
}

// Define records the value of a custom property.
func (f *Depths) Define(name, value string) { f.negative[name] = f.negative[name] || Negative(value) }

// AddReference records the custom properties used in a value.
func (f *Depths) AddReference(value string) {
	for name := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("(), \t\r\n\f", r) }) {
		if strings.HasPrefix(name, "--") {
			f.asked[name] = true
		}
	}
}

// valueOf returns the value of a declaration, given the tokens after its name.
func valueOf(toks []Token, src string) (value string, ok bool) {
	colon := slices.IndexFunc(toks, func(t Token) bool { return t.Type != css.WhitespaceToken && t.Type != css.CommentToken })
	if colon < 0 || toks[colon].Type != css.ColonToken {
		return "", false
	}
	var b strings.Builder
	for _, t := range toks[colon+1:] {
		switch t.Type {
		case css.SemicolonToken, css.RightBraceToken, css.LeftBraceToken:
			return b.String(), true
		case css.CommentToken:
		default:
			if b.WriteString(src[t.From:t.To]); b.Len() >= maxDepthValue {
				return b.String(), true // many declarations without an end would each be read to the end of the sheet
			}
		}
	}
	return b.String(), true
}

// maxDepthValue limits how much of a value is checked, in bytes.
const maxDepthValue = 200

// Negative reports whether a value is, or contains, a number below 0: -1, calc(-1 * 2),
// calc(var(--x) * -1).
func Negative(value string) bool {
	value = strings.Trim(value, spaces)
	if strings.HasPrefix(value, "-") {
		return len(value) > 1 && value[1] >= '0' && value[1] <= '9' && strings.Trim(value, "-0 ") != ""
	}
	if !strings.HasPrefix(strings.ToLower(value), "calc(") {
		return false
	}
	for i := 1; i+1 < len(value); i++ {
		if value[i] == '-' && (value[i-1] == '(' || strings.IndexByte(spaces, value[i-1]) >= 0) && value[i+1] >= '0' && value[i+1] <= '9' {
			return true
		}
	}
	return false
}
