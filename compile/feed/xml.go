package feed

import "bytes"

// xmlEscaper tracks the output as an XML parser would, with its open elements. It
// caches the effect of each constant text by the state before it, so that the texts
// inside a range are parsed once and not 50,000 times.
type xmlEscaper struct {
	*firstFlaw
	xmlMachine
	effects [][xmlCacheable]*xmlEffect
	started bool // output has begun
}

// xmlEffect is the effect of a constant text on the document.
type xmlEffect struct {
	ops []xmlOp
	end xmlState
}

// xmlOp is one operation of a text: it opens or closes an element, names an attribute
// or adds character data.
type xmlOp struct {
	kind opKind
	name string
}

type opKind uint8

const (
	opOpen opKind = iota
	opClose
	opSelfClose // closes the element of a self-closing tag
	opData
	opAttribute
)

func newXML(f *firstFlaw, texts int) *xmlEscaper {
	return &xmlEscaper{firstFlaw: f, effects: make([][xmlCacheable]*xmlEffect, texts)}
}

// bom is the byte order mark, which a document may start with.
var bom = []byte("\ufeff")

func (e *xmlEscaper) constant(dst []byte, c *constant) []byte {
	dst = append(dst, c.text...)
	if c.declare >= 0 && (e.started || c.declare > 0 && string(c.text[:c.declare]) != string(bom)) {
		e.report(c.text[:c.declare], "the XML declaration is not at the very start of the document: not even an empty line may precede it")
	}
	from := e.state
	if from >= xmlCacheable || !e.started {
		e.walk(c, nil)
		e.started = true
		return dst
	}
	if known := e.effects[c.id][from]; known != nil {
		for _, op := range known.ops {
			if fault := e.apply(op); fault != "" {
				e.report(nil, fault)
			}
		}
		e.state = known.end
		return dst
	}
	effect := &xmlEffect{}
	before := e.first
	e.walk(c, &effect.ops)
	if effect.end = e.state; effect.end < xmlCacheable && e.first == before {
		e.effects[c.id][from] = effect
	}
	return dst
}

// walk parses constant text byte by byte and records its operations in ops, unless
// that is nil.
func (e *xmlEscaper) walk(c *constant, ops *[]xmlOp) {
	e.recorded = ops
	for i, b := range c.text {
		if !e.started && i < len(bom) && bytes.HasPrefix(c.text, bom) {
			continue
		}
		if fault := e.step(b); fault != "" {
			e.report(c.text[:i], fault)
		}
	}
	e.recorded = nil
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
	case xmlValue: // <a b={{.}}>: XML requires quotes
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

// markup writes a value inside a tag, where only characters of names are harmless.
func (e *xmlEscaper) markup(dst []byte, s string) []byte {
	if e.state == xmlEntity {
		e.state = e.resume
		e.report(nil, "a value inside a reference such as &amp;")
		return appendXML(dst, s, true)
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			continue
		}
		if fault := e.step(s[i]); fault != "" {
			e.report(nil, fault)
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

func (e *xmlEscaper) list(dst []byte, l list) []byte { return e.text(dst, joinList(l)) }
func (e *xmlEscaper) none(dst []byte) []byte         { return e.text(dst, absent) }

func (e *xmlEscaper) end(dst []byte) []byte {
	switch {
	case e.state != xmlText:
		e.report(nil, "the XML document ends inside "+xmlPlaces[e.state])
	case len(e.stack) > 0:
		e.report(nil, "the element "+e.stack[len(e.stack)-1]+" is not closed")
	case e.roots == 0:
		e.report(nil, "the XML document has no root element")
	}
	return dst
}
