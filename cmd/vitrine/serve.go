package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/cart"
	"vitrine/admin/domain"
	"vitrine/admin/letter"
	"vitrine/admin/payment"
	"vitrine/admin/picture"
	"vitrine/admin/purge"
	"vitrine/admin/upkeep"
	"vitrine/admin/webhook"
	"vitrine/edge"
	"vitrine/internal/blob"
	"vitrine/internal/catalogue"
	"vitrine/internal/deliver"
	"vitrine/internal/forwarded"
	"vitrine/internal/load"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/span"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/draft"
	jobdb "vitrine/internal/store/job"
	letterdb "vitrine/internal/store/letter"
	mediadb "vitrine/internal/store/media"
	moveindb "vitrine/internal/store/movein"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/trace"
	webhookdb "vitrine/internal/store/webhook"
	"vitrine/resizer"
)

type serveCmd struct {
	Demo bool `help:"Create a demo shop on the first start and print how to access it."`
}

type (
	adminCmd   struct{}
	workerCmd  struct{}
	migrateCmd struct{}
)

// roles are the parts run by a process.
type roles struct {
	edge, admin, worker, demo bool
	process                   *process // of several processes of an edge; nil: the only one
}

// Run serves the storefronts and the admin API.
func (c *serveCmd) Run(ctx context.Context, s *Settings) error {
	if err := s.checkProcesses(); err != nil {
		return err
	}
	if s.EdgeProcesses > 1 {
		return errors.New("vitrine serve is one process: run vitrine edge, admin and worker for VITRINE_EDGE_PROCESSES above 1")
	}
	s.migrates = s.DatabaseURL == ""
	return run(ctx, s, roles{edge: true, admin: true, worker: true, demo: c.Demo})
}

// Run serves the admin API.
func (*adminCmd) Run(ctx context.Context, s *Settings) error { return run(ctx, s, roles{admin: true}) }

// Run does the background work. There may be several workers: they share the work through
// leases.
func (*workerCmd) Run(ctx context.Context, s *Settings) error {
	return run(ctx, s, roles{worker: true})
}

// Run migrates the database.
func (*migrateCmd) Run(ctx context.Context, s *Settings) error {
	s.migrates = true
	db, err := openDatabase(ctx, s, s.logger())
	if err != nil {
		return err
	}
	defer db.close()
	return printJSON(map[string]any{"migrated": true, "database": db.where()})
}

// server holds the parts run by one process.
type server struct {
	log      *slog.Logger
	tracer   *span.Tracer // nil: nothing is traced
	db       *database
	resize   *resizer.Resizer
	variants *variants // on this machine
	shared   *variants // in the store of files; of a worker
	edge     *edge.Server
	vitals   *vitals                              // what workers report; nil like upkeep
	upkeep   *upkeep.Upkeep                       // nil: another process does it
	steps    *picture.Worker                      // preset sizes of pictures; nil like upkeep
	pays     *payment.Payments                    // polls payment providers; nil like upkeep
	letters  *deliver.Loop[letterdb.Due]          // sends emails; nil without a mail server, and like upkeep
	hooks    *deliver.Loop[webhookdb.DueDelivery] // delivers events to receivers; nil like upkeep
	domains  *deliver.Loop[companydb.Domain]      // looks for DNS proofs of domains; nil like upkeep
	purges   *purge.Worker[store.Moment]          // tells caches in front of the edges what has changed; nil like upkeep
	carts    *deliver.Loop[sales.LeftCart]        // reminds of carts that were left; nil like upkeep
	jobs     *deliver.Loop[jobdb.Claimed]         // what takes longer than a call; nil like upkeep
	imported *deliver.Loop[moveindb.Picture]      // pictures of imports; nil like upkeep
	sealer   *secret.Sealer
	admin    *admin.Admin
	hosts    shop.Storefronts
	ops      *ops

	certificates certificates                    // of the edge and the admin API
	issuer       *deliver.Loop[companydb.Domain] // certificates of domains; nil without an authority, and like upkeep
}

func run(ctx context.Context, s *Settings, r roles) (err error) {
	started := time.Now()
	log := s.logger()
	if r.process != nil {
		log = log.With("process", r.process.number)
	}
	if err := s.checkProcesses(); err != nil {
		return err
	}
	proxies, err := s.proxies()
	if err != nil {
		return err
	}
	if err := s.checkCertificates(); err != nil {
		return err
	}
	listeners := &listeners{}
	defer listeners.close()
	if err := listeners.openEarly(s, r); err != nil {
		return err
	}
	if r.demo {
		if err := s.markDemo(); err != nil {
			return err
		}
	}
	tracer, err := s.tracer(r, log)
	if err != nil {
		return err
	}
	defer tracer.Close()
	traced := trace.New(log, trace.Slow)
	ops := newOps(newHealth(), !r.edge, s.opsHosts(), log)
	ops.start(listeners.ops)
	defer func() { err = errors.Join(err, ops.stop()) }()
	db, err := awaitDatabase(ctx, s, log, store.Traced(traced), store.Counted)
	if err != nil {
		return stoppedOr(ctx, err)
	}
	defer func() { err = errors.Join(err, db.close()) }()
	db.supervise()
	ops.health.watch(theDatabase, db.Ping)
	blobs, err := awaitBlobs(ctx, s, log)
	if err != nil {
		return stoppedOr(ctx, err)
	}
	blobs = ops.meter(blobs)
	ops.health.watch(theBucket, func(ctx context.Context) error { _, err := blobs.Owner(ctx); return err })
	if err := s.join(ctx, db.Store, blobs, db.cluster != nil && r.edge && r.admin, log); err != nil {
		return stoppedOr(ctx, err)
	}
	if s.ReplicaURL != "" && r.edge {
		if err := db.UseReplica(ctx, s.ReplicaURL, store.Traced(traced), store.Counted); err != nil {
			return fmt.Errorf("VITRINE_REPLICA_URL: %w", err)
		}
	}
	// Before anything is read, so that writes which the database loses from now on are noticed.
	if _, err := db.Follow(ctx, store.Moment{}); err != nil {
		return stoppedOr(ctx, err)
	}
	srv, err := build(ctx, s, r, db, blobs, ops, proxies, tracer, log)
	if err != nil {
		return err
	}
	defer srv.resize.Close()
	defer func() { err = errors.Join(err, srv.certificates.close()) }()
	srv.ops.watchStatements(traced)
	srv.ops.watchTraces(tracer)
	if r.demo {
		if err := srv.demo(ctx, s); err != nil {
			return fmt.Errorf("demo shop: %w", err)
		}
	}
	if err := listeners.openLate(s, r); err != nil {
		return err
	}
	return srv.serve(ctx, s, listeners, started)
}

// build wires the parts of a process.
func build(ctx context.Context, s *Settings, r roles, db *database, blobs blob.Store, ops *ops, proxies forwarded.Proxies, tracer *span.Tracer, log *slog.Logger) (*server, error) {
	if err := s.checkCaches(); err != nil {
		return nil, err
	}
	hosts, err := s.storefronts()
	if err != nil {
		return nil, err
	}
	caches, err := s.caches()
	if err != nil {
		return nil, err
	}
	if note := withoutCookies(hosts.Origin("shop", "")); note != "" && len(proxies) == 0 {
		log.Warn(note)
	}
	kept, err := openVariants(s)
	if err != nil {
		return nil, err
	}
	blobs = collectingStore{blobs, kept}
	unreferred := func(ctx context.Context, hashes []string) ([]string, error) {
		return mediadb.Unreferenced(ctx, db.Store, hashes)
	}
	srv := &server{log: log, tracer: tracer, db: db, hosts: hosts, ops: ops, variants: &variants{kept: kept, gone: unreferred, log: log}}
	if srv.certificates, err = s.openCertificates(db.Store, hosts, srv.knows, log); err != nil {
		return nil, err
	}
	var all blob.Store // nil: no other machine has the files in the data dir
	if s.BlobURL != "" {
		all = blobs
	}
	if srv.resize, err = openResizer(kept, all, log); err != nil {
		return nil, err
	}
	srv.ops.answerAsk(func(ctx context.Context, host string) (bool, error) { return hasHost(ctx, db.Store, hosts, host) })
	srv.ops.watchPool(db.Store)
	srv.ops.watchReplica(db.Store)
	srv.ops.watchDisk(s.DataDir)
	srv.ops.watchFiles(srv.certificates.files)
	srv.ops.watchVariants(kept, s.VariantCache)
	srv.ops.watchQueue(srv.resize)
	sealer, err := s.sealer()
	if err != nil {
		return nil, err
	}
	srv.sealer = sealer
	clock, reminders, err := s.clocks()
	if err != nil {
		return nil, err
	}
	urls := api.URLs{Admin: s.adminURL(), Storefront: func(c companydb.Company) string { return hosts.Origin(c.Slug, c.Domain) }}
	paying := payment.Config{
		Store: db.Store, Sealer: sealer, Do: s.providers(), Now: clock, URLs: urls, StripeURL: s.StripeURL, YooKassaURL: s.YooKassaURL,
	}
	server, from, err := s.mailbox(hosts)
	if err != nil {
		return nil, err
	}
	catalogues := catalogue.NewCatalogues(hosts, clock)
	mailing := letter.Config{
		Store: db.Store, Sites: load.NewSites(hosts, clock), Catalogues: catalogues, URLs: urls, Now: clock, Sealer: sealer, Server: server, From: from,
	}
	pictures, err := s.pictures()
	if err != nil {
		return nil, err
	}
	receivers, err := s.receivers()
	if err != nil {
		return nil, err
	}
	profiles, err := s.profiles()
	if err != nil {
		return nil, err
	}
	naming, err := s.domains(ctx, db, hosts)
	if err != nil {
		return nil, err
	}
	naming = srv.certificates.of(naming)
	naming.Now, mailing.TXT = clock, naming.DNS.TXT
	hooking := webhook.Config{Store: db.Store, Sealer: sealer, Client: receivers, Now: clock}
	if r.worker {
		srv.carts = cart.Reminders(db.Store, reminders)
		srv.pays, srv.letters = payment.New(paying), letter.New(mailing).Carrier()
		srv.domains = domain.New(naming).Prover()
		srv.purges = &purge.Worker[store.Moment]{Targets: caches, Log: db.NewPurges(), Do: toOperators(), Now: clock}
		srv.ops.watchPurges(srv.purges)
		srv.issuer = domain.New(naming).Issuer()
		srv.shared = &variants{kept: blobs, gone: unreferred, log: log}
		srv.upkeep = upkeep.New(db.Store, blobs, log, clock)
		srv.vitals = srv.ops.watchVitals(db.Store, srv.letters != nil, len(caches) > 0, srv.certificates.issued != nil)
		srv.steps = picture.New(db.Store, prepare(blobs, srv.resize), log)
		srv.ops.watchPictures(srv.steps)
	}
	calls, err := admin.New(admin.Config{
		Store: db.Store, Blobs: blobs, Log: log, Now: clock, Sealer: sealer, Media: images(blobs, srv.resize), Hosts: hosts,
		Catalogues: catalogues, Proxies: proxies, Pay: paying, Mail: mailing, Hook: hooking, Name: naming, URLs: urls,
		SignupClosed: s.Signup == "closed", Fetch: pictures, Profiles: profiles, Tracer: tracer, Namespace: s.UCPNamespace,
	})
	if err != nil {
		return nil, err
	}
	if r.worker {
		srv.jobs, srv.imported, srv.hooks = calls.Jobs(), calls.Pictures(), calls.Deliveries()
	}
	var handler fasthttp.RequestHandler
	if r.admin || r.edge { // the edge serves /api/… of the storefront hosts
		srv.admin, handler = calls, calls.Handler()
		srv.ops.registry.MustRegister(srv.admin.Latencies(), srv.admin.Refused())
	}
	if !r.edge {
		return srv, nil
	}
	secret, err := db.Secret(ctx, "edge")
	if err != nil {
		return nil, err
	}
	previews, err := db.Secret(ctx, draft.PreviewSecret)
	if err != nil {
		return nil, err
	}
	live := source.New(db.Store, blobs, hosts).Share(catalogues)
	srv.edge, err = edge.New(edge.Config{
		Source: live, Now: clock, Draft: live.Draft(), Preview: live.Previews(previews, clock), AdminOrigin: urls.Origin(), Log: log, API: handler, Resize: resize(db.Store, blobs, srv.resize),
		Secret: secret, Proxies: proxies, CacheBytes: s.EdgeCache, ShopBytes: s.EdgeShops, CacheTags: purge.CacheTags(caches), Tickets: r.process.ticketKeys(), Tracer: tracer,
	})
	if err != nil {
		return nil, err
	}
	srv.ops.watch(srv.edge, srv.resize)
	srv.ops.registry.MustRegister(srv.edge.Lag())
	for _, metric := range srv.edge.Latencies() {
		srv.ops.registry.MustRegister(metric)
	}
	db.OnChange(func(ctx context.Context, id shop.CompanyID, version int64) {
		if err := srv.edge.Changed(ctx, id, version); err != nil {
			log.Warn("invalidation failed; the change will be visible later", "company", id, "error", err)
		}
	})
	return srv, nil
}

// drainTime is the maximum time for requests in flight to finish after a stop.
const drainTime = 20 * time.Second

// serve serves until the context ends or a listener fails, then lets requests in flight
// finish.
func (srv *server) serve(ctx context.Context, s *Settings, d *listeners, started time.Time) error {
	group, ctx := errgroup.WithContext(srv.tracer.Carry(ctx))
	answer := func(role string, l net.Listener, serve func(net.Listener) error, stopListening func(), shutdown func(context.Context) error) {
		group.Go(func() error {
			if err := serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("%s: %w", role, err)
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			d.leave(l, stopListening)
			drain, cancel := context.WithTimeout(context.Background(), drainTime)
			defer cancel()
			return shutdown(drain)
		})
	}
	group.Go(func() error { return srv.ops.failure(ctx) })
	group.Go(func() error { d.spread(ctx); return nil })
	if d.admin != nil {
		g := srv.admin.Gate()
		answer("admin", d.admin, srv.serveAdmin(g), g.StopListening, g.Shutdown)
	}
	if d.edge != nil {
		answer("edge", d.edge, srv.serveEdge, srv.edge.StopListening, srv.edge.Shutdown)
		if d.plain != nil {
			answer("edge without TLS", d.plain, srv.servePlain(s.adminURL()), srv.edge.StopListening, srv.edge.Shutdown)
		}
		group.Go(func() error { srv.edge.Poll(ctx); return nil })
	} else {
		group.Go(func() error {
			srv.db.FollowEras(ctx, func(err error) { srv.log.Debug("changes could not be followed", "error", err) })
			return nil
		})
	}
	group.Go(func() error {
		srv.db.FollowReplica(ctx, func(err error) {
			srv.log.Warn("the replica is not read; pages are drawn from the database", "error", err)
		})
		return nil
	})
	group.Go(func() error {
		srv.db.ShareConnections(ctx, func(err error) {
			srv.log.Debug("the process could not adjust its share of the connections", "error", err)
		})
		return nil
	})
	group.Go(func() error { srv.ops.watchSchema(ctx, srv.db.Store, srv.log); return nil })
	if srv.admin != nil {
		group.Go(func() error { srv.admin.Upkeep(ctx); return nil })
	}
	group.Go(func() error { srv.variants.run(ctx); return nil })
	if srv.upkeep != nil {
		group.Go(func() error { srv.upkeep.Run(ctx); return nil })
		group.Go(func() error {
			srv.db.KeepStatistics(ctx, func(err error) { srv.log.Warn("tables that have grown were not analysed", "error", err) })
			return nil
		})
		group.Go(func() error { srv.shared.run(ctx); return nil })
		group.Go(func() error { srv.vitals.run(ctx, srv.log); return nil })
		group.Go(func() error { srv.steps.Run(ctx); return nil })
		group.Go(func() error { srv.pays.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.hooks.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.domains.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.purges.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.reseal(ctx); return nil })
		group.Go(func() error { srv.carts.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.jobs.Run(ctx, srv.log); return nil })
		group.Go(func() error { srv.imported.Run(ctx, srv.log); return nil })
		if srv.issuer != nil {
			group.Go(func() error { srv.issuer.Run(ctx, srv.log); return nil })
		}
		if srv.letters != nil {
			group.Go(func() error { srv.letters.Run(ctx, srv.log); return nil })
		}
	}
	srv.ops.ready.Store(true)
	srv.log.Info("vitrine is up", "version", thisBuild().version, "took_ms", time.Since(started).Milliseconds(), "edge", s.EdgeListen, "admin", s.AdminListen,
		"ops", s.OpsListen, "database", srv.db.where())
	<-ctx.Done()
	srv.ops.ready.Store(false)
	srv.log.Info("stopping")
	return group.Wait()
}
