// Package admin is the admin API: it collects the endpoint tables of its packages and builds
// the router, the OpenAPI documents and the list of scopes from them. All writes of the
// platform go through it.
package admin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"vitrine/admin/access"
	"vitrine/admin/account"
	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/admin/assist/seller"
	"vitrine/admin/cabinet"
	"vitrine/admin/cart"
	"vitrine/admin/catalog"
	"vitrine/admin/company"
	"vitrine/admin/customer"
	"vitrine/admin/design"
	"vitrine/admin/docs"
	"vitrine/admin/domain"
	"vitrine/admin/draft"
	"vitrine/admin/form"
	"vitrine/admin/intake"
	"vitrine/admin/job"
	"vitrine/admin/letter"
	"vitrine/admin/media"
	"vitrine/admin/movein"
	"vitrine/admin/oauth"
	"vitrine/admin/order"
	"vitrine/admin/overview"
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
	"vitrine/admin/transfer"
	"vitrine/admin/webhook"
	"vitrine/internal/blob"
	"vitrine/internal/catalogue"
	"vitrine/internal/deliver"
	"vitrine/internal/forwarded"
	"vitrine/internal/latency"
	"vitrine/internal/limiter"
	"vitrine/internal/load"
	"vitrine/internal/origin"
	"vitrine/internal/outbound"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/span"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
	webhookdb "vitrine/internal/store/webhook"
)

// Config holds the dependencies and settings of the admin API.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Log    *slog.Logger
	Now    func() time.Time
	URLs   api.URLs
	Hosts  shop.Storefronts // the storefront addresses of shops
	Media  media.Images     // decodes and converts uploaded pictures
	Sealer *secret.Sealer   // encrypts the credentials of shops and stored responses
	Fetch  media.Fetch      // downloads pictures by URL; nil: from public addresses only

	Pay  payment.Config // settings of payments beyond the above
	Mail letter.Config  // settings of letters beyond the above
	Hook webhook.Config // settings of webhooks beyond the above
	Name domain.Config  // settings of domains beyond the above

	// Profiles reads the profiles of assistants; nil: from public addresses only.
	Profiles *outbound.Client

	Tracer *span.Tracer // traces calls; nil: none

	// Namespace names the platform's own ways to pay to assistants, such as org.example.shops.
	Namespace string

	// SignupClosed leaves opening shops to the operator.
	SignupClosed bool

	// Proxies are the proxies whose forwarding headers are trusted.
	Proxies forwarded.Proxies

	// Catalogues are the cached catalogues that feeds are built from. If nil, New creates them.
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
	Shops  *company.Shops

	server  *api.Server
	catalog *catalog.Catalog
	moveIns *movein.MoveIns
	grants  *oauth.OAuth
	jobs    *job.Jobs
	hooks   *webhook.Webhooks
	table   []api.Endpoint
	router  *router.Router
	inside  *router.Router // for calls that the edge makes itself
}

// New builds the API from the tables of its slices.
func New(cfg Config) (*Admin, error) {
	sites := load.NewSites(cfg.Hosts, cfg.Now)
	if cfg.Catalogues == nil {
		cfg.Catalogues = catalogue.NewCatalogues(cfg.Hosts, cfg.Now)
	}
	read := cfg.Log // account letters are logged when there is no mail server
	if cfg.Mail.Server != nil {
		read = nil // the mail server delivers them
	}
	a := &Admin{Access: access.New(cfg.Store, cfg.Sealer, cfg.URLs, read, cfg.Now), catalog: catalog.New(cfg.Store, sites, cfg.Now)}
	a.server = &api.Server{
		Identify: a.Access.Identify, Limiter: api.NewLimiter(cfg.Now, cfg.Store), Proxies: cfg.Proxies, Log: cfg.Log, Store: cfg.Store, Sites: sites, Cookies: cfg.URLs.Cookies(),
		Sealer: cfg.Sealer, Now: cfg.Now, Flush: a.Access.Flush, Latencies: latency.New("vitrine_api_seconds", "Duration of API calls by endpoint."),
		Refused:     latency.NewCounter("vitrine_api_refused_total", "Refused API calls by the class and the code of their error.", "class", "code"),
		Compression: api.NewCompression(), Tracer: cfg.Tracer,
	}
	if cfg.Store != nil {
		connections := cfg.Store.PoolStats().Limit
		a.server.Calls = limiter.Shared(connections, connections)
	}
	in := intake.New(cfg.Store, cfg.Blobs, cfg.Log)
	if cfg.Store != nil { // nil: the caller only needs the table
		cfg.Store.OnFreed(in.Freed)
	}
	releases := release.New(release.Config{Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, URLs: cfg.URLs, Hosts: cfg.Hosts, Fetch: release.Fetch(cfg.fetch()), Now: cfg.Now})
	cfg.Pay.Store, cfg.Pay.Sealer, cfg.Pay.Now, cfg.Pay.URLs = cfg.Store, cfg.Sealer, cfg.Now, cfg.URLs
	payments := payment.New(cfg.Pay)
	cfg.Mail.Store, cfg.Mail.Sites, cfg.Mail.Catalogues, cfg.Mail.Sealer = cfg.Store, sites, cfg.Catalogues, cfg.Sealer
	cfg.Mail.Now, cfg.Mail.URLs = cfg.Now, cfg.URLs
	letters := letter.New(cfg.Mail)
	pricer := load.NewPricer(cfg.Store, payments.Methods, cfg.Now)
	carts := cart.New(cart.Config{Store: cfg.Store, Now: cfg.Now, Sealer: cfg.Sealer, Pricer: pricer})
	cfg.Name.Store, cfg.Name.Hosts, cfg.Name.Admin, cfg.Name.Now = cfg.Store, cfg.Hosts, cfg.URLs.Admin, cfg.Now
	orders := order.New(order.Config{Store: cfg.Store, Sites: sites, Now: cfg.Now, Sealer: cfg.Sealer, URLs: cfg.URLs, Takes: payments.Takes, Refund: payments.Refund})
	assistants := assist.New(assist.Config{
		Store: cfg.Store, Sealer: cfg.Sealer, Pricer: pricer, URLs: cfg.URLs, Now: cfg.Now, Guess: carts.GuessCodes, OpenSession: a.Access.OpenGuestSession, Cards: payments,
		Namespace: cmp.Or(cfg.Namespace, "localhost.vitrine"), CardHandler: payments.HandlerOf,
		Place: func(ctx context.Context, c *api.Call, company shop.CompanyID, p assist.Purchase) (sales.Order, error) {
			return order.Place(ctx, cfg.Store, c.Shop, company, p.Buyer, order.Checkout{
				Cart: p.Cart, Contact: p.Contact, Address: p.Address, Comment: p.Comment, Delivery: p.Delivery, Point: p.Point, PaymentMethod: p.PaymentMethod,
				Offered: true, Expected: p.Goods, ExpectedGrand: p.Total, Before: p.Before, Also: p.Also,
			}, cfg.Now())
		},
	})
	cfg.Hook.Store, cfg.Hook.Sealer, cfg.Hook.Now, cfg.Hook.Order = cfg.Store, cfg.Sealer, cfg.Now, announce(assistants, cfg.Sealer, cfg.Now)
	a.hooks = webhook.New(cfg.Hook)
	commerce := a.newUCP(cfg, assistants, payments)
	grants := oauth.New(oauth.Config{
		Store: cfg.Store, Sealer: cfg.Sealer, URL: cfg.URLs.Admin, Hosts: cfg.Hosts, Now: cfg.Now,
		SignIn: a.Access.SignIn, Grant: a.Access.GrantKey, Prove: a.Access.Prove, Key: commerce.Key,
	})
	a.grants = grants
	a.Shops = company.New(company.Config{
		Store: cfg.Store, URLs: cfg.URLs, Hosts: cfg.Hosts, Now: cfg.Now, SignupClosed: cfg.SignupClosed,
		Hash: a.Access.Hash, SetCurrency: payment.SetCurrency,
	})
	transfers := transfer.New(transfer.Config{
		Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, Sealer: cfg.Sealer, URLs: cfg.URLs, Now: cfg.Now,
		Admit: a.Shops.Admit, CheckCurrency: company.CheckCurrency, OpenErrors: company.AdmitErrors, Do: a.Do,
	})
	a.moveIns = movein.New(movein.Config{Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, Sites: sites, Now: cfg.Now, Do: a.Do})
	a.jobs = job.New(job.Config{Store: cfg.Store, Kinds: append(transfers.Kinds(), a.moveIns.Kinds()...), Now: cfg.Now, Discard: in.Discard})
	for _, slice := range []interface{ Endpoints() []api.Endpoint }{
		a.Access,
		a.Shops,
		a.catalog,
		media.New(cfg.Store, cfg.Blobs, in, cfg.Media, cfg.fetch(), cfg.URLs, cfg.Now),
		draft.New(cfg.Store, sites, cfg.URLs, releases.Whole, cfg.Now),
		design.New(design.Config{Store: cfg.Store, URLs: cfg.URLs, Now: cfg.Now}),
		releases,
		form.New(form.Config{Store: cfg.Store, Blobs: cfg.Blobs, Intake: in, Now: cfg.Now}),
		account.New(account.Config{Store: cfg.Store, Now: cfg.Now}),
		carts,
		orders,
		payments,
		letters,
		setting.New(cfg.Store),
		domain.New(cfg.Name),
		promotion.New(promotion.Config{Store: cfg.Store, Sites: sites, Now: cfg.Now}),
		policy.New(policy.Config{Store: cfg.Store, Hosts: cfg.Hosts, Now: cfg.Now}),
		stock.New(stock.Config{Store: cfg.Store}),
		overview.New(overview.Config{Store: cfg.Store, URLs: cfg.URLs}),
		stats.New(stats.Config{Store: cfg.Store, Now: cfg.Now}),
		review.New(review.Config{Store: cfg.Store, Blobs: cfg.Blobs, Now: cfg.Now}),
		customer.New(customer.Config{Store: cfg.Store}),
		a.hooks,
		assistants.Keys,
		seller.New(seller.Config{Store: cfg.Store, Sealer: cfg.Sealer, URLs: cfg.URLs, Check: cfg.Hook.Client.CheckSecure}),
		redirect.New(redirect.Config{Store: cfg.Store, Hosts: cfg.Hosts, Sites: sites}),
		sitefile.New(sitefile.Config{Store: cfg.Store, Hosts: cfg.Hosts, Now: cfg.Now, Catalogues: cfg.Catalogues}),
		grants,
		a.jobs,
		transfers.Through(a.jobs),
		a.moveIns.Through(a.jobs),
	} {
		a.table = append(a.table, slice.Endpoints()...)
	}
	guides := docs.New(a.Table, cfg.URLs.Admin)
	a.table = append(a.table, guides.Endpoints()...)
	if err := api.LinkEdits(a.table); err != nil {
		return nil, err
	}
	discovery, err := newDiscovery(a.table, cfg.URLs.Admin, guides.Front(cfg.Hosts.Origin("shop", ""), cfg.Hosts.Origin("demo", "")))
	if err != nil {
		return nil, err
	}
	a.table = append(a.table, discovery.endpoints()...)
	a.Access.SetTable(a.table)
	if a.router, err = a.route(a.table); err != nil {
		return nil, err
	}
	a.serveAgents(cfg.URLs.Admin, guides, grants)
	a.serveAssistants(cfg, assistants, payments, commerce)
	if err := a.serveCabinet(cfg.Hosts.Origin("*", "")); err != nil {
		return nil, err
	}
	if a.inside, err = a.route(slices.Concat(carts.Inside(), assistants.Inside(), grants.Inside())); err != nil {
		return nil, err
	}
	a.inside.NotFound = a.router.Handler
	return a, nil
}

// Buyer returns for whom an assistant with a token acts in a shop.
func (a *Admin) Buyer(ctx context.Context, company shop.CompanyID, token string) (people.Linked, error) {
	return a.grants.Buyer(ctx, company, token)
}

// Latencies returns the durations of calls by endpoint.
func (a *Admin) Latencies() latency.Histograms { return a.server.Latencies }

// Refused returns the counter of refused calls.
func (a *Admin) Refused() latency.Counter { return a.server.Refused }

// Deliveries returns the worker that sends events and orders to receivers.
func (a *Admin) Deliveries() *deliver.Loop[webhookdb.DueDelivery] { return a.hooks.Carrier() }

// Jobs returns the worker that runs what takes longer than a call.
func (a *Admin) Jobs() *deliver.Loop[jobdb.Claimed] { return a.jobs.Worker(a.server.Log) }

// Pictures returns the worker that fetches the pictures of imports.
func (a *Admin) Pictures() *deliver.Loop[moveindb.Picture] { return a.moveIns.Worker(a.server.Log) }

// MoveIn imports files of another system for the operator.
func (a *Admin) MoveIn(ctx context.Context, o movein.Operator) (any, error) {
	return a.moveIns.Operate(ctx, o, a.server.Log)
}

// Table returns all endpoints.
func (a *Admin) Table() []api.Endpoint { return a.table }

// Upkeep shares rate counts with other processes and stores the view counts of articles, until
// the context ends.
func (a *Admin) Upkeep(ctx context.Context) {
	var views sync.WaitGroup
	views.Go(func() { a.catalog.Upkeep(ctx, a.server.Log) })
	a.server.Upkeep(ctx)
	views.Wait()
}

// Handler serves the admin listener and the calls under /api of storefront hosts. The edge
// passes the latter with the shop set and the prefix removed. Calls that the edge makes itself
// also reach the endpoints that are for its pages only.
func (a *Admin) Handler() fasthttp.RequestHandler {
	return func(rc *fasthttp.RequestCtx) {
		rc.Response.Header.Set("X-Content-Type-Options", "nosniff")
		if origin.Of(rc).Inside {
			a.inside.Handler(rc)
			return
		}
		a.router.Handler(rc)
	}
}

func (a *Admin) route(table []api.Endpoint) (r *router.Router, err error) {
	defer func() {
		if p := recover(); p != nil { // the router panics on conflicting paths
			err = fmt.Errorf("endpoint table: %v", p)
		}
	}()
	r = router.New()
	// OPTIONS is answered for the few endpoints that sandboxed pages of a shop call. No other
	// origin may call this API.
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	for i := range table {
		e := &table[i]
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

// serveCabinet adds the owner's web pages to the router. framed is the origin of all shops.
func (a *Admin) serveCabinet(framed string) error {
	pages, err := cabinet.New(framed)
	if err != nil {
		return err
	}
	for _, route := range pages.Routes() {
		a.router.Handle(route.Row.Method, route.Row.Path, a.server.Protocol(route.Row, route.Answer))
	}
	lost := a.router.NotFound
	a.router.NotFound = func(rc *fasthttp.RequestCtx) { // the router has no row for a path that ends before "/{path:*}"
		if string(rc.Path()) != "/cabinet" || origin.Of(rc).Shop != 0 {
			lost(rc)
			return
		}
		rc.Response.Header.Set(fasthttp.HeaderLocation, "/cabinet/")
		rc.SetStatusCode(fasthttp.StatusPermanentRedirect)
	}
	return nil
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

// Do calls an endpoint inside the process with the given identity. The demo shop is seeded and shops
// are imported this way, through the same code that owners call.
func (a *Admin) Do(ctx context.Context, who api.Identity, method, path string, params map[string]string, body any) (any, error) {
	for i := range a.table {
		if e := &a.table[i]; e.Method == method && e.Path == path {
			return a.server.Do(ctx, e, who, params, body)
		}
	}
	return nil, fmt.Errorf("no endpoint %s %s", method, path)
}
