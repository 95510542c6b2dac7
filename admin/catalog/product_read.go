package catalog

import (
	"context"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

// errProjection refuses invalid values of galleries (document 1, 4.2).
var errProjection = shop.Refuse(shop.InvalidArgument, "GALLERIES_PROJECTION_UNKNOWN").When("galleries is not full, cover or active")

// projection selects how much of the galleries a card contains: all in full, the first item of
// each, or in full only the gallery of the chosen variant.
type projection struct {
	Galleries string `query:"galleries" json:"-" enum:"full,cover,active" doc:"how much of the galleries to return: full: all; cover: the first item of each; active: all items of the shown gallery, the first item of the others"`
	Variant   string `query:"variant" json:"-" doc:"the sku or the id of the variant set whose gallery is shown"` // a sku, or the id of a set
}

func (p projection) check() error {
	switch p.Galleries {
	case "", "full", "cover", "active":
		return nil
	}
	return errProjection.At("galleries").With("must be full, cover or active")
}

type productPath struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	projection
}

func (c *Catalog) product(ctx context.Context, call *api.Call, in productPath) (api.Result[productCard], error) {
	return c.card(ctx, call, in.CompanyID, in.projection, func(r store.Reader) (catalog.Product, error) { return catalog.GetProduct(ctx, r, in.ID) })
}

type productSlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	projection
}

func (c *Catalog) productBySlug(ctx context.Context, call *api.Call, in productSlug) (api.Result[productCard], error) {
	return c.card(ctx, call, in.CompanyID, in.projection, func(r store.Reader) (catalog.Product, error) { return catalog.ProductBySlug(ctx, r, in.Slug) })
}

func (c *Catalog) card(
	ctx context.Context, call *api.Call, named shop.CompanyID, p projection, read func(store.Reader) (catalog.Product, error),
) (api.Result[productCard], error) {
	company, err := call.Tenant(named, api.ErrNoCompany)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	if err := p.check(); err != nil {
		return api.Result[productCard]{}, err
	}
	reader, err := call.Reader(ctx, company)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	row, err := read(reader)
	if err == nil && (row.DeletedAt != nil || call.Visitor(company) && !row.IsPublished) {
		err = catalog.ErrProductNotFound
	}
	if err != nil {
		return api.Result[productCard]{}, err
	}
	info, err := companydb.Info(ctx, reader)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	pricer, err := c.pricer(ctx, call, company)
	if err != nil {
		return api.Result[productCard]{}, err
	}
	view, err := cardOf(ctx, reader, info, row, p, call.Visitor(company), pricer)
	return api.Wrap(view), err
}

// pricer returns the prices for the caller: visitors get discounted prices, the shop's people
// the stored ones.
func (c *Catalog) pricer(ctx context.Context, call *api.Call, company shop.CompanyID) (load.UnitPricer, error) {
	if !call.Visitor(company) {
		return load.UnitPricer{}, nil
	}
	_, cached, err := call.Shop(ctx, company)
	if err != nil {
		return load.UnitPricer{}, err
	}
	return load.NewUnitPricer(cached.Site, c.now()), nil
}

// readCard returns the full card of a product, as reads and writes return it.
func readCard(ctx context.Context, r store.Reader, company companydb.Company, id shop.ProductID) (productCard, error) {
	row, err := catalog.GetProduct(ctx, r, id)
	if err != nil {
		return productCard{}, err
	}
	return cardOf(ctx, r, company, row, projection{}, false, load.UnitPricer{})
}

// cardOf returns a card as visible to the shop's people or to visitors: visitors only see
// active variants and their galleries.
func cardOf(
	ctx context.Context, r store.Reader, company companydb.Company, row catalog.Product, p projection, visitor bool, pricer load.UnitPricer,
) (card productCard, err error) {
	values, err := catalog.ProductAttributes(ctx, r, []shop.ProductID{row.ID})
	if err != nil {
		return card, err
	}
	variants, err := catalog.Variants(ctx, r, row.ID)
	if err != nil {
		return card, err
	}
	if visitor {
		variants = slices.DeleteFunc(variants, func(v catalog.Variant) bool { return !v.IsActive })
	}
	views, err := viewProducts(ctx, r, company, []catalog.Product{row}, values, pricer)
	if err != nil {
		return card, err
	}
	card = productCard{productView: views[0], Variants: viewVariants(variants, row)}
	for i := range card.Variants {
		v := &card.Variants[i]
		tag := pricer.Unit(load.PlacementOf(&row), shop.ChoiceOf(row.Price, 0, v.Price, nil).Price)
		if v.Price != nil {
			v.Price = &tag.Price
		}
		if tag.Was > 0 {
			v.OldPrice = &tag.Was
		}
	}
	chosen := card.choose(p.Variant)
	card.Galleries, err = cardGalleries(ctx, r, card.GalleryIDs, card.Variants)
	p.project(card.Galleries, media.ShownGallery(card.GalleryIDs, chosen))
	return card, err
}

// viewProducts converts products, with their attributes and the gallery data of lists.
func viewProducts(
	ctx context.Context, r store.Reader, company companydb.Company, rows []catalog.Product,
	values map[shop.ProductID][]catalog.AttributeValue, pricer load.UnitPricer,
) ([]productView, error) {
	views := make([]productView, len(rows))
	priced := slices.Clone(rows)
	if err := load.PriceSets(ctx, r, priced); err != nil {
		return nil, err
	}
	for i, row := range rows {
		views[i] = viewProduct(company, row)
		if len(row.Set) > 0 {
			views[i].Price.Price, views[i].Price.OldPrice, views[i].InStock = priced[i].Price, priced[i].OldPrice, priced[i].InStock()
		}
		if tag := pricer.Unit(load.PlacementOf(&row), views[i].Price.Price); tag.Was > 0 {
			views[i].Price.Price, views[i].Price.OldPrice, views[i].Price.PromotionName = tag.Price, tag.Was, tag.Promotion
		}
		for _, v := range values[row.ID] {
			views[i].Attributes = append(views[i].Attributes, viewAttributeValue(v))
		}
	}
	err := galleryPreviews(ctx, r, store.EntityProduct, len(views), func(i int) galleryShow {
		v := &views[i]
		return galleryShow{int64(v.ID), &v.GalleryIDs, &v.Preview, &v.PreviewAuto}
	})
	return views, err
}

// priceCards sets the prices of products in a visitor's list to those of product cards: the
// price of the cheapest variant. The rows are already discounted, which applies to products
// without variants.
func priceCards(ctx context.Context, r store.Reader, rows []catalog.Product, views []productView, pricer load.UnitPricer) error {
	ids := make([]shop.ProductID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	sets, err := catalog.VariantsOf(ctx, r, ids)
	for i, row := range rows {
		choices := load.ChoicesOf(catalog.ActiveVariants(row, sets[row.ID]))
		if len(choices) > 0 && len(row.Set) == 0 {
			own := shop.Choice{Price: row.Price, Old: row.OldPrice}
			span, price := pricer.Span(load.PlacementOf(&row), own, choices), &views[i].Price
			price.Price, price.OldPrice, price.PromotionName = span.Low, span.Old, span.Promotion
		}
	}
	return err
}

// productsRequest is the query of the list (document 1, 4.2): every filter requires its prefix,
// other parameters are ignored.
type productsRequest struct {
	CompanyID      shop.CompanyID     `query:"filter.company_id" json:"-" doc:"the shop, for callers without a key"`
	Category       shop.CategoryID    `query:"filter.category_id" json:"-" doc:"only this section, without those below it"`
	IncludeSubtree bool               `query:"filter.include_subtree" json:"-" doc:"with filter.category_id: also the sections below it"`
	IDs            []shop.ProductID   `query:"filter.ids" json:"-" max:"1000" doc:"only products with these ids; repeat the parameter, a comma list is refused"`
	Query          string             `query:"filter.query" json:"-" doc:"searches the name; for members also the beginning of an item number, of variants too"`
	IsPublished    bool               `query:"filter.is_published" json:"-" doc:"true: only published products"`
	MinPrice       *int64             `query:"filter.min_price" json:"-" doc:"lowest price, in price units of the shop"`
	MaxPrice       *int64             `query:"filter.max_price" json:"-" doc:"highest price, in price units of the shop"`
	IsDeleted      bool               `query:"filter.is_deleted" json:"-" doc:"true: deleted products, which can be restored for 30 days; this and the next five are for members and keys, visitors' are ignored"`
	SKU            string             `query:"filter.sku" json:"-" len:"255" refuse:"INVALID_REQUEST" doc:"the item number of a product or of one of its variants, in any case"`
	Brand          string             `query:"filter.brand" json:"-" len:"255" refuse:"INVALID_REQUEST" doc:"the brand, in any case"`
	Tag            string             `query:"filter.tag" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"a tag, exactly as written"`
	Kind           productKind        `query:"filter.kind" json:"-" doc:"the kind of the product"`
	Stock          catalog.StockState `query:"filter.stock" json:"-" doc:"in: can be bought; low: a part of in, the product or one of its variants is at or below its threshold; out: sold out"`
	SortField      productSort        `query:"sort.field" json:"-" doc:"sort field"`
	SortOrder      api.Order          `query:"sort.order" json:"-" doc:"ascending or descending"`
	facetParameters
	api.Paging
}

// productSort is a sort order of products.
type productSort string

// Values lists the sort orders.
func (productSort) Values() []string { return catalog.ProductSorts() }

type productList struct {
	Items                []productView `json:"items"`
	Total                int           `json:"total"`
	CurrentPage          int           `json:"currentPage"`
	FilterableAttributes []facetView   `json:"filterable_attributes"`
	Similar              bool          `json:"similar"` // no name contains filter.query; these are similar
}

var errSort = shop.Refuse(shop.InvalidArgument, "INVALID_SORT").When("the sort field or order is unknown")

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
	r, err := call.Reader(ctx, company)
	if err != nil {
		return none, err
	}
	info, err := companydb.Info(ctx, r)
	if err != nil {
		return none, err
	}
	pricer, err := c.pricer(ctx, call, company)
	if err != nil {
		return none, err
	}
	if call.Visitor(company) {
		f.Prices = pricer.ForLists()
	}
	leave, err := c.limitSearch(ctx, company, f.Query)
	if err != nil {
		return none, err
	}
	defer leave()
	l, err := catalog.ListProducts(ctx, c.store, r, f)
	if err != nil {
		return none, err
	}
	items, err := viewProducts(ctx, r, info, l.Products, l.Values, pricer)
	if err == nil && call.Visitor(company) {
		err = priceCards(ctx, r, l.Products, items, pricer)
	}
	return api.Wrap(productList{
		Items: items, Total: l.Total, CurrentPage: f.Number,
		FilterableAttributes: viewFacets(l, f.Facets), Similar: l.Similar,
	}), err
}

func (in productsRequest) filter(call *api.Call, visitor bool) (f catalog.ProductFilter, err error) {
	number, limit, err := in.Page(20)
	if err != nil {
		return f, err
	}
	order := api.Order(strings.ToLower(string(in.SortOrder)))
	if !catalog.ProductSortKnown(string(in.SortField)) || !order.Known() {
		return f, errSort.With("sort.field must be id, name, price, rating, created_at or updated_at; sort.order must be asc or desc")
	}
	chosen, err := facetsOf(call)
	if err != nil {
		return f, err
	}
	f = catalog.ProductFilter{
		Category: in.Category, Subtree: in.IncludeSubtree && in.Category != 0, IDs: in.IDs, Query: strings.TrimSpace(in.Query),
		PublishedOnly: in.IsPublished || visitor, Listed: visitor, MinPrice: in.MinPrice, MaxPrice: in.MaxPrice, Facets: chosen,
		Sort: string(in.SortField), Descending: order == api.Descending, Number: number, Limit: limit,
	}
	if visitor {
		return f, nil
	}
	switch {
	case in.Kind != "" && !slices.Contains(productKinds, string(in.Kind)):
		return f, shop.ErrInvalidRequest.At("filter.kind").With("must be standard, combo or multi")
	case in.Stock != "" && !slices.Contains(catalog.StockStates, in.Stock):
		return f, shop.ErrInvalidRequest.At("filter.stock").With("must be in, low or out")
	}
	f.Deleted, f.SKU, f.Brand, f.Tag, f.Kind, f.Stock = in.IsDeleted, strings.TrimSpace(in.SKU), strings.TrimSpace(in.Brand), in.Tag, string(in.Kind), in.Stock
	f.SKUPrefix = f.Query != ""
	return f, nil
}
