package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/facet"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
)

// productIndexes keeps the indexes of the shops whose products were listed last,
// within indexBytes of memory together. An index belongs to one version of its
// shop and is never trusted without a look at the version in the reader's own
// snapshot, so a write of any process is seen by the next list. A later version
// re-reads only the products that the changes since name.
//
// Visitors and the shop's people meet other prices in lists. The index itself has
// those that were typed; views have what a Pricer makes of them.
//
// A draft has no version. In the draft contour the products that wait in it are
// re-read for each list, over the index of the live shop.
type productIndexes struct {
	mu    sync.Mutex
	shops *lru.Weighted[shop.CompanyID, *shopIndex] // in bytes
}

// indexBytes bounds the memory of indexes that nobody reads just now. A shop of
// 50,000 products with eight attributes takes about 12 MB, each view one more.
const indexBytes = 128 << 20

type shopIndex struct {
	mu      sync.Mutex // held while it is brought up to date: one loads, others wait
	index   *facet.Index
	version int64
	views   []*pricedView // used last first
}

// Pricer says what products cost in lists to those who read them. Pricers with equal
// keys price equally.
type Pricer interface {
	Key() string
	Span(facet.Offer) (price, before int64)
}

// pricedView is an index with the prices of a Pricer.
type pricedView struct {
	key     string
	index   *facet.Index
	changed []uint32 // products that it does not have as they are now
}

const (
	maxViews   = 4
	maxChanged = 10_000 // more are not followed one by one
)

func newProductIndexes() *productIndexes {
	return &productIndexes{shops: lru.New[shop.CompanyID, *shopIndex](indexBytes)}
}

// errOvertaken says that the index is of a later moment than the reader's.
var errOvertaken = errors.New("the shop has moved on")

// snapshot is how rows and version are read as of one moment.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// current is the index of a reader's shop as of its snapshot.
func (p *productIndexes) current(ctx context.Context, r Reader, prices Pricer, draft bool) (*facet.Index, error) {
	var version int64
	err := r.q.QueryRow(ctx, `SELECT version FROM company WHERE id = $1`, r.Company).Scan(&version)
	if noRow(err) {
		return facet.New().Done(), nil // no such shop has no products
	}
	if err != nil {
		return nil, err
	}
	index, shown, err := p.live(ctx, r, prices, version)
	if err != nil || !draft {
		return shown, err
	}
	waiting, err := r.waitingProducts(ctx)
	if err != nil || len(waiting) == 0 {
		return shown, err
	}
	if waiting, err = r.withSets(ctx, waiting); err != nil {
		return nil, err
	}
	b := index.Without(waiting)
	if err := r.loadIndex(ctx, "dev", b, waiting); err != nil {
		return nil, err
	}
	if index = b.Done(); prices != nil {
		index = index.Priced(shown, waiting, prices.Span)
	}
	return index, nil
}

// live is the index of the live shop, and what of it the reader of a list meets: the
// index itself where nobody prices it.
func (p *productIndexes) live(ctx context.Context, r Reader, prices Pricer, version int64) (index, shown *facet.Index, err error) {
	e := p.entry(r.Company)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index != nil && e.version > version {
		return nil, nil, errOvertaken
	}
	fresh := e.index == nil || e.version != version
	if fresh {
		if e.index, err = e.next(ctx, r); err != nil {
			return nil, nil, err
		}
		e.version = version
	}
	shown = e.index
	if prices != nil {
		var made bool
		shown, made = e.view(prices)
		fresh = fresh || made
	}
	if fresh {
		p.keep(r.Company, e, e.size())
	}
	return e.index, shown, nil
}

// view is the index with the prices of a Pricer, and whether it was made just now.
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

// outdate notes that products have changed since the views were made; nil is all.
func (e *shopIndex) outdate(changed []uint32) {
	e.views = slices.DeleteFunc(e.views, func(v *pricedView) bool {
		v.changed = append(v.changed, changed...)
		if v.changed == nil {
			v.changed = []uint32{} // the index is another one all the same
		}
		return changed == nil || len(v.changed) > maxChanged
	})
}

// next is the index as of the reader's snapshot; with an error the one that there was.
func (e *shopIndex) next(ctx context.Context, r Reader) (*facet.Index, error) {
	b, changed := facet.New(), []uint32(nil)
	if e.index != nil {
		keys, _, whole, err := r.Changes(ctx, e.version)
		if err != nil {
			return e.index, err
		}
		if !whole {
			if changed, err = r.withSets(ctx, changedProducts(keys)); err != nil {
				return e.index, err
			}
			b = e.index.Without(changed)
		}
	}
	if err := r.loadIndex(ctx, "public", b, changed); err != nil {
		return e.index, err
	}
	e.outdate(changed)
	return b.Done(), nil
}

// changedProducts are the products that keys name, none of them is no nil.
func changedProducts(keys []shop.Key) []uint32 {
	ids := []uint32{}
	for _, k := range keys {
		if k.Kind == shop.KeyProduct {
			ids = append(ids, uint32(k.ID))
		}
	}
	return ids
}

// withSets adds the sets that products are in, which are sold out with them.
func (r Reader) withSets(ctx context.Context, changed []uint32) ([]uint32, error) {
	if len(changed) == 0 {
		return changed, nil
	}
	sets, err := r.SetsWith(ctx, productIDs(changed))
	all := append(changed, plain(sets)...)
	slices.Sort(all)
	return slices.Compact(all), err
}

func (p *productIndexes) entry(company shop.CompanyID) *shopIndex {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, known := p.shops.Get(company)
	if !known {
		e = &shopIndex{}
		p.shops.Put(company, e, 0)
	}
	return e
}

// keep counts what an index takes now, unless it was let go of meanwhile. One
// that is larger than all that is kept serves who loaded it.
func (p *productIndexes) keep(company shop.CompanyID, e *shopIndex, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now, _ := p.shops.Get(company); now == e {
		p.shops.Put(company, e, int64(size))
	}
}

// waitingProducts are the products of which anything waits in the draft.
func (r Reader) waitingProducts(ctx context.Context) ([]uint32, error) {
	rows, err := r.q.Query(ctx, `
		SELECT id FROM draft.product WHERE company_id = $1
		UNION SELECT product_id FROM draft.product_attribute WHERE company_id = $1
		UNION SELECT product_id FROM draft.product_extra_category WHERE company_id = $1
		UNION SELECT product_id FROM draft.variant_set WHERE company_id = $1`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uint32])
}
