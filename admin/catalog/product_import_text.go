package catalog

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// Refusals of a CSV as a whole; faults of a line are reported in its row.
var (
	errImportEmpty  = shop.Refuse(shop.InvalidArgument, "IMPORT_EMPTY").When("the CSV is empty or has no header line")
	errImportHeader = shop.Refuse(shop.InvalidArgument, "IMPORT_HEADER_INVALID").When("the header lacks a required column, contains a column twice, or names an unknown attribute")
	errImportLarge  = shop.Refuse(shop.InvalidArgument, "IMPORT_TOO_LARGE").When("the CSV has too many lines or bytes")
)

const (
	maxImportBody = 12 << 20 // bytes of a JSON request
	maxImportText = 8 << 20
	maxImportRows = 5000
	maxIgnored    = 100 // ignored columns listed in a report
)

// importText is a parsed CSV: its lines, and the ignored columns of its header.
type importText struct {
	lines   []csvLine
	ignored []string
}

// csvLine is one product of a CSV: its cells by column, or the fault of the line. Columns that
// the CSV lacks are not in cells.
type csvLine struct {
	line  int
	cells map[string]string
	fault error
}

// readProducts reads a CSV with a header line.
func (s sheet) readProducts(text string) (t importText, err error) {
	if len(text) > maxImportText {
		return t, errImportLarge.At("text").With("at most 8 MB")
	}
	r := cells.New(text)
	header, _, ok, err := r.Next()
	switch {
	case err != nil:
		return t, errImportHeader.At("text").With(err.Error())
	case !ok:
		return t, errImportEmpty.At("text").With("the first line must name the columns")
	}
	columns, err := s.header(header, &t.ignored)
	if err != nil {
		return t, err
	}
	for {
		record, line, ok, err := r.Next()
		if !ok {
			return t, nil
		}
		if len(t.lines) == maxImportRows {
			return t, errImportLarge.At("text").With("at most 5000 products at once")
		}
		if err != nil {
			err = errImportCell.With(err.Error())
		}
		t.lines = append(t.lines, newLine(line, columns, record, err))
	}
}

// header returns the column of each cell, "" for an ignored one. It refuses an attribute that
// the shop does not have, because its values would be lost.
func (s sheet) header(cells []string, ignored *[]string) ([]string, error) {
	known := map[string]string{}
	for _, name := range s.columns() {
		known[strings.ToLower(name)] = name
	}
	columns := make([]string, len(cells))
	for i, cell := range cells {
		cell = strings.TrimPrefix(strings.Trim(cell, " \t\r\n\ufeff\u200b\u00a0"), "'")
		name := known[strings.ToLower(cell)]
		switch {
		case name != "" && slices.Contains(columns, name):
			return nil, errImportHeader.At("text").With("the column " + name + " occurs twice")
		case name == "" && strings.HasPrefix(strings.ToLower(cell), attributeColumn):
			return nil, errImportHeader.At("text").With(cell + ": the shop has no such attribute")
		case name == "" && cell != "" && len(*ignored) < maxIgnored:
			*ignored = append(*ignored, truncate(cell))
		}
		columns[i] = name
	}
	if !slices.ContainsFunc(columns, func(name string) bool { return name != "" }) {
		return nil, errImportHeader.At("text").With("the first line must name columns such as sku, name and price")
	}
	return columns, nil
}

func newLine(line int, columns, record []string, err error) csvLine {
	l := csvLine{line: line, cells: map[string]string{}, fault: err}
	for i, cell := range record {
		switch {
		case i >= len(columns) && strings.TrimSpace(cell) != "":
			l.fault = errImportCell.With("the line has more cells than the header has columns")
		case i < len(columns) && columns[i] != "":
			l.cells[columns[i]] = unguarded(columns[i], cell)
		}
	}
	return l
}

// unguarded removes the apostrophe that keeps spreadsheets from evaluating a cell. In columns
// that only contain numbers, it also removes an apostrophe before digits.
func unguarded(column, cell string) string {
	switch column {
	case "id", "gtin", "price", "old_price", "stock_quantity", "stock_low_threshold":
		return strings.TrimPrefix(cell, "'")
	}
	return api.UnguardCell(cell)
}

// key returns the sku and id that identify the product of a line.
func (l csvLine) key() (sku string, id shop.ProductID) {
	n, err := strconv.ParseInt(strings.TrimSpace(l.cells["id"]), 10, 32)
	if err != nil {
		n = 0
	}
	return l.cells["sku"], shop.ProductID(n)
}
