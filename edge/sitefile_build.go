package edge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/compile/pack"
	"vitrine/internal/shop"
)

// fileKeys are the keys that a rendered template depends on: all products and their
// galleries, the categories, the addresses of files, prices and what is closed.
var fileKeys = []shop.Key{
	{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}, {Kind: shop.KeyProducts}, {Kind: shop.KeyProduct}, {Kind: shop.KeyGallery}, {Kind: shop.KeyFiles},
	{Kind: shop.KeyOffers}, {Kind: shop.KeyAccess},
}

// copyInfo describes the copy in a cache entry of a site file.
type copyInfo struct {
	version     int64 // of the file
	shopVersion int64 // of the catalogue
	built       time.Time
	items       int
	length      int64  // of the uncompressed text
	open        uint64 // the generation up to which nothing in the copy had been closed
}

// fileBuild is one build of a file.
type fileBuild struct {
	s      *Server
	t      *tenant
	f      *siteFile
	at     compile.SiteFile
	began  time.Time    // after it waited for its buffer
	old    *copyInfo    // the good copy of this version, which the cache may have evicted; nil: none
	failed *fileFailure // the previous build, when it is too early to retry; nil: build

	buffer  fileText // that the render writes to
	release func()   // gives the buffer back; nil: there is none
	gen     uint64   // of the shop, before anything was read
	keys    []shop.Key
	file    SiteFile
	report  FileBuild
	out     fileText
}

// buildTime bounds a build. The time that it waits for its buffer does not count:
// requests that wait for a build give up on their own.
const buildTime = 2 * feed.MaxTime

// run builds the file and wakes the requests that wait for it. Packing and saving come
// after that.
func (b *fileBuild) run(flight *fileFlight) {
	defer b.releaseBuffer()
	e, err := b.buildRecovering()
	if b.failed == nil {
		b.s.stats.build(err, b.s.cfg.Now().Sub(b.began))
	}
	b.f.mu.Lock()
	flight.entry, flight.err = b.finish(e, err)
	b.f.flight = nil
	b.f.mu.Unlock()
	close(flight.done)
	b.buffer, b.out = nil, nil
	if err != nil {
		e = nil
	} else if b.packForms(e) != nil {
		return // the server stops
	}
	if b.report.State != "" && b.s.ctx.Err() == nil {
		b.save(e)
	}
}

// packForms makes the compressed forms. A build without a buffer acquires bytes for it.
func (b *fileBuild) packForms(e *entry) error {
	if b.release != nil {
		e.answer.pack()
		return nil
	}
	return b.withRestoreBytes(smallLimit, func(context.Context) error {
		e.answer.pack()
		return nil
	})
}

// finish records the result of a build and returns what requests get: the new copy, or
// after an error the good one. The caller holds the lock of the file.
func (b *fileBuild) finish(e *entry, err error) (*entry, error) {
	switch {
	case err == nil:
		b.f.failure, b.f.validAt = nil, b.began
		return e, nil
	case b.failed == nil:
		b.f.failure = &fileFailure{version: b.at.Version, gen: b.gen, keys: b.keys, at: b.s.cfg.Now(), err: err, hasCopy: b.old != nil}
	case err == errTooEarly:
		err, b.failed.hasCopy = b.failed.err, b.old != nil
	}
	if e.canStandIn(b.began) {
		return e, nil
	}
	return nil, err
}

// buildRecovering builds and turns a panic into an error.
func (b *fileBuild) buildRecovering() (e *entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if _, isProblem := err.(*feed.Problem); err != nil && err != errTooEarly && !isProblem && b.s.ctx.Err() == nil {
			b.s.cfg.Log.Warn("a site file was not built", "company", b.t.company, "file", b.f.id, "error", err)
		}
	}()
	return b.build()
}

// errTooEarly ends a build after it has restored the good copy, which the cache had
// evicted, because the previous build has just failed.
var errTooEarly = errors.New("edge: a failed build is not tried again at once")

// build returns the new copy, or an error with the good copy if there is one.
func (b *fileBuild) build() (e *entry, err error) {
	st := b.t.state.Load()
	if st == nil {
		return nil, shop.ErrNotFound
	}
	b.gen = st.gen
	if b.old == nil {
		if e, err = b.restore(st); err != nil {
			return nil, err
		}
		if e != nil {
			b.old = e.copy
		}
		if e != nil && e.fresh(st) && b.began.Sub(b.old.built) < fileMaxAge {
			return e, nil
		}
	}
	if b.failed != nil {
		return e, errTooEarly
	}
	if err = b.read(); err == nil {
		e, err = b.makeCopy()
	}
	if err != nil {
		return b.goodCopy(st), err
	}
	b.s.cache.put(e, b.s.cfg.Now())
	b.report.State = BuildGood
	return e, nil
}

// goodCopy returns the good copy from the cache or the Source. Builds do not hold it
// while they wait and render.
func (b *fileBuild) goodCopy(st *state) *entry {
	if b.old == nil {
		return nil
	}
	if e := b.s.cache.find(b.f.hash, b.t, b.f.name); e != nil && e.copy.version >= b.at.Version {
		return e
	}
	e, _ := b.restore(st) // when that fails, the error of the build counts
	return e
}

// read reads the file from the Source.
func (b *fileBuild) read() (err error) {
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	b.file, err = b.t.source.SiteFile(ctx, b.t.company, b.f.id)
	return err
}

// makeCopy renders the file into a copy.
func (b *fileBuild) makeCopy() (*entry, error) {
	b.report = FileBuild{At: b.began, Version: b.file.Version, ShopVersion: b.t.state.Load().version}
	made := &copyInfo{version: b.file.Version, built: b.began}
	template, problems := feed.Compile(b.file.Name, b.file.Body)
	var err error
	switch {
	case template == nil: // it compiled when it was saved, by earlier rules
		b.addError(BuildFailed, &problems[0])
		err = &problems[0]
	case template.Static():
		b.out, b.report.Bytes = fileText(b.file.Body), int64(len(b.file.Body))
	default:
		err = b.renderWithin(bufferSize(b.old), template, made)
	}
	if err != nil {
		return nil, err
	}
	made.shopVersion, made.items, made.length, made.open = b.report.ShopVersion, b.report.Items, b.report.Bytes, b.gen
	return b.newEntry(made)
}

func (b *fileBuild) addError(state BuildState, p *feed.Problem) {
	b.report.State = state
	b.report.Errors = append(b.report.Errors, BuildProblem{Line: p.Line, Message: p.Message, Code: p.Code})
}

// newEntry returns the cache entry of a good copy.
func (b *fileBuild) newEntry(c *copyInfo) (*entry, error) {
	a := fileAnswer(b.file.Name, b.file.Body, tagOf(b.out))
	a.fields = append(slices.Clip(a.fields), field{surrogateHeader, surrogates(b.keys, b.t.company)})
	if len(b.out) <= smallLimit {
		return b.entryOf(c, a.finish(b.out)), nil
	}
	packed, err := pack.New(pack.Page).Form(b.out, pack.Gzip)
	if err != nil {
		return nil, err
	}
	return b.entryOf(c, a.withPacked(packed, int64(len(b.out)))), nil
}

func (b *fileBuild) entryOf(c *copyInfo, a *answer) *entry {
	return &entry{tenant: b.t, name: b.f.name, hash: b.f.hash, keys: b.keys, madeAt: b.gen, copy: c, answer: a}
}
