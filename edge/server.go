package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

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

	idleTimeout  = 60 * time.Second
	readTimeout  = 60 * time.Second
	writeTimeout = 5 * time.Minute
	visitTimeout = 10 * time.Second // for the database behind one visit

	maxConnections = 32 << 10
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

	// API answers /api/… with the rest of the path; the shop stands in the user
	// value "storefront" as a shop.CompanyID. Nil: 404.
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

	// SessionCookie names the cookie of a signed-in visitor, whose pages no
	// shared cache may keep.
	SessionCookie string

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
	http      *fasthttp.Server
	cache     *cache
	hosts     hosts
	tenants   tenants
	drafts    tenants // as their owners preview them
	programs  programs
	manifests manifests
	flights   flights
	misses    misses
	hits      hits
	views     views
	tries     tries
	assets    map[string]*entry
	stats     stats
	debug     bool // each visit is logged
	visits    sync.Pool
	sheets    sync.Pool // *[]byte that pages are drawn on

	complained atomic.Int64 // second of the last line about an outage

	ctx    context.Context // ends with the server, and with it all reading
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	life      sync.Mutex
	down      bool
	listeners []*listener // grows only while not down
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
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 256 << 20
	}
	store, err := newCache(cfg.CacheBytes)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, cache: store}
	s.debug = cfg.Log.Enabled(context.Background(), slog.LevelDebug)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hosts.init(cfg.Now)
	s.tenants = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Source}
	s.drafts = tenants{byID: map[shop.CompanyID]*tenant{}, source: cfg.Draft, draft: true}
	s.hits.byRule = map[hitKey]*count{}
	s.tries.byShop = map[tryKey]*budget{}
	s.programs.init()
	s.visits.New = func() any { return &visit{s: s} }
	s.sheets.New = func() any { return new([]byte) }
	if s.assets, err = assetEntries(); err != nil {
		return nil, err
	}
	s.http = &fasthttp.Server{
		Handler:                      s.Handle,
		ErrorHandler:                 s.unreadable,
		HeaderReceived:               limits,
		ReadBufferSize:               readBuffer,
		WriteBufferSize:              writeBuffer,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		Concurrency:                  maxConnections,
		MaxRequestBodySize:           maxBody,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		SecureErrorLogMessage:        true,
		CloseOnShutdown:              true,
		Logger:                       quiet{cfg.Log},
	}
	return s, nil
}

// Serve answers connections until Shutdown. After it, it returns at once.
func (s *Server) Serve(l net.Listener) error {
	own := &listener{Listener: l}
	s.life.Lock()
	if s.down {
		s.life.Unlock()
		return own.Close()
	}
	if len(s.listeners) == 0 {
		s.tasks.Go(s.keeping)
	}
	s.listeners = append(s.listeners, own)
	s.life.Unlock()
	return s.http.Serve(own)
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
	err := s.http.ShutdownWithContext(ctx)
	for _, l := range s.listeners {
		// Those that fasthttp had not taken up yet.
		err = errors.Join(err, l.Close())
	}
	s.cancel()
	s.tasks.Wait()
	err = errors.Join(err, s.flush(ctx))
	s.cache.close()
	return err
}

// keeping writes the counters down every few seconds and frees idle shops.
func (s *Server) keeping() {
	flush, idle := time.NewTicker(flushEvery), time.NewTicker(idleEvery)
	defer flush.Stop()
	defer idle.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-idle.C:
			s.retireIdle()
		case <-flush.C:
			if err := s.flush(s.ctx); err != nil {
				s.cfg.Log.Warn("counters were not written", "error", err)
			}
		}
	}
}

// limits gives uploads through /api the time that a slow line needs.
func limits(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if target := h.RequestURI(); len(target) > 5 && string(target[:5]) == apiPrefix && h.ContentLength() > maxBody {
		return fasthttp.RequestConfig{ReadTimeout: 15 * time.Minute}
	}
	return fasthttp.RequestConfig{}
}

// unreadable answers what is no HTTP request: broken lines, two Host fields,
// too long a target. The connection ends with it.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	var timeout net.Error
	switch small := (*fasthttp.ErrSmallBuffer)(nil); {
	case errors.As(err, &small):
		status = fasthttp.StatusRequestHeaderFieldsTooLarge
		if !strings.Contains(err.Error(), "HTTP/1.") && len(ctx.Request.Header.RequestURI()) <= 1 {
			status = fasthttp.StatusRequestURITooLong
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		status = fasthttp.StatusRequestTimeout
	}
	ctx.Response.Reset()
	plain(ctx, status)
	s.done(ctx, routeOther, status, cacheNone)
}

// quiet routes fasthttp's messages, which are about single connections, to the
// debug level.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.log.Debug("connection", "message", strings.TrimSpace(fmt.Sprintf(format, args...)))
}
