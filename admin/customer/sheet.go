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

// readColumns are the columns that an import reads. First and last name form the name if the
// name is empty.
var readColumns = []string{"email", "name", "first_name", "last_name", "phone", "note", "groups"}

// sameColumns are aliases of these columns.
var sameColumns = map[string]string{
	"e-mail": "email", "mail": "email", "email address": "email", "e-mail address": "email", "first name": "first_name", "firstname": "first_name",
	"given name": "first_name", "last name": "last_name", "lastname": "last_name", "surname": "last_name", "family name": "last_name",
	"phone number": "phone", "telephone": "phone", "notes": "note",
}

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

// readSheet reads a CSV of customers, from an export of a shop or from another program. It
// returns api.ErrImportEmpty, errImport, errTooLarge or header.ErrForeign for a text that is not
// one. Columns that the import does not read are ignored and listed in its report: orders and
// spending are counted by the database, not imported.
func readSheet(text string) (lines []sheetLine, ignored []string, err error) {
	if err := header.Foreign(text); err != nil {
		return nil, nil, err
	}
	t, err := cells.ReadTable(text, maxLines, columnsOf)
	switch {
	case errors.Is(err, cells.ErrTooManyRows):
		return nil, nil, errTooLarge
	case errors.Is(err, cells.ErrNoHeader), errors.Is(err, cells.ErrNoRows):
		return nil, nil, api.ErrImportEmpty.At("text").With(err.Error())
	case err != nil:
		return nil, nil, errImport.At("text")
	}
	for _, row := range t.Rows {
		lines = append(lines, readLine(row))
	}
	return lines, t.Ignored, nil
}

// columnsOf returns the columns that the import reads, each once. An alias is only used if the
// column itself is missing.
func columnsOf(names []string) ([]string, error) {
	columns := make([]string, len(names))
	for i, name := range names {
		names[i] = strings.Trim(name, `"`)
		if name := strings.ToLower(names[i]); slices.Contains(readColumns, name) && !slices.Contains(columns, name) {
			columns[i] = name
		}
	}
	for i, name := range names {
		if same := sameColumns[strings.ToLower(name)]; columns[i] == "" && !slices.Contains(columns, same) {
			columns[i] = same
		}
	}
	if !slices.Contains(columns, "email") {
		return nil, errImport
	}
	return columns, nil
}

// unguarded removes the apostrophe that keeps spreadsheets from evaluating a cell as a formula.
// Other programs also put one before phones and addresses, which never begin with an apostrophe
// themselves, unlike names.
func unguarded(column, cell string) string {
	if column == "phone" || column == "email" {
		return strings.TrimPrefix(cell, "'")
	}
	return cells.Unguard(cell)
}

// lengths are the maximum numbers of characters in a cell, by column.
var lengths = map[string]int{"email": maxEmail, "name": maxName, "first_name": maxName, "last_name": maxName, "phone": maxName, "note": maxNote, "groups": 100 * maxName}

func readLine(row cells.Row) sheetLine {
	line := sheetLine{number: row.Line, cells: map[string]string{}}
	switch {
	case errors.Is(row.Err, cells.ErrTooLong):
		line.reason = tooLong
		return line
	case row.Err != nil && !errors.Is(row.Err, cells.ErrMoreCells): // an unquoted ; between groups adds cells
		line.reason = malformed
		return line
	}
	for _, column := range readColumns {
		cell := strings.TrimSpace(unguarded(column, strings.TrimSpace(row.Cells[column])))
		switch {
		case utf8.RuneCountInString(cell) > lengths[column]:
			line.reason = tooLong
		case !utf8.ValidString(cell) || strings.ContainsFunc(cell, func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }):
			line.reason = unprintable
		default:
			line.cells[column] = cell
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
