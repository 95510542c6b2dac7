package richtext

import "strings"

// role is what an element is to the text around it.
type role uint8

const (
	inline  role = iota + 1
	block        // ends the paragraph before it
	part         // stands only inside its list or table
	skipped      // draws what it holds and nothing of its own
)

// tags is the elements that a text may hold.
var tags = map[string]role{
	"p": block, "div": block, "hr": block, "blockquote": block, "pre": block,
	"h1": block, "h2": block, "h3": block, "h4": block, "h5": block, "h6": block,
	"ul": block, "ol": block, "li": part,
	"table": block, "thead": part, "tbody": part, "tfoot": part, "tr": part, "th": part, "td": part,
	"br": inline, "img": inline, "a": inline, "span": skipped,
	"strong": inline, "em": inline, "b": inline, "i": inline, "u": inline, "s": inline, "sub": inline, "sup": inline, "code": inline,
}

// attributes are those that are read, of the elements that have any.
var attributes = map[string][]string{
	"a": {"href"}, "img": {"src", "alt", "width", "height"}, "th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"},
}

// Is reports whether a text is HTML: whether a tag of the list stands in it.
func Is(text string) bool {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			return false
		}
		text = text[at+1:]
		if tagAt(text) {
			return true
		}
	}
}

// tagAt reports whether a text goes on, behind its "<", as a tag of the list.
func tagAt(text string) bool {
	text = strings.TrimPrefix(text, "/")
	n := 0
	for n < len(text) && n <= longest && letter(text[n]) {
		n++
	}
	if n == 0 || n > longest || tags[strings.ToLower(text[:n])] == 0 {
		return false
	}
	return attributesEnd(text[n:])
}

// longest is the length of the longest name of the list.
const longest = len("blockquote")

// maxTag is how many bytes of attributes a tag may have to be taken for one.
const maxTag = 8 << 10

// attributesEnd reports whether name=value pairs and nothing else stand between
// a tag's name and its ">".
func attributesEnd(text string) bool {
	text = text[:min(len(text), maxTag)]
	for {
		rest := strings.TrimLeft(text, " \t\r\n\f")
		spaced := len(rest) < len(text)
		rest = strings.TrimPrefix(rest, "/")
		switch {
		case rest == "":
			return false
		case rest[0] == '>':
			return true
		case !spaced:
			return false
		}
		n := 0
		for n < len(rest) && (letter(rest[n]) || rest[n] == '-' || rest[n] == '_' || rest[n] == ':' || n > 0 && digit(rest[n])) {
			n++
		}
		if n == 0 {
			return false
		}
		value, ok := strings.CutPrefix(strings.TrimLeft(rest[n:], " \t\r\n\f"), "=")
		if !ok {
			return false
		}
		if text, ok = cutValue(strings.TrimLeft(value, " \t\r\n\f")); !ok {
			return false
		}
	}
}

// cutValue returns what stands behind the value of an attribute.
func cutValue(text string) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		_, rest, ok = strings.Cut(text[1:], string(quote))
		return rest, ok
	}
	end := strings.IndexAny(text, " \t\r\n\f>")
	if end <= 0 {
		return "", false
	}
	return text[end:], true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || digitOfHeading(c) }

// digitOfHeading lets the names h1 to h6 be read as names.
func digitOfHeading(c byte) bool { return c >= '1' && c <= '6' }

func digit(c byte) bool { return c >= '0' && c <= '9' }
