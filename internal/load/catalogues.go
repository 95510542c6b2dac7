package load

import (
	"container/list"
	"context"
	"strings"
	"sync"
	"time"

	"vitrine/compile/feed"
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
		stored, ok := strings.CutPrefix(path, "/files/")
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
	Renders

	hosts shop.Storefronts
	now   func() time.Time

	mu     sync.Mutex
	byShop map[shop.CompanyID]*list.Element // of *heldCatalogue
	used   list.List                        // the latest first
	size   int
}

// heldCatalogue is one shop's. Its lock makes one reader load while others wait.
type heldCatalogue struct {
	company shop.CompanyID
	lock    chan struct{} // holds a value while somebody brings it up to date
	now     Catalogue
	read    time.Time // when all of it was read last
	size    int       // guarded by Catalogues.mu
}

// NewCatalogues makes an empty one.
func NewCatalogues(hosts shop.Storefronts, now func() time.Time) *Catalogues {
	return &Catalogues{hosts: hosts, now: now, byShop: map[shop.CompanyID]*list.Element{}}
}

// Current is the catalogue of a shop as it is: everything of it is read in one
// snapshot.
func (c *Catalogues) Current(ctx context.Context, s *store.Store, company shop.CompanyID) (Catalogue, error) {
	held := c.take(company)
	select {
	case held.lock <- struct{}{}:
		defer func() { <-held.lock }()
	case <-ctx.Done():
		return Catalogue{}, ctx.Err()
	}
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
	c.keep(held, held.now.offers.size)
	return held.now, nil
}

// next is what follows the held one at a reader's moment. The caller holds the
// lock.
func (c *Catalogues) next(ctx context.Context, r store.Reader, held *heldCatalogue) (out Catalogue, err error) {
	company, err := r.Info(ctx)
	if err != nil {
		return out, err
	}
	before, fresh := held.now, c.now().Sub(held.read) < catalogueAge
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
			out.offers, err = before.offers.with(ctx, r, company, c.hosts, keys)
			out.Catalogue = out.offers.catalogue()
			return out, err
		}
	}
	if out.offers, err = readOffers(ctx, r, company, c.hosts); err != nil {
		return out, err
	}
	held.read = c.now()
	out.Catalogue = out.offers.catalogue()
	return out, nil
}

func (c *Catalogues) take(company shop.CompanyID) *heldCatalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := c.byShop[company]
	if !known {
		at = c.used.PushFront(&heldCatalogue{company: company, lock: make(chan struct{}, 1)})
		c.byShop[company] = at
	}
	c.used.MoveToFront(at)
	return at.Value.(*heldCatalogue)
}

// keep counts what a catalogue takes now and lets go of those that were not used
// for the longest time.
func (c *Catalogues) keep(held *heldCatalogue, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byShop[held.company] == nil || c.byShop[held.company].Value != held {
		return // let go of meanwhile
	}
	c.size += size - held.size
	held.size = size
	for c.size > catalogueBytes && c.used.Len() > 1 {
		last := c.used.Remove(c.used.Back()).(*heldCatalogue)
		c.size -= last.size
		delete(c.byShop, last.company)
	}
}
