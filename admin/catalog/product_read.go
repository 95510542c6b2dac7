package catalog

import (
	"context"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type productPath struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (c *Catalog) product(ctx context.Context, call *api.Call, in productPath) (api.Result[productView], error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[productView]{}, err
	}
	row, err := c.store.Shop(company).Product(ctx, in.ID)
	return c.card(ctx, call, company, row, err)
}

type productSlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (c *Catalog) productBySlug(ctx context.Context, call *api.Call, in productSlug) (api.Result[productView], error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[productView]{}, err
	}
	row, err := c.store.Shop(company).ProductBySlug(ctx, in.Slug)
	return c.card(ctx, call, company, row, err)
}

func (c *Catalog) card(ctx context.Context, call *api.Call, company shop.CompanyID, row store.Product, err error) (api.Result[productView], error) {
	if err == nil && (row.DeletedAt != nil || call.Visitor(company) && !row.IsPublished) {
		err = store.ErrProductNotFound
	}
	if err != nil {
		return api.Result[productView]{}, err
	}
	info, err := c.store.Shop(company).Info(ctx)
	return api.Wrap(viewProduct(info, row)), err
}

// productsRequest is the list query (document 1, 4.2): every filter needs its
// prefix, anything else is dropped.
type productsRequest struct {
	CompanyID      shop.CompanyID   `query:"filter.company_id" json:"-"`
	Category       shop.CategoryID  `query:"filter.category_id" json:"-"`
	IncludeSubtree bool             `query:"filter.include_subtree" json:"-"`
	IDs            []shop.ProductID `query:"filter.ids" json:"-"`
	Query          string           `query:"filter.query" json:"-"`
	IsPublished    bool             `query:"filter.is_published" json:"-"`
	MinPrice       *int64           `query:"filter.min_price" json:"-"`
	MaxPrice       *int64           `query:"filter.max_price" json:"-"`
	SortField      string           `query:"sort.field" json:"-"`
	SortOrder      string           `query:"sort.order" json:"-"`
	api.Paging
}

type productList struct {
	Items                []productView `json:"items"`
	Total                int           `json:"total"`
	CurrentPage          int           `json:"currentPage"`
	FilterableAttributes []any         `json:"filterable_attributes"`
}

var errSort = shop.Refuse(shop.InvalidArgument, "INVALID_SORT")

func (c *Catalog) products(ctx context.Context, call *api.Call, in productsRequest) (api.Result[productList], error) {
	var none api.Result[productList]
	company, err := call.Tenant(in.CompanyID, api.ErrAuthCompany)
	if err != nil {
		return none, err
	}
	number, limit, err := in.Page(20)
	if err != nil {
		return none, err
	}
	order := strings.ToLower(in.SortOrder)
	if !store.ProductSortKnown(in.SortField) || (order != "" && order != "asc" && order != "desc") {
		return none, errSort.With("sort.field is id, name, price, created_at or updated_at; sort.order is asc or desc")
	}
	visitor := call.Visitor(company)
	reader := c.store.Shop(company)
	info, err := reader.Info(ctx)
	if err != nil {
		return none, err
	}
	rows, total, err := reader.Products(ctx, store.ProductFilter{
		Category: in.Category, Subtree: in.IncludeSubtree && in.Category != 0, IDs: in.IDs, Query: in.Query,
		PublishedOnly: in.IsPublished || visitor, Listed: visitor, MinPrice: in.MinPrice, MaxPrice: in.MaxPrice,
		Sort: in.SortField, Descending: order == "desc", Number: number, Limit: limit,
	})
	if err != nil {
		return none, err
	}
	list := productList{Items: []productView{}, Total: total, CurrentPage: number, FilterableAttributes: []any{}}
	for _, row := range rows {
		list.Items = append(list.Items, viewProduct(info, row))
	}
	return api.Wrap(list), nil
}
