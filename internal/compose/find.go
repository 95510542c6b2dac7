package compose

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// How many entries besides products a search shows, and how many suggestions.
const (
	foundSections     = 8
	foundArticles     = 6
	suggestedProducts = 6
	suggestedOthers   = 3
	fallbackProducts  = 8
)

// listed reads one page of a list of products with the filters and order of the address, and its
// finder. path is the path of the page.
func (p *page) listed(f catalog.ProductFilter, path string) (l catalog.Listing, cards []render.ProductCard, finder *render.Finder, err error) {
	c := p.chosen
	p.narrowed = true
	f.InStock, f.Reduced, f.Prices = c.InStock, c.Reduced, p.pricer.ForLists()
	f.MinPrice, f.MaxPrice = c.Prices(p.site.Shop().PriceDigits)
	for _, pick := range c.Picks {
		f.Facets = append(f.Facets, catalog.Facet{
			Attribute: catalog.AttributeID(pick.Attribute), Values: pick.Values, Min: float(pick.Min), Max: float(pick.Max),
		})
	}
	order(&f, c.Sort)
	if l, err = catalog.ListProducts(p.ctx, p.st, p.r, f); err != nil {
		return l, nil, nil, err
	}
	p.uses(shop.Key{Kind: shop.KeyStock}, shop.Key{Kind: shop.KeyOffers})
	cards, err = p.cards(l.Products)
	finder = finderOf(l, c)
	finder.Path, finder.Words, finder.Searched = path, f.Query, f.Query != ""
	p.uncacheable = p.uncacheable || !c.Shared() || slices.ContainsFunc(c.Picks, func(pick render.Pick) bool { return unknown(l, pick) })
	if l.Total <= 1 && !c.Narrows() {
		finder = nil
	}
	return l, cards, finder, err
}

// order sets the order that the visitor chose.
func order(f *catalog.ProductFilter, sort string) {
	switch sort {
	case "new":
		f.Sort, f.Descending = "created_at", true
	case "price", "name":
		f.Sort, f.Descending = sort, false
	case "-price":
		f.Sort, f.Descending = "price", true
	case "rating":
		f.Sort, f.Descending = "rating", true
	}
}

func float(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil // empty: no limit
	}
	return &n
}

// unknown reports whether a pick has an attribute or value that the shop doesn't have.
func unknown(l catalog.Listing, pick render.Pick) bool {
	at := slices.IndexFunc(l.Attributes, func(a catalog.Attribute) bool { return int32(a.ID) == pick.Attribute })
	return at < 0 || slices.ContainsFunc(pick.Values, func(v string) bool {
		return !slices.ContainsFunc(l.Attributes[at].Options, func(o catalog.Option) bool { return o.Value == v })
	})
}

// finderOf returns the filters of a list: the attributes of which it has more than one value, or
// by which it is filtered.
func finderOf(l catalog.Listing, c render.Choices) *render.Finder {
	f := &render.Finder{Choices: c, Low: l.MinPrice, High: l.MaxPrice, InStock: l.InStock, Reduced: l.Reduced, Total: l.Total, Ordered: l.Total > 1}
	type place struct {
		attribute catalog.AttributeID
		option    catalog.OptionID
	}
	counts := map[place]catalog.FacetCount{}
	for _, n := range l.Counts {
		counts[place{n.Attribute, n.Option}] = n
	}
	for _, a := range l.Attributes {
		if !a.Filterable || a.Kind == catalog.AttributeText {
			continue
		}
		one := render.Facet{Pick: render.Pick{Attribute: int32(a.ID)}, Label: a.Name, Unit: a.Unit}
		at := slices.IndexFunc(c.Picks, func(pick render.Pick) bool { return pick.Attribute == one.Attribute })
		if at >= 0 {
			one.Pick = c.Picks[at]
		}
		for _, o := range a.Options {
			chosen := slices.Contains(one.Values, o.Value)
			if n := counts[place{a.ID, o.ID}].Count; n > 0 || chosen {
				one.Options = append(one.Options, render.FacetOption{Value: o.Value, Label: o.Label, Count: n, Chosen: chosen})
			}
		}
		differ := len(one.Options) > 1
		if n := counts[place{a.ID, 0}]; n.Min != nil && n.Max != nil && a.Kind == catalog.AttributeNumber {
			one.From, one.To = strconv.FormatFloat(*n.Min, 'f', -1, 64), strconv.FormatFloat(*n.Max, 'f', -1, 64)
			differ = *n.Min < *n.Max
		}
		if differ || at >= 0 {
			f.Facets = append(f.Facets, one)
		}
	}
	return f
}

// searching composes the page of search results. Without words it lists the whole shop.
func (p *page) searching(want render.PageRequest) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyArticle})
	f := catalog.ProductFilter{
		Query: want.Search, BySKU: true, Wide: true, Sections: p.sectionsAbout, PublishedOnly: true, Listed: true, Sort: catalog.SortMatch, Number: want.Number, Limit: gridSize,
	}
	if f.Query == "" {
		f.Sort, f.Descending = "created_at", true
	}
	l, cards, finder, err := p.listed(f, render.SearchPath)
	if err != nil {
		return render.Content{}, err
	}
	if want.Number > 1 && len(cards) == 0 {
		return render.Content{}, shop.ErrNotFound
	}
	s := &render.SearchPage{
		Words: f.Query, Products: cards, Total: l.Total, Paging: p.paged(want, l.Total, gridSize), Finder: finder, Similar: l.Similar,
	}
	if l.Similar {
		s.Meant = correctedQuery(f.Query, l.Products)
	}
	if f.Query != "" && want.Number == 1 {
		for _, c := range p.sectionsNamed(f.Query, foundSections) {
			s.Sections = append(s.Sections, render.CategoryCard{Name: c.Name, Path: c.Path})
		}
		rows, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{Query: f.Query, PublishedOnly: true, Number: 1, Limit: foundArticles})
		if err != nil {
			return render.Content{}, err
		}
		s.Articles = p.articleCards(rows)
	}
	p.searched = f.Query != "" && !p.chosen.Narrows()
	s.Nothing = len(s.Products)+len(s.Sections)+len(s.Articles) == 0 && !p.chosen.Narrows()
	p.found = !s.Nothing
	if s.Nothing {
		if err := p.addFallbacks(s); err != nil {
			return render.Content{}, err
		}
	}
	c := render.Content{Page: s}
	return c, p.design(&c, systemPage)
}

// addFallbacks fills an empty result page with the sections of the shop and its newest products.
func (p *page) addFallbacks(s *render.SearchPage) error {
	for _, c := range p.site.Children(0) {
		if p.site.Live(c.ID) && c.ShowMenu && !c.Home {
			s.Sections = append(s.Sections, render.CategoryCard{Name: c.Name, Path: p.site.Path(c.ID)})
		}
	}
	var err error
	s.Suggested, err = p.newestProducts(fallbackProducts)
	return err
}

// suggesting returns suggestions for a partially typed query.
func (p *page) suggesting(words string) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyArticle})
	out := &render.Suggestions{Words: words}
	c := render.Content{Page: out}
	if words == "" {
		return c, nil
	}
	l, err := catalog.ListProducts(p.ctx, p.st, p.r, catalog.ProductFilter{
		Query: words, BySKU: true, Wide: true, Sections: p.sectionsAbout, PublishedOnly: true, Listed: true, Sort: catalog.SortMatch, Number: 1, Limit: suggestedProducts,
	})
	if err != nil {
		return c, err
	}
	if out.Products, err = p.cards(l.Products); err != nil {
		return c, err
	}
	if l.Similar {
		out.Meant = correctedQuery(words, l.Products)
	}
	out.Sections = p.sectionsNamed(words, suggestedOthers)
	rows, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{Query: words, PublishedOnly: true, Number: 1, Limit: suggestedOthers})
	for _, a := range p.articleCards(rows) {
		out.Articles = append(out.Articles, render.Crumb{Name: a.Title, Path: a.Path})
	}
	// Only exact matches are cached: the number of other queries is unlimited.
	p.uncacheable = l.Similar || l.Total == 0
	return c, err
}

// sectionsNamed returns the first sections of the menu whose names contain all words of a query.
func (p *page) sectionsNamed(query string, most int) (found []render.Crumb) {
	words := strings.Fields(shop.Fold(query))
	for _, c := range p.site.Categories() {
		if c.Home || !c.ShowMenu || !p.site.Live(c.ID) {
			continue
		}
		name := shop.Fold(c.Name)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) }) {
			continue
		}
		if found = append(found, render.Crumb{Name: c.Name, Path: p.site.Path(c.ID)}); len(found) == most {
			break
		}
	}
	return found
}

// sectionsAbout returns the sections that visitors see and whose names match, with those below
// them. A product is found by the names of its sections.
func (p *page) sectionsAbout(named func(name string) bool) (found []shop.CategoryID) {
	for _, c := range p.site.Categories() {
		if !c.Home && p.site.Live(c.ID) && (named(c.Name) || slices.Contains(found, c.Parent)) {
			found = append(found, c.ID)
		}
	}
	return found
}

// paged returns the paging of the list, with the query and filters of the address.
func (p *page) paged(want render.PageRequest, total, size int) render.Paging {
	out := paging(want.Number, total, size)
	out.Search, out.Narrow = want.Search, want.Narrow
	return out
}
