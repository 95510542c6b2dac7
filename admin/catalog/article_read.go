package catalog

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
)

// articleAnswer is an article with its blocks and related articles (document 1, 4.6).
type articleAnswer struct {
	Result        articleCard      `json:"result"`
	ContentBlocks []designdb.Block `json:"content_blocks"`
	Related       []articleView    `json:"related"`
}

// articleShop returns a reader of the shop whose articles are requested, and whether the caller
// is a visitor there: a member or key that names another shop is one (document 1, section 4).
func articleShop(ctx context.Context, call *api.Call, named shop.CompanyID) (r store.Reader, visitor bool, err error) {
	company, err := call.TenantOrNamed(named, api.ErrNoCompany)
	if err != nil {
		return r, false, err
	}
	r, err = call.Reader(ctx, company)
	return r, call.Visitor(company), err
}

type articlePath struct {
	ID        shop.ArticleID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

// article returns an article to members; a caller who names another shop reads it as a visitor.
func (c *Catalog) article(ctx context.Context, call *api.Call, in articlePath) (articleAnswer, error) {
	r, visitor, err := articleShop(ctx, call, in.CompanyID)
	if err != nil {
		return articleAnswer{}, err
	}
	if err := c.current(ctx, visitor); err != nil {
		return articleAnswer{}, err
	}
	row, err := catalog.GetArticle(ctx, r, in.ID)
	if err != nil {
		return articleAnswer{}, err
	}
	return c.articleAnswer(ctx, r, visitor, row)
}

// current stores pending views, so that members see the current count.
func (c *Catalog) current(ctx context.Context, visitor bool) error {
	if visitor {
		return nil
	}
	return c.writeViews(ctx)
}

type articleSlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

func (c *Catalog) articleBySlug(ctx context.Context, call *api.Call, in articleSlug) (page articlePage, err error) {
	r, visitor, err := articleShop(ctx, call, in.CompanyID)
	if err != nil {
		return page, err
	}
	if err := c.current(ctx, visitor); err != nil {
		return page, err
	}
	row, err := catalog.ArticleBySlug(ctx, r, in.Slug)
	if err != nil {
		return page, err
	}
	if page.articleAnswer, err = c.articleAnswer(ctx, r, visitor, row); err != nil {
		return page, err
	}
	return page, readDesign(ctx, r, &page)
}

// articleAnswer returns an article; a visitor's read counts as a view.
func (c *Catalog) articleAnswer(
	ctx context.Context, r store.Reader, visitor bool, row catalog.Article,
) (answer articleAnswer, err error) {
	hidden := row.DeletedAt != nil || visitor && !row.IsPublished
	if visitor && !hidden {
		shown, err := catalog.ArticleShown(ctx, r, row.Category)
		if err != nil {
			return answer, err
		}
		hidden = !shown
	}
	if hidden {
		return answer, catalog.ErrArticleNotFound
	}
	if answer.ContentBlocks, err = designdb.AttachedBlocks(ctx, r, store.EntityArticle, int64(row.ID)); err != nil {
		return answer, err
	}
	related, err := catalog.ArticlesByID(ctx, r, visitor, row.Related)
	if err != nil {
		return answer, err
	}
	views, err := viewArticles(ctx, r, visitor, append([]catalog.Article{row}, related...))
	if err != nil {
		return answer, err
	}
	if visitor {
		c.views.add(r.Company, row.ID, 1)
	}
	answer.Related = views[1:]
	answer.Result, err = cardOfArticle(ctx, r, views[0])
	return answer, err
}

type articlesRequest struct {
	CompanyID      shop.CompanyID       `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	Category       shop.CategoryID      `query:"category_id" json:"-" doc:"the rubric"`
	IncludeSubtree bool                 `query:"include_subtree" json:"-" doc:"with category_id: also the rubrics below it"` // ignored without category_id
	IsDeleted      bool                 `query:"filter.is_deleted" json:"-" doc:"true: deleted articles, which can be restored for 30 days; for members and keys, visitors' are ignored"`
	State          catalog.ArticleState `query:"filter.state" json:"-" doc:"for members and keys: what visitors see, what they will see from its date on, or what they do not see"`
	Since          time.Time            `query:"filter.since" json:"-" doc:"only articles dated at or after this time, RFC 3339"`
	Until          time.Time            `query:"filter.until" json:"-" doc:"only articles dated before this time, RFC 3339"`
	Sort           string               `query:"sort" json:"-" enum:"recent,popular" doc:"recent: newest first, undated last; popular: most read first"`
	Query          string               `query:"query" json:"-" doc:"searches title and summary, at most 100 characters; ranked by similarity" len:"100" refuse:"INVALID_REQUEST"`
	api.Paging
}

// articles lists articles, newest first. A key that names another shop reads it as a visitor
// (document 1, section 4).
func (c *Catalog) articles(ctx context.Context, call *api.Call, in articlesRequest) (api.List[articleView], error) {
	var out api.List[articleView]
	r, visitor, err := articleShop(ctx, call, in.CompanyID)
	if err != nil {
		return out, err
	}
	if in.Sort != "" && in.Sort != "recent" && in.Sort != "popular" {
		return out, errSort.At("sort").With("must be recent or popular")
	}
	if utf8.RuneCountInString(in.Query) > maxQuery {
		return out, shop.ErrInvalidRequest.At("query").With("at most 100 characters")
	}
	if in.State != "" && !slices.Contains(catalog.ArticleStates, in.State) {
		return out, shop.ErrInvalidRequest.At("filter.state").With("published, scheduled or hidden")
	}
	if visitor {
		in.State = "" // visitors see only published articles
	}
	number, limit, err := in.Page(20)
	if err != nil {
		return out, err
	}
	if err := c.current(ctx, visitor && in.Sort != "popular"); err != nil {
		return out, err
	}
	leave, err := c.limitSearch(ctx, r.Company, in.Query)
	if err != nil {
		return out, err
	}
	defer leave()
	rows, total, err := catalog.Articles(ctx, r, catalog.ArticleFilter{
		Deleted: in.IsDeleted && !visitor, State: in.State, Since: in.Since, Until: in.Until,
		Category: in.Category, Subtree: in.IncludeSubtree, PublishedOnly: visitor, Popular: in.Sort == "popular", Query: in.Query,
		Number: number, Limit: limit,
	})
	if err != nil {
		return out, err
	}
	views, err := viewArticles(ctx, r, visitor, rows)
	return api.List[articleView]{Result: views, Total: total, CurrentPage: number}, err
}
