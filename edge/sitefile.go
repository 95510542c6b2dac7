package edge

import (
	"context"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// A site file is a template rendered with the live catalogue (document 3, 2.5,
// 4.3). Requests are answered with a copy that is built in the background. One build
// of a file runs at a time. Meanwhile the previous copy is served, if it was still
// valid within the last 15 seconds; later requests wait for the build. A copy is valid
// by its keys, as pages are, and for an hour at most.
//
// When a build fails or its result is suspicious, the last good copy of the same
// version of the file is served for up to 7 days. The Source stores good copies too,
// for the next start and for other edges, and the edge restores them from there when
// the cache has evicted them: only the cache holds copies in memory.
const (
	fileStaleFor = 15 * time.Second // after which a change of the shop is visible
	fileMaxAge   = time.Hour        // of a copy whose keys have not changed
	fileGoodFor  = 7 * 24 * time.Hour
	buildGap     = 5 * time.Second // between two builds of a file that changes constantly
	buildRetry   = time.Minute     // of a failed build when nothing has changed
	fileCaching  = "no-cache"
	fileSecurity = "sandbox"
)

// siteFile is the state of a file besides its copy, which is in the cache.
type siteFile struct {
	id   shop.SiteFileID
	name string // of its cache entry
	hash uint64

	mu           sync.Mutex
	flight       *fileFlight // the running build; nil: none
	buildStarted time.Time   // start of the latest build
	validAt      time.Time   // when the copy was last known to match the shop
	failure      *fileFailure
	saved        savedCopy
}

// fileFlight is a running build of a file, which requests can wait for.
type fileFlight struct {
	done    chan struct{}
	version int64  // of the file when the build began
	entry   *entry // the good copy after the build; nil: none
	err     error  // why the file cannot be served
}

// fileFailure is the latest build, when it made no new copy.
type fileFailure struct {
	version int64
	gen     uint64 // of the shop
	keys    []shop.Key
	at      time.Time
	err     error
	hasCopy bool // there was a good copy, which is still served; the cache may have evicted it
}

// siteFiles holds the files of a shop that were requested.
type siteFiles struct {
	limits bySize // number of concurrent builds of the shop
	mu     sync.Mutex
	byID   map[shop.SiteFileID]*siteFile
}

func newSiteFiles() siteFiles {
	return siteFiles{limits: newBuildLimits(), byID: map[shop.SiteFileID]*siteFile{}}
}

func (fs *siteFiles) get(s *Server, t *tenant, id shop.SiteFileID) *siteFile {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.byID[id]
	if f == nil {
		f = &siteFile{id: id, name: "site file " + id.String()}
		f.hash = s.cache.hash(t, f.name)
		fs.byID[id] = f
	}
	return f
}

// siteFile answers a request for a published file. A closed shop has no files (document
// 3, section 5).
func (v *visit) siteFile(id shop.SiteFileID) (int, outcome) {
	if v.st.closed {
		return v.plainNotFound("")
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	t, st, err := v.liveShop()
	if err != nil {
		return v.outage(err), cacheNone
	}
	at, _, ok := st.site.File(id)
	switch {
	case st.closed:
		return v.plainNotFound("")
	case !ok:
		return v.missing()
	}
	if closed := st.site.ClosedFile(id); closed != nil && !v.inside {
		if status := v.mayEnter(closed); status != 0 {
			return status, cacheNone
		}
	}
	e, how, err := v.s.currentCopy(v.work, t, st, at)
	if e == nil {
		return v.failFile(err)
	}
	status := e.answer.send(v.ctx, false)
	if v.inside {
		v.keepPrivate()
	}
	return status, how
}

// liveShop returns the live shop in a draft contour too, because files have no drafts.
func (v *visit) liveShop() (*tenant, *state, error) {
	if !v.t.draft {
		return v.t, v.st, nil
	}
	t := v.s.tenants.get(v.t.company)
	st, err := v.s.current(v.work(), t)
	return t, st, err
}

// failFile answers for a file without a copy. When its template fails, robots are asked
// to retry, until the owner has fixed it.
func (v *visit) failFile(err error) (int, outcome) {
	if _, broken := err.(*feed.Problem); broken {
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "60")
		return plain(v.ctx, fasthttp.StatusInternalServerError), cacheNone
	}
	return v.fail(err)
}

// permanent answers /_file/<id> with the file. The Link header has its current address.
func (v *visit) permanent(address string) (int, outcome) {
	digits := strings.TrimPrefix(address, filePrefix)
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || digits != strconv.FormatInt(id, 10) {
		return v.plainNotFound("")
	}
	_, url, ok := v.st.site.File(shop.SiteFileID(id))
	if !ok {
		return v.plainNotFound("")
	}
	status, how := v.siteFile(shop.SiteFileID(id))
	if status < 400 {
		v.ctx.Response.Header.Set(fasthttp.HeaderLink, "<"+v.st.site.Shop().Origin+url+`>; rel="canonical"`)
	}
	return status, how
}

// currentCopy returns the copy of a file to answer a request with. It waits for a build
// when there is none that is recent enough.
func (s *Server) currentCopy(work func() context.Context, t *tenant, st *state, at compile.SiteFile) (*entry, outcome, error) {
	f := t.files.get(s, t, at.ID)
	for {
		now := s.cfg.Now()
		e := s.cache.find(f.hash, t, f.name)
		if e != nil && e.copy.version < at.Version {
			e = nil // the file was edited since
		}
		if e != nil && e.fresh(st) && now.Sub(e.copy.built) < fileMaxAge {
			f.markValid(now)
			return e, cacheHit, nil
		}
		flight, stale, err := f.refresh(s, t, at, e, now)
		if flight == nil || stale != nil {
			return stale, cacheStale, err
		}
		ctx := work()
		select {
		case <-flight.done:
		case <-ctx.Done():
			if e.canStandIn(now) {
				return e, cacheStale, nil
			}
			return nil, cacheNone, shop.ErrUnavailable.With("the file is being built")
		}
		if flight.version >= at.Version {
			return flight.entry, cacheMiss, flight.err
		}
	}
}

// canStandIn reports whether there is a copy that may be served in place of a failed
// build. A copy from before something was closed may not: it could reveal it.
func (e *entry) canStandIn(now time.Time) bool {
	return e != nil && now.Sub(e.copy.built) < fileGoodFor && !e.tenant.closedSince(e.copy.open)
}

// closingKeys are the keys that change when resources of a shop are closed, besides the
// keys of these resources.
var closingKeys = []shop.Key{{Kind: shop.KeyAccess}, {Kind: shop.KeyCategories}}

// closedSince reports whether resources of the shop may have been closed since a
// generation.
func (t *tenant) closedSince(gen uint64) bool {
	st := t.state.Load()
	return st != nil && st.site.HasClosed() && !t.ledger.valid(closingKeys, gen)
}

func (f *siteFile) markValid(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.After(f.validAt) {
		f.validAt = now
	}
}

// refresh starts a build unless one is running or has just run. flight is the running
// build, stale a copy that may be served without waiting for it. When both are nil,
// err says why.
func (f *siteFile) refresh(
	s *Server, t *tenant, at compile.SiteFile, e *entry, now time.Time,
) (flight *fileFlight, stale *entry, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil && now.Sub(f.validAt) < fileStaleFor {
		stale = e
	}
	if f.flight != nil {
		return f.flight, stale, nil
	}
	failed := f.failure
	if failed != nil && (failed.version < at.Version || now.Sub(failed.at) >= failed.retry(t)) {
		failed = nil
	}
	if failed != nil && (e != nil || !failed.hasCopy) {
		if e.canStandIn(now) {
			return nil, e, nil
		}
		return nil, nil, failed.err
	}
	if stale != nil && now.Sub(f.buildStarted) < buildGap {
		return nil, stale, nil
	}
	f.buildStarted = now
	f.flight = &fileFlight{done: make(chan struct{}), version: at.Version}
	flight = f.flight
	b := &fileBuild{s: s, t: t, f: f, at: at, began: now, failed: failed}
	if e != nil {
		b.old = e.copy
	}
	s.tasks.Go(func() { b.run(flight) })
	return flight, stale, nil
}

// retry returns how long after a failed build the next one may start.
func (x *fileFailure) retry(t *tenant) time.Duration {
	if _, isProblem := x.err.(*feed.Problem); isProblem && t.ledger.valid(x.keys, x.gen) {
		return buildRetry
	}
	return buildGap
}

// fileAnswer returns the answer of a file, without its body.
func fileAnswer(name, body, tag string) *answer {
	a := &answer{
		mime: feed.ContentType(name, body), tag: tag, caching: fileCaching, packs: true, ranged: true,
		fields: []field{{fasthttp.HeaderContentSecurityPolicy, fileSecurity}, {fasthttp.HeaderXContentTypeOptions, "nosniff"}},
	}
	if path.Ext(name) != ".html" {
		a.fields = append(a.fields, field{"X-Robots-Tag", "noindex"})
	}
	return a
}
