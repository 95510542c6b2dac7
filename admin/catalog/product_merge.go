package catalog

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

// errImportKey refuses a line whose sku and id do not identify one product. The product with
// the id may have no sku yet; if it has another sku, the id was assigned by another system or
// shop.
var errImportKey = shop.Refuse(shop.FailedPrecondition, "IMPORT_KEY_CONFLICT").When("sku and id of a line identify two products, or the product with the id has another sku")

// merge writes lines in a transaction. It reads the products of all lines at once, and collects
// consecutive new products to insert them together.
type merge struct {
	sheet
	tx      *store.Tx
	company companydb.Company
	person  shop.UserID
	live    error // why stock_by cannot be changed; nil: it can
	strict  bool  // any invalid cell fails its line, even one of an optional column

	known     map[shop.ProductID]entry // the current state of the products of the lines
	unread    []importedRow            // of new products, which are read once a line refers to one
	rows      []importedRow
	pending   []batchItem
	pendingAt []pendingLine
	edited    map[shop.ProductID]edited
}

// pendingLine is the line of a new product that is not inserted yet.
type pendingLine struct {
	row  int
	line cells.Row
}

// edited is a product that was written but not read again: its row and its cells before the
// edit.
type edited struct {
	row    int
	before map[string]string
}

func (m *merge) merge(ctx context.Context, lines []cells.Row) ([]importedRow, error) {
	m.known, m.unread, m.rows, m.edited = map[shop.ProductID]entry{}, nil, make([]importedRow, len(lines)), map[shop.ProductID]edited{}
	skus, ids := keysOf(lines)
	if err := m.load(ctx, skus, ids); err != nil {
		return nil, err
	}
	for n, l := range lines {
		m.rows[n] = importedRow{Line: l.Line, SKU: skus[n]}
		if err := m.line(ctx, n, l); err != nil {
			return nil, err
		}
	}
	if err := m.reportChanges(ctx); err != nil {
		return nil, err
	}
	return m.rows, m.flush(ctx)
}

// load reads the current state of products.
func (m *merge) load(ctx context.Context, skus []string, ids []shop.ProductID) error {
	products, err := catalog.ProductsFor(ctx, m.tx.Reader, skus, ids)
	if err != nil {
		return err
	}
	entries, err := entriesOf(ctx, m.tx.Reader, products)
	for _, e := range entries {
		m.known[e.product.ID] = e
	}
	return err
}

// entriesOf reads the attributes and variants of products with two queries.
func entriesOf(ctx context.Context, r store.Reader, products []catalog.Product) ([]entry, error) {
	if len(products) == 0 {
		return nil, nil
	}
	ids, entries := make([]shop.ProductID, len(products)), make([]entry, len(products))
	for i, p := range products {
		ids[i] = p.ID
	}
	values, err := catalog.ProductAttributes(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	variants, err := catalog.VariantsOf(ctx, r, ids)
	for i, p := range products {
		entries[i] = entry{p, values[p.ID], variants[p.ID]}
	}
	return entries, err
}

// line writes one line and records its fault in its row. An invalid cell of an optional column
// is skipped. An error means that the whole transaction failed.
func (m *merge) line(ctx context.Context, n int, l cells.Row) error {
	for {
		if err := m.try(ctx, n, l); err != nil || !m.skipCell(n, &l) {
			return err
		}
	}
}

// optionalColumns are the columns that a product can be sold without: its facts, and these.
// Prices, stock, sections, sets and visibility are not among them.
var optionalColumns = append(factColumns(),
	"weight_g", "tags", "comments_enabled", "questions_enabled", "stock_low_threshold", "page_title", "meta_title", "meta_description",
	"meta_keywords", "og_image_id", "og_image_url", "alternates", "gallery", "preview_id", "description",
)

func factColumns() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shop.Facts]()) {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// skipCell removes the cell that a line failed for if its column is optional, and reports
// whether the line should be tried again.
func (m *merge) skipCell(n int, l *cells.Row) bool {
	row := &m.rows[n]
	if m.strict || row.Status != "error" || row.cause != nil {
		return false
	}
	for column := range l.Cells {
		rest, named := strings.CutPrefix(row.Reason, column)
		if !named || !strings.HasPrefix(rest, ": ") && !strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, ".") ||
			!slices.Contains(optionalColumns, column) && !strings.HasPrefix(column, attributeColumn) {
			continue
		}
		l.Cells = maps.Clone(l.Cells)
		delete(l.Cells, column)
		*row = importedRow{Line: row.Line, SKU: row.SKU, Warnings: append(row.Warnings, cellWarning{column, row.Error, row.Reason})}
		return true
	}
	return false
}

// try writes one line with all its cells.
func (m *merge) try(ctx context.Context, n int, l cells.Row) error {
	sku, id := keyOf(l)
	if slices.ContainsFunc(m.pending, func(i batchItem) bool { return sku != "" && i.SKU != nil && *i.SKU == sku }) {
		if err := m.flush(ctx); err != nil { // the line refers to a pending new product
			return err
		}
	}
	if slices.ContainsFunc(m.unread, func(r importedRow) bool { return sku != "" && r.SKU == sku || r.ID == id }) {
		ids := make([]shop.ProductID, len(m.unread))
		for i, r := range m.unread {
			ids[i] = r.ID
		}
		if err := m.load(ctx, nil, ids); err != nil {
			return err
		}
		m.unread = nil
	}
	now, err := m.find(sku, id)
	if _, stale := m.edited[now.product.ID]; stale && err == nil {
		if err := m.reportChanges(ctx); err != nil { // the line refers to a product that an earlier line edited
			return err
		}
		now, err = m.find(sku, id)
	}
	if err == nil {
		err = l.Err
	}
	if err != nil {
		m.rows[n].fail(err)
		return nil
	}
	var before map[string]string
	changed := l.Cells
	if now.product.ID != 0 {
		before = m.cells(now)
		if changed = changedCells(l.Cells, before); len(changed) == 0 {
			m.rows[n].ID, m.rows[n].Status = now.product.ID, "unchanged"
			return nil
		}
	}
	r := &cellReader{sheet: m.sheet, cells: changed, now: now}
	item, variants, fault := r.item()
	switch {
	case fault != nil:
		m.rows[n].fail(fault)
	case now.product.ID != 0:
		return m.edit(ctx, n, now, before, item, variants)
	case variants != nil:
		return m.add(ctx, n, item, variants)
	default:
		m.pending, m.pendingAt = append(m.pending, batchItem{ProductItem: item}), append(m.pendingAt, pendingLine{n, l})
	}
	return nil
}

// changedCells returns the cells that differ from the current ones.
func changedCells(line, before map[string]string) map[string]string {
	out := maps.Clone(line)
	maps.DeleteFunc(out, func(column, cell string) bool { return column == "id" || cell == before[column] })
	return out
}

// find returns the product of a line: the one with the sku, or else the one with the id, if
// that has no sku or the same one. A line that matches no product returns an empty entry.
func (m *merge) find(sku string, id shop.ProductID) (entry, error) {
	byID := m.known[id]
	if sku == "" {
		return byID, nil
	}
	for _, e := range m.known {
		if e.product.SKU != sku {
			continue
		}
		if byID.product.ID != 0 && byID.product.ID != e.product.ID {
			return e, errImportKey.With("product " + id.String() + " is not the product with the sku " + sku)
		}
		return e, nil
	}
	if has := byID.product.SKU; has != "" {
		return byID, errImportKey.With("product " + id.String() + " has the sku " + has)
	}
	return byID, nil
}

// edit applies an item to a known product. Its changes are determined later for all edits
// together, unless the product changes its sku, because later lines are matched by sku.
func (m *merge) edit(ctx context.Context, n int, now entry, before map[string]string, item ProductItem, variants []variantItem) error {
	row, id := &m.rows[n], now.product.ID
	row.ID, row.Status = id, "unchanged"
	err := m.tx.Savepoint(ctx, func() error {
		if err := m.write(ctx, now.product, item); err != nil || variants == nil {
			return err
		}
		by := now.product.StockBy
		api.Set(&by, item.StockBy)
		_, err := saveVariants(ctx, m.tx, id, by, "items", variants)
		return err
	})
	if err != nil {
		return row.failOr(ctx, err)
	}
	m.edited[id] = edited{n, before}
	if item.SKU == nil {
		return nil
	}
	return m.reportChanges(ctx)
}

// reportChanges reads the edited products again and records the changes in their rows.
func (m *merge) reportChanges(ctx context.Context) error {
	if len(m.edited) == 0 {
		return nil
	}
	if err := m.load(ctx, nil, slices.Sorted(maps.Keys(m.edited))); err != nil {
		return err
	}
	for id, e := range m.edited {
		row := &m.rows[e.row]
		if row.Changes = changesOf(m.columns(), e.before, m.cells(m.known[id])); len(row.Changes) > 0 {
			row.Status = "updated"
		}
	}
	clear(m.edited)
	return nil
}

func (m *merge) write(ctx context.Context, old catalog.Product, item ProductItem) error {
	l, err := linksOf(ctx, m.tx, m.company.Currency, m.live, item)
	if err != nil {
		return err
	}
	next := old
	if err := item.edit(&next, m.person, l); err != nil {
		return err
	}
	return catalog.UpdateProduct(ctx, m.tx, old, next)
}

func changesOf(columns []cells.Column[entry], before, after map[string]string) (changes []cellChange) {
	for _, c := range columns {
		if from, to := before[c.Name], after[c.Name]; from != to {
			changes = append(changes, cellChange{c.Name, shop.Shorten(from, cells.MaxShown), shop.Shorten(to, cells.MaxShown)})
		}
	}
	return changes
}

// add inserts a product together with its variants, or neither.
func (m *merge) add(ctx context.Context, n int, item ProductItem, variants []variantItem) error {
	if err := m.flush(ctx); err != nil {
		return err
	}
	row := &m.rows[n]
	err := m.tx.Savepoint(ctx, func() error {
		results, err := insertItems(ctx, m.tx, m.company, m.person, m.live, []batchItem{{ProductItem: item}})
		if err != nil || results[0].Error != "" {
			row.setResult(results...)
			return err
		}
		row.setResult(results[0])
		by := shop.StockByProduct
		api.Set(&by, item.StockBy)
		_, err = saveVariants(ctx, m.tx, results[0].ID, by, "items", variants)
		return err
	})
	if err != nil {
		return row.failOr(ctx, err)
	}
	m.added(n)
	return nil
}

// added notes that the product of a row is new, unless it was refused.
func (m *merge) added(n int) {
	if row := m.rows[n]; row.ID != 0 {
		m.unread = append(m.unread, row)
	}
}

// flush inserts the pending new products.
func (m *merge) flush(ctx context.Context) error {
	if len(m.pending) == 0 {
		return nil
	}
	results, err := insertItems(ctx, m.tx, m.company, m.person, m.live, m.pending)
	if err != nil {
		return err
	}
	lines := m.pendingAt
	for i, r := range results {
		m.rows[lines[i].row].setResult(r)
		m.added(lines[i].row)
	}
	m.pending, m.pendingAt = nil, nil
	for _, f := range lines {
		if m.skipCell(f.row, &f.line) {
			if err := m.line(ctx, f.row, f.line); err != nil {
				return err
			}
		}
	}
	return m.flush(ctx)
}

// setResult records the result of a new product in its row.
func (r *importedRow) setResult(results ...batchResult) {
	for _, b := range results {
		r.ID, r.Status, r.Error, r.Reason, r.cause = b.ID, "created", b.Error, columnMessage(b.Message), b.cause
		if b.Error != "" {
			r.Status = "error"
		}
	}
}

// columnMessage replaces the place of a field at the beginning of a message with its column:
// fields of price and seo have their own columns, and all variant sets are in one cell.
func columnMessage(message string) string {
	for _, way := range [][2]string{{"price.", ""}, {"seo.", ""}, {"items[", "variants["}, {"category_id", "category"}, {"combo_discount.percent", "combo_discount"}} {
		if rest, found := strings.CutPrefix(message, way[0]); found {
			return way[1] + rest
		}
	}
	return message
}

func (r *importedRow) fail(err error) {
	var b batchResult
	b.fail(err)
	r.ID, r.Status, r.Error, r.Reason, r.cause = 0, "error", b.Error, columnMessage(b.Message), b.cause
}

// failOr records a failure in the row, or returns it if the context of the call has ended.
func (r *importedRow) failOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	r.fail(err)
	return nil
}
