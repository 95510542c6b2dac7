package feed

import (
	"slices"
	"strconv"
	"strings"
)

// xmlState is where in a document the next byte stands.
type xmlState uint8

// The first states are those between which a constant text may be remembered:
// nothing but the state and the open elements carries over.
const (
	xmlText xmlState = iota
	xmlTag           // in a start tag, between attributes
	xmlDouble
	xmlSingle
	xmlValue // after =
	xmlComment
	xmlCDATA

	xmlEntity // after &
	xmlOpen   // after <
	xmlName   // of a start tag
	xmlAttribute
	xmlEqual   // after an attribute's name
	xmlSlash   // after / in a start tag
	xmlClose   // name of an end tag
	xmlClosed  // after it
	xmlBang    // after <!
	xmlDoctype // in <!DOCTYPE
	xmlCommentDash
	xmlCommentEnd
	xmlBracket
	xmlBrackets
	xmlPI
	xmlPIEnd

	xmlAnchors = xmlEntity // how many may be remembered
)

var xmlPlaces = map[xmlState]string{
	xmlTag: "a tag", xmlDouble: "an attribute", xmlSingle: "an attribute", xmlValue: "a tag",
	xmlComment: "a comment", xmlCDATA: "a CDATA section", xmlEntity: "a reference", xmlOpen: "a tag",
	xmlName: "a tag", xmlAttribute: "a tag", xmlEqual: "a tag", xmlSlash: "a tag", xmlClose: "an end tag",
	xmlClosed: "an end tag", xmlBang: "a declaration", xmlDoctype: "a declaration", xmlCommentDash: "a comment",
	xmlCommentEnd: "a comment", xmlBracket: "a CDATA section", xmlBrackets: "a CDATA section",
	xmlPI: "a processing instruction", xmlPIEnd: "a processing instruction",
}

// xmlMachine is an XML parser that keeps nothing but where it is.
type xmlMachine struct {
	state xmlState
	back  xmlState // to which a reference returns
	name  []byte   // of the tag, reference or declaration that is being read
	depth int      // brackets of a DOCTYPE
	stack []string // open elements
	roots int
	attrs []string // of the open tag
	noted *[]xmlOp
}

// step takes a byte and says what is wrong with it.
func (m *xmlMachine) step(b byte) (why string) {
	switch m.state {
	case xmlText:
		return m.data(b)
	case xmlDouble, xmlSingle:
		return m.quoted(b)
	case xmlEntity:
		return m.reference(b)
	case xmlOpen, xmlName, xmlClose, xmlClosed:
		return m.tagName(b)
	case xmlTag, xmlAttribute, xmlEqual, xmlValue, xmlSlash:
		return m.tag(b)
	case xmlBang, xmlDoctype:
		return m.declaration(b)
	}
	return m.section(b)
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

func nameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b == '.' || b == ':'
}

func (m *xmlMachine) to(s xmlState) string {
	m.state = s
	return ""
}

func (m *xmlMachine) data(b byte) string {
	switch {
	case b == '<':
		m.name = m.name[:0]
		return m.to(xmlOpen)
	case b == '&':
		m.back, m.name = xmlText, m.name[:0]
		return m.to(xmlEntity)
	case space(b):
		return ""
	case b < ' ':
		return "a control character that XML does not allow"
	}
	return m.do(xmlOp{kind: opData})
}

// do applies what a text does and notes it.
func (m *xmlMachine) do(op xmlOp) string {
	if m.noted != nil {
		if last := len(*m.noted) - 1; op.kind != opData || last < 0 || (*m.noted)[last].kind != opData {
			*m.noted = append(*m.noted, op)
		}
	}
	return m.apply(op)
}

func (m *xmlMachine) apply(op xmlOp) string {
	top := len(m.stack) - 1
	switch op.kind {
	case opOpen:
		if top < 0 {
			if m.roots++; m.roots > 1 {
				return "a second root element, " + op.name
			}
		}
		m.stack, m.attrs = append(m.stack, op.name), m.attrs[:0]
		return ""
	case opAttribute:
		if slices.Contains(m.attrs, op.name) {
			return "the attribute " + op.name + " stands twice in one tag"
		}
		m.attrs = append(m.attrs, op.name)
		return ""
	case opData:
		if top < 0 {
			return "text outside of the root element"
		}
		return ""
	}
	if top < 0 {
		return "</" + op.name + "> closes nothing"
	}
	open := m.stack[top]
	m.stack = m.stack[:top]
	if op.kind == opClose && open != op.name {
		return "</" + op.name + "> where </" + open + "> is due"
	}
	return ""
}

func (m *xmlMachine) quoted(b byte) string {
	switch {
	case b == '"' && m.state == xmlDouble, b == '\'' && m.state == xmlSingle:
		return m.to(xmlTag)
	case b == '&':
		m.back, m.name = m.state, m.name[:0]
		return m.to(xmlEntity)
	case b == '<':
		return "an attribute holds a <"
	case b < ' ' && !space(b):
		return "a control character that XML does not allow"
	}
	return ""
}

// maxReference is the longest reference, &#x10FFFF; with zeros in front.
const maxReference = 16

func (m *xmlMachine) reference(b byte) string {
	if b == ';' {
		m.state = m.back
		if !knownReference(string(m.name)) {
			return "&" + string(m.name) + "; is no reference that XML knows"
		}
		if m.back == xmlText {
			return m.do(xmlOp{kind: opData})
		}
		return ""
	}
	if m.name = append(m.name, b); len(m.name) > maxReference || !nameByte(b) && b != '#' {
		m.state = m.back
		return "a & that begins no reference: write &amp;"
	}
	return ""
}

func knownReference(name string) bool {
	switch name {
	case "amp", "lt", "gt", "quot", "apos":
		return true
	}
	digits, base := name, 10
	if !strings.HasPrefix(name, "#") {
		return false
	}
	if digits = name[1:]; strings.HasPrefix(digits, "x") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return err == nil && xmlChar(rune(n)) && n <= 0x10ffff
}

// xmlChar is the production Char of XML 1.0.
func xmlChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || ' ' <= r && r <= 0xd7ff || 0xe000 <= r && r <= 0xfffd || r >= 0x10000
}

func (m *xmlMachine) tagName(b byte) string {
	switch {
	case m.state == xmlOpen && b == '/':
		return m.to(xmlClose)
	case m.state == xmlOpen && b == '!':
		return m.to(xmlBang)
	case m.state == xmlOpen && b == '?':
		return m.to(xmlPI)
	case m.state != xmlClosed && (nameByte(b) || b >= 0x80):
		m.name = append(m.name, b)
		if m.state == xmlOpen {
			m.state = xmlName
		}
		return ""
	case len(m.name) == 0:
		m.state = xmlText
		return "a < that begins no tag: write &lt;"
	case m.state == xmlName:
		m.state = xmlTag
		why := m.do(xmlOp{opOpen, string(m.name)})
		if more := m.tag(b); why == "" {
			why = more
		}
		return why
	case b == '>':
		m.state = xmlText
		return m.do(xmlOp{opClose, string(m.name)})
	case space(b):
		return m.to(xmlClosed)
	}
	return "an end tag holds more than a name"
}

// tag is the inside of a start tag, after its name.
func (m *xmlMachine) tag(b byte) string {
	switch {
	case m.state == xmlSlash:
		m.state = xmlText
		why := m.do(xmlOp{kind: opShut})
		if b != '>' {
			return "a / inside a tag"
		}
		return why
	case m.state == xmlValue && (b == '"' || b == '\''):
		if b == '"' {
			return m.to(xmlDouble)
		}
		return m.to(xmlSingle)
	case space(b) && m.state == xmlAttribute:
		m.state = xmlEqual
		return m.do(xmlOp{opAttribute, string(m.name)})
	case space(b):
		return ""
	case m.state == xmlValue:
		m.state = xmlTag
		return "an attribute without quotes"
	case b == '=' && m.state == xmlAttribute:
		m.state = xmlValue
		return m.do(xmlOp{opAttribute, string(m.name)})
	case b == '=' && m.state == xmlEqual:
		return m.to(xmlValue)
	case m.state == xmlTag && b == '>':
		return m.to(xmlText)
	case m.state == xmlTag && b == '/':
		return m.to(xmlSlash)
	case (m.state == xmlTag || m.state == xmlAttribute) && (nameByte(b) || b >= 0x80):
		if m.state == xmlTag {
			m.name = m.name[:0]
		}
		m.name = append(m.name, b)
		return m.to(xmlAttribute)
	}
	if b == '>' {
		m.state = xmlText
	} else {
		m.state = xmlTag
	}
	return "a tag is not well-formed"
}

func (m *xmlMachine) declaration(b byte) string {
	if m.state == xmlDoctype {
		switch b {
		case '[':
			m.depth++
		case ']':
			m.depth--
		case '>':
			if m.depth <= 0 {
				m.state = xmlText
			}
		}
		return ""
	}
	m.name = append(m.name, b)
	switch read := string(m.name); {
	case read == "--":
		return m.to(xmlComment)
	case read == "[CDATA[":
		m.state = xmlCDATA
		return m.do(xmlOp{kind: opData})
	case read == "DOCTYPE":
		m.depth = 0
		return m.to(xmlDoctype)
	case !strings.HasPrefix("--", read) && !strings.HasPrefix("[CDATA[", read) && !strings.HasPrefix("DOCTYPE", read):
		m.state = xmlText
		return "<!" + read + " begins nothing that XML knows"
	}
	return ""
}

// section is the inside of comments, CDATA and processing instructions.
func (m *xmlMachine) section(b byte) string {
	switch m.state {
	case xmlComment:
		if b == '-' {
			m.state = xmlCommentDash
		}
	case xmlCommentDash:
		if m.state = xmlComment; b == '-' {
			m.state = xmlCommentEnd
		}
	case xmlCommentEnd:
		if b == '>' {
			return m.to(xmlText)
		}
		m.state = xmlComment
		return "a comment holds --"
	case xmlCDATA:
		if b == ']' {
			m.state = xmlBracket
		}
	case xmlBracket:
		if m.state = xmlCDATA; b == ']' {
			m.state = xmlBrackets
		}
	case xmlBrackets:
		if b == '>' {
			m.state = xmlText
		} else if b != ']' {
			m.state = xmlCDATA
		}
	case xmlPI:
		if b == '?' {
			m.state = xmlPIEnd
		}
	case xmlPIEnd:
		if b == '>' {
			m.state = xmlText
		} else if b != '?' {
			m.state = xmlPI
		}
	}
	return ""
}
