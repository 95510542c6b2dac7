package edge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/compile/pack"
	"vitrine/internal/shop"
)

// fileKeys is what a template is rendered from: any product, its galleries, the
// tree, the addresses of files.
var fileKeys = []shop.Key{
	{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}, {Kind: shop.KeyProducts}, {Kind: shop.KeyProduct}, {Kind: shop.KeyGallery}, {Kind: shop.KeyFiles},
	{Kind: shop.KeyOffers}, {Kind: shop.KeyAccess},
}

// copied is what an entry of a site file knows of its copy.
type copied struct {
	version     int64 // of the file
	shopVersion int64 // of the catalogue
	built       time.Time
	items       int
	length      int64  // of the text
	open        uint64 // a generation since which nothing was closed when it was built
}

// fileBuild is one build of a file.
type fileBuild struct {
	s      *Server
	t      *tenant
	f      *siteFile
	at     compile.SiteFile
	began  time.Time    // after all waiting
	old    *copied      // the good copy of this version, which the cache may let go of; nil: none
	failed *fileFailure // the build before, when it is too early for another; nil: build

	desk     text   // to write on
	giveBack func() // the desk
	gen      uint64 // of the shop before anything was read
	keys     []shop.Key
	file     SiteFile
	report   FileBuild
	out      text
}

// buildTime bounds a build. The time in which it waits for a desk does not count:
// visitors wait as long as they do for any build, and take the copy before.
const buildTime = 2 * feed.MaxTime

// run builds, and tells who waits.
func (b *fileBuild) run(flight *fileFlight) {
	defer b.leave()
	e, err := b.safely()
	if b.failed == nil {
		b.s.stats.build(err, b.s.cfg.Now().Sub(b.began))
	}
	b.f.mu.Lock()
	flight.entry, flight.err = b.settle(e, err)
	b.f.flight = nil
	b.f.mu.Unlock()
	close(flight.done)
	b.desk, b.out = nil, nil
	if err != nil {
		e = nil
	} else if b.pack(e) != nil {
		return // the server stops
	}
	if b.report.State != "" && b.s.ctx.Err() == nil {
		b.save(e)
	}
}

// pack makes the packed forms while the build has its desk, or in the turn of
// those who have none.
func (b *fileBuild) pack(e *entry) error {
	if b.giveBack != nil {
		e.answer.pack()
		return nil
	}
	return b.restoring(smallText, func(context.Context) error {
		e.answer.pack()
		return nil
	})
}

// settle is what visitors get after a build: the new copy, else, with an error,
// the good one. The caller holds the lock of the file.
func (b *fileBuild) settle(e *entry, err error) (*entry, error) {
	switch {
	case err == nil:
		b.f.failed, b.f.right = nil, b.began
		return e, nil
	case b.failed == nil:
		b.f.failed = &fileFailure{version: b.at.Version, gen: b.gen, keys: b.keys, at: b.s.cfg.Now(), err: err, kept: b.old != nil}
	case err == errTooEarly:
		err, b.failed.kept = b.failed.err, b.old != nil
	}
	if e.serves(b.began) {
		return e, nil
	}
	return nil, err
}

// safely turns a panic into a failed build.
func (b *fileBuild) safely() (e *entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if _, told := err.(*feed.Problem); err != nil && err != errTooEarly && !told && b.s.ctx.Err() == nil {
			b.s.cfg.Log.Warn("a site file was not built", "company", b.t.company, "file", b.f.id, "error", err)
		}
	}()
	return b.build()
}

// errTooEarly ends a build that brought nothing but the good copy back, which the
// cache had let go of: the build before has just failed.
var errTooEarly = errors.New("edge: a failed build is not tried again at once")

// build returns the new copy, or an error and the good copy, when there is one.
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
		if e != nil && e.fresh(st) && b.began.Sub(b.old.built) < fileAge {
			return e, nil
		}
	}
	if b.failed != nil {
		return e, errTooEarly
	}
	if err = b.read(); err == nil {
		e, err = b.make()
	}
	if err != nil {
		return b.good(st), err
	}
	b.s.cache.put(e, b.s.cfg.Now())
	b.report.State = BuildGood
	return e, nil
}

// good is the good copy, which a build does not hold while it waits and writes.
func (b *fileBuild) good(st *state) *entry {
	if b.old == nil {
		return nil
	}
	if e := b.s.cache.find(b.f.hash, b.t, b.f.name); e != nil && e.copy.version >= b.at.Version {
		return e
	}
	e, _ := b.restore(st) // without it there is the error of the build
	return e
}

// read reads the file.
func (b *fileBuild) read() (err error) {
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	b.file, err = b.t.source.SiteFile(ctx, b.t.company, b.f.id)
	return err
}

// make builds the copy.
func (b *fileBuild) make() (*entry, error) {
	b.report = FileBuild{At: b.began, Version: b.file.Version, ShopVersion: b.t.state.Load().version}
	made := &copied{version: b.file.Version, built: b.began}
	template, problems := feed.Compile(b.file.Name, b.file.Body)
	var err error
	switch {
	case template == nil: // a body that was saved is no template any more
		b.fails(BuildFailed, &problems[0])
		err = &problems[0]
	case template.Static():
		b.out, b.report.Bytes = text(b.file.Body), int64(len(b.file.Body))
	default:
		err = b.renderOn(deskFor(b.old), template, made)
	}
	if err != nil {
		return nil, err
	}
	made.shopVersion, made.items, made.length, made.open = b.report.ShopVersion, b.report.Items, b.report.Bytes, b.gen
	return b.entry(made)
}

func (b *fileBuild) fails(state BuildState, p *feed.Problem) {
	b.report.State = state
	b.report.Errors = append(b.report.Errors, BuildProblem{Line: p.Line, Message: p.Message, Code: p.Code})
}

// entry is a good copy as the cache keeps it.
func (b *fileBuild) entry(c *copied) (*entry, error) {
	a := fileAnswer(b.file.Name, b.file.Body, tagOf(b.out))
	if len(b.out) <= smallText {
		return b.keep(c, a.finish(b.out)), nil
	}
	packed, err := pack.New(pack.Page).Form(b.out, pack.Gzip)
	if err != nil {
		return nil, err
	}
	return b.keep(c, a.withPacked(packed, int64(len(b.out)))), nil
}

func (b *fileBuild) keep(c *copied, a *answer) *entry {
	return &entry{tenant: b.t, name: b.f.name, hash: b.f.hash, keys: b.keys, born: b.gen, copy: c, answer: a}
}
