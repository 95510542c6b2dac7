// Package catalogue keeps a shop's products as feeds read them, by the version of
// the shop: what site files are rendered from, for visitors and in previews. It
// makes a feed.Catalogue of rows of the store and brings it up to date by what
// the changes since name; templates are [vitrine/compile/feed]'s.
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
)

const (
	// catalogueBytes bounds the catalogues that are kept for shops whose feeds
	// nobody is making just now. 50,000 products take about 60 MB.
	catalogueBytes = 256 << 20
	// catalogueAge is when a catalogue is read anew whatever the change flow
	// says: pictures are deleted without a key.
	catalogueAge = time.Hour
	// rendersPerShop is how many site files of one shop are rendered at once,
	// previews and builds for robots together (document 3, 4.3).
	rendersPerShop = 2
)

// Catalogue is a shop's catalogue for feeds as of one moment.
type Catalogue struct {
	*feed.Catalogue
	Version int64     // of the shop
	Changed time.Time // when the shop came to this version

	offers *offers
}

// mostLookups bounds the pictures of one feed that are looked for one by one.
const mostLookups = 20

// Pictures tells whether an address of the shop's host answers with a file:
// those of the catalogue do, others are looked up by their path below /files/.
// Beyond the first few it is not asked about and taken to be there.
func (c Catalogue) Pictures(lookup func(path string) bool) func(url string) bool {
	asked := 0
	return func(url string) bool {
		path := strings.TrimPrefix(url, c.Shop().URL)
		if c.offers.pictures()[path] || asked == mostLookups {
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

// Catalogues keeps the catalogues that feeds were made from lately, for all who
// make feeds in this process. A catalogue belongs to one version of its shop and
// is never used without a look at the version in the reader's own snapshot; a
// later version re-reads the products that the changes since name. Safe for
// concurrent use.
type Catalogues struct {
	Renders *limiter.PerShop // of site files

	hosts shop.Storefronts
	now   func() time.Time

	mu   sync.Mutex
	held *lru.Weighted[shop.CompanyID, *heldCatalogue] // in bytes
}

// heldCatalogue is one shop's. Its lock makes one reader load while others wait.
type heldCatalogue struct {
	lock *semaphore.Weighted // of one: who brings it up to date
	now  Catalogue
	read time.Time // when all of it was read last
}

// NewCatalogues makes an empty one.
func NewCatalogues(hosts shop.Storefronts, now func() time.Time) *Catalogues {
	return &Catalogues{
		Renders: limiter.New(rendersPerShop), hosts: hosts, now: now,
		held: lru.New[shop.CompanyID, *heldCatalogue](catalogueBytes),
	}
}

// Current is the catalogue of a shop as it is: everything of it is read in one
// snapshot.
func (c *Catalogues) Current(ctx context.Context, s *store.Store, company shop.CompanyID) (Catalogue, error) {
	held := c.take(company)
	if err := held.lock.Acquire(ctx, 1); err != nil {
		return Catalogue{}, err
	}
	defer held.lock.Release(1)
	ctx = store.Live(ctx) // site files have no draft, and neither have feeds
	err := s.Snapshot(ctx, company, func(r store.Reader) error {
		next, err := c.next(ctx, r, held)
		if err == nil {
			held.now = next
		}
		return err
	})
	if err != nil {
		return Catalogue{}, err
	}
	c.keep(company, held)
	return held.now, nil
}

// next is what follows the held one at a reader's moment. The caller holds the
// lock.
func (c *Catalogues) next(ctx context.Context, r store.Reader, held *heldCatalogue) (out Catalogue, err error) {
	company, err := r.Info(ctx)
	if err != nil {
		return out, err
	}
	now := c.now()
	before, fresh := held.now, now.Sub(held.read) < catalogueAge
	fresh = fresh && (before.offers == nil || !before.offers.turned(now))
	if fresh && before.offers != nil && before.Version == company.Version {
		return before, nil
	}
	out.Version = company.Version
	if out.Changed, err = r.ChangedAt(ctx); err != nil {
		return out, err
	}
	if fresh && before.offers != nil && before.Version < company.Version {
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
	held.read = now
	out.Catalogue = out.offers.catalogue()
	return out, nil
}

func (c *Catalogues) take(company shop.CompanyID) *heldCatalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, known := c.held.Get(company)
	if !known {
		held = &heldCatalogue{lock: semaphore.NewWeighted(1)}
		c.held.Put(company, held, 0)
	}
	return held
}

// keep counts what a catalogue takes now, unless it was let go of meanwhile. One
// that is larger than all that is kept has it for itself.
func (c *Catalogues) keep(company shop.CompanyID, held *heldCatalogue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, _ := c.held.Get(company); now == held {
		c.held.Put(company, held, int64(min(held.now.offers.size, catalogueBytes)))
	}
}
