package richtext

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// role is how an element is drawn.
type role uint8

const (
	inline  role = iota + 1
	block        // ends the paragraph before it
	part         // is allowed in its list or table only
	skipped      // only its content is drawn
)

// tags are the allowed elements.
var tags = map[string]role{
	"p": block, "div": block, "hr": block, "blockquote": block, "pre": block,
	"h1": block, "h2": block, "h3": block, "h4": block, "h5": block, "h6": block,
	"ul": block, "ol": block, "li": part,
	"table": block, "thead": part, "tbody": part, "tfoot": part, "tr": part, "th": part, "td": part,
	"br": inline, "img": inline, "a": inline, "span": skipped,
	"strong": inline, "em": inline, "b": inline, "i": inline, "u": inline, "s": inline, "sub": inline, "sup": inline, "code": inline,
}

// attributes are the allowed attributes by element.
var attributes = map[string][]string{
	"a": {"href"}, "img": {"src", "alt", "width", "height"}, "th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"},
}

// completeTag matches a tag of an allowed element whose attributes are all of the form
// name=value.
var completeTag = regexp.MustCompile(`(?i)</?(?:` + strings.Join(slices.Sorted(maps.Keys(tags)), "|") + `)` +
	`(?:[ \t\r\n\f]+/?[a-z_:-][a-z0-9_:-]*[ \t\r\n\f]*=[ \t\r\n\f]*(?:"[^"]*"|'[^']*'|[^ \t\r\n\f>"'][^ \t\r\n\f>]*))*[ \t\r\n\f]*/?>`)

// Is reports whether a text is HTML: whether it contains a complete tag of an allowed
// element.
func Is(text string) bool { return completeTag.MatchString(text) }
