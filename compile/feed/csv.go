package feed

import (
	"bytes"
	"strconv"
	"strings"
)

// csvEscaper writes cells as RFC 4180 has them. A cell is gathered until its
// separator, because only then is it known whether it wants quotes; where the
// template's own text opened them, values are written inside. A text value that
// a spreadsheet would take for a formula gets a ' in front, numbers never.
type csvEscaper struct {
	*flaw
	comma  byte
	state  csvState
	cell   []byte
	valued bool // a value is in the cell
	fresh  bool // nothing stands after the opening quote yet
}

type csvState uint8

const (
	csvBare  csvState = iota // in a cell without quotes, or before one
	csvOpen                  // in quotes of the template
	csvQuote                 // after a quote inside these: the end, or the first of two
	csvOurs                  // in quotes of ours, of a cell too long to be gathered
)

// maxCell is how much of a cell is gathered.
const maxCell = 64 << 10

// separator is the one of , ; and tab that the first line of a template has
// most of; a comma when it has none.
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
		case csvOpen:
			e.fresh = false
			if dst = append(dst, b); b == '"' {
				e.state = csvQuote
			}
		case csvQuote:
			e.state = csvBare
			if b == '"' {
				e.state = csvOpen
			} else if b != e.comma && b != '\n' && b != '\r' {
				e.report(c.text[:i], "text after the closing quote of a cell")
			}
			dst = append(dst, b)
		default:
			dst = e.outside(dst, b)
		}
	}
	return dst
}

// outside takes a byte of constant text in a cell without quotes of its own.
func (e *csvEscaper) outside(dst []byte, b byte) []byte {
	switch {
	case b == e.comma || b == '\n' || b == '\r':
		return append(e.closeCell(dst), b)
	case b == '"' && e.state == csvBare && len(e.cell) == 0:
		e.state, e.fresh = csvOpen, true
		return append(dst, b)
	}
	return e.gather(dst, string([]byte{b}))
}

// closeCell writes the gathered cell.
func (e *csvEscaper) closeCell(dst []byte) []byte {
	switch {
	case e.state == csvOurs:
		dst = append(dst, '"')
	case e.valued && wantsQuotes(e.cell):
		dst = append(dst, '"')
		dst = append(doubled(dst, string(e.cell)), '"')
	default:
		dst = append(dst, e.cell...)
	}
	e.state, e.cell, e.valued = csvBare, e.cell[:0], false
	return dst
}

func wantsQuotes(cell []byte) bool {
	return len(cell) > 0 && (bytes.ContainsAny(cell, ",;\t\"\r\n") || cell[0] == ' ' || cell[len(cell)-1] == ' ')
}

func doubled(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i+1]...), '"')
		s = s[i+1:]
	}
}

func (e *csvEscaper) gather(dst []byte, s string) []byte {
	if e.state == csvOurs {
		return doubled(dst, s)
	}
	if len(e.cell)+len(s) <= maxCell {
		e.cell = append(e.cell, s...)
		return dst
	}
	dst = append(dst, '"')
	dst = doubled(doubled(dst, string(e.cell)), s)
	e.state, e.cell = csvOurs, e.cell[:0]
	return dst
}

func (e *csvEscaper) text(dst []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	first := e.state == csvBare && len(e.cell) == 0 || e.state == csvOpen && e.fresh
	if first && formula(s) {
		s = "'" + s
	}
	return e.value(dst, s)
}

func (e *csvEscaper) value(dst []byte, s string) []byte {
	if s == "" {
		e.valued = true
		return dst
	}
	switch e.state {
	case csvQuote:
		e.report(nil, "a value after the closing quote of a cell")
		return dst
	case csvOpen:
		e.fresh = false
		return doubled(dst, s)
	}
	e.valued = true
	return e.gather(dst, s)
}

// formula tells a text that spreadsheets run (OWASP, CSV injection). A number
// with its sign is none.
func formula(s string) bool {
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
func (e *csvEscaper) list(dst []byte, l list) []byte   { return e.text(dst, spelled(l)) }
func (e *csvEscaper) none(dst []byte) []byte           { return e.text(dst, absent) }

func (e *csvEscaper) end(dst []byte) []byte {
	if e.state == csvOpen {
		e.report(nil, "a quoted cell does not end")
	}
	return e.closeCell(dst)
}
