package ucp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// Bounds of the catalogue's operations.
const (
	usualFound = 10
	maxFound   = 50
	maxLookups = 50
	maxQuery   = 100 // characters, as of the search of the storefront
)

type searchRequest struct {
	Query      string        `json:"query" len:"1000" doc:"words; at most 100 characters count"`
	Filters    searchFilters `json:"filters"`
	Pagination pagination    `json:"pagination"`
	Context    buyerContext  `json:"context"`
}

type searchFilters struct {
	Categories []string    `json:"categories" doc:"any of these: ids, slugs, or values of the categories of products"`
	Price      *priceRange `json:"price"`
}

type priceRange struct {
	Min *int64 `json:"min" doc:"minor units"`
	Max *int64 `json:"max" doc:"minor units"`
}

type pagination struct {
	Cursor string `json:"cursor" doc:"of the answer before"`
	Limit  *int   `json:"limit" doc:"1 to 50, 10 by default"`
}

// buyerContext is what a platform knows about the buyer. Only the currency counts here.
type buyerContext struct {
	Currency string `json:"currency" len:"20"`
}

type searchAnswer struct {
	UCP        Meta      `json:"ucp"`
	Products   []Product `json:"products"`
	Pagination nextPage  `json:"pagination"`
	Messages   []Message `json:"messages,omitempty"`
}

type nextPage struct {
	More   bool   `json:"has_next_page"`
	Cursor string `json:"cursor,omitempty"`
	Total  int    `json:"total_count"`
}

// search finds products as the search page of the storefront does.
func (u *UCP) search(ctx context.Context, r *request, in searchRequest) (out searchAnswer, err error) {
	site := r.shop.Site
	f := catalog.ProductFilter{
		Query: words(in.Query), BySKU: true, Wide: true, Sections: sectionsNamed(site), PublishedOnly: true, Listed: true, Sort: catalog.SortMatch,
		Prices: r.drawer().pricer.ForLists(),
	}
	out.Messages = r.ignoredFilters()
	if len(in.Filters.Categories) > 0 {
		f.InSections = sectionsOf(site, in.Filters.Categories)
	}
	if in.Filters.Price != nil {
		if currency := site.Shop().Currency; in.Context.Currency != "" && !strings.EqualFold(in.Context.Currency, currency) {
			out.Messages = append(out.Messages, info("filter_ignored", "prices are in "+currency, "$.filters.price"))
		} else {
			f.MinPrice, f.MaxPrice = in.Filters.Price.inShopUnits(site.Shop())
		}
	}
	if f.Query == "" && f.InSections == nil && in.Filters.Price == nil && len(out.Messages) == 0 {
		return out, errRequest.with("send a query or a filter")
	}
	if f.Query == "" {
		f.Sort, f.Descending = "created_at", true
	}
	if f.Number, f.Limit, err = in.Pagination.page(); err != nil {
		return out, err
	}
	leave, err := u.finds.Acquire(ctx, r.reader.Company)
	if err != nil {
		return out, errUnavailable.after(1, "too many searches of this shop are running")
	}
	defer leave()
	l, err := catalog.ListProducts(ctx, u.Assist.Store, r.reader, f)
	if err != nil {
		return out, err
	}
	out.UCP = r.meta()
	out.Products, err = r.draw(ctx, l.Products)
	out.Pagination.Total = l.Total
	if l.Total > f.Number*f.Limit {
		out.Pagination.More, out.Pagination.Cursor = true, cursor(f.Number+1, f.Limit)
	}
	return out, err
}

// words returns the part of a query that counts.
func words(query string) string {
	runes := []rune(strings.TrimSpace(query))
	return strings.TrimSpace(string(runes[:min(len(runes), maxQuery)]))
}

// ignoredFilters says which filters the shop does not have.
func (r *request) ignoredFilters() (list []Message) {
	for place := range strings.SplitSeq(r.ignored, ",") {
		if name, ok := strings.CutPrefix(place, "filters."); ok {
			list = append(list, info("filter_ignored", "the shop has no such filter", "$.filters."+name))
		}
	}
	return list
}

// sectionsNamed returns the sections that visitors see and whose names match, with those below them:
// a product is found by the names of its sections.
func sectionsNamed(site *compile.Site) func(named func(string) bool) []shop.CategoryID {
	return func(named func(string) bool) (found []shop.CategoryID) {
		for _, c := range site.Categories() {
			if !c.Home && site.Live(c.ID) && (named(c.Name) || slices.Contains(found, c.Parent)) {
				found = append(found, c.ID)
			}
		}
		return found
	}
}

// sectionsOf returns the sections that a filter names by id, slug or path of names, with those below
// them; empty if visitors see none of them.
func sectionsOf(site *compile.Site, named []string) []shop.CategoryID {
	found := []shop.CategoryID{}
	for _, c := range site.Categories() {
		if path := sectionPath(site, c.ID); path != "" && slices.ContainsFunc(named, func(name string) bool {
			return name == c.ID.String() || c.Slug != "" && name == c.Slug || strings.EqualFold(name, path)
		}) {
			found = append(found, site.Subtree(c.ID)...)
		}
	}
	return found
}

// inShopUnits returns the bounds of prices in units of the shop: no price beyond a bound is within.
func (p priceRange) inShopUnits(s compile.Shop) (low, high *int64) {
	one := shop.MinorUnits(1, s.Currency, s.PriceDigits) // 0 where the shop counts in smaller units
	convert := func(minor *int64, up bool) *int64 {
		if minor == nil {
			return nil
		}
		n := max(*minor, 0)
		switch {
		case one > 1 && up:
			n = n/one + min(n%one, 1)
		case one > 1:
			n /= one
		case one == 0:
			for e := shop.Exponent(s.Currency); e < s.PriceDigits && n < 1<<50; e++ {
				n *= 10
			}
		}
		return &n
	}
	return convert(p.Min, true), convert(p.Max, false)
}

// page returns number and size of a page. A cursor has both: a page begins where the one before
// ended.
func (p pagination) page() (number, limit int, err error) {
	limit = usualFound
	if p.Limit != nil {
		if limit = *p.Limit; limit < 1 {
			return 0, 0, errRequest.with("pagination.limit is at least 1")
		}
		limit = min(limit, maxFound)
	}
	if p.Cursor == "" {
		return 1, limit, nil
	}
	first, second, _ := strings.Cut(p.Cursor, ".")
	at, ok := positive(first)
	size, also := positive(second)
	if !ok || !also || at > 1_000_000 || size > maxFound {
		return 0, 0, errRequest.with("pagination.cursor is not one of an answer")
	}
	return at, size, nil
}

func positive(text string) (int, bool) {
	n, ok := number(text, 32)
	return int(n), ok
}

func cursor(number, limit int) string { return strconv.Itoa(number) + "." + strconv.Itoa(limit) }

// drawer returns what makes products of the rows of this request.
func (r *request) drawer() drawer {
	return drawer{r.shop.Site, load.NewUnitPricer(r.shop.Site, r.ucp.Assist.Now())}
}

// draw makes products of rows.
func (r *request) draw(ctx context.Context, rows []catalog.Product) ([]Product, error) {
	list := make([]Product, len(rows))
	if len(rows) == 0 {
		return list, nil
	}
	ids := make([]shop.ProductID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	var sets map[shop.ProductID][]catalog.Variant
	err := r.reader.Together(ctx,
		func(from store.Reader) error { return addCovers(ctx, from, rows) },
		func(from store.Reader) error { return load.PriceSets(ctx, from, rows) },
		func(from store.Reader) (err error) { sets, err = catalog.VariantsOf(ctx, from, ids); return err },
	)
	d := r.drawer()
	for i, row := range rows {
		list[i] = d.draw(row, sets[row.ID])
	}
	return list, err
}

// addCovers gives products without pictures of their own the one that the shop shows for them.
func addCovers(ctx context.Context, from store.Reader, rows []catalog.Product) error {
	var bare []int64
	for i := range rows {
		switch row := &rows[i]; {
		case len(row.Gallery) > 0:
		case row.PreviewPath != "":
			row.Gallery = []media.File{{Path: row.PreviewPath}}
		default:
			bare = append(bare, int64(row.ID))
		}
	}
	if len(bare) == 0 {
		return nil
	}
	covers, err := media.GalleryCovers(ctx, from, store.EntityProduct, bare)
	for i := range rows {
		if f, ok := covers[int64(rows[i].ID)]; ok && len(rows[i].Gallery) == 0 {
			rows[i].Gallery = []media.File{f}
		}
	}
	return err
}
