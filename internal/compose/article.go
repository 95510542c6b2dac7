package compose

import (
	"time"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

func (p *page) article(id shop.ArticleID) (render.Content, error) {
	p.uses(shop.Key{Kind: shop.KeyArticle, ID: int64(id)})
	row, err := catalog.GetArticle(p.ctx, p.r, id)
	if err != nil {
		return render.Content{}, err
	}
	if row.DeletedAt != nil || !row.IsPublished && !p.site.Reveals(compile.PageRef{Entity: compile.EntityArticle, ID: int64(id)}) {
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

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
