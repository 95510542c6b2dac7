package edge

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/edge/count"
	"vitrine/internal/flight"
	"vitrine/internal/forwarded"
	"vitrine/internal/gate"
	"vitrine/internal/limiter"
	"vitrine/internal/shop"
	"vitrine/internal/span"
)

// Limits of the listener.
const (
	// readBuffer holds a request line of 8 KB (CONTRACT, "Redirects") and the header fields
	// after it.
	readBuffer = 24 << 10
	// writeBuffer holds the header fields and small bodies that are not worth a second
	// write; see conn.go for larger ones.
	writeBuffer = 4 << 10

	visitTimeout = 10 * time.Second // for the database work of one visit

	// maxConnections bounds open connections, maxPerClient those of one address or network:
	// offices and mobile networks have hundreds of people behind one.
	maxConnections = 32 << 10
	maxPerClient   = 1 << 10
	// maxBody bounds what is read before a handler runs. Larger bodies are streamed, and
	// the API bounds them per endpoint.
	maxBody = 64 << 10

	flushEvery = 5 * time.Second
	idleEvery  = 30 * time.Minute // a shop without visits for one to two of these is freed
	pollEvery  = 500 * time.Millisecond
)

// Config holds the dependencies and settings of a Server. Source is required.
type Config struct {
	Source Source
	Log    *slog.Logger     // nil: slog.Default
	Now    func() time.Time // nil: time.Now

	// API handles /api/… with the rest of the path; origin.Of tells it the shop. Nil: 404.
	API fasthttp.RequestHandler

	// Resize resizes the picture at a storage path to a width, in pixels, and a quality of
	// 40 to 95 (0: by the width). It returns shop.ErrNotFound, shop.ErrUnavailable when it
	// is busy, or ErrKeepOriginal. Nil: 404.
	Resize func(ctx context.Context, company shop.CompanyID, path string, width, quality int) (Image, error)

	// Draft reads shops in the state of their drafts, and Preview checks a preview token:
	// it returns until when the token is valid for the shop, the zero time if it is not.
	// Nil: no previews.
	Draft   Source
	Preview func(ctx context.Context, company shop.CompanyID, token string) (until time.Time, err error)

	// CacheTags repeats the surrogate keys of responses in Cache-Tag.
	CacheTags bool

	// AdminOrigin is the origin that may show previews in a frame: scheme://host[:port]. Empty:
	// none.
	AdminOrigin string

	// Proxies are the proxies trusted to report the address of a client.
	Proxies forwarded.Proxies

	// Tracer traces visits that are not answered from memory. Nil: none are traced.
	Tracer *span.Tracer

	// Tickets are the keys of TLS session tickets. Nil: only this process resumes its sessions.
	Tickets *gate.Tickets

	// Secret signs the cookies that open closed shops. It has at least 32 bytes.
	Secret []byte

	// CacheBytes bounds the cached bodies. 0: 256 MiB.
	CacheBytes int64

	// ShopBytes bounds the loaded shops, by an estimate of their memory. 0: 256 MiB.
	ShopBytes int64
}

// ErrKeepOriginal is returned by Resize for pictures that must be served unchanged: SVG
// (document 1, 4.4) and animations.
var ErrKeepOriginal = errors.New("edge: this picture is not resized")

// Server answers visitors. Create it with New; a Server that has served must be shut down.
type Server struct {
	cfg         Config
	gate        *gate.Gate
	plain       []*gate.Gate // without TLS, beside gate; guarded by life
	cache       *cache
	hosts       hosts
	tenants     tenants
	drafts      tenants // for previews
	programs    programs
	manifests   manifests
	flights     flight.Group
	pulse       pulse
	building    bySize // bytes of buffers for builds of site files
	restoring   bySize // bytes of buffers for restoring their saved copies
	counters    *count.Counters
	pins        *pinQueues
	assets      map[string]*entry
	stats       stats
	debug       bool // log each visit
	visits      sync.Pool
	pageBuffers sync.Pool // *[]byte

	turn      atomic.Uint64 // see evict.go
	idleTurn  uint64        // at the last run of retireIdle
	shopBytes atomic.Int64  // of loaded shops
	evicted   atomic.Uint64 // shops
	evicting  sync.Mutex

	resets        atomic.Uint64 // how often the Source may have gone back; see isCurrent
	lastOutageLog atomic.Int64  // second of the last log line about an outage

	ctx    context.Context // ends with the server, and with it all reads
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	life     sync.Mutex
	up, down bool
}

// New creates a Server that does not listen yet.
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
	counters, err := count.New(cfg.Source, cfg.Proxies, cfg.Now)
	if err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 256 << 20
	}
	if cfg.ShopBytes == 0 {
		cfg.ShopBytes = 256 << 20
	}
	store, err := newCache(cfg.CacheBytes)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, cache: store, counters: counters}
	s.debug = cfg.Log.Enabled(context.Background(), slog.LevelDebug)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.stats.init()
	s.hosts.init(cfg.Now)
	draws, searches := limiter.Shared(drawSlots, slotsPerShop), limiter.New(limiter.HalfOfCPUs())
	s.tenants = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Source, draws: draws, searches: searches, turn: &s.turn}
	s.drafts = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Draft, draft: true, draws: draws, searches: searches, turn: &s.turn}
	s.pins = newPINQueues(cfg.Now, cfg.Source)
	s.programs.init()
	s.building, s.restoring = newByteBudgets(), newByteBudgets()
	s.manifests.init()
	s.visits.New = func() any { return &visit{s: s} }
	s.pageBuffers.New = func() any { return new([]byte) }
	if s.assets, err = assetEntries(); err != nil {
		return nil, err
	}
	s.gate = s.newGate(s.Handle)
	return s, nil
}

// newGate returns a listener of visitors.
func (s *Server) newGate(handler fasthttp.RequestHandler) *gate.Gate {
	return gate.New(&fasthttp.Server{
		Handler:                      handler,
		ReadBufferSize:               readBuffer,
		WriteBufferSize:              writeBuffer,
		MaxRequestBodySize:           maxBody,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
	}, gate.Config{Connections: maxConnections, PerClient: maxPerClient, Trusted: gate.UnlimitedNetworks(s.cfg.Proxies), Log: s.cfg.Log, Tickets: s.cfg.Tickets, Refuse: s.refuse})
}

// Serve answers connections until Shutdown. After Shutdown it returns at once.
func (s *Server) Serve(l net.Listener) error {
	s.start()
	return s.gate.Serve(l)
}

// start begins the background work of a Server that serves.
func (s *Server) start() {
	s.life.Lock()
	defer s.life.Unlock()
	if !s.up && !s.down {
		s.up = true
		s.tasks.Go(s.maintain)
	}
}

// StopListening closes the listeners. Connections that were accepted are served until Shutdown.
func (s *Server) StopListening() {
	s.life.Lock()
	defer s.life.Unlock()
	for _, g := range append(slices.Clip(s.plain), s.gate) {
		g.StopListening()
	}
}

// Shutdown lets the requests in flight finish, writes the counters and frees the cache.
func (s *Server) Shutdown(ctx context.Context) error {
	s.life.Lock()
	first := !s.down
	s.down = true
	s.life.Unlock()
	if !first {
		return nil
	}
	err := errors.Join(s.shutdownPlain(ctx), s.gate.Shutdown(ctx))
	s.cancel()
	s.tasks.Wait()
	err = errors.Join(err, s.counters.Flush(context.WithoutCancel(ctx)))
	s.cache.close()
	return err
}

// maintain writes the counters every few seconds and frees idle shops.
func (s *Server) maintain() {
	flush, idle := time.NewTicker(flushEvery), time.NewTicker(idleEvery)
	defer flush.Stop()
	defer idle.Stop()
	s.counters.RefreshSalts(s.ctx)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-idle.C:
			s.retireIdle()
		case <-flush.C:
			s.keepWithin()
			s.counters.RefreshSalts(s.ctx)
			if err := s.counters.Flush(s.ctx); err != nil {
				s.cfg.Log.Warn("counters were not written", "error", err)
			}
		}
	}
}

// refuse answers a malformed request, or a connection beyond the limits.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, status int) {
	if status == fasthttp.StatusServiceUnavailable {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "5")
	}
	s.done(ctx, routeOther, plain(ctx, status), cacheNone)
}
