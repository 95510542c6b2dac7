package catalog

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type importProducts struct {
	Text   string `json:"text"`
	DryRun bool   `json:"dry_run"`
}

// importedRow is what became of a line: created, updated, unchanged or error.
// id is 0 for a product that a dry run would create.
type importedRow struct {
	Line   int            `json:"line"`
	ID     shop.ProductID `json:"id"`
	SKU    string         `json:"sku"`
	Status string         `json:"status"`
	Error  string         `json:"error,omitempty"`
	Reason string         `json:"reason,omitempty"`
}

type importReport struct {
	Rows      []importedRow `json:"rows"`
	Created   int           `json:"created"`
	Updated   int           `json:"updated"`
	Unchanged int           `json:"unchanged"`
	Errors    int           `json:"errors"`
	DryRun    bool          `json:"dry_run"`
}

// importProducts takes what it can of a CSV: a line is a product of its own,
// and a bad one never disturbs its neighbours. Lines are written a hundred to a
// transaction; a dry run does the same work and gives it back.
func (c *Catalog) importProducts(ctx context.Context, call *api.Call, in importProducts) (api.Result[importReport], error) {
	report := importReport{Rows: []importedRow{}, DryRun: in.DryRun}
	lines, err := parseProducts(in.Text)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	company, err := c.store.Shop(call.Company).Info(ctx)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	step := maxBatch
	if in.DryRun {
		step = maxImportRows // later lines must see what earlier ones would do
	}
	for chunk := range slices.Chunk(lines, step) {
		var rows []importedRow
		err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
			rows = rows[:0]
			if err := lockFor(ctx, tx, chunk); err != nil {
				return err
			}
			for part := range slices.Chunk(chunk, maxBatch) {
				m := &merge{catalog: c, tx: tx, company: company, person: call.Person}
				done, err := m.merge(ctx, part)
				if err != nil {
					return err
				}
				rows = append(rows, done...)
			}
			if in.DryRun {
				return errDryRun
			}
			return nil
		})
		if err != nil && !errors.Is(err, errDryRun) {
			return api.Result[importReport]{}, err
		}
		report.add(rows)
	}
	return api.Wrap(report), nil
}

// lockFor locks what lines may mean, before any of them is written.
func lockFor(ctx context.Context, tx *store.Tx, lines []csvLine) error {
	skus, ids := make([]string, len(lines)), make([]shop.ProductID, len(lines))
	for i, l := range lines {
		skus[i], ids[i] = l.key()
	}
	return tx.LockProductsFor(ctx, skus, ids)
}

// errDryRun rolls a dry run back; nobody sees it.
var errDryRun = errors.New("dry run")

func (r *importReport) add(rows []importedRow) {
	for _, row := range rows {
		switch row.Status {
		case "created":
			r.Created++
		case "updated":
			r.Updated++
		case "unchanged":
			r.Unchanged++
		default:
			r.Errors++
		}
		if r.DryRun && row.Status == "created" {
			row.ID = 0
		}
		r.Rows = append(r.Rows, row)
	}
}

// merge writes some lines in a transaction. Neighbouring new products are
// collected and added together.
type merge struct {
	catalog *Catalog
	tx      *store.Tx
	company store.Company
	person  shop.UserID

	sections map[string]shop.CategoryID
	rows     []importedRow
	fresh    []batchItem
	freshAt  []int // the row of each
}

func (m *merge) merge(ctx context.Context, lines []csvLine) ([]importedRow, error) {
	list, err := m.tx.Categories(ctx, false)
	if err != nil {
		return nil, err
	}
	m.sections = make(map[string]shop.CategoryID, len(list))
	for _, c := range list {
		m.sections[c.SEO.Slug] = c.ID
	}
	m.rows = make([]importedRow, len(lines))
	for n, l := range lines {
		sku, _ := l.key()
		m.rows[n] = importedRow{Line: l.line, SKU: sku}
		if err := m.line(ctx, n, l); err != nil {
			return nil, err
		}
	}
	return m.rows, m.flush(ctx)
}

// line writes one line; its fault stands in its row. The error is one of the
// transaction as a whole.
func (m *merge) line(ctx context.Context, n int, l csvLine) error {
	sku, id := l.key()
	if slices.ContainsFunc(m.fresh, func(i batchItem) bool { return sku != "" && i.SKU != nil && *i.SKU == sku }) {
		if err := m.flush(ctx); err != nil { // the line means a product that waits
			return err
		}
	}
	found, err := m.tx.ProductFor(ctx, sku, id)
	if err != nil && !errors.Is(err, store.ErrProductNotFound) {
		return err
	}
	item, fault := l.item(seoItem{SEO: found.SEO, OGImageID: optionalID{ID: found.SEO.OGImageID}}, m.sections)
	switch {
	case fault != nil:
		m.rows[n].fail(fault)
		return nil
	case found.ID == 0:
		m.fresh, m.freshAt = append(m.fresh, batchItem{ProductItem: item}), append(m.freshAt, n)
		return nil
	}
	return m.edit(ctx, n, found.ID, item)
}

func (m *merge) edit(ctx context.Context, n int, id shop.ProductID, item ProductItem) error {
	row := &m.rows[n]
	row.ID = id
	err := m.tx.Savepoint(ctx, func() error {
		old, err := lockLiving(ctx, m.tx, id)
		if err != nil {
			return err
		}
		l, err := linksOf(ctx, m.tx, m.company.Currency, item)
		if err != nil {
			return err
		}
		next := old
		if err := item.edit(&next, m.person, l); err != nil {
			return err
		}
		slices.Sort(next.Extra)
		next.Extra = slices.Compact(next.Extra)
		row.Status = "updated"
		if same(old, next) {
			row.Status = "unchanged"
			return nil
		}
		return m.tx.UpdateProduct(ctx, old, next)
	})
	if err != nil && ctx.Err() == nil {
		row.fail(err)
		return nil
	}
	return err
}

// same reports whether an edit changed nothing that is stored.
func same(old, next store.Product) bool {
	next.UpdatedBy = old.UpdatedBy
	if len(next.Extra) == 0 && len(old.Extra) == 0 {
		next.Extra = old.Extra
	}
	if len(next.Tags) == 0 && len(old.Tags) == 0 {
		next.Tags = old.Tags
	}
	return reflect.DeepEqual(old, next)
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
	for i, r := range results {
		row := &m.rows[m.freshAt[i]]
		row.ID, row.Status = r.ID, "created"
		if r.Error != "" {
			row.Status, row.Error, row.Reason = "error", r.Error, r.Message
		}
	}
	m.fresh, m.freshAt = nil, nil
	return nil
}

func (r *importedRow) fail(err error) {
	var b batchResult
	b.fail(err)
	r.Status, r.Error, r.Reason = "error", b.Error, b.Message
}
