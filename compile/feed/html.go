package feed

import "bytes"

// htmlEscaper tracks the output as a browser's tokenizer would. In text and attributes
// values are escaped; addresses are limited to safe schemes; in scripts they are
// encoded as strings, and in styles they lose every character with a meaning. Site
// files run no scripts anyway (Content-Security-Policy: sandbox), but people save
// pages and open them elsewhere.
type htmlEscaper struct {
	*firstFlaw
	state       htmlState
	quote       byte   // of the attribute
	use         usage  // of the attribute's value
	name        []byte // of the tag, lower case
	raw         string // the open element whose content is not parsed as markup: script, style, title, …
	word        []byte // the name of the attribute, or the beginning of an end tag of raw
	stringQuote byte   // of the string in a script, 0 outside of strings
	backslash   bool   // after \ in that string
	valueStart  bool   // the value of the attribute is still empty
	schemeDone  bool   // the address written so far decides its scheme
	dashes      int    // at the end of the comment read so far
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
	htmlBare  // in an unquoted value
	htmlBang  // after <!
	htmlDeclaration
	htmlComment
)

// usage tells how browsers interpret the value of an attribute.
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
	for _, b := range c.text {
		e.step(b)
	}
	return append(dst, c.text...)
}

func (e *htmlEscaper) step(b byte) {
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
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// inTag handles a byte between < and > outside of attribute values.
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
		e.state, e.valueStart, e.schemeDone, e.stringQuote, e.backslash = htmlBare, true, false, 0, false
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
		e.state, e.raw, e.word, e.stringQuote, e.backslash = htmlRaw, name, e.word[:0], 0, false
	}
}

// inValue handles a byte of an attribute's value.
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
	e.valueStart = false
	e.schemeDone = e.schemeDone || bytes.IndexByte([]byte("/?#:"), b) >= 0
	e.script(b)
}

// inRaw handles a byte inside of raw.
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

// script tracks the string literals of a script approximately. Where it is wrong,
// values are harmless all the same.
func (e *htmlEscaper) script(b byte) {
	switch {
	case e.backslash:
		e.backslash = false
	case e.stringQuote != 0 && b == '\\':
		e.backslash = true
	case e.stringQuote == b || b == '\n' && e.stringQuote != '`':
		e.stringQuote = 0
	case e.stringQuote == 0 && (b == '"' || b == '\'' || b == '`'):
		e.stringQuote = b
	}
}

func (e *htmlEscaper) inDeclaration(b byte) {
	switch {
	case e.state == htmlBang:
		e.state, e.dashes = htmlDeclaration, 0
		if b == '-' {
			e.dashes = 1
		} else if b == '>' {
			e.state = htmlText
		}
	case e.state == htmlDeclaration && b == '-' && e.dashes == 1:
		e.state, e.dashes = htmlComment, 0
	case b == '>' && (e.state == htmlDeclaration || e.dashes >= 2):
		e.state = htmlText
	case b == '-':
		e.dashes++
	default:
		e.dashes = 0
	}
}

func (e *htmlEscaper) end(dst []byte) []byte {
	switch {
	case e.state == htmlRaw:
		e.report(nil, "the element "+e.raw+" is not closed")
	case e.state == htmlComment || e.state == htmlDeclaration:
		e.report(nil, "a comment or declaration is not closed")
	case e.state != htmlText:
		e.report(nil, "a tag is not closed")
	}
	return dst
}
