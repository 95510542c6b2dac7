package compose

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// How many entries a page shows.
const (
	gridSize    = 24 // products on a page of a listing
	homeSize    = 12
	rubricSize  = 12 // articles on a page of a rubric
	relatedSize = 8
	teaserSize  = 3
	dealsSize   = 2 * gridSize
)

// page composes one page: it has a reader of one snapshot, the site for addresses, and collects
// the keys that the page depends on.
type page struct {
	ctx  context.Context
	st   *store.Store
	r    store.Reader
	site *compile.Site
	keys []shop.Key

	pricer load.UnitPricer // prices at the moment that the page is rendered for

	search      string         // the visitor's query
	searched    bool           // a list was searched for it
	found       bool           // and has matches
	chosen      render.Choices // the filters and order in the address, for the page's list of products
	want        render.PageRequest
	narrowed    bool                          // a list has applied them
	uncacheable bool                          // other visitors are unlikely to request the same
	system      bool                          // the platform draws such a list on this page
	unsaved     map[shop.BlockID]shop.Objects // sections in place of the stored ones
	planned     *plan                         // see plan
	section     shop.CategoryID               // the page's section: of a product or an article its own, of a category the category, else 0
}

// together runs parts of a page whose reads do not depend on each other (store.Reader.Together).
// They take turns, so they may all write to the page.
func (p *page) together(parts ...func() error) error {
	before := p.r
	defer func() { p.r = before }()
	reads := make([]func(store.Reader) error, len(parts))
	for i, part := range parts {
		reads[i] = func(r store.Reader) error {
			p.r = r
			return part()
		}
	}
	return before.Together(p.ctx, reads...)
}

func (p *page) uses(keys ...shop.Key) { p.keys = append(p.keys, keys...) }

// Page reads the data of a page at a moment and composes it, including the frame. The keys are
// the data that the page depends on, also for a missing page; one with KeyOffers changes when the
// next discount starts or ends. Content that is hidden from this visitor is in none of its lists
// and addresses.
func Page(ctx context.Context, st *store.Store, site *compile.Site, want render.PageRequest, at time.Time) (c render.Content, err error) {
	site = site.ViewFor(want.Opened)
	r := st.Shop(site.Shop().ID).Hiding(site.Hidden())
	p := &page{ctx: ctx, st: st, r: r, site: site, search: want.Search, want: want, chosen: want.Narrow.Choices(), pricer: load.NewUnitPricer(site, at)}
	if want.Unsaved != "" {
		if err := json.Unmarshal([]byte(want.Unsaved), &p.unsaved); err != nil {
			return c, err
		}
	}
	switch want.Kind {
	case render.WantMissing:
		c, err = p.missing()
	case render.WantZone:
		c, err = p.zone(want.Zone)
	case render.WantForm:
		c.Page = &render.FormPage{}
		err = p.design(&c, systemPage)
	case render.WantFeed:
		c, err = p.articleFeed(shop.CategoryID(want.Page.ID))
	case render.WantSearch:
		c, err = p.searching(want)
	case render.WantSuggest:
		c, err = p.suggesting(want.Search)
	case render.WantRemark:
		c, err = p.remarkPage(shop.ProductID(want.Page.ID))
	default:
		c, err = p.live(want)
	}
	if err == nil {
		err = p.completePictures(c.Page)
	}
	if err == nil {
		Frame(c.Page, site, p.section, want)
		f := render.FrameOf(c.Page)
		f.Nothing, f.Once = p.searched && !p.found, p.uncacheable || want.Narrow != "" && !p.narrowed
		if p.narrowed {
			f.Narrow = want.Narrow
		}
	}
	c.Keys = p.keys
	return c, err
}

// zone composes a page of a guarded zone, as far as it is the same for all visitors.
func (p *page) zone(z shop.Zone) (c render.Content, err error) {
	zone := &render.ZonePage{Zone: z}
	c.Page = zone
	if z == shop.ZoneDeals {
		if zone.Body, err = p.deals(); err != nil {
			return c, err
		}
	}
	return c, p.design(&c, systemPage)
}

// deals lists reduced products, newest first.
func (p *page) deals() (*render.Deals, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyOffers})
	l, err := catalog.ListProducts(p.ctx, p.st, p.r, catalog.ProductFilter{
		PublishedOnly: true, Listed: true, Reduced: true, Prices: p.pricer.ForLists(), Sort: "created_at", Descending: true, Number: 1, Limit: dealsSize,
	})
	if err != nil {
		return nil, err
	}
	cards, err := p.cards(l.Products)
	return &render.Deals{Products: cards}, err
}

func (p *page) live(want render.PageRequest) (render.Content, error) {
	switch want.Page.Entity {
	case compile.EntityProduct:
		return p.product(shop.ProductID(want.Page.ID), want)
	case compile.EntityArticle:
		return p.article(shop.ArticleID(want.Page.ID))
	case compile.EntityCategory:
		return p.category(shop.CategoryID(want.Page.ID), want.Number)
	}
	return p.home(catalog.Category{}, want.Number)
}

func (p *page) missing() (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts})
	cards, err := p.newestProducts(4)
	if err != nil {
		return render.Content{}, err
	}
	c := render.Content{Page: &render.NotFoundPage{Products: cards}}
	return c, p.design(&c, systemPage)
}
