package feed

import "strings"

// escaper follows the output as a reader of its format would, and writes each
// value so that it stays one: constant text moves the state, values cannot.
// There is one for each format.
type escaper interface {
	constant(dst []byte, c *constant) []byte // text of the template
	text(dst []byte, s string) []byte        // a value
	number(dst, digits []byte) []byte        // a number or truth value
	list(dst []byte, l list) []byte
	none(dst []byte) []byte // no value
	end(dst []byte) []byte  // of the document
	broken() found          // why the output is no document
}

// found is a flaw of the output and the line of the template that wrote it.
type found struct {
	why   string
	where int
}

// flaw keeps the first thing that is wrong.
type flaw struct {
	line  *int // of the statement that runs
	first found
}

func (f *flaw) broken() found { return f.first }

func (f *flaw) report(before []byte, why string) {
	if f.first.why != "" {
		return
	}
	f.first = found{why, *f.line}
	for _, c := range before {
		if c == '\n' {
			f.first.where++
		}
	}
}

func (t *Template) escaper(f *flaw) escaper {
	switch t.format {
	case XML:
		return newXML(f, t.texts)
	case JSON:
		return &jsonEscaper{flaw: f}
	case CSV:
		return &csvEscaper{flaw: f, comma: t.comma}
	case HTML:
		return &htmlEscaper{flaw: f}
	}
	return plainEscaper{flaw: f}
}

// absent is what Go's templates print for no value.
const absent = "<no value>"

func spelled(l list) string { return "[" + strings.Join(l, " ") + "]" }

// plainEscaper is that of plain text: everything is written as it is.
type plainEscaper struct{ *flaw }

func (plainEscaper) constant(dst []byte, c *constant) []byte { return append(dst, c.text...) }
func (plainEscaper) text(dst []byte, s string) []byte        { return append(dst, s...) }
func (plainEscaper) number(dst, digits []byte) []byte        { return append(dst, digits...) }
func (plainEscaper) list(dst []byte, l list) []byte          { return append(dst, spelled(l)...) }
func (plainEscaper) none(dst []byte) []byte                  { return append(dst, absent...) }
func (plainEscaper) end(dst []byte) []byte                   { return dst }
