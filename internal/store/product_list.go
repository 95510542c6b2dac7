package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ProductFilter restricts a list of products that are not deleted. Zero fields don't
// restrict.
type ProductFilter struct {
	Category      shop.CategoryID
	Subtree       bool // with Category: includes all sections below it
	Below         bool // with Subtree: only the sections below
	IDs           []shop.ProductID
	Query         string // words that the name contains
	Numbered      bool   // Query may also be an item number; only for Listing
	PublishedOnly bool
	Listed        bool // without products hidden from the catalogue
	InStock       bool // without sold-out products

	// Only for Listing.
	MinPrice, MaxPrice *int64  // in the prices of Prices
	Prices             Pricer  // for the reader of the list; nil: stored prices, and summed ones of sets
	Reduced            bool    // only those cheaper than before
	Facets             []Facet // at most one per attribute

	Sort          string // a key of productSorts
	Descending    bool
	Number, Limit int
}

func (f ProductFilter) offset() int { return (f.Number - 1) * f.Limit }

// productSorts are the sort orders of lists. Names are sorted by their first hundred
// characters, the length that an index can hold.
var productSorts = map[string]string{
	"": "p.id", "id": "p.id", "name": "left(p.name, 100)", "price": "p.price", "rating": "p.rating",
	"created_at": "p.created_at", "updated_at": "p.updated_at",
}

// ProductSortKnown reports whether sort.field is a valid sort order.
func ProductSortKnown(field string) bool { _, ok := productSorts[field]; return ok }

func (f ProductFilter) order() string {
	direction := " ASC"
	if f.Descending {
		direction = " DESC"
	}
	if key := productSorts[f.Sort]; key != "p.id" {
		return key + direction + ", p.id" + direction
	}
	return "p.id" + direction
}

// statement is SQL composed of the conditions that apply, so that each combination gets its
// own plan. $1 is the shop.
type statement struct {
	strings.Builder
	args []any
}

// add appends SQL in which ? stands for the next argument.
func (s *statement) add(sql string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(sql, "?")
		s.args = append(s.args, arg)
		s.WriteString(before + "$" + strconv.Itoa(len(s.args)))
		sql = after
	}
	s.WriteString(sql)
}

// over begins a statement that selects what from the products p that match a filter and
// that a reader sees; facets are not included.
func (f ProductFilter) over(r Reader, what string) *statement {
	s := &statement{args: []any{r.Company}}
	if f.Category != 0 && f.Subtree {
		s.args = append(s.args, f.Category)
		s.add(subtree)
	}
	s.add(` SELECT ` + what + ` FROM product p WHERE p.company_id = $1 AND p.deleted_at IS NULL`)
	switch {
	case f.Category != 0 && f.Subtree:
		without := shop.CategoryID(0)
		if f.Below {
			without = f.Category
		}
		s.add(` AND p.id IN (SELECT id FROM product WHERE company_id = $1 AND category_id IN (SELECT id FROM tree WHERE id <> ?) AND deleted_at IS NULL
			UNION ALL SELECT product_id FROM product_extra_category WHERE company_id = $1 AND category_id IN (SELECT id FROM tree WHERE id <> ?))`, without, without)
	case f.Category != 0:
		s.add(` AND p.id IN (SELECT id FROM product WHERE company_id = $1 AND category_id = ? AND deleted_at IS NULL
			UNION ALL SELECT product_id FROM product_extra_category WHERE company_id = $1 AND category_id = ?)`, f.Category, f.Category)
	}
	if f.IDs != nil {
		s.add(` AND p.id = ANY(?::integer[])`, f.IDs)
	}
	for _, word := range wordsOf(f.Query) {
		s.add(` AND p.name ILIKE ?`, containing(word))
	}
	if f.PublishedOnly {
		s.add(` AND p.is_published`)
	}
	if f.InStock {
		s.add(` AND NOT ` + soldOut)
	}
	if f.Listed {
		s.add(` AND p.catalog_hidden <> 'true'`)
	}
	r.hideProducts(s)
	return s
}

// soldOut is an expression: product p of the shop $1 is out of stock, or for a set, one of
// its components is.
const soldOut = `(coalesce(p.stock_quantity <= 0, false) OR p.combo_items <> '[]' AND EXISTS (
	SELECT FROM jsonb_array_elements(p.combo_items) c JOIN product part ON part.company_id = $1
	AND part.id = (c->>'product_id')::integer AND (part.stock_quantity < (c->>'quantity')::integer OR part.deleted_at IS NOT NULL)))`

// maxWords is how many words of a query are searched.
const maxWords = 8

// wordsOf returns the words that names must contain, in any order.
func wordsOf(query string) []string {
	words := strings.Fields(query)
	return words[:min(len(words), maxWords)]
}

// containing returns the ILIKE pattern for texts that contain text.
func containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// Products returns one page of a list. It first selects the ids of the page, so that whole
// rows are read only for them.
func (r Reader) Products(ctx context.Context, f ProductFilter) ([]Product, error) {
	ids, err := r.productIDs(ctx, f, f.offset(), f.Limit)
	if err != nil {
		return nil, err
	}
	return r.productsInOrder(ctx, ids)
}

// CountProducts returns how many products all pages of a list have.
func (r Reader) CountProducts(ctx context.Context, f ProductFilter) (total int, err error) {
	s := f.over(r, "count(*)")
	err = r.q.QueryRow(ctx, s.String(), s.args...).Scan(&total)
	return total, err
}

func (r Reader) productIDs(ctx context.Context, f ProductFilter, offset, limit int) ([]shop.ProductID, error) {
	s := f.over(r, "p.id")
	s.add(` ORDER BY `+f.order()+` LIMIT ? OFFSET ?`, limit, offset)
	return r.idsOf(ctx, s)
}

func (r Reader) idsOf(ctx context.Context, s *statement) ([]shop.ProductID, error) {
	rows, err := r.q.Query(ctx, s.String(), s.args...)
	if err != nil {
		return nil, err
	}
	// Scanned into a plain type: it may read a whole shop, and the driver uses reflection
	// for named types.
	ids := []shop.ProductID{}
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		ids = append(ids, shop.ProductID(id))
		return nil
	})
	return ids, err
}

// productsInOrder reads products that are not deleted, in the order of the ids.
func (r Reader) productsInOrder(ctx context.Context, ids []shop.ProductID) ([]Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.Query(ctx, `SELECT `+productSelect+` FROM product p
		WHERE p.company_id = $1 AND p.id = ANY($2) AND p.deleted_at IS NULL ORDER BY array_position($2, p.id)`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Product, error) { return scanProduct(row) })
}
