package compose

import (
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// feedSize is how many articles a feed has, newest first.
const feedSize = 30

// articleFeed reads the articles of a rubric and of the rubrics below it, as their page shows
// them: without unpublished and hidden ones.
func (p *page) articleFeed(id shop.CategoryID) (c render.Content, err error) {
	p.uses(shop.Key{Kind: shop.KeyCategory, ID: int64(id)}, shop.Key{Kind: shop.KeyArticle})
	row, err := catalog.GetCategory(p.ctx, p.r, id)
	if err != nil {
		return c, err
	}
	f := &render.ArticleFeed{Category: categoryOf(row)}
	c.Page, p.section = f, row.ID
	if f.SEO, err = p.seoOf(row.SEO); err != nil {
		return c, err
	}
	rows, _, err := catalog.Articles(p.ctx, p.r, catalog.ArticleFilter{Category: row.ID, Subtree: true, PublishedOnly: true, Number: 1, Limit: feedSize})
	f.Articles = p.articleCards(rows)
	return c, err
}
