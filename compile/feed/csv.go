package feed

import (
	"bytes"
	"strconv"
	"strings"
)

// csvEscaper writes cells by RFC 4180. It buffers a cell until its separator, because
// only then it is known whether the cell needs quotes. Where the text of the template
// opens the quotes, values are written inside. A text value that a spreadsheet would
// run as a formula gets a leading ', numbers never do.
type csvEscaper struct {
	*firstFlaw
	comma      byte
	state      csvState
	cell       []byte
	hasValue   bool // the cell holds a value
	quoteStart bool // nothing follows the opening quote yet
}

type csvState uint8

const (
	csvUnquoted   csvState = iota // in a cell without quotes, or before one
	csvQuoted                     // in quotes that the template opened
	csvAfterQuote                 // after a quote inside these: the closing one, or the first of two
	csvAutoQuoted                 // in quotes that the escaper opened, because the cell is too long to buffer
)

// maxCell is how many bytes of a cell are buffered.
const maxCell = 64 << 10

// separator returns the most frequent of comma, semicolon and tab in the first line
// that has any, and a comma when there is none.
func separator(texts []byte) byte {
	for line := range bytes.Lines(texts) {
		most, out := 0, byte(',')
		for _, c := range []byte(",;\t") {
			if n := bytes.Count(line, []byte{c}); n > most {
				most, out = n, c
			}
		}
		if most > 0 {
			return out
		}
	}
	return ','
}

func (e *csvEscaper) constant(dst []byte, c *constant) []byte {
	for i, b := range c.text {
		switch e.state {
		case csvQuoted:
			e.quoteStart = false
			if dst = append(dst, b); b == '"' {
				e.state = csvAfterQuote
			}
		case csvAfterQuote:
			e.state = csvUnquoted
			if b == '"' {
				e.state = csvQuoted
			} else if b != e.comma && b != '\n' && b != '\r' {
				e.report(c.text[:i], "text after the closing quote of a cell")
			}
			dst = append(dst, b)
		default:
			dst = e.unquoted(dst, b)
		}
	}
	return dst
}

// unquoted handles a byte of constant text in a cell without quotes of the template.
func (e *csvEscaper) unquoted(dst []byte, b byte) []byte {
	switch {
	case b == e.comma || b == '\n' || b == '\r':
		return append(e.closeCell(dst), b)
	case b == '"' && e.state == csvUnquoted && len(e.cell) == 0:
		e.state, e.quoteStart = csvQuoted, true
		return append(dst, b)
	}
	return e.bufferCell(dst, string([]byte{b}))
}

// closeCell writes the buffered cell.
func (e *csvEscaper) closeCell(dst []byte) []byte {
	switch {
	case e.state == csvAutoQuoted:
		dst = append(dst, '"')
	case e.hasValue && needsQuotes(e.cell):
		dst = append(dst, '"')
		dst = append(appendDoubled(dst, string(e.cell)), '"')
	default:
		dst = append(dst, e.cell...)
	}
	e.state, e.cell, e.hasValue = csvUnquoted, e.cell[:0], false
	return dst
}

func needsQuotes(cell []byte) bool {
	return len(cell) > 0 && (bytes.ContainsAny(cell, ",;\t\"\r\n") || cell[0] == ' ' || cell[len(cell)-1] == ' ')
}

func appendDoubled(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i+1]...), '"')
		s = s[i+1:]
	}
}

func (e *csvEscaper) bufferCell(dst []byte, s string) []byte {
	if e.state == csvAutoQuoted {
		return appendDoubled(dst, s)
	}
	if len(e.cell)+len(s) <= maxCell {
		e.cell = append(e.cell, s...)
		return dst
	}
	dst = append(dst, '"')
	dst = appendDoubled(appendDoubled(dst, string(e.cell)), s)
	e.state, e.cell = csvAutoQuoted, e.cell[:0]
	return dst
}

func (e *csvEscaper) text(dst []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	first := e.state == csvUnquoted && len(e.cell) == 0 || e.state == csvQuoted && e.quoteStart
	if first && isFormula(s) {
		s = "'" + s
	}
	return e.value(dst, s)
}

func (e *csvEscaper) value(dst []byte, s string) []byte {
	if s == "" {
		e.hasValue = true
		return dst
	}
	switch e.state {
	case csvAfterQuote:
		e.report(nil, "a value after the closing quote of a cell")
		return dst
	case csvQuoted:
		e.quoteStart = false
		return appendDoubled(dst, s)
	}
	e.hasValue = true
	return e.bufferCell(dst, s)
}

// isFormula reports whether spreadsheets would run a text (OWASP, CSV injection). A
// number with a sign is not a formula.
func isFormula(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '=', '@', '\t', '\r', '\n':
		return true
	case '+', '-':
		_, err := strconv.ParseFloat(strings.Replace(s[1:], ",", ".", 1), 64)
		return err != nil || s[1] == '+' || s[1] == '-' || strings.ContainsAny(s, "xXiInN_")
	}
	return false
}

func (e *csvEscaper) number(dst, digits []byte) []byte { return e.value(dst, string(digits)) }
func (e *csvEscaper) list(dst []byte, l list) []byte   { return e.text(dst, joinList(l)) }
func (e *csvEscaper) none(dst []byte) []byte           { return e.text(dst, absent) }

func (e *csvEscaper) end(dst []byte) []byte {
	if e.state == csvQuoted {
		e.report(nil, "a quoted cell is not closed")
	}
	return e.closeCell(dst)
}
