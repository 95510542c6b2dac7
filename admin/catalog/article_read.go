package catalog

import (
	"context"
	"errors"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type articleAnswer struct {
	Result        articleView   `json:"result"`
	ContentBlocks []store.Block `json:"content_blocks"`
}

// articleShop is the shop whose articles are read, and whether as a visitor: a
// member or key that names another shop is one there (document 1, section 4).
func articleShop(call *api.Call, named shop.CompanyID) (company shop.CompanyID, visitor bool, err error) {
	company, err = call.Elsewhere(named, api.ErrNoCompany)
	return company, call.Visitor(company), err
}

type articlePath struct {
	ID        shop.ArticleID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (c *Catalog) article(ctx context.Context, call *api.Call, in articlePath) (articleAnswer, error) {
	company, visitor, err := articleShop(call, in.CompanyID)
	if err != nil {
		return articleAnswer{}, err
	}
	row, err := c.store.Shop(company).Article(ctx, in.ID)
	if err != nil {
		return articleAnswer{}, err
	}
	return c.articleAnswer(ctx, company, visitor, row)
}

type articleSlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (c *Catalog) articleBySlug(ctx context.Context, call *api.Call, in articleSlug) (articleAnswer, error) {
	company, visitor, err := articleShop(call, in.CompanyID)
	if err != nil {
		return articleAnswer{}, err
	}
	row, err := c.store.Shop(company).ArticleBySlug(ctx, in.Slug)
	if err != nil {
		return articleAnswer{}, err
	}
	return c.articleAnswer(ctx, company, visitor, row)
}

// articleAnswer shows an article; what a visitor reads counts as a view.
func (c *Catalog) articleAnswer(ctx context.Context, company shop.CompanyID, visitor bool, row store.Article) (articleAnswer, error) {
	if row.DeletedAt != nil {
		return articleAnswer{}, store.ErrArticleNotFound
	}
	reader := c.store.Shop(company)
	if visitor {
		rubric, err := reader.Category(ctx, row.Category)
		if errors.Is(err, store.ErrCategoryNotFound) || err == nil && !(row.IsPublished && rubric.IsPublished) {
			err = store.ErrArticleNotFound
		}
		if err != nil {
			return articleAnswer{}, err
		}
		if err := c.store.Write(ctx, company, func(tx *store.Tx) error { return tx.CountView(ctx, row.ID) }); err != nil {
			return articleAnswer{}, err
		}
	}
	blocks, err := reader.Attached(ctx, store.EntityArticle, int64(row.ID))
	return articleAnswer{Result: viewArticle(company, row, !visitor), ContentBlocks: blocks}, err
}

type articlesRequest struct {
	CompanyID      shop.CompanyID  `query:"company_id" json:"-"`
	Category       shop.CategoryID `query:"category_id" json:"-"`
	IncludeSubtree bool            `query:"include_subtree" json:"-"` // alone it is dropped
	Sort           string          `query:"sort" json:"-"`
	Query          string          `query:"query" json:"-"`
	api.Paging
}

// articles lists newest first. A key that names another shop reads it as a
// visitor would (document 1, section 4).
func (c *Catalog) articles(ctx context.Context, call *api.Call, in articlesRequest) (api.List[articleView], error) {
	var out api.List[articleView]
	company, visitor, err := articleShop(call, in.CompanyID)
	if err != nil {
		return out, err
	}
	if in.Sort != "" && in.Sort != "recent" && in.Sort != "popular" {
		return out, errSort.With("recent or popular")
	}
	if utf8.RuneCountInString(in.Query) > maxQuery {
		return out, shop.ErrInvalidRequest.With("query has at most 100 characters")
	}
	number, limit, err := in.Page(20)
	if err != nil {
		return out, err
	}
	rows, total, err := c.store.Shop(company).Articles(ctx, store.ArticleFilter{
		Category: in.Category, Subtree: in.IncludeSubtree, PublishedOnly: visitor, Popular: in.Sort == "popular", Query: in.Query,
		Number: number, Limit: limit,
	})
	out = api.List[articleView]{Result: []articleView{}, Total: total, CurrentPage: number}
	for _, row := range rows {
		out.Result = append(out.Result, viewArticle(company, row, !visitor))
	}
	return out, err
}
