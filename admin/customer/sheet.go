package customer

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
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
	malformed   reason = "LINE_MALFORMED" // its quotes do not match; an open one takes what follows it
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
	text = strings.TrimPrefix(text, "\ufeff")
	if end := strings.IndexAny(text, "\r\n"); end >= 0 && text[end] == '\r' && !strings.HasPrefix(text[end:], "\r\n") {
		text = strings.ReplaceAll(text, "\r", "\n") // the reader takes no such end for one
	}
	head, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for _, comma := range ",;\t" {
		if r.Comma = comma; slices.Contains(columnsOf(strings.FieldsFunc(head, func(c rune) bool { return c == comma })), "email") {
			break
		}
	}
	names, err := r.Read()
	if err != nil {
		return s, errImport.At("text")
	}
	if s.columns = columnsOf(names); !slices.Contains(s.columns, "email") {
		return s, errImport.At("text")
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if len(s.lines) == maxLines {
			return s, errTooLarge
		}
		var broken *csv.ParseError
		switch {
		case errors.As(err, &broken):
			s.lines = append(s.lines, sheetLine{number: broken.StartLine, reason: malformed})
		case err != nil:
			return s, err
		default:
			line, _ := r.FieldPos(0)
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
