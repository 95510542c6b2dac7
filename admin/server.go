// Package admin is the admin API: it gathers the endpoint tables of the slices
// and builds from them the router, the OpenAPI documents and the list of
// scopes. Every write of the platform goes through it.
package admin

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"vitrine/admin/access"
	"vitrine/admin/account"
	"vitrine/admin/api"
	"vitrine/admin/cart"
	"vitrine/admin/catalog"
	"vitrine/admin/customer"
	"vitrine/admin/design"
	"vitrine/admin/docs"
	"vitrine/admin/domain"
	"vitrine/admin/draft"
	"vitrine/admin/form"
	"vitrine/admin/intake"
	"vitrine/admin/letter"
	"vitrine/admin/media"
	"vitrine/admin/order"
	"vitrine/admin/payment"
	"vitrine/admin/policy"
	"vitrine/admin/promotion"
	"vitrine/admin/redirect"
	"vitrine/admin/release"
	"vitrine/admin/review"
	"vitrine/admin/setting"
	"vitrine/admin/sitefile"
	"vitrine/admin/stats"
	"vitrine/admin/stock"
	"vitrine/admin/webhook"
	"vitrine/internal/blob"
	"vitrine/internal/catalogue"
	"vitrine/internal/forwarded"
	"vitrine/internal/latency"
	"vitrine/internal/load"
	"vitrine/internal/outbound"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Config is what the admin API stands on.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Log    *slog.Logger
	Now    func() time.Time
	URLs   api.URLs
	Hosts  shop.Storefronts // the addresses of shops
	Media  media.Images     // decodes and converts uploaded pictures
	Sealer *secret.Sealer   // hides what shops entrust, and stored answers
	Fetch  media.Fetch      // takes pictures from addresses; nil: from those that are public

	Pay  payment.Config // what payments stand on beside the above
	Mail letter.Config  // what letters stand on beside the above
	Hook webhook.Config // what webhooks stand on beside the above
	Name domain.Config  // what domains stand on beside the above

	// Proxies are whose word counts about where a call comes from.
	Proxies forwarded.Proxies

	// Catalogues are those that feeds of this process are made of. Nil: its own.
	Catalogues *catalogue.Catalogues
}

func (cfg Config) fetch() media.Fetch {
	if cfg.Fetch != nil {
		return cfg.Fetch
	}
	return outbound.New().Do
}

// Admin is the API of one process.
type Admin struct {
	Access *access.Access

	server  *api.Server
	catalog *catalog.Catalog
	table   []api.Endpoint
	router  *router.Router
}

// New builds the API from the tables of its slices.
func New(cfg Config) (*Admin, error) {
	sites := load.NewSites(cfg.Hosts, cfg.Now)
	if cfg.Catalogues == nil {
		cfg.Catalogues = catalogue.NewCatalogues(cfg.Hosts, cfg.Now)
	}
	read := cfg.Log // where letters about accounts can be read
	if cfg.Mail.Server != nil {
		read = nil // they are carried
	}
	a := &Admin{Access: access.New(cfg.Store, cfg.URLs, read, cfg.Now), catalog: catalog.New(cfg.Store, sites, cfg.Now)}
	a.server = &api.Server{
		Identify: a.Access.Identify, Limiter: api.NewLimiter(cfg.Now), Proxies: cfg.Proxies, Log: cfg.Log, Store: cfg.Store, Sites: sites,
		Sealer: cfg.Sealer, Now: cfg.Now, Flush: a.Access.Flush,
	}
	in := intake.New(cfg.Store, cfg.Blobs, cfg.Log, cfg.Now)
	if cfg.Store != nil { // nil: only the table is wanted
		cfg.Store.OnFreed(in.Freed)
	}
	releases := release.New(release.Config{Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, URLs: cfg.URLs, Hosts: cfg.Hosts, Now: cfg.Now})
	cfg.Pay.Store, cfg.Pay.Sealer, cfg.Pay.Now, cfg.Pay.URLs = cfg.Store, cfg.Sealer, cfg.Now, cfg.URLs
	payments := payment.New(cfg.Pay)
	cfg.Mail.Store, cfg.Mail.Sites, cfg.Mail.Catalogues, cfg.Mail.Sealer = cfg.Store, sites, cfg.Catalogues, cfg.Sealer
	cfg.Mail.Now, cfg.Mail.URLs = cfg.Now, cfg.URLs
	letters := letter.New(cfg.Mail)
	cfg.Hook.Store, cfg.Hook.Sealer, cfg.Hook.Now = cfg.Store, cfg.Sealer, cfg.Now
	cfg.Name.Store, cfg.Name.Hosts, cfg.Name.Admin, cfg.Name.Now = cfg.Store, cfg.Hosts, cfg.URLs.Admin, cfg.Now
	for _, slice := range []interface{ Endpoints() []api.Endpoint }{
		a.Access,
		a.catalog,
		media.New(cfg.Store, cfg.Blobs, in, cfg.Media, cfg.fetch(), cfg.URLs, cfg.Now),
		draft.New(cfg.Store, sites, cfg.URLs, releases.Whole, cfg.Now),
		design.New(design.Config{Store: cfg.Store, URLs: cfg.URLs, Now: cfg.Now}),
		releases,
		form.New(form.Config{Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, Now: cfg.Now}),
		account.New(account.Config{Store: cfg.Store, Now: cfg.Now}),
		cart.New(cart.Config{Store: cfg.Store, Now: cfg.Now}),
		order.New(order.Config{Store: cfg.Store, Sites: sites, Now: cfg.Now, Takes: payments.Takes, Refund: payments.Refund}),
		payments,
		letters,
		setting.New(cfg.Store),
		domain.New(cfg.Name),
		promotion.New(promotion.Config{Store: cfg.Store, Sites: sites, Now: cfg.Now}),
		policy.New(policy.Config{Store: cfg.Store, Hosts: cfg.Hosts, Now: cfg.Now}),
		stock.New(stock.Config{Store: cfg.Store}),
		stats.New(stats.Config{Store: cfg.Store, Now: cfg.Now}),
		review.New(review.Config{Store: cfg.Store, Blobs: cfg.Blobs, Now: cfg.Now}),
		customer.New(customer.Config{Store: cfg.Store}),
		webhook.New(cfg.Hook),
		redirect.New(redirect.Config{Store: cfg.Store, Hosts: cfg.Hosts, Sites: sites}),
		sitefile.New(sitefile.Config{Store: cfg.Store, Hosts: cfg.Hosts, Now: cfg.Now, Catalogues: cfg.Catalogues}),
	} {
		a.table = append(a.table, slice.Endpoints()...)
	}
	guides := docs.New(a.Table, cfg.URLs.Admin)
	a.table = append(a.table, guides.Endpoints()...)
	discovery, err := newDiscovery(a.table, cfg.URLs.Admin, guides.Front(cfg.Hosts.Origin("shop", ""), cfg.Hosts.Origin("demo", "")))
	if err != nil {
		return nil, err
	}
	a.table = append(a.table, discovery.endpoints()...)
	a.Access.SetTable(a.table)
	a.router, err = a.route()
	return a, err
}

// Latencies are how long calls took, by endpoint and class of status.
func (a *Admin) Latencies() []latency.Route { return a.server.Latencies() }

// Table is every endpoint there is.
func (a *Admin) Table() []api.Endpoint { return a.table }

// Upkeep shares rate counts with other processes and writes the views of
// articles, until the context ends.
func (a *Admin) Upkeep(ctx context.Context) {
	var views sync.WaitGroup
	views.Go(func() { a.catalog.Upkeep(ctx, a.server.Log) })
	a.server.Upkeep(ctx)
	views.Wait()
}

// Handler serves the admin listener, and the calls under /api of a storefront
// host, which the edge hands over with the shop and without the prefix.
func (a *Admin) Handler() fasthttp.RequestHandler {
	return func(rc *fasthttp.RequestCtx) {
		rc.Response.Header.Set("X-Content-Type-Options", "nosniff")
		a.router.Handler(rc)
	}
}

func (a *Admin) route() (r *router.Router, err error) {
	defer func() {
		if p := recover(); p != nil { // the router panics on rows that collide
			err = fmt.Errorf("endpoint table: %v", p)
		}
	}()
	r = router.New()
	// OPTIONS is another method than the row's: no other origin may call this API,
	// but for the few rows that sandboxed pages of the shop call.
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	for i := range a.table {
		e := &a.table[i]
		r.Handle(e.Method, e.Path, a.server.Handler(e))
		if e.Method == fasthttp.MethodGet {
			r.Handle(fasthttp.MethodHead, e.Path, a.server.Handler(e))
		}
		if e.Sandbox {
			r.Handle(fasthttp.MethodOptions, e.Path, a.server.Preflight(e))
		}
	}
	r.NotFound = a.refuse(shop.ErrNotFound)
	r.MethodNotAllowed = a.refuse(shop.ErrMethodNotAllowed)
	return r, nil
}

func (a *Admin) refuse(with *shop.Refusal) fasthttp.RequestHandler {
	return func(rc *fasthttp.RequestCtx) {
		detail := string(rc.Method()) + " " + string(rc.URI().PathOriginal())
		if len(detail) > 200 {
			detail = detail[:200]
		}
		a.server.Refuse(rc, api.RequestID(rc), with.With(detail))
	}
}

// Do calls an endpoint inside the process as the identity given: the demo shop
// is seeded through the same code that owners call.
func (a *Admin) Do(ctx context.Context, who api.Identity, method, path string, params map[string]string, body any) (any, error) {
	for i := range a.table {
		if e := &a.table[i]; e.Method == method && e.Path == path {
			return a.server.Do(ctx, e, who, params, body)
		}
	}
	return nil, fmt.Errorf("no endpoint %s %s", method, path)
}
