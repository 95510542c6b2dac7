package feed

import "bytes"

// xmlEscaper follows the output as an XML parser would, elements and all. It
// remembers what each constant text does from each state where a value may
// stand, so that the texts of a product's fragment are walked once and not
// 50,000 times.
type xmlEscaper struct {
	*flaw
	xmlMachine
	memory  [][xmlAnchors]*xmlEffect
	started bool // something is written
}

// xmlEffect is what a constant text does to the document.
type xmlEffect struct {
	ops []xmlOp
	to  xmlState
}

// xmlOp is one thing that a text does: it opens an element or closes one, names
// an attribute, shows characters.
type xmlOp struct {
	kind opKind
	name string
}

type opKind uint8

const (
	opOpen opKind = iota
	opClose
	opShut // the element was opened and closed by one tag
	opData
	opAttribute
)

func newXML(f *flaw, texts int) *xmlEscaper {
	return &xmlEscaper{flaw: f, memory: make([][xmlAnchors]*xmlEffect, texts)}
}

// bom is the byte order mark, with which a document may start.
var bom = []byte("\ufeff")

func (e *xmlEscaper) constant(dst []byte, c *constant) []byte {
	dst = append(dst, c.text...)
	if c.declare >= 0 && (e.started || c.declare > 0 && string(c.text[:c.declare]) != string(bom)) {
		e.report(c.text[:c.declare], "the XML declaration is not at the very start of the document: not even a line may stand before it")
	}
	from := e.state
	if from >= xmlAnchors || !e.started {
		e.walk(c, nil)
		e.started = true
		return dst
	}
	if known := e.memory[c.id][from]; known != nil {
		for _, op := range known.ops {
			if why := e.apply(op); why != "" {
				e.report(nil, why)
			}
		}
		e.state = known.to
		return dst
	}
	effect := &xmlEffect{}
	before := e.first
	e.walk(c, &effect.ops)
	if effect.to = e.state; effect.to < xmlAnchors && e.first == before {
		e.memory[c.id][from] = effect
	}
	return dst
}

// walk feeds constant text byte by byte; what it does is noted in ops.
func (e *xmlEscaper) walk(c *constant, ops *[]xmlOp) {
	e.noted = ops
	for i, b := range c.text {
		if !e.started && i < len(bom) && bytes.HasPrefix(c.text, bom) {
			continue
		}
		if why := e.step(b); why != "" {
			e.report(c.text[:i], why)
		}
	}
	e.noted = nil
}

func (e *xmlEscaper) text(dst []byte, s string) []byte {
	e.started = e.started || s != ""
	switch e.state {
	case xmlText:
		if len(e.stack) == 0 && s != "" {
			e.report(nil, "a value outside of the root element")
		}
		return appendXML(dst, s, false)
	case xmlDouble, xmlSingle:
		return appendXML(dst, s, true)
	case xmlValue: // <a b={{.}}>: XML wants quotes
		e.state = xmlTag
		return append(appendXML(append(dst, '"'), s, true), '"')
	case xmlComment, xmlCommentDash, xmlCommentEnd:
		e.state = xmlComment
		return appendComment(dst, s)
	case xmlCDATA, xmlBracket, xmlBrackets:
		e.state = xmlCDATA
		return appendCDATA(dst, s)
	}
	return e.markup(dst, s)
}

// markup writes a value amid a tag, where only names are harmless.
func (e *xmlEscaper) markup(dst []byte, s string) []byte {
	if e.state == xmlEntity {
		e.state = e.back
		e.report(nil, "a value amid a reference such as &amp;")
		return appendXML(dst, s, true)
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			continue
		}
		if why := e.step(s[i]); why != "" {
			e.report(nil, why)
		}
		dst = append(dst, s[i])
	}
	return dst
}

func (e *xmlEscaper) number(dst, digits []byte) []byte {
	switch e.state {
	case xmlDouble, xmlSingle, xmlCDATA:
		return append(dst, digits...)
	case xmlText:
		if len(e.stack) > 0 {
			return append(dst, digits...)
		}
	}
	return e.text(dst, string(digits))
}

func (e *xmlEscaper) list(dst []byte, l list) []byte { return e.text(dst, spelled(l)) }
func (e *xmlEscaper) none(dst []byte) []byte         { return e.text(dst, absent) }

func (e *xmlEscaper) end(dst []byte) []byte {
	switch {
	case e.state != xmlText:
		e.report(nil, "the XML document ends amid "+xmlPlaces[e.state])
	case len(e.stack) > 0:
		e.report(nil, "the element "+e.stack[len(e.stack)-1]+" does not end")
	case e.roots == 0:
		e.report(nil, "the XML document has no root element")
	}
	return dst
}
