package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/facet"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// productIndexes caches the indexes of the shops whose products were listed last, within
// indexBytes of memory in total. An index belongs to one version of its shop. Each use
// checks it against the version in the reader's own snapshot, so the next list sees a write
// of any process. To reach a later version only the products named by the changes are read
// again.
//
// Visitors and the shop's staff see different prices in lists. The index itself has the
// stored prices; views have the prices that a Pricer computes.
//
// A draft has no version. In the draft contour the drafted products are read again for each
// list and overlaid on the index of the live shop.
type productIndexes struct {
	mu    sync.Mutex
	shops *lru.Weighted[shop.CompanyID, *shopIndex] // weighted by bytes
}

// indexBytes bounds the memory of cached indexes. A shop of 50,000 products with eight
// attributes uses about 12 MB, plus 1 MB per view.
const indexBytes = 128 << 20

type shopIndex struct {
	mu      sync.Mutex // held during an update: one goroutine loads, the others wait
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

func newProductIndexes() *productIndexes {
	return &productIndexes{shops: lru.New[shop.CompanyID, *shopIndex](indexBytes)}
}

// errIndexNewer is returned when the index is of a later version than the reader's snapshot.
var errIndexNewer = errors.New("store: the index is newer than the reader's snapshot")

// current returns the index of a reader's shop as of its snapshot.
func (p *productIndexes) current(ctx context.Context, r store.Reader, prices Pricer, draft bool) (*facet.Index, error) {
	var version int64
	err := r.DB.QueryRow(ctx, `SELECT version FROM company WHERE id = $1`, r.Company).Scan(&version)
	if store.NoRow(err) {
		return facet.New().Done(), nil // a shop that does not exist has no products
	}
	if err != nil {
		return nil, err
	}
	index, shown, err := p.live(ctx, r, prices, version)
	if err != nil || !draft {
		return shown, err
	}
	drafted, err := draftedProducts(ctx, r)
	if err != nil || len(drafted) == 0 {
		return shown, err
	}
	if drafted, err = withSets(ctx, r, drafted); err != nil {
		return nil, err
	}
	b := index.Without(drafted)
	if err := loadIndex(ctx, r, "dev", b, drafted); err != nil {
		return nil, err
	}
	if index = b.Done(); prices != nil {
		index = index.Priced(shown, drafted, prices.Span)
	}
	return index, nil
}

// live returns the index of the live shop, and the one that the reader of a list sees: the
// same index without a Pricer, else a priced view.
func (p *productIndexes) live(ctx context.Context, r store.Reader, prices Pricer, version int64) (index, shown *facet.Index, err error) {
	e := p.entry(r.Company)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index != nil && e.version > version {
		return nil, nil, errIndexNewer
	}
	changed := e.index == nil || e.version != version
	if changed {
		if e.index, err = e.next(ctx, r); err != nil {
			return nil, nil, err
		}
		e.version = version
	}
	shown = e.index
	if prices != nil {
		var made bool
		shown, made = e.view(prices)
		changed = changed || made
	}
	if changed {
		p.setSize(r.Company, e, e.size())
	}
	return e.index, shown, nil
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

// next returns the index as of the reader's snapshot; with an error it returns the previous
// one.
func (e *shopIndex) next(ctx context.Context, r store.Reader) (*facet.Index, error) {
	b, changed := facet.New(), []uint32(nil)
	if e.index != nil {
		keys, _, whole, err := r.Changes(ctx, e.version)
		if err != nil {
			return e.index, err
		}
		if !whole {
			if changed, err = withSets(ctx, r, changedProducts(keys)); err != nil {
				return e.index, err
			}
			b = e.index.Without(changed)
		}
	}
	if err := loadIndex(ctx, r, "public", b, changed); err != nil {
		return e.index, err
	}
	e.markOutdated(changed)
	return b.Done(), nil
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
		e = &shopIndex{}
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
