package compose

import (
	"context"
	"slices"
	"time"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
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

	shelf load.UnitPricer // prices at the moment that the page is rendered for

	search      string         // the visitor's query
	searched    bool           // a list was searched for it
	found       bool           // and has matches
	chosen      render.Choices // the filters and order in the address, for the page's list of products
	want        render.PageRequest
	narrowed    bool            // a list has applied them
	uncacheable bool            // other visitors are unlikely to request the same
	system      bool            // the platform draws such a list on this page
	planned     *plan           // see plan
	section     shop.CategoryID // the page's section: of a product or an article its own, of a category the category, else 0
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
	p := &page{ctx: ctx, st: st, r: r, site: site, search: want.Search, want: want, chosen: want.Narrow.Choices(), shelf: load.NewUnitPricer(site, at)}
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
		PublishedOnly: true, Listed: true, Reduced: true, Prices: p.shelf.ForLists(), Sort: "created_at", Descending: true, Number: 1, Limit: dealsSize,
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

func (p *page) category(id shop.CategoryID, number int) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(id)})
	row, err := catalog.GetCategory(p.ctx, p.r, id)
	if err != nil {
		return render.Content{}, err
	}
	if row.PreviewPath == "" {
		covers, err := p.covers(store.EntityCategory, []int64{int64(id)})
		if err != nil {
			return render.Content{}, err
		}
		row.PreviewPath = covers[int64(id)].Path
	}
	switch {
	case row.IsHome:
		return p.home(row, number)
	case row.Type == "news":
		return p.rubric(row, number)
	case row.Type == "product":
		return p.listing(row, number)
	}
	sections, err := p.sections([]shop.CategoryID{id})
	if err != nil {
		return render.Content{}, err
	}
	text := &render.TextPage{Category: categoryOf(row), Sections: sections}
	if text.SEO, err = p.seoOf(row.SEO); err != nil {
		return render.Content{}, err
	}
	p.section = id
	c := render.Content{Page: text}
	return c, p.design(&c, p.placeOf(design.Category, int64(id), id, number))
}

func (p *page) home(row catalog.Category, number int) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyArticle})
	above := []shop.CategoryID{0}
	if row.ID != 0 {
		above = append(above, row.ID)
	}
	sections, err := p.sections(above, compile.TypeProduct)
	if err != nil {
		return render.Content{}, err
	}
	h := &render.Home{Category: categoryOf(row), Sections: sections}
	if h.SEO, err = p.seoOf(row.SEO); err != nil {
		return render.Content{}, err
	}
	products, err := catalog.Products(p.ctx, p.r, catalog.ProductFilter{
		PublishedOnly: true, Listed: true, Sort: "created_at", Descending: true, Number: 1, Limit: homeSize,
	})
	if err != nil {
		return render.Content{}, err
	}
	if h.Products.Products, err = p.cards(products); err != nil {
		return render.Content{}, err
	}
	articles, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{PublishedOnly: true, Number: 1, Limit: teaserSize})
	if err != nil {
		return render.Content{}, err
	}
	h.Articles.Articles = p.articleCards(articles)
	c := render.Content{Page: h}
	return c, p.design(&c, p.placeOf(design.Category, int64(row.ID), row.ID, number))
}

// listing draws a section of products: by its template, else by the platform's layout, which is
// only read in that case.
func (p *page) listing(row catalog.Category, number int) (render.Content, error) {
	l := &render.Listing{Category: categoryOf(row)}
	var err error
	if l.SEO, err = p.seoOf(row.SEO); err != nil {
		return render.Content{}, err
	}
	p.section, p.system = row.ID, true
	c := render.Content{Page: l}
	if err := p.design(&c, p.placeOf(design.Category, int64(row.ID), row.ID, number)); err != nil {
		return c, err
	}
	if l.Layout.Template {
		if number > 1 && l.Paging.Pages == 0 {
			return c, shop.ErrNotFound // no grid on the page has pages
		}
		return c, nil
	}
	f := catalog.ProductFilter{
		Category: row.ID, Subtree: true, PublishedOnly: true, Listed: true, Sort: "created_at", Number: number, Limit: gridSize,
	}
	found, cards, finder, err := p.listed(f, p.site.Path(row.ID))
	if err != nil {
		return render.Content{}, err
	}
	if number > 1 && len(cards) == 0 {
		return render.Content{}, shop.ErrNotFound
	}
	if l.Sections, err = p.sections([]shop.CategoryID{row.ID}); err != nil {
		return render.Content{}, err
	}
	l.Products, l.Total, l.Finder = cards, found.Total, finder
	l.Paging = p.paged(p.want, found.Total, gridSize)
	return c, nil
}

// rubric draws a news section: by its template, else by the platform's layout, which is only read
// in that case.
func (p *page) rubric(row catalog.Category, number int) (render.Content, error) {
	seo, err := p.seoOf(row.SEO)
	if err != nil {
		return render.Content{}, err
	}
	r := &render.Rubric{Frame: render.Frame{SEO: seo}, Category: categoryOf(row)}
	p.section = row.ID
	c := render.Content{Page: r}
	at := p.placeOf(design.Category, int64(row.ID), row.ID, number)
	at.special = design.BodyNews
	if err := p.design(&c, at); err != nil {
		return c, err
	}
	if r.Layout.Template {
		if number > 1 && r.Paging.Pages == 0 {
			return c, shop.ErrNotFound // no grid on the page has pages
		}
		return c, nil
	}
	articles, total, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{
		Category: row.ID, Subtree: true, PublishedOnly: true, Number: number, Limit: rubricSize,
	})
	if err != nil {
		return render.Content{}, err
	}
	if number > 1 && len(articles) == 0 {
		return render.Content{}, shop.ErrNotFound
	}
	if r.Rubrics, err = p.sections([]shop.CategoryID{row.ID}); err != nil {
		return render.Content{}, err
	}
	r.Articles, r.Paging = p.articleCards(articles), paging(number, total, rubricSize)
	return c, nil
}

// product composes the page of a product: first what is read by its id, then what depends on its
// row.
func (p *page) product(id shop.ProductID, want render.PageRequest) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(id)}, shop.Key{Kind: shop.KeyOffers})
	pp := &render.ProductPage{}
	c := render.Content{Page: pp}
	var groups []render.Siblings
	err := p.together(
		func() (err error) { groups, err = p.groups(id); return err },
		func() error { return p.productWithoutGroups(&c, pp, id, want) },
	)
	if err != nil {
		return render.Content{}, err
	}
	pp.Product.Groups = groups
	return c, nil
}

func (p *page) productWithoutGroups(c *render.Content, pp *render.ProductPage, id shop.ProductID, want render.PageRequest) error {
	var row catalog.Product
	var pictures []media.File
	var look appearance
	var attributes map[shop.ProductID][]catalog.AttributeValue
	err := p.together(
		func() (err error) {
			row, err = catalog.GetProduct(p.ctx, p.r, id)
			if err == nil && (row.DeletedAt != nil || !row.IsPublished) {
				err = catalog.ErrProductNotFound
			}
			return err
		},
		func() (err error) { pictures, err = p.pictures(id); return err },
		func() (err error) { look.variants, err = catalog.Variants(p.ctx, p.r, id); return err },
		func() (err error) { look.linked, err = p.linked(id); return err },
		func() (err error) {
			attributes, err = catalog.ProductAttributes(p.ctx, p.r, []shop.ProductID{id})
			return err
		},
		func() (err error) { pp.Terms, err = p.terms(); return err },
		func() error { return p.plan(design.Resource{Type: design.Product, ID: shop.Int64(id)}) },
	)
	if err != nil {
		return err
	}
	p.section = row.Category
	return p.together(
		func() error {
			parts, err := p.parts(&row)
			if err != nil {
				return err
			}
			pp.Product = p.productOf(row, pictures)
			pp.Product.Parts = parts
			for _, a := range attributes[id] {
				pp.Product.Attributes = append(pp.Product.Attributes, render.Attribute{Name: a.Name, Value: a.Display()})
			}
			return p.together(
				func() error { return p.choose(&pp.Product, row, look, want.Variant) },
				func() error { return p.remarks(pp, row, want.Remarks) },
			)
		},
		func() (err error) { pp.SEO, err = p.seoOf(row.SEO); return err },
		func() (err error) { pp.Related, err = p.related(row); return err },
		func() error { return p.design(c, p.placeOf(design.Product, int64(id), row.Category, 1)) },
	)
}

// related returns the cards of other products of a product's section.
func (p *page) related(row catalog.Product) (related []render.ProductCard, err error) {
	if row.Category == 0 {
		return nil, nil
	}
	p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(row.Category)})
	near, err := catalog.Products(p.ctx, p.r, catalog.ProductFilter{
		Category: row.Category, PublishedOnly: true, Listed: true, Number: 1, Limit: relatedSize + 1,
	})
	if err != nil {
		return nil, err
	}
	cards, err := p.cards(near)
	for _, card := range cards {
		if card.ID != row.ID && len(related) < relatedSize {
			related = append(related, card)
		}
	}
	return related, err
}

func (p *page) article(id shop.ArticleID) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyArticle, ID: int64(id)})
	row, err := catalog.GetArticle(p.ctx, p.r, id)
	if err != nil {
		return render.Content{}, err
	}
	if row.DeletedAt != nil || !row.IsPublished {
		return render.Content{}, catalog.ErrArticleNotFound
	}
	p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(row.Category)})
	ap := &render.ArticlePage{Article: render.Article{ArticleCard: p.articleCards([]catalog.Article{row})[0], Modified: row.UpdatedAt}}
	if ap.SEO, err = p.seoOf(row.SEO); err != nil {
		return render.Content{}, err
	}
	if ap.Article.Gallery, ap.Article.Media, err = p.album(row); err != nil {
		return render.Content{}, err
	}
	more, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{Category: row.Category, PublishedOnly: true, Number: 1, Limit: teaserSize + 1})
	if err != nil {
		return render.Content{}, err
	}
	for _, card := range p.articleCards(more) {
		if card.ID != id && len(ap.More) < teaserSize {
			ap.More = append(ap.More, card)
		}
	}
	p.section = row.Category
	c := render.Content{Page: ap}
	return c, p.design(&c, p.placeOf(design.Article, int64(id), row.Category, 1))
}

func (p *page) missing() (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts})
	rows, err := catalog.Products(
		p.ctx, p.r,
		catalog.ProductFilter{PublishedOnly: true, Listed: true, Sort: "created_at", Descending: true, Number: 1, Limit: 4},
	)
	if err != nil {
		return render.Content{}, err
	}
	cards, err := p.cards(rows)
	if err != nil {
		return render.Content{}, err
	}
	c := render.Content{Page: &render.NotFoundPage{Products: cards}}
	return c, p.design(&c, systemPage)
}

// sections returns tiles of the live sections below some parents, with their pictures. kinds
// restricts them to some types; without kinds all are listed.
func (p *page) sections(parents []shop.CategoryID, kinds ...compile.CategoryType) (cards []render.CategoryCard, err error) {
	var shown []compile.Category
	var ids []shop.CategoryID
	for _, parent := range parents {
		for _, child := range p.site.Children(parent) {
			if p.site.Live(child.ID) && child.ShowMenu && !child.Home && (len(kinds) == 0 || slices.Contains(kinds, child.Type)) {
				shown, ids = append(shown, child), append(ids, child.ID)
				p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(child.ID)})
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	previews, err := catalog.Previews(p.ctx, p.r, ids)
	if err != nil {
		return nil, err
	}
	var uncovered []int64
	for _, id := range ids {
		if _, ok := previews[id]; !ok {
			uncovered = append(uncovered, int64(id))
		}
	}
	covers, err := p.covers(store.EntityCategory, uncovered)
	for _, c := range shown {
		card := render.CategoryCard{Name: c.Name, Path: p.site.Path(c.ID)}
		if f, ok := covers[int64(c.ID)]; ok {
			card.Image = imageOf(f, c.Name)
		}
		if f, ok := previews[c.ID]; ok {
			card.Image = imageOf(f, c.Name)
		}
		cards = append(cards, card)
	}
	return cards, err
}

func (p *page) cards(rows []catalog.Product) ([]render.ProductCard, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	p.uses(shop.Key{Kind: shop.KeyOffers})
	ids := make([]shop.ProductID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	var variants map[shop.ProductID][]catalog.Variant
	err := p.together(
		func() error { return p.addCovers(rows) },
		func() error { return p.priceSets(rows) },
		func() (err error) { variants, err = catalog.VariantsOf(p.ctx, p.r, ids); return err },
	)
	if err != nil {
		return nil, err
	}
	cards := make([]render.ProductCard, len(rows))
	for i, row := range rows {
		span := p.shelf.Span(load.PlacementOf(&row), row.Price, row.OldPrice, pricesOf(catalog.ActiveVariants(row, variants[row.ID])))
		cards[i] = p.card(row)
		cards[i].Price, cards[i].OldPrice, cards[i].PriceTo, cards[i].Promotion = span.Low, span.Old, span.High, span.Promotion
	}
	return cards, nil
}

func pricesOf(variants []catalog.Variant) []int64 {
	prices := make([]int64, len(variants))
	for i, v := range variants {
		prices[i] = *v.Price
	}
	return prices
}

// card returns a card with the product's own price, without discounts.
func (p *page) card(row catalog.Product) render.ProductCard {
	c := render.ProductCard{
		ID: row.ID, Name: row.Name, Path: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(row.ID)}),
		Price: row.Price, OldPrice: row.OldPrice,
	}
	if len(row.Gallery) > 0 {
		c.Image = imageOf(row.Gallery[0], row.Name)
	}
	if accepts(row.CommentsEnabled, p.site.Shop().Comments) {
		c.Rating = render.Rating{Stars: row.Rating, Count: row.RatingCount}
	}
	if row.StockQuantity != nil {
		c.Stock = render.Stock{Tracked: true, Left: *row.StockQuantity, Low: row.StockLow()}
	}
	return c
}

// productOf returns a product with the pictures of the gallery that it shows.
func (p *page) productOf(row catalog.Product, shown []media.File) render.Product {
	row.Gallery = withPictures(row.Gallery, shown)
	out := render.Product{ProductCard: p.card(row), SKU: row.SKU, Facts: row.Facts, Description: row.Description}
	for _, f := range row.Gallery {
		out.Gallery = append(out.Gallery, imageOf(f, row.Name))
	}
	return out
}

// priceSets sets the prices of product sets. Pages with sets also depend on their parts.
func (p *page) priceSets(rows []catalog.Product) error {
	for _, row := range rows {
		for _, part := range row.Set {
			p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(part.Product)})
		}
	}
	return load.PriceSets(p.ctx, p.r, rows)
}

// parts lists the parts of a set, and sets the row's price and stock to those computed from them.
func (p *page) parts(row *catalog.Product) (list []render.Part, err error) {
	if len(row.Set) == 0 {
		return nil, nil
	}
	offers, err := load.Sets(p.ctx, p.r, []shop.ProductID{row.ID})
	if err != nil {
		return nil, err
	}
	o := offers[row.ID]
	row.Price, row.OldPrice, row.StockQuantity = o.Price, o.OldPrice, o.Available
	for _, c := range o.Parts {
		p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(c.Product)})
		list = append(list, render.Part{Name: c.Name, Quantity: c.Quantity, URL: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(c.Product)})})
	}
	return list, nil
}

func (p *page) articleCards(rows []catalog.Article) []render.ArticleCard {
	cards := make([]render.ArticleCard, len(rows))
	for i, row := range rows {
		cards[i] = render.ArticleCard{
			ID: row.ID, Title: row.Title, Path: p.site.URL(compile.PageRef{Entity: compile.EntityArticle, ID: int64(row.ID)}),
			Announce: row.Announce, Badge: row.Badge, Rubric: render.Crumb{Name: row.CategoryName, Path: p.site.Path(row.Category)},
			Published: timeOf(row.PublishedAt),
		}
		if row.Author.Mode != "none" {
			cards[i].Author = render.Author{Name: row.Author.Name, Description: row.Author.Description}
		}
		if row.CoverPath != "" {
			cards[i].Cover = render.Image{Path: shop.FileURL(row.CoverPath), Alt: row.Title, Width: row.CoverWidth, Height: row.CoverHeight}
		}
	}
	return cards
}

func imageOf(f media.File, alt string) render.Image {
	return render.Image{Path: shop.FileURL(f.Path), Alt: alt, Width: f.Width, Height: f.Height}
}

func categoryOf(row catalog.Category) render.Category {
	c := render.Category{Name: row.Name, Description: row.Description}
	if row.PreviewPath != "" {
		c.Image = render.Image{Path: shop.FileURL(row.PreviewPath), Alt: row.Name}
	}
	return c
}

func paging(number, total, size int) render.Paging {
	return render.Paging{Current: number, Pages: (total + size - 1) / size}
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
