package feed

import "strings"

// escaper tracks the syntax of the output as a parser of its format would, and
// writes each value so that it cannot end its context: constant text changes the
// state, values cannot. Each format has its own.
type escaper interface {
	constant(dst []byte, c *constant) []byte // appends text of the template
	text(dst []byte, s string) []byte        // appends a text value
	number(dst, digits []byte) []byte        // appends a number or boolean
	list(dst []byte, l list) []byte          // appends a list of texts
	none(dst []byte) []byte                  // appends a missing value
	end(dst []byte) []byte                   // ends the document
	broken() flaw                            // why the output is not well-formed; zero when it is
}

// flaw is what makes the output malformed, and the line of the template that wrote
// it.
type flaw struct {
	message string
	line    int
}

// firstFlaw keeps the first flaw that is reported.
type firstFlaw struct {
	line  *int // of the statement that runs
	first flaw
}

func (f *firstFlaw) broken() flaw { return f.first }

// report records a flaw unless there is one already. before is the constant text of
// the running statement that precedes the flaw.
func (f *firstFlaw) report(before []byte, message string) {
	if f.first.message != "" {
		return
	}
	f.first = flaw{message, *f.line}
	for _, c := range before {
		if c == '\n' {
			f.first.line++
		}
	}
}

func (t *Template) escaper(f *firstFlaw) escaper {
	switch t.format {
	case XML:
		return newXML(f, t.texts)
	case JSON:
		return &jsonEscaper{firstFlaw: f}
	case JSONLines:
		return &jsonEscaper{firstFlaw: f, lines: true}
	case CSV:
		return &csvEscaper{firstFlaw: f, comma: t.comma}
	case HTML:
		return &htmlEscaper{firstFlaw: f}
	}
	return plainEscaper{firstFlaw: f}
}

// absent is what text/template prints for a missing value.
const absent = "<no value>"

func joinList(l list) string { return "[" + strings.Join(l, " ") + "]" }

// plainEscaper writes plain text without escaping.
type plainEscaper struct{ *firstFlaw }

func (plainEscaper) constant(dst []byte, c *constant) []byte { return append(dst, c.text...) }
func (plainEscaper) text(dst []byte, s string) []byte        { return append(dst, s...) }
func (plainEscaper) number(dst, digits []byte) []byte        { return append(dst, digits...) }
func (plainEscaper) list(dst []byte, l list) []byte          { return append(dst, joinList(l)...) }
func (plainEscaper) none(dst []byte) []byte                  { return append(dst, absent...) }
func (plainEscaper) end(dst []byte) []byte                   { return dst }
