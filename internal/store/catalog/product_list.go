package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ProductFilter restricts a list of products. Zero fields don't restrict.
type ProductFilter struct {
	Deleted       bool // deleted products, instead of those that are not
	Category      shop.CategoryID
	Subtree       bool // with Category: includes all sections below it
	Below         bool // with Subtree: only the sections below
	IDs           []shop.ProductID
	Query         string                                               // words that the name contains
	BySKU         bool                                                 // Query may also be an item number; only for Listing
	SKUPrefix     bool                                                 // Query may also be the beginning of one, of a variant too; only for Listing
	Wide          bool                                                 // Query is also searched in brands, tags and attributes; only for Listing
	Sections      func(named func(name string) bool) []shop.CategoryID // with Wide: the sections whose names match, with those below
	SKU           string                                               // of the product or of a variant, in any case
	Brand         string                                               // in any case
	Tag           string
	Kind          string
	Stock         StockState
	PublishedOnly bool
	Listed        bool // without products hidden from the catalogue
	InStock       bool // without sold-out products

	// Only for Listing.
	InSections         []shop.CategoryID // only of these sections, in place of Category; nil: of all
	MinPrice, MaxPrice *int64            // in the prices of Prices
	Prices             Pricer            // for the reader of the list; nil: stored prices, and summed ones of sets
	Reduced            bool              // only those cheaper than before
	Facets             []Facet           // at most one per attribute

	Brief bool // only products and their total, and no similar ones; only for Listing

	Sort          string // a key of productSorts
	Descending    bool
	Number, Limit int
}

// StockState is whether products can be bought. Low is a part of In: few of the product, or of
// one of its variants, are left.
type StockState string

// The states of stock.
const (
	StockIn  StockState = "in"
	StockLow StockState = "low"
	StockOut StockState = "out"
)

// StockStates lists them.
var StockStates = []StockState{StockIn, StockLow, StockOut}

// Values lists the states as texts.
func (StockState) Values() []string { return shop.Texts(StockStates) }

func (f ProductFilter) offset() int { return (f.Number - 1) * f.Limit }

// productSorts are the sort orders of lists. Names are sorted by their first hundred
// characters, the length that an index can hold.
var productSorts = map[string]string{
	"": "p.id", "id": "p.id", "name": "left(p.name, 100)", "price": "p.price", "rating": "p.rating",
	"created_at": "p.created_at", "updated_at": "p.updated_at",
}

// ProductSorts lists the sort orders of lists.
func ProductSorts() []string { return slices.Sorted(maps.Keys(productSorts))[1:] }

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

// selectIDs begins a statement that selects the ids of the products p that match a filter and
// that a reader sees; facets are not included.
func (f ProductFilter) selectIDs(r store.Reader) *store.Statement {
	s := &store.Statement{Args: []any{r.Company}}
	if f.Category != 0 && f.Subtree {
		s.Args = append(s.Args, f.Category)
		s.Add(subtreeCTE)
	}
	deletion := `deleted_at IS NULL`
	if f.Deleted {
		deletion = `deleted_at IS NOT NULL`
	}
	s.Add(` SELECT p.id FROM product p WHERE p.company_id = $1 AND p.` + deletion)
	// The ids are an array: with IN, the planner compares all products with all of the section while its
	// statistics say that there are few.
	switch {
	case f.Category != 0 && f.Subtree:
		without := shop.CategoryID(0)
		if f.Below {
			without = f.Category
		}
		s.Add(` AND p.id = ANY(ARRAY(SELECT id FROM product WHERE company_id = $1 AND category_id IN (SELECT id FROM tree WHERE id <> ?) AND `+deletion+`
			UNION ALL SELECT product_id FROM product_extra_category WHERE company_id = $1 AND category_id IN (SELECT id FROM tree WHERE id <> ?)))`, without, without)
	case f.Category != 0:
		s.Add(` AND p.id = ANY(ARRAY(SELECT id FROM product WHERE company_id = $1 AND category_id = ? AND `+deletion+`
			UNION ALL SELECT product_id FROM product_extra_category WHERE company_id = $1 AND category_id = ?))`, f.Category, f.Category)
	}
	if f.IDs != nil {
		s.Add(` AND p.id = ANY(?::integer[])`, f.IDs)
	}
	if f.Query != "" {
		s.Add(` AND (true`)
		for _, word := range store.WordsOf(f.Query) {
			s.Add(` AND p.name ILIKE ?`, store.LikePattern(word))
		}
		if f.SKUPrefix {
			s.Add(` OR `)
			numberBegins(s, f.Query)
		}
		s.Add(`)`)
	}
	f.selectFacts(s)
	if f.PublishedOnly {
		s.Add(` AND p.is_published`)
	}
	if f.InStock {
		s.Add(` AND NOT ` + soldOut(""))
	}
	if f.Listed {
		s.Add(` AND p.catalog_hidden <> 'true'`)
	}
	HideProducts(r, s)
	return s
}

// numberBegins adds the condition that the item number of product p, or of a variant, begins with a
// text, in any case. It compares ranges because a prepared LIKE cannot use the index.
func numberBegins(s *store.Statement, text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	last := text + string(unicode.MaxRune)
	s.Add(`p.id IN (SELECT id FROM product WHERE company_id = $1 AND lower(sku) ~>=~ ? AND lower(sku) ~<~ ? AND sku <> ''
		UNION ALL SELECT product_id FROM variant_set WHERE company_id = $1 AND lower(sku) ~>=~ ? AND lower(sku) ~<~ ? AND sku <> '')`, text, last, text, last)
}

// selectFacts adds the conditions on what members filter by.
func (f ProductFilter) selectFacts(s *store.Statement) {
	if f.SKU != "" {
		s.Add(` AND p.id IN (SELECT id FROM product WHERE company_id = $1 AND lower(sku) = lower(?) AND sku <> ''
			UNION ALL SELECT product_id FROM variant_set WHERE company_id = $1 AND lower(sku) = lower(?) AND sku <> '')`, f.SKU, f.SKU)
	}
	if f.Brand != "" {
		s.Add(` AND lower(p.brand) = lower(?)`, f.Brand)
	}
	if f.Tag != "" {
		s.Add(` AND p.tags @> ARRAY[?::text]`, f.Tag)
	}
	if f.Kind != "" {
		s.Add(` AND p.kind = ?`, f.Kind)
	}
	switch f.Stock {
	case StockIn:
		s.Add(` AND NOT ` + soldOut(""))
	case StockOut:
		s.Add(` AND ` + soldOut(""))
	case StockLow:
		s.Add(` AND ` + fewLeft("") + ` AND NOT ` + soldOut(""))
	}
}

// fewLeft returns an expression: of product p of the shop $1, or of a variant set of it that can be
// bought, few are left. It is null where that is not counted.
func fewLeft(schema string) string {
	return `(p.combo_items = '[]' AND CASE WHEN p.stock_by = 'variant' THEN EXISTS (SELECT FROM ` + schema + `variant_set v
			WHERE v.company_id = $1 AND v.product_id = p.id AND v.is_active AND v.stock_quantity BETWEEN 1 AND v.stock_low_threshold)
		ELSE p.stock_quantity BETWEEN 1 AND p.stock_low_threshold END)`
}

// anyVariant returns an expression: a variant set of product p of the shop $1 can be bought.
// schema is empty or the name of the schema with a dot.
func anyVariant(schema string) string {
	return `EXISTS (SELECT FROM ` + schema + `variant_set v
		WHERE v.company_id = $1 AND v.product_id = p.id AND v.is_active AND v.stock_quantity IS DISTINCT FROM 0)`
}

// soldOut returns an expression: product p of the shop $1 is out of stock, or for a combo, one of
// its components is.
func soldOut(schema string) string {
	return `(CASE WHEN p.stock_by = 'variant' THEN NOT ` + anyVariant(schema) + ` ELSE coalesce(p.stock_quantity <= 0, false) END
		OR p.combo_items <> '[]' AND EXISTS (
			SELECT FROM jsonb_array_elements(p.combo_items) c
			JOIN ` + schema + `product part ON part.company_id = $1 AND part.id = (c->>'product_id')::integer
			WHERE part.deleted_at IS NOT NULL OR ` + tooFew(schema) + `))`
}

// tooFew returns an expression: the stock of a component c of a combo, of the product part, is
// less than the combo needs. A component that names no variant of a product counted by variant
// has none.
func tooFew(schema string) string {
	return `CASE WHEN part.stock_by = 'variant' THEN NOT EXISTS (
			SELECT FROM ` + schema + `variant_set v WHERE v.company_id = $1 AND v.product_id = part.id AND v.id = (c->>'variant_id')::bigint
			AND v.is_active AND (v.stock_quantity >= (c->>'quantity')::integer) IS NOT FALSE)
		ELSE coalesce(part.stock_quantity < (c->>'quantity')::integer, false) END`
}

// Products returns one page of a list. It first selects the ids of the page, so that whole
// rows are read only for them.
func Products(ctx context.Context, r store.Reader, f ProductFilter) ([]Product, error) {
	ids, err := productIDs(ctx, r, f, f.offset(), f.Limit)
	if err != nil {
		return nil, err
	}
	return productsInOrder(ctx, r, ids)
}

// deletedProducts reads one page of deleted products, and how many there are in all.
func deletedProducts(ctx context.Context, r store.Reader, f ProductFilter) (l Listing, err error) {
	s := f.selectIDs(r)
	if f.MinPrice != nil {
		s.Add(` AND p.price >= ?`, *f.MinPrice)
	}
	if f.MaxPrice != nil {
		s.Add(` AND p.price <= ?`, *f.MaxPrice)
	}
	ids, err := selectProductIDs(ctx, r, s)
	if err != nil {
		return l, err
	}
	if l.Total = len(ids); l.Total <= f.offset() {
		return l, nil
	}
	page := ProductFilter{Deleted: true, IDs: ids, Sort: f.Sort, Descending: f.Descending}
	if ids, err = productIDs(ctx, r, page, f.offset(), f.Limit); err != nil {
		return l, err
	}
	if l.Products, err = productsWhere(ctx, r, ids, `p.deleted_at IS NOT NULL`); err != nil {
		return l, err
	}
	l.Values, err = ProductAttributes(ctx, r, ids)
	return l, err
}

func productIDs(ctx context.Context, r store.Reader, f ProductFilter, offset, limit int) ([]shop.ProductID, error) {
	s := f.selectIDs(r)
	s.Add(` ORDER BY `+f.order()+` LIMIT ? OFFSET ?`, limit, offset)
	return selectProductIDs(ctx, r, s)
}

func selectProductIDs(ctx context.Context, r store.Reader, s *store.Statement) ([]shop.ProductID, error) {
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
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
func productsInOrder(ctx context.Context, r store.Reader, ids []shop.ProductID) ([]Product, error) {
	return productsWhere(ctx, r, ids, `p.deleted_at IS NULL`)
}

// productsWhere reads those of the products that meet an SQL condition, in the order of the ids.
func productsWhere(ctx context.Context, r store.Reader, ids []shop.ProductID, condition string) ([]Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.DB.Query(ctx, `SELECT `+productSelect+` FROM product p
		WHERE p.company_id = $1 AND p.id = ANY($2) AND `+condition+` ORDER BY array_position($2, p.id)`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Product, error) { return scanProduct(row) })
}
