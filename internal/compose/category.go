package compose

import (
	"slices"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

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
