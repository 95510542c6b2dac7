package catalog

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// Refusals of a CSV as a whole; what is wrong with a line stands in its row.
var (
	errImportEmpty  = shop.Refuse(shop.InvalidArgument, "IMPORT_EMPTY").When("the CSV has no lines below its header")
	errImportHeader = shop.Refuse(shop.InvalidArgument, "IMPORT_HEADER_INVALID").When("the header lacks a needed column, or has one twice")
	errImportLarge  = shop.Refuse(shop.InvalidArgument, "IMPORT_TOO_LARGE").When("the CSV has too many lines or bytes")
)

const (
	maxImportBody = 12 << 20 // bytes of a JSON request
	maxImportText = 8 << 20
	maxImportRows = 5000
	maxIgnored    = 100 // columns that a report names
)

// importText is a CSV that was read: its lines, and the columns of its header
// that no product has.
type importText struct {
	lines   []csvLine
	ignored []string
}

// csvLine is one product of a CSV: its cells by column, or what is wrong with
// the line. A column that the CSV does not have is not in cells.
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
		return t, errImportEmpty.At("text").With("the first line names the columns")
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

// header finds the column of each cell, "" for one that is ignored. An attribute
// that the shop does not have is refused: its values would be lost.
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
			return nil, errImportHeader.At("text").With("the column " + name + " stands there twice")
		case name == "" && strings.HasPrefix(strings.ToLower(cell), attributeColumn):
			return nil, errImportHeader.At("text").With(cell + ": the shop has no such attribute")
		case name == "" && cell != "" && len(*ignored) < maxIgnored:
			*ignored = append(*ignored, brief(cell))
		}
		columns[i] = name
	}
	if !slices.ContainsFunc(columns, func(name string) bool { return name != "" }) {
		return nil, errImportHeader.At("text").With("the first line names columns such as sku, name and price")
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

// unguarded is a cell without the apostrophe that keeps spreadsheets from reading it. Before
// digits one is taken away in columns that hold nothing but numbers.
func unguarded(column, cell string) string {
	switch column {
	case "id", "gtin", "price", "old_price", "stock_quantity", "stock_low_threshold":
		return strings.TrimPrefix(cell, "'")
	}
	return api.UnguardCell(cell)
}

// key is what tells whether two lines mean the same product.
func (l csvLine) key() (sku string, id shop.ProductID) {
	n, err := strconv.ParseInt(strings.TrimSpace(l.cells["id"]), 10, 32)
	if err != nil {
		n = 0
	}
	return l.cells["sku"], shop.ProductID(n)
}
