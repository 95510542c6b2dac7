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
	var row catalog.Category
	err := p.together(
		func() (err error) { row, err = catalog.GetCategory(p.ctx, p.r, id); return err },
		func() error { return p.plan(design.Resource{Type: design.Category, ID: shop.Int64(id)}) },
	)
	if err != nil {
		return render.Content{}, err
	}
	switch {
	case row.IsHome:
		return p.home(row, number)
	case row.Type == "news":
		return p.rubric(row, number)
	case row.Type == "product":
		return p.listing(row, number)
	}
	p.section = id
	text := &render.TextPage{}
	c := render.Content{Page: text}
	return c, p.sectionPage(&c, row, &text.Category, p.placeOf(design.Category, int64(id), id, number),
		func() (err error) { text.Sections, err = p.sections([]shop.CategoryID{id}); return err },
	)
}

// sectionPage reads what the pages of all sections show, together with other parts.
func (p *page) sectionPage(c *render.Content, row catalog.Category, section *render.Category, at place, others ...func() error) error {
	return p.together(append(others,
		func() error { return p.describe(section, row) },
		func() (err error) { render.FrameOf(c.Page).SEO, err = p.seoOf(row.SEO); return err },
		func() error { return p.design(c, at) },
	)...)
}

// describe fills in a section with its picture: its own, else the computed one.
func (p *page) describe(section *render.Category, row catalog.Category) error {
	if id := int64(row.ID); id != 0 && row.PreviewPath == "" {
		covers, err := p.covers(store.EntityCategory, []int64{id})
		if err != nil {
			return err
		}
		row.PreviewPath = covers[id].Path
	}
	*section = categoryOf(row)
	return nil
}

func (p *page) home(row catalog.Category, number int) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyArticle})
	above := []shop.CategoryID{0}
	if row.ID != 0 {
		above = append(above, row.ID)
	}
	h := &render.Home{}
	c := render.Content{Page: h}
	return c, p.sectionPage(&c, row, &h.Category, p.placeOf(design.Category, int64(row.ID), row.ID, number),
		func() (err error) { h.Sections, err = p.sections(above, compile.TypeProduct); return err },
		func() (err error) { h.Products.Products, err = p.newestProducts(homeSize); return err },
		func() error {
			articles, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{PublishedOnly: true, Number: 1, Limit: teaserSize})
			h.Articles.Articles = p.articleCards(articles)
			return err
		},
	)
}

// listing draws a section of products: by its template, else by the platform's layout, which is
// only read in that case.
func (p *page) listing(row catalog.Category, number int) (render.Content, error) {
	p.section, p.system = row.ID, true
	l := &render.Listing{}
	c := render.Content{Page: l}
	at := p.placeOf(design.Category, int64(row.ID), row.ID, number)
	if p.replaces(at) {
		err := p.sectionPage(&c, row, &l.Category, at)
		if err == nil && number > 1 && l.Paging.Pages == 0 {
			err = shop.ErrNotFound // no grid on the page has pages
		}
		return c, err
	}
	return c, p.sectionPage(&c, row, &l.Category, at,
		func() error {
			found, cards, finder, err := p.listed(catalog.ProductFilter{
				Category: row.ID, Subtree: true, PublishedOnly: true, Listed: true, Sort: "created_at", Number: number, Limit: gridSize,
			}, p.site.Path(row.ID))
			if err == nil && number > 1 && len(cards) == 0 {
				err = shop.ErrNotFound
			}
			l.Products, l.Total, l.Finder = cards, found.Total, finder
			l.Paging = p.paged(p.want, found.Total, gridSize)
			return err
		},
		func() (err error) { l.Sections, err = p.sections([]shop.CategoryID{row.ID}); return err },
	)
}

// rubric draws a news section: by its template, else by the platform's layout, which is only read
// in that case.
func (p *page) rubric(row catalog.Category, number int) (render.Content, error) {
	p.section = row.ID
	r := &render.Rubric{}
	c := render.Content{Page: r}
	at := p.placeOf(design.Category, int64(row.ID), row.ID, number)
	at.special = design.BodyNews
	if p.replaces(at) {
		err := p.sectionPage(&c, row, &r.Category, at)
		if err == nil && number > 1 && r.Paging.Pages == 0 {
			err = shop.ErrNotFound // no grid on the page has pages
		}
		return c, err
	}
	return c, p.sectionPage(&c, row, &r.Category, at,
		func() error {
			articles, total, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{
				Category: row.ID, Subtree: true, PublishedOnly: true, Number: number, Limit: rubricSize,
			})
			if err == nil && number > 1 && len(articles) == 0 {
				err = shop.ErrNotFound
			}
			r.Articles, r.Paging = p.articleCards(articles), paging(number, total, rubricSize)
			return err
		},
		func() (err error) { r.Rubrics, err = p.sections([]shop.CategoryID{row.ID}); return err },
	)
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
