package feed

import "bytes"

// htmlEscaper follows the output as a browser's tokenizer would. Values become
// text in text and attributes; addresses keep to harmless schemes; where a
// script or style would read them they lose every character that could do
// something. Site files run no script anyway (Content-Security-Policy: sandbox),
// but a page is often saved and opened elsewhere.
type htmlEscaper struct {
	*flaw
	state htmlState
	quote byte   // of the attribute
	use   usage  // of the attribute's value
	name  []byte // of the tag or attribute, lower case
	raw   string // the element whose text is no markup: script, style, title, …
	word  []byte // what may become the end tag of raw
	str   byte   // the quote of the script's string, 0 outside
	slash bool   // after \ in that string
	first bool   // nothing stands in the attribute yet
	based bool   // the address so far cannot become a scheme any more
	dash  int    // dashes at the end of a comment so far
}

type htmlState uint8

const (
	htmlText htmlState = iota
	htmlRaw            // inside raw
	htmlQuoted
	htmlTag // between attributes
	htmlOpen
	htmlName
	htmlAttribute
	htmlEqual
	htmlValue // after =
	htmlBare  // in a value without quotes
	htmlBang  // after <!
	htmlDeclaration
	htmlComment
)

// usage is what reads the value of an attribute.
type usage uint8

const (
	asText usage = iota
	asAddress
	asScript
	asStyle
	asPage // srcdoc
)

func useOf(attribute []byte) usage {
	switch name := string(attribute); {
	case len(name) > 2 && name[:2] == "on":
		return asScript
	case name == "style":
		return asStyle
	case name == "srcdoc":
		return asPage
	default:
		switch name {
		case "href", "src", "action", "formaction", "poster", "data", "cite", "background", "srcset", "ping", "xlink:href", "manifest":
			return asAddress
		}
	}
	return asText
}

func (e *htmlEscaper) constant(dst []byte, c *constant) []byte {
	for i, b := range c.text {
		if why := e.step(b); why != "" {
			e.report(c.text[:i], why)
		}
	}
	return append(dst, c.text...)
}

func (e *htmlEscaper) step(b byte) string {
	switch e.state {
	case htmlText:
		if b == '<' {
			e.state = htmlOpen
			e.name = e.name[:0]
		}
	case htmlRaw:
		e.inRaw(b)
	case htmlQuoted, htmlBare:
		e.inValue(b)
	case htmlComment, htmlDeclaration, htmlBang:
		e.inDeclaration(b)
	default:
		e.inTag(b)
	}
	return ""
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// inTag is everything from < to > that is no value.
func (e *htmlEscaper) inTag(b byte) {
	switch e.state {
	case htmlOpen:
		switch {
		case b == '!':
			e.state = htmlBang
		case b == '/' && len(e.name) == 0, 'a' <= lower(b) && lower(b) <= 'z':
			e.state = htmlName
			e.name = append(e.name, lower(b))
		default:
			e.state = htmlText
		}
		return
	case htmlValue:
		if space(b) {
			return
		}
		e.state, e.first, e.based, e.str, e.slash = htmlBare, true, false, 0, false
		if b == '"' || b == '\'' {
			e.state, e.quote = htmlQuoted, b
			return
		}
		e.inValue(b)
		return
	}
	switch {
	case b == '>':
		e.closeTag()
	case space(b) || b == '/':
		if e.state == htmlName {
			e.state = htmlTag
		} else if e.state == htmlAttribute {
			e.state = htmlEqual
		}
	case b == '=' && (e.state == htmlAttribute || e.state == htmlEqual):
		e.state = htmlValue
		e.use = useOf(e.word)
	case e.state == htmlName:
		e.name = append(e.name, lower(b))
	default:
		if e.state != htmlAttribute {
			e.state, e.word = htmlAttribute, e.word[:0]
		}
		e.word = append(e.word, lower(b))
	}
}

func (e *htmlEscaper) closeTag() {
	e.state = htmlText
	switch name := string(e.name); name {
	case "script", "style", "title", "textarea", "noscript", "iframe", "xmp", "noembed", "noframes":
		e.state, e.raw, e.word, e.str, e.slash = htmlRaw, name, e.word[:0], 0, false
	}
}

// inValue is an attribute's value.
func (e *htmlEscaper) inValue(b byte) {
	if e.state == htmlQuoted && b == e.quote {
		e.state = htmlTag
		return
	}
	if e.state == htmlBare && (space(b) || b == '>') {
		if e.state = htmlTag; b == '>' {
			e.closeTag()
		}
		return
	}
	e.first = false
	e.based = e.based || bytes.IndexByte([]byte("/?#:"), b) >= 0
	e.script(b)
}

// inRaw is the text of an element that holds no markup.
func (e *htmlEscaper) inRaw(b byte) {
	end := "</" + e.raw
	switch {
	case len(e.word) == len(end) && (space(b) || b == '/' || b == '>'):
		e.name = append(append(e.name[:0], '/'), e.raw...)
		e.raw, e.state = "", htmlTag
		e.word = e.word[:0]
		if b == '>' {
			e.state = htmlText
		}
		return
	case len(e.word) < len(end) && lower(b) == end[len(e.word)]:
		e.word = append(e.word, lower(b))
	case b == '<':
		e.word = append(e.word[:0], b)
	default:
		e.word = e.word[:0]
	}
	e.script(b)
}

// script follows the strings of a script, roughly: where it is mistaken, the
// value is harmless all the same.
func (e *htmlEscaper) script(b byte) {
	switch {
	case e.slash:
		e.slash = false
	case e.str != 0 && b == '\\':
		e.slash = true
	case e.str == b || b == '\n' && e.str != '`':
		e.str = 0
	case e.str == 0 && (b == '"' || b == '\'' || b == '`'):
		e.str = b
	}
}

func (e *htmlEscaper) inDeclaration(b byte) {
	switch {
	case e.state == htmlBang:
		e.state, e.dash = htmlDeclaration, 0
		if b == '-' {
			e.dash = 1
		} else if b == '>' {
			e.state = htmlText
		}
	case e.state == htmlDeclaration && b == '-' && e.dash == 1:
		e.state, e.dash = htmlComment, 0
	case b == '>' && (e.state == htmlDeclaration || e.dash >= 2):
		e.state = htmlText
	case b == '-':
		e.dash++
	default:
		e.dash = 0
	}
}

func (e *htmlEscaper) end(dst []byte) []byte {
	switch {
	case e.state == htmlRaw:
		e.report(nil, "the element "+e.raw+" does not end")
	case e.state == htmlComment || e.state == htmlDeclaration:
		e.report(nil, "a comment or declaration does not end")
	case e.state != htmlText:
		e.report(nil, "a tag does not end")
	}
	return dst
}
