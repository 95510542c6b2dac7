package catalog

import (
	"context"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// errProjection answers for a value of galleries that is none (document 1, 4.2).
var errProjection = shop.Refuse(shop.InvalidArgument, "GALLERIES_PROJECTION_UNKNOWN").When("galleries is not full, cover or active")

// projection says how much of the galleries a card carries: all of them in
// full, the first item of each, or in full the one of the chosen variant alone.
type projection struct {
	Galleries string `query:"galleries" json:"-" enum:"full,cover,active" doc:"how much of the galleries comes along: full, the first item of each, or in full the shown one alone"`
	Variant   string `query:"variant" json:"-" doc:"the sku or the id of the variant set whose gallery is shown"` // a sku, or the id of a set
}

func (p projection) check() error {
	switch p.Galleries {
	case "", "full", "cover", "active":
		return nil
	}
	return errProjection.With("galleries is full, cover or active")
}

type productPath struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	projection
}

func (c *Catalog) product(ctx context.Context, call *api.Call, in productPath) (api.Result[productCard], error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	if err := in.check(); err != nil {
		return api.Result[productCard]{}, err
	}
	row, err := c.store.Shop(company).Product(ctx, in.ID)
	return c.card(ctx, call, company, row, in.Variant, err)
}

type productSlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	projection
}

func (c *Catalog) productBySlug(ctx context.Context, call *api.Call, in productSlug) (api.Result[productCard], error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	if err := in.check(); err != nil {
		return api.Result[productCard]{}, err
	}
	row, err := c.store.Shop(company).ProductBySlug(ctx, in.Slug)
	return c.card(ctx, call, company, row, in.Variant, err)
}

func (c *Catalog) card(ctx context.Context, call *api.Call, company shop.CompanyID, row store.Product, variant string, err error) (api.Result[productCard], error) {
	if err == nil && (row.DeletedAt != nil || call.Visitor(company) && !row.IsPublished) {
		err = store.ErrProductNotFound
	}
	if err != nil {
		return api.Result[productCard]{}, err
	}
	reader := c.store.Shop(company)
	info, err := reader.Info(ctx)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	view, err := cardOf(ctx, reader, info, row, variant)
	if call.Visitor(company) {
		view.Variants = slices.DeleteFunc(view.Variants, func(v variantView) bool { return !v.IsActive })
	}
	return api.Wrap(view), err
}

// readCard is the full card of a product, as reads and writes answer it.
func readCard(ctx context.Context, r store.Reader, company store.Company, id shop.ProductID) (productCard, error) {
	row, err := r.Product(ctx, id)
	if err != nil {
		return productCard{}, err
	}
	return cardOf(ctx, r, company, row, "")
}

func cardOf(ctx context.Context, r store.Reader, company store.Company, row store.Product, variant string) (productCard, error) {
	values, err := r.ProductAttributes(ctx, []shop.ProductID{row.ID})
	if err != nil {
		return productCard{}, err
	}
	variants, err := r.Variants(ctx, row.ID)
	card := productCard{productView: viewProducts(company, []store.Product{row}, values)[0], Variants: viewVariants(variants)}
	card.choose(variant)
	return card, err
}

// viewProducts shows products with their attributes.
func viewProducts(company store.Company, rows []store.Product, values map[shop.ProductID][]store.AttributeValue) []productView {
	views := make([]productView, len(rows))
	for i, row := range rows {
		views[i] = viewProduct(company, row)
		for _, v := range values[row.ID] {
			views[i].Attributes = append(views[i].Attributes, viewAttributeValue(v))
		}
	}
	return views
}

// productsRequest is the list query (document 1, 4.2): every filter needs its
// prefix, anything else is dropped.
type productsRequest struct {
	CompanyID      shop.CompanyID   `query:"filter.company_id" json:"-" doc:"the shop, for callers without a key"`
	Category       shop.CategoryID  `query:"filter.category_id" json:"-" doc:"the section literally, without those below it"`
	IncludeSubtree bool             `query:"filter.include_subtree" json:"-" doc:"with filter.category_id: the sections below it too"`
	IDs            []shop.ProductID `query:"filter.ids" json:"-" doc:"products by id; repeat the parameter, a comma list is refused"`
	Query          string           `query:"filter.query" json:"-" doc:"words of the name"`
	IsPublished    bool             `query:"filter.is_published" json:"-" doc:"published ones only"`
	MinPrice       *int64           `query:"filter.min_price" json:"-" doc:"lowest price in whole units of the shop currency"`
	MaxPrice       *int64           `query:"filter.max_price" json:"-" doc:"highest price in whole units of the shop currency"`
	SortField      string           `query:"sort.field" json:"-" enum:"id,name,price,rating,created_at,updated_at" doc:"what to sort by"`
	SortOrder      string           `query:"sort.order" json:"-" enum:"asc,desc" doc:"ascending or descending"`
	facetParameters
	api.Paging
}

type productList struct {
	Items                []productView `json:"items"`
	Total                int           `json:"total"`
	CurrentPage          int           `json:"currentPage"`
	FilterableAttributes []facetView   `json:"filterable_attributes"`
	Similar              bool          `json:"similar"` // no name holds filter.query; these are like it
}

var errSort = shop.Refuse(shop.InvalidArgument, "INVALID_SORT").When("the list has no such order")

func (c *Catalog) products(ctx context.Context, call *api.Call, in productsRequest) (api.Result[productList], error) {
	var none api.Result[productList]
	company, err := call.Tenant(in.CompanyID, api.ErrAuthCompany)
	if err != nil {
		return none, err
	}
	f, err := in.filter(call, call.Visitor(company))
	if err != nil {
		return none, err
	}
	info, err := c.store.Shop(company).Info(ctx)
	if err != nil {
		return none, err
	}
	l, err := c.store.Listing(ctx, company, f)
	if err != nil {
		return none, err
	}
	return api.Wrap(productList{
		Items: viewProducts(info, l.Products, l.Values), Total: l.Total, CurrentPage: f.Number,
		FilterableAttributes: viewFacets(l, f.Facets), Similar: l.Similar,
	}), nil
}

func (in productsRequest) filter(call *api.Call, visitor bool) (f store.ProductFilter, err error) {
	number, limit, err := in.Page(20)
	if err != nil {
		return f, err
	}
	order := strings.ToLower(in.SortOrder)
	if !store.ProductSortKnown(in.SortField) || (order != "" && order != "asc" && order != "desc") {
		return f, errSort.With("sort.field is id, name, price, rating, created_at or updated_at; sort.order is asc or desc")
	}
	chosen, err := facetsOf(call)
	return store.ProductFilter{
		Category: in.Category, Subtree: in.IncludeSubtree && in.Category != 0, IDs: in.IDs, Query: strings.TrimSpace(in.Query),
		PublishedOnly: in.IsPublished || visitor, Listed: visitor, MinPrice: in.MinPrice, MaxPrice: in.MaxPrice, Facets: chosen,
		Sort: in.SortField, Descending: order == "desc", Number: number, Limit: limit,
	}, err
}
