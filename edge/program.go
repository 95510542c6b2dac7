package edge

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/semaphore"

	"vitrine/compile/markup"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/render"
)

const (
	programBytes    = 64 << 20 // memory for compiled documents
	compiling       = 2        // concurrent compilations
	maxLinked       = 4 << 20  // larger style sheets and scripts are not parsed
	programOverhead = 1 << 10
)

// programKey identifies a release; ids are unique only within a shop.
type programKey struct {
	company shop.CompanyID
	render.Release
	layout bool // compiled as a layout instead of a document
}

// programs caches compiled html documents. A release never changes, so neither does its
// program; the least recently used ones are evicted.
type programs struct {
	mu    sync.Mutex
	byKey *lru.Weighted[programKey, *markup.Compiled] // weighted by bytes
	slots *semaphore.Weighted
}

func (p *programs) init() {
	p.byKey = lru.New[programKey, *markup.Compiled](programBytes)
	p.slots = semaphore.NewWeighted(compiling)
}

func (p *programs) find(key programKey) *markup.Compiled {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, _ := p.byKey.Get(key)
	return c
}

func (p *programs) put(key programKey, c *markup.Compiled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byKey.Put(key, c, sizeOf(c))
}

func sizeOf(c *markup.Compiled) int64 {
	size := programOverhead
	for _, p := range [...]*markup.Program{c.Normal, c.Guarded, c.Foot} {
		if p != nil {
			size += p.Size()
		}
	}
	return int64(size)
}

// program returns a compiled release. Concurrent callers share one compilation, and only
// two run at a time, because compiling is the most expensive thing the edge does.
func (s *Server) program(ctx context.Context, t *tenant, r render.Release, layout bool) (*markup.Compiled, error) {
	key := programKey{t.company, r, layout}
	if c := s.programs.find(key); c != nil {
		return c, nil
	}
	name := "program " + strconv.FormatBool(layout) + " " + t.company.String() + "/" + r.Document.String() + "/" + r.ID.String()
	found, err := s.flights.Do(ctx, name, func() (any, error) {
		if c := s.programs.find(key); c != nil {
			return c, nil
		}
		if err := s.programs.slots.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer s.programs.slots.Release(1)
		c, err := s.compile(ctx, t, r, layout)
		if err == nil {
			s.programs.put(key, c)
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return found.(*markup.Compiled), nil
}

// errBroken marks a document that does not compile, because it was refused at publish or
// the compiler has become stricter. The page is shown without it.
var errBroken = errors.New("edge: the document does not compile")

func (s *Server) compile(ctx context.Context, t *tenant, r render.Release, layout bool) (*markup.Compiled, error) {
	doc, err := t.source.Document(ctx, t.company, r.Document, r.ID)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(doc.Files))
	for _, f := range doc.Files {
		sizes[f.Path] = f.Size
	}
	var outage error
	compile := markup.Compile
	if layout {
		compile = markup.CompileLayout
	}
	compiled, err := compile(markup.Source{
		Doc: r.Document.String(), Release: r.ID.String(), Index: doc.Index,
		Files: func(path string) bool { _, ok := sizes[path]; return ok },
		Read: func(path string) ([]byte, bool) {
			if size, ok := sizes[path]; !ok || size > maxLinked {
				return nil, false
			}
			body, err := doc.Read(ctx, path)
			if err != nil {
				outage = errors.Join(outage, err)
			}
			return body, err == nil
		},
	})
	if outage != nil {
		return nil, outage
	}
	if err != nil {
		return nil, errors.Join(errBroken, err)
	}
	return compiled, nil
}

// mergeNeeds is the union of what two programs need.
func mergeNeeds(a, b markup.Needs) markup.Needs {
	a.Products = max(a.Products, b.Products)
	a.Product = a.Product || b.Product
	a.Details = a.Details || b.Details
	a.Menu = a.Menu || b.Menu
	a.Category = a.Category || b.Category
	a.Crumbs = a.Crumbs || b.Crumbs
	a.ShopImages = a.ShopImages || b.ShopImages
	a.Pages = append(slices.Clone(a.Pages), b.Pages...)
	slices.Sort(a.Pages)
	a.Pages = slices.Compact(a.Pages)
	return a
}
