package load

import (
	"context"
	"sync"
	"time"

	"vitrine/compile/price"
	"vitrine/internal/limiter"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// Pricer prices the carts of shops with the ways in which they deliver. A shop with many promotions
// does not slow down others.
type Pricer struct {
	store   *store.Store
	methods func(context.Context, shop.CompanyID) ([]sales.PaymentMethod, error)
	now     func() time.Time
	running *limiter.PerShop

	mu   sync.Mutex
	ways *lru.Weighted[shop.CompanyID, versionedWays]
}

// maxWays bounds the cached Ways of all shops, in bytes.
const maxWays = 64 << 20

// NewPricer returns a Pricer. methods returns the payment methods that a shop has set up.
func NewPricer(s *store.Store, methods func(context.Context, shop.CompanyID) ([]sales.PaymentMethod, error), now func() time.Time) *Pricer {
	return &Pricer{
		store: s, methods: methods, now: now, running: limiter.New(limiter.HalfOfCPUs()),
		ways: lru.New[shop.CompanyID, versionedWays](maxWays),
	}
}

// Acquire waits until carts of a shop may be priced; the caller calls release afterwards.
func (p *Pricer) Acquire(ctx context.Context, company shop.CompanyID) (release func(), err error) {
	release, err = p.running.Acquire(ctx, company)
	if err != nil {
		err = shop.ErrUnavailable.With("too many carts of this shop are being priced")
	}
	return release, err
}

// Fill prices a cart in a shop as its buyer sees it.
func (p *Pricer) Fill(ctx context.Context, r store.Reader, cached CachedShop, cart sales.Cart, how Pricing) (*Basket, error) {
	list, err := p.FillAll(ctx, r, cached, []sales.Cart{cart}, how)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// FillAll prices several carts of one buyer in the same way, in as many statements as one.
func (p *Pricer) FillAll(ctx context.Context, r store.Reader, cached CachedShop, carts []sales.Cart, how Pricing) ([]*Basket, error) {
	release, err := p.Acquire(ctx, cached.Company.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	ways, err := p.Ways(ctx, cached)
	if err != nil {
		return nil, err
	}
	if how.At.IsZero() {
		how.At = p.now()
	}
	how.Site, how.Deliveries, how.Taxes = cached.Site, ways.Deliveries, cached.Site.Shop().Face.Taxes
	list := make([]Unpriced, len(carts))
	for i, cart := range carts {
		list[i] = Unpriced{cart, how}
	}
	return FillBaskets(ctx, r, list)
}

// Ways are the ways in which a shop delivers and is paid at present.
type Ways struct {
	Options    []sales.DeliveryOption // the active ones
	Deliveries []price.Delivery       // of Options
	Methods    []sales.PaymentMethod  // the active ones, without credentials
	Asks       Asks

	AsksConsent bool // a reminder of the cart needs the buyer's consent
}

// Option returns the active option with an id, nil if there is none.
func (w *Ways) Option(id shop.DeliveryID) *sales.DeliveryOption {
	for i := range w.Options {
		if w.Options[i].ID == id {
			return &w.Options[i]
		}
	}
	return nil
}

// versionedWays are valid while the shop has this version.
type versionedWays struct {
	version int64
	Ways
}

// Ways returns those of a shop that was just read: they are read after its version, so they are no
// older. They are shared and not to be changed.
func (p *Pricer) Ways(ctx context.Context, cached CachedShop) (Ways, error) {
	company, version := cached.Company.ID, cached.Company.Version
	p.mu.Lock()
	found, ok := p.ways.Get(company)
	p.mu.Unlock()
	if ok && found.version == version {
		return found.Ways, nil
	}
	ways, err := p.readWays(ctx, cached)
	if err != nil {
		return ways, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ways.Put(company, versionedWays{version, ways}, ways.size())
	return ways, nil
}

func (p *Pricer) readWays(ctx context.Context, cached CachedShop) (ways Ways, err error) {
	r := p.store.Shop(cached.Company.ID)
	options, err := sales.DeliveryOptions(ctx, r)
	if err != nil {
		return ways, err
	}
	for _, d := range options {
		if d.IsActive {
			ways.Options = append(ways.Options, d)
		}
	}
	ways.Deliveries = Deliveries(options)
	ways.Asks = AsksOf(ways.Deliveries, cached.Site.Shop().Face.Taxes)
	settings, err := company.GetSettings(ctx, r)
	if err != nil {
		return ways, err
	}
	ways.AsksConsent = settings.CartReminder != nil && settings.CartReminder.AskConsent
	methods, err := p.methods(ctx, cached.Company.ID)
	for _, m := range methods {
		if m.IsActive {
			m.Sealed = nil
			ways.Methods = append(ways.Methods, m)
		}
	}
	return ways, err
}

// size estimates the bytes of the ways in memory.
func (w *Ways) size() int64 {
	const entry = 500 // bytes
	n := 1 + 2*len(w.Options) + len(w.Methods)
	for _, d := range w.Options {
		n += len(d.Rates) + len(d.Points)
		for _, r := range d.Rates {
			n += (len(r.Countries) + len(r.Regions) + len(r.Postcodes)) / 16
		}
	}
	return int64(n * entry)
}
