package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/facet"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Facet filters products by one attribute: those with any of the option values, or with a
// number in the range (document 1, 4.2). Without values and bounds it accepts any value.
type Facet struct {
	Attribute AttributeID
	Values    []string
	Min, Max  *float64
}

// FacetCount is how many products of a list have an option, or any number of an attribute,
// and the smallest and largest of those numbers. Option is 0 for numbers. Values of one
// attribute are alternatives, so the filter by an attribute does not restrict its own
// counts: they show the result of choosing another value.
type FacetCount struct {
	Attribute AttributeID
	Option    OptionID
	Count     int
	Min, Max  *float64
}

// Listing is one page of a product list with everything shown around it.
type Listing struct {
	Products   []Product
	Total      int                                 // of all pages
	Similar    bool                                // no name contains the query; these are similar
	Values     map[shop.ProductID][]AttributeValue // of the page
	Attributes []Attribute                         // not deleted, in their order
	Counts     []FacetCount                        // of filterable attributes

	// The other filters of the list: how many products are in stock or reduced, and the
	// lowest and highest price, each computed without its own filter.
	InStock, Reduced   int
	MinPrice, MaxPrice int64

	numbered []uint32 // products that were found by their item numbers
}

// ListProducts lists products, in a number of round trips that does not depend on how many there
// are. The shop's index (productIndexes) provides filtering and counts; rows are read only for
// the page. It sees the committed rows visible to the reader, in the contour of the context, all
// at one moment: it reads the shop's version before the rows and after them. If a write was
// committed in between, it reads them again in a snapshot; a draft, which has no version, always.
func ListProducts(ctx context.Context, s *store.Store, of store.Reader, f ProductFilter) (l Listing, err error) {
	if f.Deleted {
		return deletedProducts(ctx, of, f)
	}
	indexes := store.Kept(s, func() *productIndexes { return newProductIndexes(s) })
	if err = errNeedsSnapshot; !store.InDraftOf(ctx, of.Company) {
		l, err = readListing(ctx, of, indexes.following, f)
	}
	// A replica may be behind the index, and is read once only.
	for once := true; errors.Is(err, errNeedsSnapshot) && (once || !store.ReadsReplica(ctx)); once = false {
		err = pgx.BeginTxFunc(ctx, s.For(of.Company), store.Snapshot, func(tx pgx.Tx) (err error) {
			r := s.Again(of, tx) // in the present era: in an earlier one no snapshot is late enough
			l, err = readListing(ctx, r, indexes.inSnapshot, f)
			return err
		})
	}
	return l, err
}

// errNeedsSnapshot is returned when a list must be read in a snapshot, or in a later one.
var errNeedsSnapshot = errors.New("store: the list is not of one moment")

// readListing reads a list. The version is its first statement, by currentIndex, and its last.
func readListing(ctx context.Context, r store.Reader, current currentIndex, f ProductFilter) (l Listing, err error) {
	var index *facet.Index
	var version int64
	var sections []uint32
	err = r.Together(ctx,
		func(r store.Reader) (err error) { index, version, err = current(ctx, r, f); return err },
		func(r store.Reader) (err error) {
			if !f.Brief {
				l.Attributes, err = Attributes(ctx, r, nil)
			}
			return err
		},
		func(r store.Reader) (err error) { sections, err = f.sections(ctx, r); return err },
	)
	if err != nil {
		return l, err
	}
	found, err := l.find(ctx, r, index, sections, f)
	if err != nil {
		return l, err
	}
	l.Total = found.Len()
	if f.Brief {
		ids, err := l.page(ctx, r, found, f)
		if err == nil {
			l.Products, err = productsInOrder(ctx, r, ids)
		}
		return l, err
	}
	l.InStock, l.Reduced = found.InStock(), found.Reduced()
	l.MinPrice, l.MaxPrice, _ = found.Prices()
	l.count(found)
	ids, err := l.page(ctx, r, found, f)
	if err != nil {
		return l, err
	}
	err = r.Together(ctx,
		func(r store.Reader) (err error) { l.Products, err = productsInOrder(ctx, r, ids); return err },
		func(r store.Reader) (err error) { l.Values, err = ProductAttributes(ctx, r, ids); return err },
		versionIs(ctx, version),
	)
	return l, err
}

// sections returns the sections whose products are listed; nil: all.
func (f ProductFilter) sections(ctx context.Context, r store.Reader) ([]uint32, error) {
	switch {
	case f.InSections != nil:
		return indexIDs(f.InSections), nil
	case f.Category == 0:
		return nil, nil
	case !f.Subtree:
		return []uint32{uint32(f.Category)}, nil
	}
	rows, err := r.DB.Query(ctx, subtreeCTE+` SELECT id FROM tree WHERE NOT $3 OR id <> $2`, r.Company, f.Category, f.Below)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]uint32{}, rows, pgx.RowTo[uint32])
}

// minSimilarLetters is how many letters a query needs for typo correction.
const minSimilarLetters = 3

// find applies the filter. When no name that the caller may see contains the query, it is
// probably mistyped, and find returns the products with the most similar names.
func (l *Listing) find(ctx context.Context, r store.Reader, index *facet.Index, sections []uint32, f ProductFilter) (facet.Selection, error) {
	filter := facet.Filter{
		Sections: sections, Among: indexIDs(f.IDs), Published: f.PublishedOnly, Listed: f.Listed, MinPrice: f.MinPrice, MaxPrice: f.MaxPrice,
		InStock: f.InStock || f.Stock == StockIn, SoldOut: f.Stock == StockOut, Low: f.Stock == StockLow, Tag: f.Tag,
		Reduced: f.Reduced, Facets: l.facets(f.Facets), Hidden: hiddenFromIndex(r),
	}
	if f.Kind != "" {
		filter.Labels = append(filter.Labels, facet.Label{Kind: f.Kind})
	}
	if f.Brand != "" {
		filter.Labels = append(filter.Labels, facet.Label{Brand: shop.Fold(f.Brand)})
	}
	if f.SKU != "" {
		ids, err := selectProductIDs(ctx, r, ProductFilter{IDs: f.IDs, SKU: f.SKU}.selectIDs(r))
		if err != nil {
			return facet.Selection{}, err
		}
		filter.Among = indexIDs(ids)
	}
	if f.Query == "" {
		return index.Select(filter), nil
	}
	numbered, err := productsNumbered(ctx, r, f)
	if err != nil {
		return facet.Selection{}, err
	}
	l.numbered = numbered
	filter.Named = append(index.Search(store.WordsOf(f.Query), l.also(f)), numbered...)
	visible := facet.Filter{Named: filter.Named, Published: f.PublishedOnly, Listed: f.Listed, Hidden: filter.Hidden}
	if f.Brief || utf8.RuneCountInString(f.Query) < minSimilarLetters || index.Select(visible).Len() > 0 {
		return index.Select(filter), nil
	}
	if filter.Named, err = similarProducts(ctx, r, index, f.Query); err != nil {
		return facet.Selection{}, err
	}
	found := index.Select(filter)
	l.Similar = found.Len() > 0
	return found, nil
}

// also returns where each word of a query was found besides names; nil: only names are searched.
func (l *Listing) also(f ProductFilter) (out []facet.Also) {
	if !f.Wide {
		return nil
	}
	for _, word := range store.WordsOf(f.Query) {
		var found facet.Also
		if f.Sections != nil {
			found.Sections = indexIDs(f.Sections(func(name string) bool { return facet.HasWord(name, word) }))
		}
		for _, a := range l.Attributes {
			options := []uint32{}
			for _, o := range a.Options {
				if facet.HasWord(o.Label, word) {
					options = append(options, uint32(o.ID))
				}
			}
			if len(options) > 0 {
				found.Facets = append(found.Facets, facet.Facet{Attribute: uint32(a.ID), Options: options})
			}
		}
		out = append(out, found)
	}
	return out
}

// facets returns the filters by attribute with option ids instead of values. A filter by a
// deleted attribute matches nothing.
func (l *Listing) facets(list []Facet) (out []facet.Facet) {
	for _, f := range list {
		at := slices.IndexFunc(l.Attributes, func(a Attribute) bool { return a.ID == f.Attribute })
		if at < 0 || len(f.Values) > 0 {
			options := []uint32{}
			for _, o := range l.optionsOf(at) {
				if slices.Contains(f.Values, o.Value) {
					options = append(options, uint32(o.ID))
				}
			}
			out = append(out, facet.Facet{Attribute: uint32(f.Attribute), Options: options, Min: f.Min, Max: f.Max})
			continue
		}
		out = append(out, facet.Facet{Attribute: uint32(f.Attribute), Min: f.Min, Max: f.Max})
	}
	return out
}

func (l *Listing) optionsOf(at int) []Option {
	if at < 0 {
		return nil
	}
	return l.Attributes[at].Options
}

func (l *Listing) count(found facet.Selection) {
	var ids []uint32
	for _, a := range l.Attributes {
		if a.Filterable && a.Kind != AttributeText {
			ids = append(ids, uint32(a.ID))
		}
	}
	found.Counts(ids, func(attribute uint32, c facet.Count) {
		l.Counts = append(l.Counts, FacetCount{AttributeID(attribute), OptionID(c.Option), c.Count, c.Min, c.Max})
	})
}

// SortMatch sorts search results: item numbers first, then names that begin with the query, names
// with a word that begins with it, other names, and what was found elsewhere; for mistyped queries
// the most similar names first.
const SortMatch = "match"

// maxSortedInMemory is up to how many products are sorted by reading all of them. For more, the
// database walks an index until the page is full, unless it would have to test the filter on each
// row.
const maxSortedInMemory = 5000

// indexOrders are the orders that the index supports.
var indexOrders = map[string]facet.Order{"price": facet.ByPrice, "created_at": facet.ByCreated, "rating": facet.ByRating, "name": facet.ByName}

// page returns the ids of the page. Pages in the second half of a list are read from its
// end.
func (l *Listing) page(ctx context.Context, r store.Reader, found facet.Selection, f ProductFilter) ([]shop.ProductID, error) {
	offset, limit := f.offset(), min(f.Limit, l.Total-f.offset())
	if limit <= 0 {
		return nil, nil
	}
	switch {
	case l.Similar && (f.Sort == "" || f.Sort == SortMatch):
		return sortBySimilarity(ctx, r, found.IDs(), f.Query, offset, limit)
	case f.Sort == SortMatch && f.Query != "":
		return toProductIDs(found.Matching(f.Query, l.numbered, offset, limit)), nil
	case f.Sort == SortMatch:
		f.Sort = "id"
	}
	if productSorts[f.Sort] == "p.id" {
		return toProductIDs(found.Page(offset, limit, f.Descending)), nil
	}
	fromEnd := offset > l.Total/2
	if by, ok := indexOrders[f.Sort]; ok {
		if fromEnd {
			ids := found.Sorted(by, l.Total-offset-limit, limit, !f.Descending)
			slices.Reverse(ids)
			return toProductIDs(ids), nil
		}
		return toProductIDs(found.Sorted(by, offset, limit, f.Descending)), nil
	}
	if fromEnd {
		offset, f.Descending = l.Total-offset-limit, !f.Descending
	}
	if f.narrows() || l.Total <= maxSortedInMemory {
		f = ProductFilter{IDs: toProductIDs(found.IDs()), Sort: f.Sort, Descending: f.Descending}
	}
	ids, err := productIDs(ctx, r, f, offset, limit)
	if fromEnd {
		slices.Reverse(ids)
	}
	return ids, err
}

// indexIDs and productIDs convert ids for the index and back.
func indexIDs[K any](ids []shop.Number[K]) []uint32 {
	if ids == nil {
		return nil
	}
	out := make([]uint32, len(ids))
	for i, id := range ids {
		out[i] = uint32(id)
	}
	return out
}

func toProductIDs(ids []uint32) []shop.ProductID {
	out := make([]shop.ProductID, len(ids))
	for i, id := range ids {
		out[i] = shop.ProductID(id)
	}
	return out
}

// narrows reports whether the filter has a condition that costs the database a test of each row.
func (f ProductFilter) narrows() bool {
	return len(f.Facets) > 0 || f.Query != "" || f.InStock || f.Reduced || f.MinPrice != nil || f.MaxPrice != nil ||
		f.SKU != "" || f.Brand != "" || f.Tag != "" || f.Kind != "" || f.Stock != ""
}

// productsNumbered returns the products, not deleted, whose item number the query is, or begins.
func productsNumbered(ctx context.Context, r store.Reader, f ProductFilter) ([]uint32, error) {
	s := ProductFilter{}.selectIDs(r)
	switch {
	case f.SKUPrefix:
		s.Add(` AND `)
		numberBegins(s, f.Query)
	case f.BySKU:
		number := strings.TrimSpace(f.Query)
		s.Add(` AND p.id IN (SELECT id FROM product WHERE company_id = $1 AND sku = ? AND sku <> '' AND deleted_at IS NULL
			UNION ALL SELECT product_id FROM variant_set WHERE company_id = $1 AND sku = ? AND sku <> '' AND NOT product_deleted AND is_active)`, number, number)
	default:
		return nil, nil
	}
	ids, err := selectProductIDs(ctx, r, s)
	return indexIDs(ids), err
}

// similarProducts returns the products, not deleted, whose names are similar to the query. The
// connection's threshold (Open) decides what is similar.
func similarProducts(ctx context.Context, r store.Reader, index *facet.Index, query string) ([]uint32, error) {
	if ids := index.Near(query); len(ids) > 0 {
		return ids, nil
	}
	s := ProductFilter{}.selectIDs(r)
	s.Add(` AND ? <% p.name`, query)
	ids, err := selectProductIDs(ctx, r, s)
	return indexIDs(ids), err
}

// sortBySimilarity sorts products by the similarity of their names to a query.
func sortBySimilarity(ctx context.Context, r store.Reader, ids []uint32, query string, offset, limit int) ([]shop.ProductID, error) {
	s := ProductFilter{IDs: toProductIDs(ids)}.selectIDs(r)
	s.Add(` ORDER BY word_similarity(?, p.name) DESC, p.id LIMIT ? OFFSET ?`, query, limit, offset)
	return selectProductIDs(ctx, r, s)
}
