package catalog

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/semaphore"

	"vitrine/internal/facet"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// productIndexes caches the indexes of the shops whose products were listed last, within
// indexBytes of memory in total. An index belongs to one version of its shop. Each use
// checks it against the version that the reader sees, so the next list sees a write of any
// process. To reach a later version only the products named by the changes are read again.
//
// Visitors and the shop's staff see different prices in lists. The index itself has the
// stored prices; views have the prices that a Pricer computes.
//
// A draft has no version. In the draft contour the drafted products are read again for each
// list and overlaid on the index of the live shop.
type productIndexes struct {
	store *store.Store
	many  int                 // see manyProducts
	loads *semaphore.Weighted // shops that are loaded in the background
	mu    sync.Mutex
	shops *lru.Weighted[shop.CompanyID, *shopIndex] // weighted by bytes
}

// indexBytes bounds the memory of cached indexes. A shop of 50,000 products with eight
// attributes uses about 14 MB, plus 1 MB per view.
const indexBytes = 128 << 20

type shopIndex struct {
	many    int         // see manyProducts
	loading sync.Mutex  // held while all products are loaded: one goroutine loads, the others wait
	soon    atomic.Bool // they are being loaded in the background
	mu      sync.Mutex  // of the following
	index   *facet.Index
	version int64
	views   []*pricedView // most recently used first
}

// Pricer computes the prices in lists for a kind of reader. Pricers with equal keys compute
// equal prices.
type Pricer interface {
	Key() string
	Span(facet.Offer) (price, before int64)
}

// pricedView is an index with the prices of a Pricer.
type pricedView struct {
	key     string
	index   *facet.Index
	changed []uint32 // products whose prices are outdated
}

const (
	maxViews   = 4
	maxChanged = 10_000 // beyond this the view is dropped
)

func newProductIndexes(s *store.Store) *productIndexes {
	return &productIndexes{store: s, many: manyProducts, loads: semaphore.NewWeighted(loadsAtOnce), shops: lru.New[shop.CompanyID, *shopIndex](indexBytes)}
}

// currentIndex returns the index of a reader's shop with the prices of a list, as of the version that
// it reads of the shop and returns; 0 for a shop that does not exist. It has all products that the list
// may have.
type currentIndex func(ctx context.Context, r store.Reader, f ProductFilter) (*facet.Index, int64, error)

// following is a currentIndex for readers of the live shop. It follows the recorded changes; an
// index that it cannot follow them with needs a snapshot. Its reads may run together with others
// (store.Reader.Together), so it holds no lock while it reads.
func (p *productIndexes) following(ctx context.Context, r store.Reader, f ProductFilter) (*facet.Index, int64, error) {
	e := p.entry(r.Company)
	n, err := e.next(ctx, r)
	if err == nil && n.index == nil {
		err = errNeedsSnapshot
	}
	if err != nil {
		return nil, 0, err
	}
	_, shown, err := p.put(r.Company, e, n, f.Prices)
	return shown, n.version, err
}

// inSnapshot is a currentIndex for readers of a snapshot. It loads what cannot be followed, and
// in the contour of a draft it overlays the draft.
func (p *productIndexes) inSnapshot(ctx context.Context, r store.Reader, f ProductFilter) (*facet.Index, int64, error) {
	index, shown, version, err := p.loaded(ctx, r, f)
	if err != nil || !store.InDraftOf(ctx, r.Company) {
		return shown, version, err
	}
	drafted, err := draftedProducts(ctx, r)
	if err != nil || len(drafted) == 0 {
		return shown, version, err
	}
	if drafted, err = withSets(ctx, r, drafted); err != nil {
		return nil, 0, err
	}
	b := index.Without(drafted)
	if err := r.Together(ctx, indexReads(ctx, "dev", b, drafted)...); err != nil {
		return nil, 0, err
	}
	if index = b.Done(); f.Prices != nil {
		index = index.Priced(shown, drafted, f.Prices.Span)
	}
	return index, version, nil
}

// loaded returns the index of the live shop, or of the part that a list is about, and the same with
// the prices of the list.
func (p *productIndexes) loaded(ctx context.Context, r store.Reader, f ProductFilter) (index, shown *facet.Index, version int64, err error) {
	e := p.entry(r.Company)
	n, err := e.next(ctx, r)
	if err == nil && n.index == nil && n.many {
		if index, err = e.part(ctx, r, f); err == nil && index != nil {
			p.loadSoon(ctx, r, e)
			if shown = index; f.Prices != nil {
				shown = index.Priced(nil, nil, f.Prices.Span)
			}
			return index, shown, n.version, nil
		}
	}
	if err == nil && n.index == nil {
		n, err = e.all(ctx, r)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	index, shown, err = p.put(r.Company, e, n, f.Prices)
	return index, shown, n.version, err
}

// all loads all products, or waits until another goroutine has.
func (e *shopIndex) all(ctx context.Context, r store.Reader) (nextIndex, error) {
	e.loading.Lock()
	defer e.loading.Unlock()
	n, err := e.next(ctx, r)
	if err == nil && n.index == nil {
		n.index, err = loadIndex(ctx, r)
	}
	return n, err
}

const (
	// manyProducts is how many products of a shop take so long to load that a list of one section is
	// read on its own meanwhile: 200,000 take a second.
	manyProducts = 20_000

	partLimit = 4 // times manyProducts: of so many, a section is not read on its own

	loadTimeout = time.Minute // for all products, in the background

	loadsAtOnce = 2 // shops: each takes a connection, which visitors of others need
)

// part returns an index of the products of the sections of a list; nil if the list may have others,
// or if these are many too.
func (e *shopIndex) part(ctx context.Context, r store.Reader, f ProductFilter) (*facet.Index, error) {
	if f.Query != "" { // what is searched in all sections decides whether it is mistyped
		return nil, nil
	}
	sections, err := f.sections(ctx, r)
	if err != nil || sections == nil {
		return nil, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT id FROM product WHERE company_id = $1 AND category_id = ANY($2::integer[]) AND deleted_at IS NULL
		UNION SELECT product_id FROM product_extra_category WHERE company_id = $1 AND category_id = ANY($2::integer[]) LIMIT $3`,
		r.Company, sections, partLimit*e.many+1)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.AppendRows([]uint32{}, rows, pgx.RowTo[uint32])
	if err != nil || len(ids) > partLimit*e.many {
		return nil, err
	}
	b := facet.New()
	err = r.Together(ctx, indexReads(ctx, "public", b, ids)...)
	return b.Done(), err
}

// loadSoon loads all products in the background. If that fails, or others are loaded, the next list
// begins it again.
func (p *productIndexes) loadSoon(ctx context.Context, r store.Reader, e *shopIndex) {
	if !e.soon.CompareAndSwap(false, true) {
		return
	}
	if !p.loads.TryAcquire(1) {
		e.soon.Store(false)
		return
	}
	p.store.Background(ctx, loadTimeout, func(ctx context.Context) {
		defer e.soon.Store(false)
		defer p.loads.Release(1)
		_ = pgx.BeginTxFunc(ctx, p.store.For(r.Company), store.Snapshot, func(tx pgx.Tx) error {
			n, err := e.all(ctx, p.store.Again(r, tx))
			if err == nil {
				_, _, err = p.put(r.Company, e, n, nil)
			}
			return err
		})
	})
}

// nextIndex is an index at a version of its shop.
type nextIndex struct {
	index   *facet.Index // nil: cannot be made from an earlier one
	version int64
	changed []uint32 // the products that have changed since the earlier index; nil: all
	many    bool     // the shop has manyProducts or more
}

// next returns the index as of the reader, made from the present one and the changes since.
func (e *shopIndex) next(ctx context.Context, r store.Reader) (n nextIndex, err error) {
	e.mu.Lock()
	index, since := e.index, e.version
	e.mu.Unlock()
	if index == nil {
		err = r.Together(ctx,
			func(r store.Reader) (err error) { n.version, err = shopVersion(ctx, r); return err },
			func(r store.Reader) (err error) { n.many, err = hasMany(ctx, r, e.many); return err },
		)
		return n, err
	}
	var keys []shop.Key
	var unknown bool
	err = r.Together(ctx,
		func(r store.Reader) (err error) { n.version, err = shopVersion(ctx, r); return err },
		func(r store.Reader) (err error) { keys, _, unknown, err = r.Changes(ctx, since); return err },
	)
	switch {
	case err != nil:
		return n, err
	case n.version == 0:
		n.index = facet.New().Done() // the shop was deleted
		return n, nil
	case n.version < since:
		return n, errNeedsSnapshot
	case n.version == since:
		n.index = index
		return n, nil
	case unknown:
		return n, nil
	}
	if n.changed, err = withSets(ctx, r, changedProducts(keys)); err != nil {
		return n, err
	}
	b := index.Without(n.changed)
	err = r.Together(ctx, append(indexReads(ctx, "public", b, n.changed), versionIs(ctx, n.version))...)
	n.index = b.Done()
	return n, err
}

// put stores an index unless a later one is stored, and returns it and the same with the prices
// of a Pricer.
func (p *productIndexes) put(company shop.CompanyID, e *shopIndex, n nextIndex, prices Pricer) (index, shown *facet.Index, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case n.version == 0: // there is no such shop
		return n.index, n.index, nil
	case n.version < e.version:
		return nil, nil, errNeedsSnapshot
	}
	resized := n.version > e.version
	if resized {
		e.index, e.version = n.index, n.version
		e.markOutdated(n.changed)
	}
	shown = e.index
	if prices != nil {
		var made bool
		shown, made = e.view(prices)
		resized = resized || made
	}
	if resized {
		p.setSize(company, e, e.size())
	}
	return e.index, shown, nil
}

// shopVersion returns the version of a reader's shop; 0 if it does not exist.
func shopVersion(ctx context.Context, r store.Reader) (version int64, err error) {
	err = r.DB.QueryRow(ctx, `SELECT version FROM company WHERE id = $1`, r.Company).Scan(&version)
	if store.NoRow(err) {
		return 0, nil
	}
	return r.Version(version), err
}

// hasMany reports whether a reader's shop has so many products or more, deleted ones included.
func hasMany(ctx context.Context, r store.Reader, many int) (has bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT count(*) >= $2 FROM (SELECT FROM product WHERE company_id = $1 LIMIT $2) p`, r.Company, many).Scan(&has)
	return has, err
}

// versionIs checks that the shop still has a version. As the last of reads that run together it
// checks that the others have read that version.
func versionIs(ctx context.Context, version int64) func(store.Reader) error {
	return func(r store.Reader) error {
		now, err := shopVersion(ctx, r)
		if err == nil && now != version {
			err = errNeedsSnapshot
		}
		return err
	}
}

// view returns the index with the prices of a Pricer, and whether it was computed just now.
func (e *shopIndex) view(prices Pricer) (index *facet.Index, made bool) {
	key := prices.Key()
	at := slices.IndexFunc(e.views, func(v *pricedView) bool { return v.key == key })
	v := &pricedView{key: key}
	if at >= 0 {
		v = e.views[at]
		e.views = slices.Delete(e.views, at, at+1)
	}
	e.views = slices.Insert(e.views, 0, v)
	e.views = e.views[:min(len(e.views), maxViews)]
	if v.index == nil || v.changed != nil {
		v.index, v.changed, made = e.index.Priced(v.index, v.changed, prices.Span), nil, true
	}
	return v.index, made
}

func (e *shopIndex) size() int {
	size := e.index.Size()
	for _, v := range e.views {
		size += v.index.PricesSize()
	}
	return size
}

// markOutdated records that products have changed since the views were made; nil means all.
func (e *shopIndex) markOutdated(changed []uint32) {
	e.views = slices.DeleteFunc(e.views, func(v *pricedView) bool {
		v.changed = append(v.changed, changed...)
		if v.changed == nil {
			v.changed = []uint32{} // none of them changed, but the index did
		}
		return changed == nil || len(v.changed) > maxChanged
	})
}

// changedProducts returns the products that keys name. The result is never nil.
func changedProducts(keys []shop.Key) []uint32 {
	ids := []uint32{}
	for _, k := range keys {
		if k.Kind == shop.KeyProduct {
			ids = append(ids, uint32(k.ID))
		}
	}
	return ids
}

// withSets adds the sets that contain the products, because their availability depends on
// them.
func withSets(ctx context.Context, r store.Reader, changed []uint32) ([]uint32, error) {
	if len(changed) == 0 {
		return changed, nil
	}
	sets, err := SetsWith(ctx, r, toProductIDs(changed))
	all := append(changed, indexIDs(sets)...)
	slices.Sort(all)
	return slices.Compact(all), err
}

func (p *productIndexes) entry(company shop.CompanyID) *shopIndex {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, found := p.shops.Get(company)
	if !found {
		e = &shopIndex{many: p.many}
		p.shops.Put(company, e, 0)
	}
	return e
}

// setSize records the present size of an entry, unless it was evicted meanwhile. An entry
// larger than the whole cache serves only the reader that loaded it.
func (p *productIndexes) setSize(company shop.CompanyID, e *shopIndex, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now, _ := p.shops.Get(company); now == e {
		p.shops.Put(company, e, int64(size))
	}
}

// draftedProducts returns the products with any change in the draft.
func draftedProducts(ctx context.Context, r store.Reader) ([]uint32, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id FROM draft.product WHERE company_id = $1
		UNION SELECT product_id FROM draft.product_attribute WHERE company_id = $1
		UNION SELECT product_id FROM draft.product_extra_category WHERE company_id = $1
		UNION SELECT product_id FROM draft.variant_set WHERE company_id = $1`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uint32])
}
