// Package catalogue caches a shop's products as feeds read them, by the version of the
// shop: site files are rendered from them, for visitors and in previews. It builds a
// feed.Catalogue from rows of the store and updates it with the rows that changed since;
// templates are in [vitrine/compile/feed].
package catalogue

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/compile/feed"
	"vitrine/internal/limiter"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
)

const (
	// catalogueBytes bounds the catalogues cached for shops whose feeds are not being
	// rendered right now. 50,000 products take about 60 MB.
	catalogueBytes = 256 << 20
	// catalogueAge is when a catalogue is read again regardless of changes: the deletion of
	// a picture records no key of a product.
	catalogueAge = time.Hour
	// rendersPerShop is how many site files of one shop are rendered at once, previews and
	// builds for robots together (document 3, 4.3).
	rendersPerShop = 2
)

// Catalogue is a shop's catalogue for feeds as of one moment.
type Catalogue struct {
	*feed.Catalogue
	Version int64     // of the shop
	Changed time.Time // when the shop reached this version

	offers *offers
}

// maxLookups bounds the pictures of one feed that are looked up individually.
const maxLookups = 20

// Pictures returns a function that reports whether an address of the shop's host answers
// with a file: for pictures of the catalogue it does, others are looked up by their path
// below /files/. Beyond the first few it assumes that they exist.
func (c Catalogue) Pictures(lookup func(path string) bool) func(url string) bool {
	asked := 0
	return func(url string) bool {
		path := strings.TrimPrefix(url, c.Shop().URL)
		if c.offers.pictures()[path] || asked == maxLookups {
			return true
		}
		stored, ok := shop.FilePath(path)
		if !ok {
			return false
		}
		asked++
		return lookup(stored)
	}
}

// Catalogues caches the catalogues from which feeds were made recently, for all users in
// this process. A catalogue belongs to one version of its shop; each use checks it against
// the version in the reader's own snapshot, and for a later version only the products named
// by the changes are read again. It is safe for concurrent use.
type Catalogues struct {
	Renders *limiter.PerShop // of site files

	hosts shop.Storefronts
	now   func() time.Time

	mu     sync.Mutex
	cached *lru.Weighted[shop.CompanyID, *cachedCatalogue] // weighted by bytes
}

// cachedCatalogue is the entry of one shop. Its lock makes one reader load while others wait.
type cachedCatalogue struct {
	lock *semaphore.Weighted // of one: held while updating the entry
	now  Catalogue
	read time.Time // when all of it was read last
}

// NewCatalogues returns an empty cache.
func NewCatalogues(hosts shop.Storefronts, now func() time.Time) *Catalogues {
	return &Catalogues{
		Renders: limiter.New(rendersPerShop), hosts: hosts, now: now,
		cached: lru.New[shop.CompanyID, *cachedCatalogue](catalogueBytes),
	}
}

// Current returns the present catalogue of a shop: all of it is read in one snapshot.
func (c *Catalogues) Current(ctx context.Context, s *store.Store, company shop.CompanyID) (Catalogue, error) {
	cached := c.get(company)
	if err := cached.lock.Acquire(ctx, 1); err != nil {
		return Catalogue{}, err
	}
	defer cached.lock.Release(1)
	ctx = store.Live(ctx) // site files have no draft, and neither have feeds
	err := s.Snapshot(ctx, company, func(r store.Reader) error {
		next, err := c.next(ctx, r, cached)
		if err == nil {
			cached.now = next
		}
		return err
	})
	if err != nil {
		return Catalogue{}, err
	}
	c.keep(company, cached)
	return cached.now, nil
}

// next returns the successor of the cached catalogue at a reader's moment. The caller holds
// the lock.
func (c *Catalogues) next(ctx context.Context, r store.Reader, cached *cachedCatalogue) (out Catalogue, err error) {
	company, err := companydb.Info(ctx, r)
	if err != nil {
		return out, err
	}
	now := c.now()
	before, valid := cached.now, now.Sub(cached.read) < catalogueAge
	valid = valid && (before.offers == nil || !before.offers.outdated(now))
	if valid && before.offers != nil && before.Version == company.Version {
		return before, nil
	}
	out.Version = company.Version
	if out.Changed, err = catalog.ChangedAt(ctx, r); err != nil {
		return out, err
	}
	if valid && before.offers != nil && before.Version < company.Version {
		keys, version, whole, err := r.Changes(ctx, before.Version)
		if err != nil {
			return out, err
		}
		if !whole && version == company.Version {
			out.offers, err = before.offers.with(ctx, r, company, c.hosts, keys, now)
			out.Catalogue = out.offers.catalogue()
			return out, err
		}
	}
	if out.offers, err = readOffers(ctx, r, company, c.hosts, now); err != nil {
		return out, err
	}
	cached.read = now
	out.Catalogue = out.offers.catalogue()
	return out, nil
}

func (c *Catalogues) get(company shop.CompanyID) *cachedCatalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, found := c.cached.Get(company)
	if !found {
		cached = &cachedCatalogue{lock: semaphore.NewWeighted(1)}
		c.cached.Put(company, cached, 0)
	}
	return cached
}

// keep records the present size of an entry, unless it was evicted meanwhile. An entry
// larger than the whole cache is cached alone.
func (c *Catalogues) keep(company shop.CompanyID, cached *cachedCatalogue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, _ := c.cached.Get(company); now == cached {
		c.cached.Put(company, cached, int64(min(cached.now.offers.size, catalogueBytes)))
	}
}
