package catalog

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

const (
	exportPage  = 500       // products per page of the database reads
	exportBytes = 512 << 20 // size limit of a response
)

var errExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").
	When("the export exceeds the size limit; filter it")

type exportRequest struct {
	Category shop.CategoryID `query:"filter.category_id" json:"-" doc:"only this section, without those below it"`
	Subtree  bool            `query:"filter.include_subtree" json:"-" doc:"with filter.category_id: also the sections below it"`
}

// exportProducts writes the products that are not deleted, oldest first. It reads them page by
// page in one database snapshot into a file: memory holds one page, and a slow client does not
// hold a database connection.
func (c *Catalog) exportProducts(ctx context.Context, call *api.Call, in exportRequest) (api.Raw, error) {
	file, err := api.Spool(exportBytes, errExportLarge.With("export section by section with filter.category_id"), func(w io.Writer) error {
		return c.store.Snapshot(ctx, call.Company, func(r store.Reader) error { return in.write(ctx, r, w) })
	})
	call.SetHeader("Content-Disposition", `attachment; filename="products.csv"`)
	return api.Raw{ContentType: "text/csv; charset=utf-8", File: file}, err
}

func (in exportRequest) write(ctx context.Context, r store.Reader, to io.Writer) error {
	s, err := readSheet(ctx, r)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(to)
	w, columns := csv.NewWriter(buffer), s.columns()
	if err := w.Write(columns); err != nil {
		return err
	}
	for after := shop.ProductID(0); ; {
		products, err := catalog.ProductsAfter(ctx, r, in.Category, in.Subtree, after, exportPage)
		if err != nil {
			return err
		}
		entries, err := entriesOf(ctx, r, products)
		if err != nil {
			return err
		}
		for _, e := range entries {
			after = e.product.ID
			if err := s.writeLine(w, columns, e); err != nil {
				return err
			}
		}
		if len(products) < exportPage {
			w.Flush()
			if err := w.Error(); err != nil {
				return err
			}
			return buffer.Flush()
		}
	}
}

func (s sheet) writeLine(w *csv.Writer, columns []string, e entry) error {
	cells := s.cells(e)
	line := make([]string, len(columns))
	for i, column := range columns {
		line[i] = cells[column]
		if !s.plainNumber(column) {
			line[i] = api.GuardCell(line[i])
		}
	}
	return w.Write(line)
}
