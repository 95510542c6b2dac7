// Package cells reads CSV (RFC 4180) in the variants that people and programs write: lines
// end with CRLF, LF or CR; cells are separated by commas, semicolons or tabs, determined
// from the first line or from a line "sep=;" before it; the text may begin with byte order
// marks and zero-width characters. A quoted cell keeps all its characters, including line
// ends; a quote inside an unquoted cell is literal.
//
// Every limit is checked before data is held: a Reader holds the cells of one record, which
// point into the text. A malformed record is one error, and the next call continues after
// it; an unclosed quote consumes the rest of the text.
//
// (Package encoding/csv converts CRLF within cells to LF, does not end a line at CR, and
// holds a record before its cells can be counted.)
package cells

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of a record for all callers: no table has more columns, and a text of a hundred
// thousand characters has fewer bytes.
const (
	MaxCells  = 10_000
	MaxRecord = 1 << 20 // bytes
)

// Errors of a record.
var (
	ErrTooManyCells = fmt.Errorf("a line has more than %d cells", MaxCells)
	ErrTooLong      = fmt.Errorf("a line has more than %d bytes", MaxRecord)
	ErrOpenQuote    = errors.New(`a cell begins with " and does not end with one`)
	ErrStrayText    = errors.New(`there is text after the " that ends a cell; a " within a cell is written ""`)
)

// Reader reads the records of one text.
type Reader struct {
	text      string // what is left of it; of a stream, as far as it is read
	separator byte
	line      int      // number of the next record's line, from 1
	held      int      // bytes of the current record so far
	cells     []string // of the last record
	stream             // what follows text
}

// New returns a Reader of a text.
func New(text string) *Reader {
	r := &Reader{text: trimInvisible(text), line: 1}
	if rest, ok := cutPrefixFold(r.text, "sep="); ok && len(rest) > 1 && strings.ContainsRune("\r\n", rune(rest[1])) {
		r.separator, r.text = rest[0], rest[1:]
		r.endLine()
		return r
	}
	r.separator = Separator(r.text)
	return r
}

// trimInvisible removes leading byte order marks and zero-width characters.
func trimInvisible(text string) string {
	return strings.TrimLeft(text, "\ufeff\u200b\u200c\u200d\u2060")
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// Separator determines the separator from the first line: a semicolon or a tab if the line
// has no comma outside of quotes, else a comma.
func Separator(text string) byte {
	quoted, found := false, byte(',')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',', c == '\n', c == '\r':
			if c == ',' {
				found = c
			}
			return found
		case found == ',' && (c == ';' || c == '\t'):
			found = c
		}
	}
	return found
}

// Next returns the next record, skipping empty lines, and the line it begins on. Its cells
// are valid until the next call. ok is false at the end of the text.
func (r *Reader) Next() (cells []string, line int, ok bool, err error) {
	for r.fill(); r.text != "" && r.endLine(); r.fill() {
	}
	if r.text == "" {
		return nil, r.line, false, r.fault
	}
	line, r.cells, r.held = r.line, r.cells[:0], 0
	for {
		cell, err := r.cell()
		if err == nil && len(r.cells) == MaxCells {
			err = ErrTooManyCells
		}
		if r.held += len(cell) + 1; err == nil && r.held > MaxRecord {
			err = ErrTooLong
		}
		if err != nil {
			r.skipLine()
			return nil, line, true, err
		}
		r.cells = append(r.cells, cell)
		if r.text == "" || r.endLine() {
			return r.cells, line, true, nil
		}
		r.text = r.text[1:] // the separator
	}
}

// Renumber adds to the number of the next line, for callers that put lines before the text.
func (r *Reader) Renumber(by int) { r.line += by }

// skipLine skips the rest of the line.
func (r *Reader) skipLine() {
	if r.skipTo("\r\n") {
		r.fill()
		r.endLine()
	}
}

// endLine consumes one line end, if there is one.
func (r *Reader) endLine() bool {
	rest := strings.TrimPrefix(r.text, "\r\n")
	if len(rest) == len(r.text) && (r.text[0] == '\n' || r.text[0] == '\r') {
		rest = r.text[1:]
	}
	ended := len(rest) < len(r.text)
	if ended {
		r.text = rest
		r.line++
	}
	return ended
}

func (r *Reader) cell() (string, error) {
	if strings.HasPrefix(r.text, `"`) {
		return r.quoted()
	}
	end := strings.IndexAny(r.text, "\r\n"+string(r.separator))
	if end < 0 {
		end = len(r.text)
	}
	cell := r.text[:end]
	r.text = r.text[end:]
	return cell, nil
}

// quoted reads a quoted cell. Without doubled quotes the cell points into the text;
// otherwise it is assembled, within the limit of a record.
func (r *Reader) quoted() (string, error) {
	var cell string
	var parts strings.Builder
	for rest := r.text[1:]; ; {
		end := strings.IndexByte(rest, '"')
		if end < 0 || r.held+parts.Len()+end > MaxRecord {
			r.drop(len(r.text) - len(rest))
			return "", r.skipQuoted()
		}
		if doubled := strings.HasPrefix(rest[end+1:], `"`); doubled {
			parts.WriteString(rest[:end+1])
			rest = rest[end+2:]
			continue
		}
		if cell = rest[:end]; parts.Len() > 0 {
			parts.WriteString(cell)
			cell = parts.String()
		}
		r.text = rest[end+1:]
		r.line += LineEnds(cell)
		if r.text != "" && r.text[0] != r.separator && r.text[0] != '\n' && r.text[0] != '\r' {
			return "", ErrStrayText
		}
		return cell, nil
	}
}

// LineEnds counts CRLF, LF and CR.
func LineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
