package customer

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/cells"
)

// maxLines is the maximum number of customers in one CSV.
const maxLines = 10_000

// sheet is a CSV of customers, from an export of a shop or from another program. Its first line
// names the columns, in any order and case. Cells are separated by commas, semicolons or tabs;
// a UTF-8 byte order mark and any kind of line ending are accepted. Columns that the import
// does not read are ignored and listed in its report: orders and spending are counted by the
// database, not imported.
type sheet struct {
	columns []string // names of read columns; empty: ignored column
	ignored []string // names of ignored columns, up to the limit of the report
	lines   []sheetLine
}

// readColumns are the columns that an import reads. First and last name form the name if the
// name is empty.
var readColumns = []string{"email", "name", "first_name", "last_name", "phone", "note", "groups"}

// sameColumns are aliases of these columns.
var sameColumns = map[string]string{
	"e-mail": "email", "mail": "email", "email address": "email", "e-mail address": "email", "first name": "first_name", "firstname": "first_name",
	"given name": "first_name", "last name": "last_name", "lastname": "last_name", "surname": "last_name", "family name": "last_name",
	"phone number": "phone", "telephone": "phone", "notes": "note",
}

// Limits on the ignored columns in a report.
const (
	maxIgnored     = 100 // columns
	maxIgnoredName = 200 // characters
)

// sheetLine is a line of the CSV; reason is set if it cannot be imported.
type sheetLine struct {
	number int // from 1, as a text editor counts
	cells  map[string]string
	reason reason
}

// reason is why a line of an import was skipped or refused.
type reason string

const (
	malformed    reason = "LINE_MALFORMED" // its quotes do not match (an open quote includes the following lines), or it is too long
	noEmail      reason = "NO_EMAIL"       // a customer without an address cannot be found again
	badEmail     reason = "EMAIL_INVALID"
	tooLong      reason = "TEXT_TOO_LONG"
	noGroup      reason = "GROUP_UNKNOWN"
	duplicate    reason = "DUPLICATE_IN_FILE"
	limitReached reason = "LIMIT_REACHED"
	unchanged    reason = "UNCHANGED"
	unprintable  reason = "TEXT_INVALID" // control characters
)

// readSheet reads a CSV. It returns errImport, errTooLarge or header.ErrForeign for a text that
// is not a sheet of customers.
func readSheet(text string) (s sheet, err error) {
	if err := header.Foreign(text); err != nil {
		return s, err
	}
	r := cells.New(text)
	names, _, ok, err := r.Next()
	if err != nil || !ok {
		return s, errImport.At("text")
	}
	if s.columns, s.ignored = columnsOf(names); !slices.Contains(s.columns, "email") {
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

// columnsOf returns the columns that the import reads, each once, and the ignored ones. An
// alias is only used if the column itself is missing.
func columnsOf(names []string) (columns, ignored []string) {
	ignored = []string{}
	columns = make([]string, len(names))
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = strings.TrimPrefix(strings.Trim(name, " \t\r\"\ufeff\u200b\u00a0"), "'")
		if name := strings.ToLower(written[i]); slices.Contains(readColumns, name) && !slices.Contains(columns, name) {
			columns[i] = name
		}
	}
	for i, name := range written {
		if columns[i] != "" || name == "" {
			continue
		}
		if same := sameColumns[strings.ToLower(name)]; same != "" && !slices.Contains(columns, same) {
			columns[i] = same
		} else if len(ignored) < maxIgnored {
			ignored = append(ignored, truncate(name))
		}
	}
	return columns, ignored
}

func truncate(name string) string {
	name = strings.ToValidUTF8(name, "")
	if runes := []rune(name); len(runes) > maxIgnoredName {
		return string(runes[:maxIgnoredName]) + "…"
	}
	return name
}

// unguarded removes the apostrophe that keeps spreadsheets from evaluating a cell as a formula.
// Other programs also put one before phones and addresses, which never begin with an apostrophe
// themselves, unlike names.
func unguarded(column, cell string) string {
	if column == "phone" || column == "email" {
		return strings.TrimPrefix(cell, "'")
	}
	return api.UnguardCell(cell)
}

// lengths are the maximum numbers of characters in a cell, by column.
var lengths = map[string]int{"email": maxEmail, "name": maxName, "first_name": maxName, "last_name": maxName, "phone": maxName, "note": maxNote, "groups": 100 * maxName}

func (s sheet) line(number int, record []string) sheetLine {
	line := sheetLine{number: number, cells: map[string]string{}}
	for i, column := range s.columns {
		if column == "" || i >= len(record) {
			continue
		}
		cell := strings.TrimSpace(unguarded(column, strings.TrimSpace(record[i])))
		switch {
		case utf8.RuneCountInString(cell) > lengths[column]:
			line.reason = tooLong
		case !utf8.ValidString(cell) || strings.ContainsFunc(cell, func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }):
			line.reason = unprintable
		default:
			line.cells[column] = strings.Clone(cell)
		}
	}
	if line.cells["name"] == "" {
		line.cells["name"] = strings.TrimSpace(line.cells["first_name"] + " " + line.cells["last_name"])
	}
	if utf8.RuneCountInString(line.cells["name"]) > maxName {
		line.reason = tooLong
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
