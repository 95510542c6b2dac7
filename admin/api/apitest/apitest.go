// Package apitest runs the whole admin API for a test on an in-memory listener, with its own
// database and blob directory, two shops and the keys that most tests need.
//
//	func TestProducts(t *testing.T) {
//		t.Parallel()
//		a := apitest.New(t)
//		tea := apitest.Map{"item": apitest.Map{"name": "Tea"}}
//		status, answer := a.Call("POST", "/products", a.Owner, tea)
//		a.Refused("GET", "/products/1", a.Stranger, nil, 404, "PRODUCT_NOT_FOUND")
//	}
//
// The package imports the whole API, so tests that use it are in the external test package of
// their folder (package catalog_test).
package apitest

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"vitrine/admin"
	"vitrine/admin/access"
	"vitrine/admin/api"
	"vitrine/admin/domain"
	"vitrine/admin/letter"
	"vitrine/admin/payment"
	"vitrine/admin/webhook"
	"vitrine/internal/await"
	"vitrine/internal/blob"
	"vitrine/internal/cookie"
	"vitrine/internal/forwarded"
	"vitrine/internal/outbound"
	"vitrine/internal/outbound/dnstest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/storetest"

	"vitrine/internal/origin"
)

// AdminURL is the public address of the API, which upload addresses contain. Send and Call
// accept such addresses too.
const AdminURL = "http://admin.test"

// API is a running admin API with two shops. All its resources are released when the test ends.
type API struct {
	Admin *admin.Admin
	Store *store.Store
	Blobs blob.Store
	Clock *Clock
	URL   string             // of the database
	Sent  *storetest.Counter // counts the statements of the calls

	Shop  company.Company // EUR, slug "tea", http://tea.shops.test
	Other company.Company // EUR, slug "rival"

	// Keys of Shop with every scope that their person may grant.
	Owner  string
	Editor string
	Dev    string // of the owner, in the draft contour

	// Stranger is the key of Other's owner: for it, nothing of Shop must exist.
	Stranger string

	OwnerID, EditorID, StrangerID shop.UserID

	// DatabaseConn is the network connection between the API and its database.
	DatabaseConn *storetest.Line

	t        testing.TB
	versions *sync.Map // of shops, as an edge knows them
	client   *http.Client
	config   admin.Config
	database string
}

// New starts the API. The functions in change can modify the configuration, such as size limits
// or the image converter.
func New(t testing.TB, change ...func(*admin.Config)) *API {
	t.Helper()
	return On(t, storetest.URL(t, store.Migrate), change...)
}

// On is New with a database that the test has prepared, such as storetest.ManyShops.
func On(t testing.TB, database string, change ...func(*admin.Config)) *API {
	t.Helper()
	a := &API{t: t, URL: database, versions: &sync.Map{}, Sent: &storetest.Counter{}, Clock: &Clock{now: time.Now().UTC().Truncate(time.Second)}}
	a.openStores(database)
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	a.must(err)
	sealer, err := secret.NewSealer(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	a.must(err)
	cfg := admin.Config{
		Proxies: forwarded.Proxies{netip.MustParsePrefix("0.0.0.0/32")}, // trusts the in-memory listener, so that tests can set client addresses
		Store:   a.Store, Blobs: a.Blobs, Log: slog.New(slog.NewTextHandler(logWriter{t}, nil)), Now: a.Clock.Now, Hosts: hosts,
		Pay:      payment.Config{Do: outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"))).Do},
		Mail:     letter.Config{From: "shop@shops.test", TXT: func(context.Context, string) ([]string, error) { return nil, nil }},
		Hook:     webhook.Config{Client: outbound.New(outbound.ForWebhooks(), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32")))},
		Profiles: outbound.New(outbound.ForProfiles(), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32"))),
		Name:     domain.Config{DNS: &dnstest.Zone{}, Secret: make([]byte, 32)},
		Sealer:   sealer,
		URLs:     api.URLs{Admin: AdminURL, Storefront: func(c company.Company) string { return hosts.Origin(c.Slug, c.Domain) }},
	}
	for _, f := range change {
		f(&cfg)
	}
	cfg.Pay.Sealer, cfg.Mail.Sealer, cfg.Hook.Sealer = cfg.Sealer, cfg.Sealer, cfg.Sealer // workers in tests use them
	a.config, a.database = cfg, database
	a.Admin, err = admin.New(cfg)
	a.must(err)
	a.serve()
	a.people()
	return a
}

// Twin is a second process on the same database, with the same shops and keys.
func (a *API) Twin() *API {
	a.t.Helper()
	twin := *a
	twin.Sent = &storetest.Counter{}
	twin.openStores(a.database)
	cfg := a.config
	cfg.Store, twin.Blobs = twin.Store, a.Blobs
	var err error
	twin.Admin, err = admin.New(cfg)
	a.must(err)
	twin.serve()
	return &twin
}

func (a *API) openStores(database string) {
	a.t.Helper()
	ctx := context.Background()
	a.DatabaseConn = &storetest.Line{}
	a.Sent.Order = store.LockOrder
	sent := a.Sent
	a.t.Cleanup(func() {
		for _, locks := range sent.OrderViolations() {
			a.t.Errorf("locks out of order: %s", locks)
		}
	})
	options := []store.ConnOption{store.Traced(a.Sent), a.DatabaseConn.Apply}
	if _, benchmark := a.t.(*testing.B); !benchmark {
		options = append(options, storetest.FewConnections)
	}
	s, err := store.Open(ctx, database, options...)
	a.must(err)
	a.t.Cleanup(s.Close)
	a.Store, s.TestClock = s, a.Clock.Now
	_, err = s.CountAttempts(ctx, "", "", time.Minute, time.Minute, 0) // reads the key once, not in a call whose statements are counted
	a.must(err)
	s.OnChange(func(_ context.Context, id shop.CompanyID, version int64) { a.versions.Store(id, version) })
	a.Blobs, err = blob.OpenDir(storetest.Dir(a.t))
	a.must(err)
}

// serve listens in memory with the settings of the real listener.
func (a *API) serve() {
	ln := fasthttputil.NewInmemoryListener()
	server := a.Admin.Gate()
	handler := server.HTTP.Handler
	server.HTTP.Handler = func(rc *fasthttp.RequestCtx) {
		if id, err := strconv.Atoi(string(rc.Request.Header.Peek(storefrontHeader))); err == nil {
			rule := cookie.Secure
			if len(rc.Request.Header.Peek(plainHeader)) > 0 {
				rule = cookie.None
			}
			version, _ := a.versions.Load(shop.CompanyID(id))
			known, _ := version.(int64)
			origin.Mark(rc, origin.Storefront{
				Shop: shop.CompanyID(id), Version: known, Admitted: len(rc.Request.Header.Peek(admittedHeader)) > 0,
				Opened: shop.Unlocked(rc.Request.Header.Peek(openedHeader)), Cookies: rule,
			})
		}
		handler(rc)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return ln.Dial() }}
	a.client = &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: await.Limit,
	}
	a.t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := ln.Close(); err != nil {
			a.t.Error(err)
		}
		if err := <-done; err != nil {
			a.t.Error(err)
		}
	})
}

// people creates the shops, their members and the keys.
func (a *API) people() {
	a.t.Helper()
	a.Shop, a.OwnerID = a.newShop("tea")
	a.Other, a.StrangerID = a.newShop("rival")
	a.EditorID = a.Member(shop.Editor)
	a.Owner = a.Key(a.OwnerID, shop.Owner, shop.Prod)
	a.Editor = a.Key(a.EditorID, shop.Editor, shop.Prod)
	a.Dev = a.Key(a.OwnerID, shop.Owner, shop.Dev)
	a.Stranger = a.issue(a.Other.ID, a.StrangerID, access.KeyRequest{Scopes: everyScope(shop.Owner)})
}

func (a *API) newShop(slug string) (company.Company, shop.UserID) {
	a.t.Helper()
	ctx := context.Background()
	// Not a valid hash: these people do not sign in with a password.
	owner, err := people.CreatePerson(ctx, a.Store, slug+"@people.test", "", "-")
	a.must(err)
	_, err = company.CreateCompany(ctx, a.Store, slug, slug, "EUR", owner, nil)
	a.must(err)
	company, err := company.CompanyBySlug(ctx, a.Store, slug)
	a.must(err)
	return company, owner
}

func (a *API) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// Config returns the configuration of the API, for parts that a worker runs.
func (a *API) Config() admin.Config { return a.config }
