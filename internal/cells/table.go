package cells

import (
	"errors"
	"strings"

	"vitrine/internal/shop"
)

// Table is a text whose first record names the columns.
type Table struct {
	Rows    []Row
	Ignored []string // names of columns that are not read, for a report: at most 100, shortened
}

// Row is a record of a table.
type Row struct {
	Line  int               // that it begins on, from 1
	Cells map[string]string // by column; columns that the text lacks are absent
	Err   error             // of the record, or ErrMoreCells
}

// Errors of a table.
var (
	ErrNoHeader    = errors.New("the first line must name the columns")
	ErrNoRows      = errors.New("there is no line below the header")
	ErrTooManyRows = errors.New("the text has too many lines")
	ErrMoreCells   = errors.New("the line has more cells than the header has columns")
)

// Limits of what a report shows.
const (
	maxIgnored = 100 // columns
	MaxShown   = 200 // characters of a cell
)

// ReadTable reads at most this many rows. columnsOf gets the names in the first record and
// returns a column for each, "" if it is not read; its error refuses the text.
func ReadTable(text string, most int, columnsOf func(names []string) ([]string, error)) (t Table, err error) {
	r := New(text)
	names, _, ok, err := r.Next()
	if err == nil && !ok {
		err = ErrNoHeader
	}
	if err != nil {
		return t, err
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(strings.Trim(name, " \t\r\n\ufeff\u200b\u00a0"), "'")
	}
	columns, err := columnsOf(names)
	if err != nil {
		return t, err
	}
	t.Ignored = []string{}
	for i, column := range columns {
		if column == "" && names[i] != "" && len(t.Ignored) < maxIgnored {
			t.Ignored = append(t.Ignored, shop.Shorten(names[i], MaxShown))
		}
	}
	for {
		record, line, ok, err := r.Next()
		if !ok {
			if len(t.Rows) == 0 {
				err = ErrNoRows
			}
			return t, err
		}
		if len(t.Rows) == most {
			return t, ErrTooManyRows
		}
		row := Row{Line: line, Cells: map[string]string{}, Err: err}
		for i, cell := range record {
			switch {
			case i >= len(columns) && strings.TrimSpace(cell) != "":
				row.Err = ErrMoreCells
			case i < len(columns) && columns[i] != "":
				row.Cells[columns[i]] = cell
			}
		}
		t.Rows = append(t.Rows, row)
	}
}
