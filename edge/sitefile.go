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

// A site file is a template rendered on the live catalogue (document 3, 2.5,
// 4.3). Visitors get a copy that was built beside them: one build of a file runs
// at a time, and while it runs the copy before it is served, as long as that was
// still right within the last 15 seconds; who comes later waits for the build. A
// copy is valid by its keys, as pages are, and for an hour at most.
//
// When a build fails, or comes out suspicious, the last good copy of the same
// version of the file stays for 7 days. Good copies are also kept by the Source,
// for the next start and for other edges, and come back from there when the cache
// has let go of them: nothing else holds one.
const (
	fileVisible  = 15 * time.Second // a change shows by then
	fileAge      = time.Hour        // of a copy whose keys have not moved
	fileGood     = 7 * 24 * time.Hour
	buildGap     = 5 * time.Second // between two builds of a file that changes all the time
	buildRetry   = time.Minute     // of a failed build when nothing has changed
	fileCaching  = "no-cache"
	fileSecurity = "sandbox"
)

// siteFile is what an edge knows of a file beside its copy, which stands in the
// cache.
type siteFile struct {
	id   shop.SiteFileID
	name string // of its entry
	hash uint64

	mu      sync.Mutex
	flight  *fileFlight // the build that runs; nil: none
	started time.Time   // the latest build
	right   time.Time   // when the copy was last known to be what the shop says
	failed  *fileFailure
	saved   savedCopy
}

// fileFlight is one build of a file and who waits for it.
type fileFlight struct {
	done    chan struct{}
	version int64  // of the file when it began
	entry   *entry // the good copy that it leads to, nil: there is none
	err     error  // of a file that cannot be served
}

// fileFailure is the latest build that did not lead to a new copy.
type fileFailure struct {
	version int64
	gen     uint64 // of the shop
	keys    []shop.Key
	at      time.Time
	err     error
	kept    bool // there was a good copy, which serves on; the cache may have let go of it
}

// siteFiles are the files of a shop that were visited.
type siteFiles struct {
	share room // of the shop in what is built at once
	mu    sync.Mutex
	byID  map[shop.SiteFileID]*siteFile
}

func newSiteFiles() siteFiles {
	return siteFiles{share: newShare(), byID: map[shop.SiteFileID]*siteFile{}}
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

// siteFile answers the address of a published file. A closed shop has none
// (document 3, section 5).
func (v *visit) siteFile(id shop.SiteFileID) (int, outcome) {
	if v.st.closed {
		return v.nothing("")
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
		return v.nothing("")
	case !ok:
		return v.missing()
	}
	if closed := st.site.ClosedFile(id); closed != nil && !v.inside {
		if status := v.mayEnter(closed); status != 0 {
			return status, cacheNone
		}
	}
	e, how, err := v.s.served(v.work, t, st, at)
	if e == nil {
		return v.failFile(err)
	}
	status := e.answer.send(v.ctx, false)
	if v.inside {
		v.keepPrivate()
	}
	return status, how
}

// liveShop is the shop without its draft: files have none.
func (v *visit) liveShop() (*tenant, *state, error) {
	if !v.t.draft {
		return v.t, v.st, nil
	}
	t := v.s.tenants.get(v.t.company)
	st, err := v.s.current(v.work(), t)
	return t, st, err
}

// failFile answers for a file that has no copy to serve. A template that fails
// is the owner's fault, so robots are asked to come again.
func (v *visit) failFile(err error) (int, outcome) {
	if _, broken := err.(*feed.Problem); broken {
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "60")
		return plain(v.ctx, fasthttp.StatusInternalServerError), cacheNone
	}
	return v.fail(err)
}

// permanent answers /_file/<id>: the file wherever it now lives, which its Link
// tells.
func (v *visit) permanent(address string) (int, outcome) {
	digits := strings.TrimPrefix(address, filePrefix)
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || digits != strconv.FormatInt(id, 10) {
		return v.nothing("")
	}
	_, url, ok := v.st.site.File(shop.SiteFileID(id))
	if !ok {
		return v.nothing("")
	}
	status, how := v.siteFile(shop.SiteFileID(id))
	if status < 400 {
		v.ctx.Response.Header.Set(fasthttp.HeaderLink, "<"+v.st.site.Shop().Origin+url+`>; rel="canonical"`)
	}
	return status, how
}

// served is the copy of a file that a visitor may have now.
func (s *Server) served(work func() context.Context, t *tenant, st *state, at compile.SiteFile) (*entry, outcome, error) {
	f := t.files.get(s, t, at.ID)
	for {
		now := s.cfg.Now()
		e := s.cache.find(f.hash, t, f.name)
		if e != nil && e.copy.version < at.Version {
			e = nil // the file was edited: the copy says what it no longer says
		}
		if e != nil && e.fresh(st) && now.Sub(e.copy.built) < fileAge {
			f.stillRight(now)
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
			if e.serves(now) {
				return e, cacheStale, nil
			}
			return nil, cacheNone, shop.ErrUnavailable.With("the file is being built")
		}
		if flight.version >= at.Version {
			return flight.entry, cacheMiss, flight.err
		}
	}
}

// serves reports whether there is a copy, and it may still stand in for one that
// cannot be built.
func (e *entry) serves(now time.Time) bool { return e != nil && now.Sub(e.copy.built) < fileGood }

func (f *siteFile) stillRight(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.After(f.right) {
		f.right = now
	}
}

// refresh begins a build of a file unless one runs or has just run. stale is the
// copy that will do without waiting for it. Without both there is an error.
func (f *siteFile) refresh(
	s *Server, t *tenant, at compile.SiteFile, e *entry, now time.Time,
) (flight *fileFlight, stale *entry, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil && now.Sub(f.right) < fileVisible {
		stale = e
	}
	if f.flight != nil {
		return f.flight, stale, nil
	}
	failed := f.failed
	if failed != nil && (failed.version < at.Version || now.Sub(failed.at) >= failed.retry(t)) {
		failed = nil
	}
	if failed != nil && (e != nil || !failed.kept) {
		if e.serves(now) {
			return nil, e, nil
		}
		return nil, nil, failed.err
	}
	if stale != nil && now.Sub(f.started) < buildGap {
		return nil, stale, nil
	}
	f.started = now
	f.flight = &fileFlight{done: make(chan struct{}), version: at.Version}
	flight = f.flight
	b := &fileBuild{s: s, t: t, f: f, at: at, began: now, failed: failed}
	if e != nil {
		b.old = e.copy
	}
	s.tasks.Go(func() { b.run(flight) })
	return flight, stale, nil
}

// retry is how soon a failed build is tried again.
func (x *fileFailure) retry(t *tenant) time.Duration {
	if _, told := x.err.(*feed.Problem); told && t.ledger.valid(x.keys, x.gen) {
		return buildRetry
	}
	return buildGap
}

// fileAnswer is what is said of a file, whose body is still to come.
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
