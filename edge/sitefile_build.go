package edge

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/compile/feed/lint"
	"vitrine/internal/shop"
)

// fileKeys is what a template is rendered from: any product, its galleries, the
// tree, the addresses of files.
var fileKeys = []shop.Key{
	{Kind: shop.KeyShop}, {Kind: shop.KeyCategories}, {Kind: shop.KeyProducts}, {Kind: shop.KeyProduct}, {Kind: shop.KeyGallery}, {Kind: shop.KeyFiles},
}

// copied is what an entry of a site file knows of its copy.
type copied struct {
	version     int64 // of the file
	shopVersion int64 // of the catalogue
	built       time.Time
	items       int
	template    *feed.Template // nil: the copy came from the Source
	kept        *feed.Kept
}

// fileBuild is one build of a file.
type fileBuild struct {
	s     *Server
	t     *tenant
	f     *siteFile
	at    compile.SiteFile
	began time.Time
	old   *entry // the good copy of this version; nil: none

	gen    uint64 // of the shop before anything was read
	keys   []shop.Key
	file   SiteFile
	report FileBuild
	out    []byte
}

// buildTime bounds a build with its waiting for a place.
const buildTime = 2 * feed.MaxTime

// run builds, and tells who waits.
func (b *fileBuild) run(flight *fileFlight) {
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	e, err := b.safely(ctx)
	b.s.stats.build(err, b.s.cfg.Now().Sub(b.began))
	b.f.mu.Lock()
	flight.entry, flight.err = b.outcome(e, err)
	b.f.flight = nil
	b.f.mu.Unlock()
	close(flight.done)
	if e != nil {
		e.answer.pack()
	}
	if b.report.State != "" && b.s.ctx.Err() == nil {
		b.save(e)
	}
}

// outcome is what visitors get after a build: the new copy, else the good one.
// The caller holds the lock of the file.
func (b *fileBuild) outcome(e *entry, err error) (*entry, error) {
	if err == nil {
		b.f.failed, b.f.right = nil, b.began
		return e, nil
	}
	b.f.failed = &fileFailure{version: b.at.Version, gen: b.gen, keys: b.keys, at: b.s.cfg.Now(), err: err, good: b.old}
	if b.old.serves(b.began) {
		return b.old, nil
	}
	return nil, err
}

// safely turns a panic into a failed build.
func (b *fileBuild) safely(ctx context.Context) (e *entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if _, told := err.(*feed.Problem); err != nil && !told && ctx.Err() == nil {
			b.s.cfg.Log.Warn("a site file was not built", "company", b.t.company, "file", b.f.id, "error", err)
		}
	}()
	return b.build(ctx)
}

func (b *fileBuild) build(ctx context.Context) (*entry, error) {
	st := b.t.state.Load()
	if st == nil {
		return nil, shop.ErrNotFound
	}
	b.gen = st.gen
	if b.old == nil {
		if err := b.restore(ctx, st); err != nil {
			return nil, err
		}
		if b.old != nil && b.old.fresh(st) && b.began.Sub(b.old.copy.built) < fileAge {
			return b.old, nil
		}
	}
	var err error
	if b.file, err = b.t.source.SiteFile(ctx, b.t.company, b.f.id); err != nil {
		return nil, err
	}
	template := b.template()
	b.report = FileBuild{At: b.began, Version: b.file.Version, ShopVersion: st.version}
	made := &copied{version: b.file.Version, built: b.began, template: template}
	if template != nil {
		err = b.render(ctx, template, made)
	} else {
		err = b.refused()
	}
	if err != nil {
		return nil, err
	}
	made.shopVersion, made.items = b.report.ShopVersion, b.report.Items
	e := b.entry(made)
	b.s.cache.put(e, b.s.cfg.Now())
	b.report.State = BuildGood
	return e, nil
}

// template is the file's template, nil when it does not compile.
func (b *fileBuild) template() *feed.Template {
	if b.old != nil && b.old.copy.template != nil && b.old.copy.version == b.file.Version {
		return b.old.copy.template
	}
	template, _ := feed.Compile(b.file.Name, b.file.Body)
	return template
}

// refused is why a body that was saved is no template any more.
func (b *fileBuild) refused() error {
	_, problems := feed.Compile(b.file.Name, b.file.Body)
	first := problems[0]
	b.fails(BuildFailed, &first)
	return &first
}

// render makes the output and judges it. A *feed.Problem says that it is not to
// be served.
func (b *fileBuild) render(ctx context.Context, template *feed.Template, made *copied) error {
	if template.Static() {
		b.out = []byte(b.file.Body)
		b.report.Bytes = int64(len(b.out))
		return nil
	}
	b.keys = fileKeys
	leave, err := b.t.source.RenderPlace(ctx, b.t.company)
	if err != nil {
		return err
	}
	defer leave()
	catalogue, err := b.t.source.Catalogue(ctx, b.t.company)
	if err != nil {
		return err
	}
	b.report.ShopVersion = catalogue.Version
	var out bytes.Buffer
	options := feed.Options{Now: printed(catalogue.Changed, b.began), Stop: untilTime(ctx, b.s.cfg.Now), Trace: true}
	if b.old != nil {
		out.Grow(len(b.old.answer.plain.body) + 4096)
		if b.old.copy.template == template {
			options.Kept = b.old.copy.kept
		}
	}
	result, problem := template.Render(&out, catalogue.Catalogue, options)
	b.out, b.report.Items, b.report.Bytes = out.Bytes(), result.Items, int64(out.Len())
	for _, w := range result.Warnings {
		b.report.Warnings = append(b.report.Warnings, BuildProblem{Line: w.Line, Message: w.Message, Code: w.Code})
	}
	switch {
	case problem != nil && b.s.ctx.Err() != nil:
		return b.s.ctx.Err() // the server stops, which says nothing about the file
	case problem != nil:
		b.fails(BuildFailed, problem)
		return problem
	case result.Broken != nil && b.old != nil:
		b.fails(BuildKept, result.Broken)
		return result.Broken
	case result.Broken != nil:
		b.fails(BuildFailed, result.Broken)
		return result.Broken
	}
	b.lint(&result, catalogue)
	if problem = b.lost(ctx); problem != nil {
		b.fails(BuildKept, problem)
		return problem
	}
	made.kept = result.Keep(b.out)
	return nil
}

func (b *fileBuild) fails(state BuildState, p *feed.Problem) {
	b.report.State = state
	b.report.Errors = append(b.report.Errors, BuildProblem{Line: p.Line, Message: p.Message, Code: p.Code})
}

func (b *fileBuild) lint(result *feed.Result, catalogue Catalogue) {
	found := lint.Check(b.out, result, lint.Rules{Shop: catalogue.Shop(), Picture: catalogue.Picture})
	for _, w := range found.Findings {
		b.report.Warnings = append(b.report.Warnings, BuildProblem{Line: w.Line, Message: w.Message, Code: w.Code, Product: w.ProductID})
	}
}

// codeLost is the code of a build that lost products without a reason.
const codeLost = "SITE_FILE_OFFERS_LOST"

// lost refuses a build that has less than half of the products of the good copy
// while the catalogue gives no reason for it: neither the shop nor its sections
// have changed since, nor as many products as are missing. A marketplace takes
// what is missing for deleted.
func (b *fileBuild) lost(ctx context.Context) *feed.Problem {
	if b.old == nil || b.old.copy.version != b.file.Version || 2*b.report.Items >= b.old.copy.items {
		return nil
	}
	missing := b.old.copy.items - b.report.Items
	d, err := b.t.source.Delta(ctx, b.t.company, b.old.copy.shopVersion)
	if err != nil || !d.Whole && !explains(d.Keys, missing) {
		return &feed.Problem{Code: codeLost, Message: fmt.Sprintf(
			"%d of %d products are missing and nothing in the catalogue says why; the copy before stays. Save the file to accept it",
			missing, b.old.copy.items)}
	}
	return nil
}

// explains reports whether moved keys can be why so many products are missing.
func explains(keys []shop.Key, missing int) bool {
	products := map[int64]bool{}
	for _, k := range keys {
		switch {
		case k.Kind == shop.KeyShop || k.Kind == shop.KeyCategories:
			return true
		case k.Kind == shop.KeyProduct && k.ID != 0:
			products[k.ID] = true
		}
	}
	return len(products) >= missing
}

// untilTime stops a render after its 30 seconds, or with the server.
func untilTime(ctx context.Context, now func() time.Time) func() error {
	ends := now().Add(feed.MaxTime)
	return func() error {
		if now().After(ends) {
			return context.DeadlineExceeded
		}
		return ctx.Err()
	}
}

// printed is the time that templates print: the latest change of the shop or the
// beginning of this hour, so that a build that changes nothing has the same bytes.
func printed(changed, now time.Time) time.Time {
	if hour := now.Truncate(time.Hour); hour.After(changed) {
		return hour.UTC()
	}
	return changed.Truncate(time.Second).UTC()
}

// entry is a good copy as the cache keeps it.
func (b *fileBuild) entry(c *copied) *entry {
	return &entry{
		tenant: b.t, name: b.f.name, hash: b.f.hash, keys: b.keys, born: b.gen, copy: c,
		answer: fileAnswer(b.file.Name, b.file.Body, b.out),
	}
}
