package edge

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/latency"
)

// outcome is the part of the cache in a response.
type outcome uint8

const (
	cacheNone outcome = iota // none
	cacheHot                 // found by the raw target
	cacheHit
	cacheMiss
	cacheStale // a stale entry, because the database is unavailable
	outcomes
)

// route is the kind of a response, by which latencies are counted. The set is fixed,
// whatever is requested.
type route uint8

const (
	routeOther route = iota // not a visit of a shop, or refused before
	routeHot                // found by the raw target, whatever it leads to
	routePage
	routeRedirect
	routeFolder
	routeSiteFile
	routeMissing
	routeAPI
	routePicture // resized
	routeFile    // other content under a service path
	routeService // forms, the storefront's own assets
	routes
)

var routeNames = [routes]string{"other", "hot", "page", "redirect", "folder", "site_file", "missing", "api", "picture", "file", "service"}

// Stats is a snapshot of the counters since the start.
type Stats struct {
	Statuses [6]uint64 // answers by the first digit of their status
	Hot      uint64    // answers found by their raw target
	Hits     uint64    // other answers from the cache
	Misses   uint64    // answers that were not cached
	Stale    uint64    // stale answers while the database was unavailable
	Shops    int       // loaded shops
	Evicted  uint64    // shops that were evicted, to be loaded again by their next visit

	ShopBytes, ShopLimit int64 // of loaded shops, estimated

	CacheBytes, CacheLimit int64
	Followed               time.Time // when the changes of other processes were last read; zero: never
}

type stats struct {
	statuses [6]atomic.Uint64
	caching  [outcomes]atomic.Uint64

	responses, builds latency.Histograms
	lag               latency.Plain          // of changes of other processes
	followed          atomic.Int64           // in milliseconds since 1970
	routes            [routes]*latency.Route // of responses
	fileBuild         *latency.Route
}

func (s *stats) init() {
	s.responses = latency.New("vitrine_edge_seconds", "Duration of the edge's responses by route.")
	for r := range s.routes {
		s.routes[r] = s.responses.Route(routeNames[r])
	}
	s.builds = latency.New("vitrine_sitefile_build_seconds", "Duration of builds of site files; class 5xx means failed.")
	s.fileBuild = s.builds.Route("site_file")
	s.lag = latency.NewPlain("vitrine_edge_change_lag_seconds", "Time between a write by another process and its visibility at this edge.")
}

// Latencies returns the durations of responses and of builds of site files.
func (s *Server) Latencies() []latency.Histograms {
	return []latency.Histograms{s.stats.responses, s.stats.builds}
}

// Lag returns how long changes of other processes take until they are visible here.
func (s *Server) Lag() latency.Plain { return s.stats.lag }

// done counts a response by its route and the time since the request was read.
func (s *Server) done(ctx *fasthttp.RequestCtx, r route, status int, o outcome) {
	s.stats.count(status, o)
	took := time.Since(ctx.Time())
	s.stats.routes[r].Observe(status, took)
	if s.debug {
		target, _, _ := strings.Cut(string(ctx.RequestURI()), "?") // the query may contain a key
		s.cfg.Log.Debug("visit", "host", string(ctx.Host()), "method", string(ctx.Method()), "target", target,
			"route", routeNames[r], "status", status, "took_ms", float64(took.Microseconds())/1000, "bytes", ctx.Response.Header.ContentLength())
	}
}

func (s *stats) build(err error, took time.Duration) {
	status := fasthttp.StatusOK
	if err != nil {
		status = fasthttp.StatusInternalServerError
	}
	s.fileBuild.Observe(status, took)
}

func (s *stats) count(status int, o outcome) {
	if class := status / 100; class > 0 && class < len(s.statuses) {
		s.statuses[class].Add(1)
	}
	if o != cacheNone {
		s.caching[o].Add(1)
	}
}

// Stats returns the counters. It may be called at any time.
func (s *Server) Stats() Stats {
	out := Stats{
		Hot: s.stats.caching[cacheHot].Load(), Hits: s.stats.caching[cacheHit].Load(),
		Misses: s.stats.caching[cacheMiss].Load(), Stale: s.stats.caching[cacheStale].Load(),
		Shops: s.tenants.loaded(), Evicted: s.evicted.Load(), ShopBytes: s.shopBytes.Load(), ShopLimit: s.cfg.ShopBytes,

		CacheBytes: s.cache.store.MaxCost() - s.cache.store.RemainingCost(), CacheLimit: s.cache.store.MaxCost(),
	}
	if at := s.stats.followed.Load(); at > 0 {
		out.Followed = time.UnixMilli(at)
	}
	for i := range s.stats.statuses {
		out.Statuses[i] = s.stats.statuses[i].Load()
	}
	return out
}
