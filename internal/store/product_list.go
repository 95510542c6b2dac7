package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ProductFilter narrows a list of living products. Zero values do not narrow.
type ProductFilter struct {
	Category      shop.CategoryID
	Subtree       bool // with Category: all sections below it too
	Below         bool // with Subtree: those sections alone
	IDs           []shop.ProductID
	Query         string // words that the name holds
	Numbered      bool   // Query may be an item number as well; for Listing alone
	PublishedOnly bool
	Listed        bool // leaves out products hidden from the catalogue
	InStock       bool // leaves out what is sold out

	// For Listing alone.
	MinPrice, MaxPrice *int64  // in the prices of Prices
	Prices             Pricer  // of who reads the list; nil: what was typed, and what sets cost
	Reduced            bool    // only those that cost less than before
	Facets             []Facet // at most one an attribute

	Sort          string // a key of productSorts
	Descending    bool
	Number, Limit int
}

func (f ProductFilter) offset() int { return (f.Number - 1) * f.Limit }

// productSorts are the orders a list can have. Names are ordered by their first
// hundred characters, which is what an index can hold.
var productSorts = map[string]string{
	"": "p.id", "id": "p.id", "name": "left(p.name, 100)", "price": "p.price", "rating": "p.rating",
	"created_at": "p.created_at", "updated_at": "p.updated_at",
}

// ProductSortKnown reports whether sort.field names an order.
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

// statement is SQL that is put together of the conditions that apply, so that
// each combination has a plan of its own. $1 is the shop.
type statement struct {
	strings.Builder
	args []any
}

// add writes SQL in which ? stands for the next argument.
func (s *statement) add(sql string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(sql, "?")
		s.args = append(s.args, arg)
		s.WriteString(before + "$" + strconv.Itoa(len(s.args)))
		sql = after
	}
	s.WriteString(sql)
}

// over begins a statement that selects of the products p of a filter that a reader
// sees; facets are not part of it.
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

// soldOut is whether nothing of a product p of the shop $1 is left: of a set, when one
// of its components is missing.
const soldOut = `(coalesce(p.stock_quantity <= 0, false) OR p.combo_items <> '[]' AND EXISTS (
	SELECT FROM jsonb_array_elements(p.combo_items) c JOIN product part ON part.company_id = $1
	AND part.id = (c->>'product_id')::integer AND (part.stock_quantity < (c->>'quantity')::integer OR part.deleted_at IS NOT NULL)))`

// maxWords is how many words of a query are looked for.
const maxWords = 8

// wordsOf are the words that names must hold, in any order.
func wordsOf(query string) []string {
	words := strings.Fields(query)
	return words[:min(len(words), maxWords)]
}

// containing is the pattern of ILIKE for texts that hold another one.
func containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// Products is one page of a list. It asks for the ids of the page first, so that
// whole rows are read for them alone.
func (r Reader) Products(ctx context.Context, f ProductFilter) ([]Product, error) {
	ids, err := r.productIDs(ctx, f, f.offset(), f.Limit)
	if err != nil {
		return nil, err
	}
	return r.productsInOrder(ctx, ids)
}

// CountProducts is how many products all pages of a list have.
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
	// Scanned into a plain type: whole shops come here, and the driver reaches
	// named types by reflection.
	ids := []shop.ProductID{}
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		ids = append(ids, shop.ProductID(id))
		return nil
	})
	return ids, err
}

// productsInOrder reads living products in the order of the ids.
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
