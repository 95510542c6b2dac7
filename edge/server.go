package edge

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/forwarded"
	"vitrine/internal/gate"
	"vitrine/internal/shop"
)

// Sizes and times of the listener.
const (
	// readBuffer holds a request line of 8 KB (CONTRACT, "Redirects") and the
	// header fields behind it.
	readBuffer = 24 << 10
	// writeBuffer holds the header fields and bodies that are not worth a
	// second write; see conn for the others.
	writeBuffer = 4 << 10

	visitTimeout = 10 * time.Second // for the database behind one visit

	// maxConnections are open at once, maxPerClient of one address or network:
	// offices and mobile networks put hundreds of people behind one.
	maxConnections = 32 << 10
	maxPerClient   = 1 << 10
	// maxBody bounds what is read before a handler runs; bodies above it come
	// as streams, which the API bounds by endpoint.
	maxBody = 64 << 10

	flushEvery = 5 * time.Second
	idleEvery  = 30 * time.Minute // a shop without visitors for one to two of these is freed
	pollEvery  = 500 * time.Millisecond
)

// Config is what the edge is made of. Source is required.
type Config struct {
	Source Source
	Log    *slog.Logger     // nil: slog.Default
	Now    func() time.Time // nil: time.Now

	// API answers /api/… with the rest of the path; through says
	// of which shop. Nil: 404.
	API fasthttp.RequestHandler

	// Resize cuts the picture at a storage path to a width, in pixels, and a
	// quality of 40 to 95 (0: by the width). It answers shop.ErrNotFound,
	// shop.ErrUnavailable when it is busy, and ErrKeepOriginal. Nil: 404.
	Resize func(ctx context.Context, company shop.CompanyID, path string, width, quality int) (Image, error)

	// Draft reads shops as their drafts are, and Preview checks the token of a
	// visitor who wants to see one: it answers until when the token holds for
	// the shop, the zero time when it does not. Nil: no previews.
	Draft   Source
	Preview func(ctx context.Context, company shop.CompanyID, token string) (until time.Time, err error)

	// Proxies are whose word counts about where a visit comes from.
	Proxies forwarded.Proxies

	// Secret signs the cookies that open closed shops; at least 32 bytes.
	Secret []byte

	// CacheBytes bounds the cached bodies. 0: 256 MiB.
	CacheBytes int64
}

// ErrKeepOriginal is Resize's answer for pictures that are served as they are:
// SVG (document 1, 4.4) and animations.
var ErrKeepOriginal = errors.New("edge: this picture is not resized")

// Server answers visitors. Make it with New; a Server that was served must be
// shut down.
type Server struct {
	cfg       Config
	gate      *gate.Gate
	cache     *cache
	hosts     hosts
	tenants   tenants
	drafts    tenants // as their owners preview them
	programs  programs
	manifests manifests
	flights   flights
	building  room // site files
	restoring room // their saved copies
	misses    misses
	hits      hits
	views     views
	counting  counting
	ticks     bool // time is the system's
	pins      *pinQueues
	assets    map[string]*entry
	stats     stats
	debug     bool // each visit is logged
	visits    sync.Pool
	sheets    sync.Pool // *[]byte that pages are drawn on

	complained atomic.Int64 // second of the last line about an outage

	ctx    context.Context // ends with the server, and with it all reading
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	life     sync.Mutex
	up, down bool
}

// New makes a server that listens nowhere yet.
func New(cfg Config) (*Server, error) {
	if cfg.Source == nil {
		return nil, errors.New("edge: a Source is required")
	}
	if len(cfg.Secret) < 32 {
		return nil, errors.New("edge: the secret must have at least 32 bytes")
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ticks := cfg.Now == nil
	if ticks {
		cfg.Now = time.Now
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 256 << 20
	}
	store, err := newCache(cfg.CacheBytes)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, cache: store, ticks: ticks}
	s.debug = cfg.Log.Enabled(context.Background(), slog.LevelDebug)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hosts.init(cfg.Now)
	s.tenants = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Source}
	s.drafts = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Draft, draft: true}
	s.hits.byRule = map[hitKey]*count{}
	if err := s.counting.init(); err != nil {
		return nil, err
	}
	s.pins = newPINQueues(cfg.Now)
	s.programs.init()
	s.building, s.restoring = newRoom(), newRoom()
	s.manifests.init()
	s.visits.New = func() any { return &visit{s: s} }
	s.sheets.New = func() any { return new([]byte) }
	if s.assets, err = assetEntries(); err != nil {
		return nil, err
	}
	s.gate = gate.New(&fasthttp.Server{
		Handler:                      s.Handle,
		ReadBufferSize:               readBuffer,
		WriteBufferSize:              writeBuffer,
		MaxRequestBodySize:           maxBody,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
	}, gate.Config{Connections: maxConnections, PerClient: maxPerClient, Trusted: gate.Uncounted(cfg.Proxies), Log: cfg.Log, Refuse: s.refuse})
	return s, nil
}

// Serve answers connections until Shutdown. After it, it returns at once.
func (s *Server) Serve(l net.Listener) error {
	s.life.Lock()
	if !s.up && !s.down {
		s.up = true
		s.tasks.Go(s.keeping)
	}
	s.life.Unlock()
	return s.gate.Serve(l)
}

// Shutdown lets the requests in flight finish, writes the counters down and
// frees the cache.
func (s *Server) Shutdown(ctx context.Context) error {
	s.life.Lock()
	first := !s.down
	s.down = true
	s.life.Unlock()
	if !first {
		return nil
	}
	err := s.gate.Shutdown(ctx)
	s.cancel()
	s.tasks.Wait()
	err = errors.Join(err, s.flush(context.WithoutCancel(ctx)))
	s.cache.close()
	return err
}

// keeping writes the counters down every few seconds and frees idle shops.
func (s *Server) keeping() {
	flush, idle := time.NewTicker(flushEvery), time.NewTicker(idleEvery)
	defer flush.Stop()
	defer idle.Stop()
	s.resalt(s.ctx)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-idle.C:
			s.retireIdle()
		case <-flush.C:
			s.resalt(s.ctx)
			if err := s.flush(s.ctx); err != nil {
				s.cfg.Log.Warn("counters were not written", "error", err)
			}
		}
	}
}

// refuse answers what is no request, or comes to a full house.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, status int) {
	if status == fasthttp.StatusServiceUnavailable {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "5")
	}
	s.done(ctx, routeOther, plain(ctx, status), cacheNone)
}
