package catalog

import (
	"context"
	"errors"
	"io"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/cells"
	"vitrine/internal/drain"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

type importProducts struct {
	Text   string `json:"text" required:"always" len:"body"`
	DryRun bool   `json:"dry_run"`
	Strict bool   `json:"strict" doc:"true: refuse a line with any invalid cell; false: skip invalid cells of optional columns, with a warning in the row"`
	Prices string `json:"prices" doc:"decimal: prices are written as 14.50; units: prices are in the units of the API" enum:"decimal,units"`
}

// importFile is a request with a CSV file, as raw body or as the part "file" of a form.
type importFile struct {
	DryRun   bool   `query:"dry_run" json:"-" doc:"only report what the import would do"`
	Strict   bool   `query:"strict" json:"-" doc:"true: refuse a line with any invalid cell; false: skip invalid cells of optional columns, with a warning in the row"`
	Prices   string `query:"prices" json:"-" doc:"decimal: prices are written as 14.50; units: prices are in the units of the API" enum:"decimal,units"`
	Encoding string `query:"encoding" json:"-" doc:"utf-8, windows-1250, windows-1251 or windows-1252; absent: UTF-8, or UTF-16 by its byte order mark"`
}

// importedRow is the result of a line: created, updated, unchanged or error. changes are the
// changed cells of an update; id is 0 for a product that a dry run would create.
type importedRow struct {
	Line     int            `json:"line"`
	ID       shop.ProductID `json:"id"`
	SKU      string         `json:"sku"`
	Status   string         `json:"status"`
	Changes  []cellChange   `json:"changes,omitempty"`
	Warnings []cellWarning  `json:"warnings,omitempty" doc:"skipped cells"`
	Error    string         `json:"error,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	cause    error          // the error behind INTERNAL
}

// cellWarning is a skipped cell and the reason.
type cellWarning struct {
	Column string `json:"column"`
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

// cellChange is a cell before and after, each truncated to 200 characters.
type cellChange struct {
	Column string `json:"column"`
	From   string `json:"from"`
	To     string `json:"to"`
}

type importReport struct {
	Rows      []importedRow `json:"rows"`
	Ignored   []string      `json:"ignored_columns"`
	Created   int           `json:"created"`
	Updated   int           `json:"updated"`
	Unchanged int           `json:"unchanged"`
	Errors    int           `json:"errors"`
	Warnings  int           `json:"warnings" doc:"number of skipped cells"`
	DryRun    bool          `json:"dry_run"`
}

func (c *Catalog) importProducts(ctx context.Context, call *api.Call, in importProducts) (api.Result[importReport], error) {
	return c.importText(ctx, call, in.Text, importOptions{in.DryRun, in.Strict, in.Prices})
}

func (c *Catalog) importFile(ctx context.Context, call *api.Call, in importFile) (api.Result[importReport], error) {
	if _, size := call.Body(); size > maxImportFile+drain.MaxRefused {
		return api.Result[importReport]{}, errImportLarge.With("at most 8 MB")
	}
	file, err := call.File()
	if err != nil {
		return api.Result[importReport]{}, err
	}
	body, err := readFile(file)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	text, err := decodeText(body, in.Encoding)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	return c.importText(ctx, call, text, importOptions{in.DryRun, in.Strict, in.Prices})
}

const maxImportFile = 2 * maxImportText // bytes: UTF-16 needs two for most characters

// readFile reads a whole file within the size limit.
func readFile(file io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(file, maxImportFile+1))
	if err == nil && len(body) > maxImportFile {
		body, err = nil, drain.Refused(file)
	}
	switch {
	case err != nil:
		return nil, shop.ErrInvalidRequest.With("the body ended early")
	case body == nil:
		return nil, errImportLarge.With("at most 8 MB")
	}
	return body, nil
}

// importOptions are the options of an import.
type importOptions struct {
	dry, strict bool
	prices      string
}

// importText imports the valid lines of a CSV: each line is a separate product, and an invalid
// line does not affect the others. Lines are written in transactions of a hundred; a dry run
// does the same work and rolls it back.
func (c *Catalog) importText(ctx context.Context, call *api.Call, text string, how importOptions) (api.Result[importReport], error) {
	report := importReport{Rows: []importedRow{}, DryRun: how.dry}
	if err := header.Foreign(text); err != nil {
		return api.Result[importReport]{}, err
	}
	reader := c.store.Shop(call.Company)
	company, err := companydb.Info(ctx, reader)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	names, err := readSheet(ctx, reader)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	read, err := names.readProducts(text)
	if err != nil {
		return api.Result[importReport]{}, err
	}
	if err := convertPrices(read.Rows, how.prices, company.PriceDigits); err != nil {
		return api.Result[importReport]{}, err
	}
	report.Ignored = read.Ignored
	step := maxBatch
	if how.dry {
		step = maxImportRows // later lines must see the effects of earlier ones
	}
	expected := 2 * maxBatch // so many products were created when the planner's estimate is compared, then twice as many
	for chunk := range slices.Chunk(read.Rows, step) {
		m := &merge{company: company, person: call.Person, live: call.RequireLive(), strict: how.strict}
		rows, err := c.importChunk(ctx, m, chunk, how.dry)
		if err != nil {
			return api.Result[importReport]{}, err
		}
		report.add(call, rows)
		if !how.dry && report.Created >= expected && !store.InDraftOf(ctx, call.Company) {
			expected *= 2
			if err := c.store.ExpectProducts(ctx, call.Company, report.Created); err != nil {
				call.LogPartialFailure(err) // the import is only slower
			}
		}
	}
	return api.Wrap(report), nil
}

func (c *Catalog) importChunk(ctx context.Context, m *merge, lines []cells.Row, dry bool) (rows []importedRow, err error) {
	err = c.store.Write(ctx, m.company.ID, func(tx *store.Tx) error {
		rows = rows[:0]
		m.tx = tx
		if err := lockFor(ctx, tx, lines); err != nil {
			return err
		}
		var err error
		if m.sheet, err = readSheet(ctx, tx.Reader); err != nil {
			return err
		}
		for part := range slices.Chunk(lines, maxBatch) {
			done, err := m.merge(ctx, part)
			if err != nil {
				return err
			}
			rows = append(rows, done...)
		}
		if dry {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return rows, err
}

// lockFor locks the products that lines may refer to, before any of them is written.
func lockFor(ctx context.Context, tx *store.Tx, lines []cells.Row) error {
	skus, ids := keysOf(lines)
	return catalog.LockProductsFor(ctx, tx, skus, ids)
}

func keysOf(lines []cells.Row) (skus []string, ids []shop.ProductID) {
	skus = make([]string, len(lines))
	for i, l := range lines {
		var id shop.ProductID
		if skus[i], id = keyOf(l); id != 0 {
			ids = append(ids, id)
		}
	}
	return skus, ids
}

// errDryRun rolls a dry run back; it is never returned to callers.
var errDryRun = errors.New("dry run")

func (r *importReport) add(call *api.Call, rows []importedRow) {
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
		r.Warnings += len(row.Warnings)
		if row.cause != nil {
			row.Reason = call.LogPartialFailure(row.cause)
		}
		if r.DryRun && row.Status == "created" {
			row.ID = 0
		}
		r.Rows = append(r.Rows, row)
	}
}
