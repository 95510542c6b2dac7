package catalog

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// Refusals of a CSV as a whole; faults of a line are reported in its row.
var (
	errImportHeader = shop.Refuse(shop.InvalidArgument, "IMPORT_HEADER_INVALID").When("the header lacks a required column, contains a column twice, or names an unknown attribute")
	errImportLarge  = shop.Refuse(shop.InvalidArgument, "IMPORT_TOO_LARGE").When("the import has too many lines, files or bytes")
)

const (
	maxImportBody = 12 << 20 // bytes of a JSON request
	maxImportText = 8 << 20
	maxImportRows = 5000
)

// readProducts reads a CSV with a header line; Err of a row is the fault of its line.
func (s sheet) readProducts(text string) (cells.Table, error) {
	if len(text) > maxImportText {
		return cells.Table{}, errImportLarge.At("text").With("at most 8 MB")
	}
	t, err := cells.ReadTable(text, maxImportRows, s.header)
	if _, refused := shop.AsRefusal(err); refused {
		return t, err
	}
	switch {
	case errors.Is(err, cells.ErrNoHeader), errors.Is(err, cells.ErrNoRows):
		return t, api.ErrImportEmpty.At("text").With(err.Error())
	case errors.Is(err, cells.ErrTooManyRows):
		return t, errImportLarge.At("text").With("at most 5000 products at once")
	case err != nil:
		return t, errImportHeader.At("text").With(err.Error())
	}
	for i, row := range t.Rows {
		if row.Err != nil {
			t.Rows[i].Err = errImportCell.With(row.Err.Error())
		}
		for column, cell := range row.Cells {
			row.Cells[column] = unguarded(column, cell)
		}
	}
	return t, nil
}

// header returns the column of each name, "" for an ignored one. It refuses an attribute that
// the shop does not have, because its values would be lost.
func (s sheet) header(names []string) ([]string, error) {
	known := map[string]string{}
	for _, c := range s.columns() {
		known[strings.ToLower(c.Name)] = c.Name
	}
	columns := make([]string, len(names))
	for i, written := range names {
		name := known[strings.ToLower(written)]
		switch {
		case name != "" && slices.Contains(columns, name):
			return nil, errImportHeader.At("text").With("the column " + name + " occurs twice")
		case name == "" && strings.HasPrefix(strings.ToLower(written), attributeColumn):
			return nil, errImportHeader.At("text").With(written + ": the shop has no such attribute")
		}
		columns[i] = name
	}
	if !slices.ContainsFunc(columns, func(name string) bool { return name != "" }) {
		return nil, errImportHeader.At("text").With("the first line must name columns such as sku, name and price")
	}
	return columns, nil
}

// unguarded removes the apostrophe that keeps spreadsheets from evaluating a cell. In columns
// that only contain numbers, it also removes an apostrophe before digits.
func unguarded(column, cell string) string {
	switch column {
	case "id", "gtin", "price", "old_price", "weight_g", "stock_quantity", "stock_low_threshold":
		return strings.TrimPrefix(cell, "'")
	}
	return cells.Unguard(cell)
}

// keyOf returns the sku and id that identify the product of a line.
func keyOf(l cells.Row) (sku string, id shop.ProductID) {
	n, err := strconv.ParseInt(strings.TrimSpace(l.Cells["id"]), 10, 32)
	if err != nil {
		n = 0
	}
	return l.Cells["sku"], shop.ProductID(n)
}
