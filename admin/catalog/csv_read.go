package catalog

import (
	"strings"

	"vitrine/internal/shop"
)

// errImportCell answers for what stands in a line and cannot be read.
var errImportCell = shop.Refuse(shop.InvalidArgument, "IMPORT_CELL_INVALID").When("a cell cannot be read as what its column holds")

// csvReader reads the records of a CSV (RFC 4180) as they are: lines end with
// CRLF, LF or CR, a quoted cell keeps every character of it, line ends too. A
// quote within a cell that does not begin with one stands for itself. (Package
// encoding/csv makes LF of CRLF within cells, does not end a line at CR, and holds
// a record before its cells can be counted.)
type csvReader struct {
	text      string
	separator byte
	line      int      // of the next record, from 1
	cells     []string // of the record that was read last
}

// maxCells is how many cells a record may have: a shop has fewer columns.
const maxCells = 10_000

func newCSVReader(text string) *csvReader {
	text = strings.TrimPrefix(text, "\ufeff")
	return &csvReader{text: text, separator: separatorOf(text), line: 1}
}

// separatorOf is what the header is parted by: a semicolon or a tab where it has
// no comma outside of quotes, else a comma.
func separatorOf(text string) byte {
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

// next is the next record that is no empty line, and the line it begins on. Its
// cells are good until the call after. ok is false at the end. After an error where the next record begins is not known.
func (r *csvReader) next() (cells []string, line int, ok bool, err error) {
	for r.text != "" && r.endLine() {
	}
	if r.text == "" {
		return nil, r.line, false, nil
	}
	line, r.cells = r.line, r.cells[:0]
	for {
		cell, err := r.cell()
		if len(r.cells) == maxCells {
			err = errImportCell.With("a line has more than 10000 cells")
		}
		if err != nil {
			r.text = ""
			return nil, line, true, err
		}
		r.cells = append(r.cells, cell)
		if r.text == "" || r.endLine() {
			return r.cells, line, true, nil
		}
		r.text = r.text[1:] // the separator
	}
}

// endLine reads one end of a line, if there is one.
func (r *csvReader) endLine() bool {
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

func (r *csvReader) cell() (string, error) {
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

func (r *csvReader) quoted() (string, error) {
	var cell strings.Builder
	for rest := r.text[1:]; ; {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			return "", errImportCell.With(`a cell begins with " and does not end with one`)
		}
		cell.WriteString(rest[:end])
		rest = rest[end+1:]
		if strings.HasPrefix(rest, `"`) {
			cell.WriteByte('"')
			rest = rest[1:]
			continue
		}
		r.text = rest
		r.line += lineEnds(cell.String())
		if rest != "" && rest[0] != r.separator && rest[0] != '\n' && rest[0] != '\r' {
			return "", errImportCell.With(`after the " that ends a cell the cell goes on; a " within a cell is written ""`)
		}
		return cell.String(), nil
	}
}

// lineEnds counts CRLF, LF and CR.
func lineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
