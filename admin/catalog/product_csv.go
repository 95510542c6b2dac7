package catalog

import (
	"bytes"
	"context"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// The catalogue as CSV: one product a line, with a header line that names the
// columns. What is exported can be imported again and changes nothing.
//
//	id                number in this shop; imports use it where sku is empty or new
//	sku               what imports know a product by
//	name, slug, description
//	price, old_price  whole units of the shop's currency
//	category          slug of the primary section; empty for none
//	categories        slugs of further sections, joined by |
//	tags              joined by |
//	kind              standard, combo or multi
//	is_published      true or false
//	stock_quantity    of new products; empty is not tracked
//	meta_title, meta_description
var csvColumns = []string{
	"id", "sku", "name", "slug", "price", "old_price", "category", "categories", "tags", "kind", "is_published", "stock_quantity",
	"meta_title", "meta_description", "description",
}

const (
	exportPage  = 500      // products read at a time
	exportBytes = 64 << 20 // of an answer
)

var errExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE")

// formula is what a spreadsheet would run as one when it stands at the start of
// a cell, and what an apostrophe already guards.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r]`)

// guarded puts an apostrophe before a formula, so that a spreadsheet shows it as
// text; unguarded takes it away again.
func guarded(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

func unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}

type exportRequest struct {
	Category shop.CategoryID `query:"filter.category_id" json:"-"`
	Subtree  bool            `query:"filter.include_subtree" json:"-"`
}

// exportProducts writes the living products, oldest first, read page by page.
func (c *Catalog) exportProducts(ctx context.Context, call *api.Call, in exportRequest) (api.Raw, error) {
	var buf bytes.Buffer
	err := c.store.Snapshot(ctx, call.Company, func(r store.Reader) error {
		slugs, err := sectionSlugs(ctx, r)
		if err != nil {
			return err
		}
		w := csv.NewWriter(&buf)
		if err := w.Write(csvColumns); err != nil {
			return err
		}
		f := store.ProductFilter{Category: in.Category, Subtree: in.Subtree && in.Category != 0, Limit: exportPage}
		for f.Number = 1; ; f.Number++ {
			rows, err := r.Products(ctx, f)
			if err != nil {
				return err
			}
			for _, p := range rows {
				if err := w.Write(csvRow(p, slugs)); err != nil {
					return err
				}
			}
			w.Flush()
			if buf.Len() > exportBytes {
				return errExportLarge.With("export section by section with filter.category_id")
			}
			if len(rows) < exportPage {
				return w.Error()
			}
		}
	})
	call.SetHeader("Content-Disposition", `attachment; filename="products.csv"`)
	return api.Raw{ContentType: "text/csv; charset=utf-8", Body: buf.Bytes()}, err
}

// sectionSlugs are the slugs of the living sections.
func sectionSlugs(ctx context.Context, r store.Reader) (map[shop.CategoryID]string, error) {
	list, err := r.Categories(ctx, false)
	slugs := make(map[shop.CategoryID]string, len(list))
	for _, c := range list {
		slugs[c.ID] = c.SEO.Slug
	}
	return slugs, err
}

func csvRow(p store.Product, slugs map[shop.CategoryID]string) []string {
	stock := ""
	if p.StockQuantity != nil {
		stock = strconv.Itoa(*p.StockQuantity)
	}
	var further []string
	for _, id := range p.Extra {
		if slug := slugs[id]; slug != "" {
			further = append(further, slug)
		}
	}
	row := []string{
		p.ID.String(), p.SKU, p.Name, p.SEO.Slug, strconv.FormatInt(p.Price, 10), strconv.FormatInt(p.OldPrice, 10), slugs[p.Category],
		strings.Join(further, "|"), joined(p.Tags), p.Kind, strconv.FormatBool(p.IsPublished), stock,
		p.SEO.MetaTitle, p.SEO.MetaDescription, p.Description,
	}
	for i, cell := range row {
		row[i] = guarded(cell)
	}
	return row
}

// joined writes a list as one cell; a | in an entry is escaped by a backslash,
// as a backslash is.
func joined(list []string) string {
	escaped := make([]string, len(list))
	for i, entry := range list {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `|`, `\|`).Replace(entry)
	}
	return strings.Join(escaped, "|")
}

// parted is the list of a cell; empty entries are left out.
func parted(cell string) []string {
	list := []string{}
	var entry strings.Builder
	end := func() {
		if text := strings.TrimSpace(entry.String()); text != "" {
			list = append(list, text)
		}
		entry.Reset()
	}
	escaped := false
	for _, r := range cell {
		switch {
		case escaped:
			entry.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			end()
		default:
			entry.WriteRune(r)
		}
	}
	end()
	return list
}
