package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// errImportKey answers for a line whose sku and id do not name one product. The product of
// the id may have no sku yet; one with another sku is another product, and the id was given
// by another system, or another shop.
var errImportKey = shop.Refuse(shop.FailedPrecondition, "IMPORT_KEY_CONFLICT").When("sku and id of a line mean two products, or the product of the id has another sku")

// merge writes some lines in a transaction. What they mean is read for all of
// them at once; neighbouring new products are collected and added together.
type merge struct {
	sheet
	tx      *store.Tx
	company store.Company
	person  shop.UserID
	strict  bool // a bad cell fails its line, whether the product can do without it or not

	known   map[shop.ProductID]entry // the products that lines mean, as they are by now
	rows    []importedRow
	fresh   []batchItem
	freshAt []freshLine
	edited  map[shop.ProductID]edited
}

// freshLine is where a new product comes from.
type freshLine struct {
	row  int
	line csvLine
}

// edited is a product that was written and not read again: its row and what its
// cells were before.
type edited struct {
	row    int
	before map[string]string
}

func (m *merge) merge(ctx context.Context, lines []csvLine) ([]importedRow, error) {
	m.known, m.rows, m.edited = map[shop.ProductID]entry{}, make([]importedRow, len(lines)), map[shop.ProductID]edited{}
	skus, ids := keysOf(lines)
	if err := m.learn(ctx, skus, ids); err != nil {
		return nil, err
	}
	for n, l := range lines {
		m.rows[n] = importedRow{Line: l.line, SKU: skus[n]}
		if err := m.line(ctx, n, l); err != nil {
			return nil, err
		}
	}
	if err := m.tell(ctx); err != nil {
		return nil, err
	}
	return m.rows, m.flush(ctx)
}

// learn reads products as they are by now.
func (m *merge) learn(ctx context.Context, skus []string, ids []shop.ProductID) error {
	products, err := m.tx.ProductsFor(ctx, skus, ids)
	if err != nil {
		return err
	}
	entries, err := entriesOf(ctx, m.tx.Reader, products)
	for _, e := range entries {
		m.known[e.product.ID] = e
	}
	return err
}

// entriesOf reads what hangs on products, by two queries.
func entriesOf(ctx context.Context, r store.Reader, products []store.Product) ([]entry, error) {
	ids, entries := make([]shop.ProductID, len(products)), make([]entry, len(products))
	for i, p := range products {
		ids[i] = p.ID
	}
	values, err := r.ProductAttributes(ctx, ids)
	if err != nil {
		return nil, err
	}
	variants, err := r.VariantsOf(ctx, ids)
	for i, p := range products {
		entries[i] = entry{p, values[p.ID], variants[p.ID]}
	}
	return entries, err
}

// line writes one line; its fault stands in its row. A cell that the product can do
// without is left out if it is bad. The error is one of the transaction as a whole.
func (m *merge) line(ctx context.Context, n int, l csvLine) error {
	for {
		if err := m.try(ctx, n, l); err != nil || !m.leaveOut(n, &l) {
			return err
		}
	}
}

// dispensable are the columns that a product can do without: it sells as it should without
// them. Prices, stock, sections, sets and what decides who sees the product are none.
var dispensable = []string{
	"gtin", "brand", "tags", "comments_enabled", "questions_enabled", "stock_low_threshold", "page_title", "meta_title", "meta_description",
	"meta_keywords", "og_image_id", "og_image_url", "alternates", "gallery", "preview_id", "description",
}

// leaveOut takes the cell out of a line that its row failed for, where the product can do
// without it, and reports whether the line is worth another try.
func (m *merge) leaveOut(n int, l *csvLine) bool {
	row := &m.rows[n]
	if m.strict || row.Status != "error" || row.cause != nil {
		return false
	}
	for column := range l.cells {
		rest, named := strings.CutPrefix(row.Reason, column)
		if !named || !strings.HasPrefix(rest, ": ") && !strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, ".") ||
			!slices.Contains(dispensable, column) && !strings.HasPrefix(column, attributeColumn) {
			continue
		}
		l.cells = maps.Clone(l.cells)
		delete(l.cells, column)
		*row = importedRow{Line: row.Line, SKU: row.SKU, Warnings: append(row.Warnings, cellWarning{column, row.Error, row.Reason})}
		return true
	}
	return false
}

// try writes one line as it is.
func (m *merge) try(ctx context.Context, n int, l csvLine) error {
	sku, id := l.key()
	if slices.ContainsFunc(m.fresh, func(i batchItem) bool { return sku != "" && i.SKU != nil && *i.SKU == sku }) {
		if err := m.flush(ctx); err != nil { // the line means a product that waits
			return err
		}
	}
	now, err := m.find(sku, id)
	if _, stale := m.edited[now.product.ID]; stale && err == nil {
		if err := m.tell(ctx); err != nil { // the line means a product as an earlier one left it
			return err
		}
		now, err = m.find(sku, id)
	}
	if err == nil {
		err = l.fault
	}
	if err != nil {
		m.rows[n].fail(err)
		return nil
	}
	before := m.cells(now)
	cells := l.cells
	if now.product.ID != 0 {
		if cells = news(l.cells, before); len(cells) == 0 {
			m.rows[n].ID, m.rows[n].Status = now.product.ID, "unchanged"
			return nil
		}
	}
	r := &cellReader{sheet: m.sheet, cells: cells, now: now}
	item, variants, fault := r.item()
	switch {
	case fault != nil:
		m.rows[n].fail(fault)
	case now.product.ID != 0:
		return m.edit(ctx, n, now, before, item, variants)
	case variants != nil:
		return m.add(ctx, n, item, variants)
	default:
		m.fresh, m.freshAt = append(m.fresh, batchItem{ProductItem: item}), append(m.freshAt, freshLine{n, l})
	}
	return nil
}

// news are the cells that say something else than before.
func news(cells, before map[string]string) map[string]string {
	out := maps.Clone(cells)
	maps.DeleteFunc(out, func(column, cell string) bool { return column == "id" || cell == before[column] })
	return out
}

// find is the product that a line means: the one with the sku, or else the one
// with the id, which then has no sku or that of the line; without an id of its own it is
// none.
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
			return e, errImportKey.With("product " + id.String() + " is another one than that with the sku " + sku)
		}
		return e, nil
	}
	if has := byID.product.SKU; has != "" {
		return byID, errImportKey.With("product " + id.String() + " has the sku " + has)
	}
	return byID, nil
}

// edit writes an item over a product that is known. What it changed is told
// later, of all edits at once, unless the product changes its sku: later lines are
// found by it.
func (m *merge) edit(ctx context.Context, n int, now entry, before map[string]string, item ProductItem, variants []variantItem) error {
	row, id := &m.rows[n], now.product.ID
	row.ID, row.Status = id, "unchanged"
	err := m.tx.Savepoint(ctx, func() error {
		if err := m.write(ctx, now.product, item); err != nil || variants == nil {
			return err
		}
		return saveVariants(ctx, m.tx, id, variants)
	})
	if err != nil {
		return row.failOr(ctx, err)
	}
	m.edited[id] = edited{n, before}
	if item.SKU == nil {
		return nil
	}
	return m.tell(ctx)
}

// tell reads the products that were edited again and notes in their rows what
// changed.
func (m *merge) tell(ctx context.Context) error {
	if len(m.edited) == 0 {
		return nil
	}
	if err := m.learn(ctx, nil, slices.Sorted(maps.Keys(m.edited))); err != nil {
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

func (m *merge) write(ctx context.Context, old store.Product, item ProductItem) error {
	l, err := linksOf(ctx, m.tx, m.company.Currency, item)
	if err != nil {
		return err
	}
	next := old
	if err := item.edit(&next, m.person, l); err != nil {
		return err
	}
	return m.tx.UpdateProduct(ctx, old, next)
}

func changesOf(columns []string, before, after map[string]string) (changes []cellChange) {
	for _, column := range columns {
		if from, to := before[column], after[column]; from != to {
			changes = append(changes, cellChange{column, brief(from), brief(to)})
		}
	}
	return changes
}

// brief is a cell as a report shows it.
func brief(cell string) string {
	if runes := []rune(cell); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return strings.ToValidUTF8(cell, "")
}

// add adds a product together with its variants, or neither.
func (m *merge) add(ctx context.Context, n int, item ProductItem, variants []variantItem) error {
	if err := m.flush(ctx); err != nil {
		return err
	}
	row := &m.rows[n]
	err := m.tx.Savepoint(ctx, func() error {
		results, err := insertItems(ctx, m.tx, m.company, m.person, []batchItem{{ProductItem: item}})
		if err != nil || results[0].Error != "" {
			row.take(results...)
			return err
		}
		row.take(results[0])
		return saveVariants(ctx, m.tx, results[0].ID, variants)
	})
	if err != nil {
		return row.failOr(ctx, err)
	}
	return m.learn(ctx, nil, []shop.ProductID{row.ID})
}

// flush adds the new products that wait.
func (m *merge) flush(ctx context.Context) error {
	if len(m.fresh) == 0 {
		return nil
	}
	results, err := insertItems(ctx, m.tx, m.company, m.person, m.fresh)
	if err != nil {
		return err
	}
	ids, lines := make([]shop.ProductID, len(results)), m.freshAt
	for i, r := range results {
		ids[i] = r.ID
		m.rows[lines[i].row].take(r)
	}
	m.fresh, m.freshAt = nil, nil
	if err := m.learn(ctx, nil, ids); err != nil {
		return err
	}
	for _, f := range lines {
		if m.leaveOut(f.row, &f.line) {
			if err := m.line(ctx, f.row, f.line); err != nil {
				return err
			}
		}
	}
	return m.flush(ctx)
}

// take notes what became of a product that was to be added.
func (r *importedRow) take(results ...batchResult) {
	for _, b := range results {
		r.ID, r.Status, r.Error, r.Reason, r.cause = b.ID, "created", b.Error, inSheet(b.Message), b.cause
		if b.Error != "" {
			r.Status = "error"
		}
	}
}

// inSheet says the column where a message begins with the place of a field: what a
// product has in its price and its seo stands in columns, and its sets are one cell.
func inSheet(message string) string {
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
	r.ID, r.Status, r.Error, r.Reason, r.cause = 0, "error", b.Error, inSheet(b.Message), b.cause
}

// failOr notes a failure in the row, unless the call as a whole is over.
func (r *importedRow) failOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	r.fail(err)
	return nil
}
