package customer

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/cells"
)

// maxLines is how many customers one CSV has.
const maxLines = 10_000

// sheet is a CSV of customers: what a shop exports, and what another program made. Its
// first line names the columns, in any order and case; commas, semicolons or tabs part
// the cells, with or without the mark of UTF-8 at the beginning, whatever ends the lines.
// Columns that the import does not read are left alone: what customers ordered is counted,
// not told.
type sheet struct {
	columns []string // of read columns; empty: another one
	lines   []sheetLine
}

// readColumns are those that an import reads.
var readColumns = []string{"email", "name", "phone", "note", "groups"}

// sheetLine is a line as it was written; reason says why nothing can be made of it.
type sheetLine struct {
	number int // from 1, as a text editor counts
	cells  map[string]string
	reason reason
}

// reason says why a line of an import was skipped or refused.
type reason string

const (
	malformed   reason = "LINE_MALFORMED" // its quotes do not match (an open one takes what follows it), or it is longer than a line may be
	noEmail     reason = "NO_EMAIL"       // only what has an address can be found again
	badEmail    reason = "EMAIL_INVALID"
	tooLong     reason = "TEXT_TOO_LONG"
	noGroup     reason = "GROUP_UNKNOWN"
	twice       reason = "DUPLICATE_IN_FILE"
	full        reason = "LIMIT_REACHED"
	unchanged   reason = "UNCHANGED"
	unprintable reason = "TEXT_INVALID" // control characters
)

// readSheet reads a CSV; it is errImport or errTooLarge for one that is none.
func readSheet(text string) (s sheet, err error) {
	r := cells.New(text)
	names, _, ok, err := r.Next()
	if err != nil || !ok {
		return s, errImport.At("text")
	}
	if s.columns = columnsOf(names); !slices.Contains(s.columns, "email") {
		return s, errImport.At("text")
	}
	for {
		record, line, ok, err := r.Next()
		switch {
		case !ok:
			return s, nil
		case len(s.lines) == maxLines:
			return s, errTooLarge
		case errors.Is(err, cells.ErrTooLong):
			s.lines = append(s.lines, sheetLine{number: line, reason: tooLong})
		case err != nil:
			s.lines = append(s.lines, sheetLine{number: line, reason: malformed})
		default:
			s.lines = append(s.lines, s.line(line, record))
		}
	}
}

// columnsOf are the names of columns that the import reads, each once.
func columnsOf(names []string) (columns []string) {
	for _, name := range names {
		name = strings.ToLower(strings.Trim(name, " \t\r\""))
		if !slices.Contains(readColumns, name) || slices.Contains(columns, name) {
			name = ""
		}
		columns = append(columns, name)
	}
	return columns
}

// lengths are how many characters a cell of a column has.
var lengths = map[string]int{"email": maxEmail, "name": maxName, "phone": maxName, "note": maxNote, "groups": 100 * maxName}

func (s sheet) line(number int, record []string) sheetLine {
	line := sheetLine{number: number, cells: map[string]string{}}
	for i, column := range s.columns {
		if column == "" || i >= len(record) {
			continue
		}
		cell := strings.TrimSpace(api.UnguardCell(strings.TrimSpace(record[i])))
		switch {
		case utf8.RuneCountInString(cell) > lengths[column]:
			line.reason = tooLong
		case !utf8.ValidString(cell) || strings.ContainsFunc(cell, func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }):
			line.reason = unprintable
		default:
			line.cells[column] = strings.Clone(cell)
		}
	}
	if line.reason != "" {
		return line
	}
	switch at := line.cells["email"]; {
	case at == "":
		line.reason = noEmail
	case address(at) == "":
		line.reason = badEmail
	}
	return line
}
