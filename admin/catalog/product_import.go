package catalog

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Refusals of a CSV as a whole; what is wrong with a line stands in its row.
var (
	errImportEmpty  = shop.Refuse(shop.InvalidArgument, "IMPORT_EMPTY")
	errImportHeader = shop.Refuse(shop.InvalidArgument, "IMPORT_HEADER_INVALID")
	errImportLarge  = shop.Refuse(shop.InvalidArgument, "IMPORT_TOO_LARGE")
	errImportCell   = shop.Refuse(shop.InvalidArgument, "IMPORT_CELL_INVALID")
)

const (
	maxImportBody = 12 << 20 // bytes of a request
	maxImportText = 8 << 20
	maxImportRows = 5000
)

// csvLine is one product of a CSV: its cells by column, or what is wrong with
// the line. A column that the CSV does not have is not in cells.
type csvLine struct {
	line  int
	cells map[string]string
	fault error
}

// parseProducts reads a CSV with a header line. The separator is a comma, a
// semicolon or a tab, whichever the header has; a byte order mark is dropped,
// unknown columns are ignored.
func parseProducts(text string) ([]csvLine, error) {
	if len(text) > maxImportText {
		return nil, errImportLarge.With("at most 8 MB")
	}
	text = strings.TrimPrefix(text, "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	header, _, _ := strings.Cut(text, "\n")
	for _, separator := range ";\t" {
		if strings.ContainsRune(header, separator) && !strings.Contains(header, ",") {
			r.Comma = separator
		}
	}
	columns, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	var lines []csvLine
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if len(lines) == maxImportRows {
			return nil, errImportLarge.With("at most 5000 products at once")
		}
		lines = append(lines, newLine(r, columns, record, err))
		if err != nil {
			return lines, nil // a broken quote: where the next line begins is not known
		}
	}
}

func readHeader(r *csv.Reader) ([]string, error) {
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errImportEmpty.With("the first line names the columns")
	}
	if err != nil {
		return nil, errImportHeader.With(err.Error())
	}
	columns := make([]string, len(header))
	known := 0
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(csvColumns, name) {
			continue
		}
		if slices.Contains(columns, name) {
			return nil, errImportHeader.With("the column " + name + " stands there twice")
		}
		columns[i] = name
		known++
	}
	if known == 0 {
		return nil, errImportHeader.With("the first line names columns such as sku, name and price")
	}
	return columns, nil
}

func newLine(r *csv.Reader, columns, record []string, err error) csvLine {
	if err != nil {
		var parse *csv.ParseError
		l := csvLine{fault: errImportCell.With(err.Error())}
		if errors.As(err, &parse) {
			l.line = parse.StartLine
		}
		return l
	}
	l := csvLine{cells: map[string]string{}}
	l.line, _ = r.FieldPos(0)
	for i, cell := range record {
		if i < len(columns) && columns[i] != "" {
			l.cells[columns[i]] = unguarded(cell)
		}
	}
	return l
}

// key is what tells whether two lines mean the same product.
func (l csvLine) key() (sku string, id shop.ProductID) {
	n, err := strconv.ParseInt(strings.TrimSpace(l.cells["id"]), 10, 32)
	if err != nil {
		n = 0
	}
	return l.cells["sku"], shop.ProductID(n)
}

// item is the product that the cells say. Empty cells leave name, slug, price,
// kind and is_published as they are, and clear the others. current is the SEO of
// the product that is edited, which a CSV shows a part of.
func (l csvLine) item(current seoItem, sections map[string]shop.CategoryID) (i ProductItem, err error) {
	if l.fault != nil {
		return i, l.fault
	}
	text := func(name string) *string {
		cell, ok := l.cells[name]
		if !ok {
			return nil
		}
		return &cell
	}
	filled := func(name string) *string {
		if cell := strings.TrimSpace(l.cells[name]); cell != "" {
			return &cell
		}
		return nil
	}
	i.SKU, i.Description = text("sku"), text("description")
	i.Name, i.Kind = filled("name"), filled("kind")
	if tags := text("tags"); tags != nil {
		list := parted(*tags)
		i.Tags = &list
	}
	if cell := filled("is_published"); cell != nil {
		b, err := strconv.ParseBool(*cell)
		if err != nil {
			return i, errImportCell.With("is_published is true or false")
		}
		i.IsPublished = &b
	}
	i.SEO = l.seo(current, filled("slug"), text("meta_title"), text("meta_description"))
	return i, errors.Join(l.numbers(&i, filled), l.sections(&i, text, sections))
}

func (l csvLine) seo(current seoItem, slug, title, description *string) *seoItem {
	if slug == nil && title == nil && description == nil {
		return nil
	}
	set(&current.Slug, slug)
	set(&current.MetaTitle, title)
	set(&current.MetaDescription, description)
	return &current
}

func (l csvLine) numbers(i *ProductItem, filled func(string) *string) error {
	number := func(name string) (*int64, error) {
		cell := filled(name)
		if cell == nil {
			return nil, nil
		}
		n, err := strconv.ParseInt(*cell, 10, 64)
		if err != nil {
			return nil, errImportCell.With(name + " is a whole number")
		}
		return &n, nil
	}
	price, err := number("price")
	if err != nil {
		return err
	}
	old, err := number("old_price")
	if err != nil {
		return err
	}
	stock, err := number("stock_quantity")
	if err != nil {
		return err
	}
	if _, given := l.cells["old_price"]; given && old == nil {
		old = new(int64)
	}
	if price != nil || old != nil {
		i.Price = &priceItem{Price: price, OldPrice: old}
	}
	if stock != nil {
		n := int(min(max(*stock, -1), maxStock+1))
		i.StockQuantity = &n
	}
	return nil
}

func (l csvLine) sections(i *ProductItem, text func(string) *string, sections map[string]shop.CategoryID) error {
	if cell := text("category"); cell != nil {
		id := sections[strings.TrimSpace(*cell)]
		if id == 0 && strings.TrimSpace(*cell) != "" {
			return errImportCell.With("category: no section has the slug " + *cell)
		}
		i.CategoryID = &id
	}
	cell := text("categories")
	if cell == nil {
		return nil
	}
	i.CategoriesReplace = true
	for _, slug := range parted(*cell) {
		id, known := sections[slug]
		if !known {
			return errImportCell.With("categories: no section has the slug " + slug)
		}
		i.Categories = append(i.Categories, id)
	}
	return nil
}
