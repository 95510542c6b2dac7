package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ProductFilter narrows a list of living products. Zero values do not narrow.
type ProductFilter struct {
	Category      shop.CategoryID
	Subtree       bool // with Category: all sections below it too
	IDs           []shop.ProductID
	Query         string // part of the name
	Similar       bool   // Query names something like it, not a part of it
	PublishedOnly bool
	Listed        bool // leaves out products hidden from the catalogue
	MinPrice      *int64
	MaxPrice      *int64
	Facets        []Facet // at most one an attribute
	Sort          string  // a key of productSorts; "" with Similar: the likest first
	Descending    bool
	Number, Limit int
}

// similarity is how like a name a mistyped query must be, from 0 to 1: one
// wrong or missing letter in a word of six stays above it, two words that only
// end alike do not.
const similarity = "0.35"

// productSorts are the orders a list can have.
var productSorts = map[string]string{
	"": "p.id", "id": "p.id", "name": "p.name", "price": "p.price", "rating": "p.rating", "created_at": "p.created_at", "updated_at": "p.updated_at",
}

// ProductSortKnown reports whether sort.field names an order.
func ProductSortKnown(field string) bool { _, ok := productSorts[field]; return ok }

// where is the condition of a filter on product p, for a query that begins with
// subtree; its parameters are $1 to $9, see arguments. Facets are not part of
// it.
func (f ProductFilter) where() string {
	named := `p.name ILIKE '%' || replace(replace(replace($5, '\', '\\'), '%', '\%'), '_', '\_') || '%'`
	if f.Similar {
		named = `word_similarity($5, p.name) >= ` + similarity
	}
	return `
		p.company_id = $1 AND p.deleted_at IS NULL
		AND ($2 = 0 OR CASE WHEN $3 THEN p.category_id IN (SELECT id FROM tree) OR EXISTS (SELECT 1 FROM product_extra_category e
				WHERE e.company_id = $1 AND e.product_id = p.id AND e.category_id IN (SELECT id FROM tree))
			ELSE p.category_id = $2 OR EXISTS (SELECT 1 FROM product_extra_category e
				WHERE e.company_id = $1 AND e.product_id = p.id AND e.category_id = $2) END)
		AND ($4::integer[] IS NULL OR p.id = ANY($4))
		AND ($5 = '' OR ` + named + `)
		AND (p.is_published OR NOT $6) AND (p.catalog_hidden <> 'true' OR NOT $7)
		AND ($8::bigint IS NULL OR p.price >= $8) AND ($9::bigint IS NULL OR p.price <= $9)`
}

func (f ProductFilter) arguments(company shop.CompanyID) []any {
	return []any{company, f.Category, f.Subtree, f.IDs, f.Query, f.PublishedOnly, f.Listed, f.MinPrice, f.MaxPrice}
}

func (f ProductFilter) order() string {
	if f.Similar && f.Sort == "" {
		return "word_similarity($5, p.name) DESC, p.id"
	}
	direction := " ASC"
	if f.Descending {
		direction = " DESC"
	}
	return productSorts[f.Sort] + direction + ", p.id" + direction
}

// Products is one page of a list and the total of all pages, in one query.
func (r Reader) Products(ctx context.Context, f ProductFilter) (list []Product, total int, err error) {
	faceted, args := "", append(f.arguments(r.Company), f.Limit, (f.Number-1)*f.Limit)
	if len(f.Facets) > 0 {
		faceted = fmt.Sprintf("\n\t\tAND p.id IN (SELECT product_id FROM (%s) m GROUP BY product_id HAVING count(*) = %d)", matched(12), len(f.Facets))
		args = append(args, facetArguments(f.Facets)...)
	}
	rows, err := r.q.Query(ctx, strings.Join([]string{
		subtree, `SELECT count(*) OVER (),`, productColumns, ` FROM product p WHERE`, f.where(), faceted, ` ORDER BY `, f.order(), ` LIMIT $10 OFFSET $11`,
	}, ""), args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		p, err := scanProduct(prefixed{rows, &total})
		if err != nil {
			return nil, 0, err
		}
		list = append(list, p)
	}
	if err := rows.Err(); err != nil || len(list) > 0 || f.Number == 1 {
		return list, total, err
	}
	f.Number, f.Limit = 1, 1 // behind the last page no row carries the total
	_, total, err = r.Products(ctx, f)
	return nil, total, err
}

// prefixed scans one more column in front of a row.
type prefixed struct {
	row   pgx.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }

// ProductNamed reports whether the name of any living product holds the text,
// as f.Query is searched, among those that f.PublishedOnly and f.Listed leave.
func (r Reader) ProductNamed(ctx context.Context, f ProductFilter) (found bool, err error) {
	f = ProductFilter{Query: f.Query, PublishedOnly: f.PublishedOnly, Listed: f.Listed}
	err = r.q.QueryRow(ctx, subtree+`SELECT EXISTS (SELECT 1 FROM product p WHERE`+f.where()+`)`, f.arguments(r.Company)...).Scan(&found)
	return found, err
}
