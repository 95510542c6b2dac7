package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// articleView is an article as the API shows it (document 1, 2.7).
type articleView struct {
	ID           shop.ArticleID  `json:"id"`
	CompanyID    shop.CompanyID  `json:"company_id"`
	CategoryID   shop.CategoryID `json:"category_id"`
	CategoryName string          `json:"category_name"`
	Title        string          `json:"title"`
	Slug         string          `json:"slug"`
	Announce     string          `json:"announce"`
	CoverID      *uuid.UUID      `json:"cover_id"`
	Cover        *fileView       `json:"cover"`
	Badge        string          `json:"badge"`
	Author       store.Author    `json:"author"`
	SEO          store.SEO       `json:"seo"`
	IsPublished  bool            `json:"is_published"`
	IsDeleted    bool            `json:"is_deleted"`
	PublishedAt  *time.Time      `json:"published_at"`
	Views        shop.Int64      `json:"views"`
	CreatedBy    shop.UserID     `json:"created_by,omitempty"` // for members only, as the next two
	UpdatedBy    shop.UserID     `json:"updated_by,omitempty"`
	DevDirty     *bool           `json:"dev_dirty,omitempty"` // something of it waits in the draft
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
}

// viewArticle shows an article as visitors see it.
func viewArticle(company shop.CompanyID, a store.Article) articleView {
	v := articleView{
		ID: a.ID, CompanyID: company, CategoryID: a.Category, CategoryName: a.CategoryName, Title: a.Title, Slug: a.SEO.Slug, Announce: a.Announce,
		CoverID: a.CoverID, Cover: viewFile(a.CoverID, a.CoverPath), Badge: a.Badge, Author: a.Author, SEO: a.SEO, IsPublished: a.IsPublished,
		IsDeleted: a.DeletedAt != nil, Views: shop.Int64(a.Views), CreatedAt: a.CreatedAt.UTC(), UpdatedAt: a.UpdatedAt.UTC(),
	}
	if a.PublishedAt != nil {
		at := a.PublishedAt.UTC()
		v.PublishedAt = &at
	}
	return v
}

// viewArticles shows articles; a member also sees who wrote them, and whether a
// draft of them waits.
func viewArticles(ctx context.Context, r store.Reader, visitor bool, rows []store.Article) ([]articleView, error) {
	views := make([]articleView, len(rows))
	ids := make([]shop.ArticleID, len(rows))
	for i, row := range rows {
		views[i], ids[i] = viewArticle(r.Company, row), row.ID
	}
	if visitor || len(rows) == 0 {
		return views, nil
	}
	dirty, err := r.ArticlesInDraft(ctx, ids)
	for i, row := range rows {
		waits := dirty[row.ID]
		views[i].CreatedBy, views[i].UpdatedBy, views[i].DevDirty = row.CreatedBy, row.UpdatedBy, &waits
	}
	return views, err
}

// savedArticle is the answer of a write: the article as it is now.
func savedArticle(ctx context.Context, tx *store.Tx, id shop.ArticleID) (articleView, error) {
	row, err := tx.Article(ctx, id)
	if err != nil {
		return articleView{}, err
	}
	views, err := viewArticles(ctx, tx.Reader, false, []store.Article{row})
	if err != nil {
		return articleView{}, err
	}
	return views[0], nil
}
