package cells

import (
	"encoding/csv"
	"io"
)

// Column is a column of an export.
type Column[T any] struct {
	Name   string
	Cell   func(row T) string
	Number bool // spreadsheets read its cells as numbers, even with a minus sign: they need no guard
}

// ExportPage is the number of rows that Write takes at a time.
const ExportPage = 500

// Write writes the names of the columns, then a line for each row with guarded cells. next
// returns the ExportPage rows after one, or fewer at the end; the first call gets the zero T.
func Write[T any](to io.Writer, columns []Column[T], next func(after T) ([]T, error)) error {
	w, line := csv.NewWriter(to), make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.Name
	}
	if err := w.Write(line); err != nil {
		return err
	}
	var last T
	for {
		rows, err := next(last)
		if err != nil {
			return err
		}
		for _, last = range rows {
			for i, c := range columns {
				if line[i] = c.Cell(last); !c.Number {
					line[i] = Guard(line[i])
				}
			}
			if err := w.Write(line); err != nil {
				return err
			}
		}
		if len(rows) < ExportPage {
			w.Flush()
			return w.Error()
		}
	}
}
