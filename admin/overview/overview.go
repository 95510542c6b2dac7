// Package overview answers what a member of a shop asks first: where is it (a search over products,
// orders, customers, sections, articles, redirects and files), what waits for me today, and what a new
// shop still lacks.
//
// The first two show each caller what the caller's role and scopes may read elsewhere, and leave out the
// rest. All read the live shop.
package overview

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/limiter"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/draft"
	"vitrine/internal/store/overview"
)

// Config holds the dependencies of Overview.
type Config struct {
	Store *store.Store
	URLs  api.URLs
}

// Overview serves the endpoints of this package.
type Overview struct {
	Config
	searches *limiter.PerShop
}

// New returns an Overview.
func New(cfg Config) *Overview {
	return &Overview{Config: cfg, searches: limiter.New(limiter.HalfOfCPUs())}
}

// Endpoints lists the endpoints of this package. Their rows have no scopes, because each part of
// an answer has its own.
func (o *Overview) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/search", Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(o.search),
			Summary: "Search products, orders, customers, sections, articles, redirects and files; each caller finds what the caller may read"},
		{Method: "GET", Path: "/v1/shop/today", Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(o.today),
			Summary: "How much waits for the shop's people; a count that the caller may not read is null"},
		{Method: "GET", Path: "/v1/shop/setup", Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(o.setup),
			Summary: "The steps of setting up a new shop, and which of them are done"},
	}
}

const (
	maxQuery     = 100 // characters
	defaultFound = 20
	maxFound     = 50
	searchTime   = 2 * time.Second
)

type searchRequest struct {
	Query string `query:"q" json:"-" len:"100" refuse:"INVALID_REQUEST" doc:"2 to 100 characters, or a number: words of a name or title, a beginning of an item number, an e-mail address, a telephone number in any notation, the number of an order"`
	Limit *int   `query:"limit" json:"-" doc:"the number of results, 1 to 50, 20 by default"`
}

type matchView struct {
	Kind   overview.Kind `json:"kind"`
	ID     string        `json:"id"`
	Title  string        `json:"title" doc:"name or title; of an order its number, of a redirect its source"`
	Detail string        `json:"detail" doc:"what tells apart equal titles: sku, contact, section, target or type"`
	URL    string        `json:"url" doc:"the address on the storefront; empty where it has none or is not published"`
}

// reads returns whether the caller may read things of a kind.
func reads(c *api.Call, kind overview.Kind) bool {
	switch kind {
	case overview.Order:
		return c.Has("orders:read")
	case overview.Customer:
		return c.Has("customers:read")
	case overview.Redirect:
		return c.Role.CanManage() && c.Has("redirects:read")
	case overview.File:
		return c.Has("storage:read")
	}
	return c.Has("catalog:read")
}

func (o *Overview) search(ctx context.Context, c *api.Call, in searchRequest) (out api.Result[[]matchView], err error) {
	query, limit := strings.Join(strings.Fields(in.Query), " "), defaultFound
	if in.Limit != nil {
		limit = *in.Limit
	}
	_, notNumber := strconv.ParseUint(query, 10, 31)
	switch n := utf8.RuneCountInString(query); {
	case n > maxQuery || n < 2 && notNumber != nil:
		return out, shop.ErrInvalidRequest.At("q").With("2 to 100 characters, or a number")
	case limit < 1 || limit > maxFound:
		return out, shop.ErrInvalidRequest.At("limit").With("1 to 50")
	}
	var kinds []overview.Kind
	for _, kind := range overview.Kinds {
		if reads(c, kind) {
			kinds = append(kinds, kind)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	leave, err := o.searches.Acquire(ctx, c.Company)
	if err != nil {
		return out, shop.ErrUnavailable.With("too many searches of this shop are running")
	}
	defer leave()
	r, cached, err := c.Shop(ctx, c.Company)
	if err != nil {
		return out, err
	}
	found, err := overview.Search(ctx, o.Store, r, query, kinds, limit)
	out.Result = make([]matchView, len(found))
	for i, m := range found {
		out.Result[i] = matchView{m.Kind, m.ID, m.Title, m.Detail, o.address(cached, m)}
	}
	return out, err
}

// pages are the kinds of things that have a page.
var pages = map[overview.Kind]compile.Entity{
	overview.Product: compile.EntityProduct, overview.Category: compile.EntityCategory, overview.Article: compile.EntityArticle,
}

// address returns the address of a thing on the storefront; empty for one without.
func (o *Overview) address(cached load.CachedShop, m overview.Match) string {
	path := ""
	if m.Path != "" {
		path = shop.FileURL(m.Path)
	} else if entity, ok := pages[m.Kind]; ok {
		if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil {
			path = cached.Site.URL(compile.PageRef{Entity: entity, ID: id})
		}
	}
	if path == "" {
		return ""
	}
	return o.URLs.Storefront(cached.Company) + path
}

// todayView counts what waits. A count is null for a caller who may not read what it counts.
type todayView struct {
	Orders    *overview.Orders `json:"orders"`
	LowStock  *int             `json:"low_stock" doc:"products and variants at or below their threshold"`
	Reviews   *int             `json:"reviews" doc:"that wait for moderation"`
	Questions *int             `json:"questions" doc:"that wait for moderation"`
	Leads     *int             `json:"leads" doc:"with the status new, without tests"`
	Drafts    *int             `json:"drafts" doc:"changes that wait for publishing"`
	Misses    *int             `json:"misses" doc:"addresses of the 404 log that are not hidden"`
}

func (o *Overview) today(ctx context.Context, c *api.Call, _ api.None) (out api.Result[todayView], err error) {
	v := &out.Result
	var blocks []func(store.Reader) error
	if c.Has("orders:read") {
		blocks = append(blocks, func(r store.Reader) error {
			orders, err := overview.CountOrders(ctx, r)
			v.Orders = &orders
			return err
		})
	}
	for _, b := range []struct {
		to    **int
		shown bool
		count func(context.Context, store.Reader) (int, error)
	}{
		{&v.LowStock, c.Has("catalog:read"), catalog.CountLowStock},
		{&v.Reviews, c.Has("catalog:read"), overview.CountReviews},
		{&v.Questions, c.Has("catalog:read"), overview.CountQuestions},
		{&v.Leads, c.Has("leads:read"), overview.CountLeads},
		{&v.Drafts, c.Has("catalog:read"), draft.Count},
		{&v.Misses, c.Role.CanManage() && c.Has("redirects:read"), overview.CountMisses},
	} {
		if b.shown {
			blocks = append(blocks, func(r store.Reader) error {
				n, err := b.count(ctx, r)
				*b.to = &n
				return err
			})
		}
	}
	return out, o.Store.Shop(c.Company).Together(ctx, blocks...)
}

type setupView struct {
	Steps []overview.Step `json:"steps" doc:"in the order in which they are usually done"`
}

func (o *Overview) setup(ctx context.Context, c *api.Call, _ api.None) (out api.Result[setupView], err error) {
	out.Result.Steps, err = overview.Setup(ctx, o.Store.Shop(c.Company))
	return out, err
}
