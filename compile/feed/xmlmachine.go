package feed

import (
	"slices"
	"strconv"
	"strings"
)

// xmlState is the context of the next byte of a document.
type xmlState uint8

// The effect of a constant text that begins and ends in one of the first states may
// be cached: nothing but the state and the open elements carries over.
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

	xmlCacheable = xmlEntity // number of the first states
)

var xmlPlaces = map[xmlState]string{
	xmlTag: "a tag", xmlDouble: "an attribute", xmlSingle: "an attribute", xmlValue: "a tag",
	xmlComment: "a comment", xmlCDATA: "a CDATA section", xmlEntity: "a reference", xmlOpen: "a tag",
	xmlName: "a tag", xmlAttribute: "a tag", xmlEqual: "a tag", xmlSlash: "a tag", xmlClose: "an end tag",
	xmlClosed: "an end tag", xmlBang: "a declaration", xmlDoctype: "a declaration", xmlCommentDash: "a comment",
	xmlCommentEnd: "a comment", xmlBracket: "a CDATA section", xmlBrackets: "a CDATA section",
	xmlPI: "a processing instruction", xmlPIEnd: "a processing instruction",
}

// xmlMachine is an XML parser that keeps only its position in the grammar.
type xmlMachine struct {
	state    xmlState
	resume   xmlState // state after a reference
	name     []byte   // of the tag, reference or declaration that is being read
	depth    int      // brackets of a DOCTYPE
	stack    []string // open elements
	roots    int
	attrs    []string // of the open tag
	recorded *[]xmlOp
}

// step handles a byte. fault says what is wrong with it.
func (m *xmlMachine) step(b byte) (fault string) {
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

func (m *xmlMachine) enter(s xmlState) string {
	m.state = s
	return ""
}

func (m *xmlMachine) data(b byte) string {
	switch {
	case b == '<':
		m.name = m.name[:0]
		return m.enter(xmlOpen)
	case b == '&':
		m.resume, m.name = xmlText, m.name[:0]
		return m.enter(xmlEntity)
	case space(b):
		return ""
	case b < ' ':
		return "a control character that XML does not allow"
	}
	return m.perform(xmlOp{kind: opData})
}

// perform records an operation and applies it.
func (m *xmlMachine) perform(op xmlOp) string {
	if m.recorded != nil {
		if last := len(*m.recorded) - 1; op.kind != opData || last < 0 || (*m.recorded)[last].kind != opData {
			*m.recorded = append(*m.recorded, op)
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
			return "the attribute " + op.name + " is given twice in one tag"
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
		return "</" + op.name + "> where </" + open + "> is expected"
	}
	return ""
}

func (m *xmlMachine) quoted(b byte) string {
	switch {
	case b == '"' && m.state == xmlDouble, b == '\'' && m.state == xmlSingle:
		return m.enter(xmlTag)
	case b == '&':
		m.resume, m.name = m.state, m.name[:0]
		return m.enter(xmlEntity)
	case b == '<':
		return "an attribute contains a <"
	case b < ' ' && !space(b):
		return "a control character that XML does not allow"
	}
	return ""
}

// maxReference is the length of the longest reference, &#x10FFFF; with leading zeros.
const maxReference = 16

func (m *xmlMachine) reference(b byte) string {
	if b == ';' {
		m.state = m.resume
		if !knownReference(string(m.name)) {
			return "&" + string(m.name) + "; is not a reference of XML"
		}
		if m.resume == xmlText {
			return m.perform(xmlOp{kind: opData})
		}
		return ""
	}
	if m.name = append(m.name, b); len(m.name) > maxReference || !nameByte(b) && b != '#' {
		m.state = m.resume
		return "a & that does not begin a reference: write &amp;"
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
		return m.enter(xmlClose)
	case m.state == xmlOpen && b == '!':
		return m.enter(xmlBang)
	case m.state == xmlOpen && b == '?':
		return m.enter(xmlPI)
	case m.state != xmlClosed && (nameByte(b) || b >= 0x80):
		m.name = append(m.name, b)
		if m.state == xmlOpen {
			m.state = xmlName
		}
		return ""
	case len(m.name) == 0:
		m.state = xmlText
		return "a < that does not begin a tag: write &lt;"
	case m.state == xmlName:
		m.state = xmlTag
		fault := m.perform(xmlOp{opOpen, string(m.name)})
		if more := m.tag(b); fault == "" {
			fault = more
		}
		return fault
	case b == '>':
		m.state = xmlText
		return m.perform(xmlOp{opClose, string(m.name)})
	case space(b):
		return m.enter(xmlClosed)
	}
	return "an end tag contains more than a name"
}

// tag handles a byte of a start tag after its name.
func (m *xmlMachine) tag(b byte) string {
	switch {
	case m.state == xmlSlash:
		m.state = xmlText
		fault := m.perform(xmlOp{kind: opSelfClose})
		if b != '>' {
			return "a / inside a tag"
		}
		return fault
	case m.state == xmlValue && (b == '"' || b == '\''):
		if b == '"' {
			return m.enter(xmlDouble)
		}
		return m.enter(xmlSingle)
	case space(b) && m.state == xmlAttribute:
		m.state = xmlEqual
		return m.perform(xmlOp{opAttribute, string(m.name)})
	case space(b):
		return ""
	case m.state == xmlValue:
		m.state = xmlTag
		return "an attribute without quotes"
	case b == '=' && m.state == xmlAttribute:
		m.state = xmlValue
		return m.perform(xmlOp{opAttribute, string(m.name)})
	case b == '=' && m.state == xmlEqual:
		return m.enter(xmlValue)
	case m.state == xmlTag && b == '>':
		return m.enter(xmlText)
	case m.state == xmlTag && b == '/':
		return m.enter(xmlSlash)
	case (m.state == xmlTag || m.state == xmlAttribute) && (nameByte(b) || b >= 0x80):
		if m.state == xmlTag {
			m.name = m.name[:0]
		}
		m.name = append(m.name, b)
		return m.enter(xmlAttribute)
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
		return m.enter(xmlComment)
	case read == "[CDATA[":
		m.state = xmlCDATA
		return m.perform(xmlOp{kind: opData})
	case read == "DOCTYPE":
		m.depth = 0
		return m.enter(xmlDoctype)
	case !strings.HasPrefix("--", read) && !strings.HasPrefix("[CDATA[", read) && !strings.HasPrefix("DOCTYPE", read):
		m.state = xmlText
		return "<!" + read + " does not begin a declaration of XML"
	}
	return ""
}

// section handles a byte of a comment, CDATA section or processing instruction.
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
			return m.enter(xmlText)
		}
		m.state = xmlComment
		return "a comment contains --"
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
