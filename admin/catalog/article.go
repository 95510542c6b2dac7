package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// articleView is an article as the API shows it (document 1, 2.7).
type articleView struct {
	ID           shop.ArticleID   `json:"id"`
	CompanyID    shop.CompanyID   `json:"company_id"`
	CategoryID   shop.CategoryID  `json:"category_id"`
	CategoryName string           `json:"category_name"`
	Title        string           `json:"title"`
	Slug         string           `json:"slug"`
	Announce     string           `json:"announce"`
	CoverID      *uuid.UUID       `json:"cover_id"`
	Cover        *fileView        `json:"cover"`
	Badge        string           `json:"badge"`
	Author       catalog.Author   `json:"author"`
	SEO          catalog.SEO      `json:"seo"`
	IsPublished  bool             `json:"is_published"`
	IsDeleted    bool             `json:"is_deleted"`
	PublishedAt  *time.Time       `json:"published_at"`
	Views        shop.Int64       `json:"views"`
	CreatedBy    shop.UserID      `json:"created_by,omitempty"` // only for members, like the next two
	UpdatedBy    shop.UserID      `json:"updated_by,omitempty"`
	DevDirty     *bool            `json:"dev_dirty,omitempty"` // the draft has unpublished changes of it
	GalleryIDs   []shop.GalleryID `json:"gallery_ids"`
	CreatedAt    time.Time        `json:"created_at"`
	UpdatedAt    time.Time        `json:"updated_at"`
}

// articleCard is an article with its galleries.
type articleCard struct {
	articleView
	Galleries []galleryView `json:"galleries"`
}

func cardOfArticle(ctx context.Context, r store.Reader, view articleView) (card articleCard, err error) {
	card.articleView = view
	card.Galleries, err = cardGalleries(ctx, r, view.GalleryIDs, nil)
	return card, err
}

// viewArticle returns an article as visible to visitors.
func viewArticle(company shop.CompanyID, a catalog.Article) articleView {
	v := articleView{
		ID: a.ID, CompanyID: company, CategoryID: a.Category, CategoryName: a.CategoryName, Title: a.Title, Slug: a.SEO.Slug, Announce: a.Announce,
		CoverID: a.CoverID, Cover: viewFile(a.CoverID, a.CoverPath), Badge: a.Badge, Author: a.Author, SEO: a.SEO, IsPublished: a.IsPublished,
		PublishedAt: shop.UTC(a.PublishedAt), IsDeleted: a.DeletedAt != nil, Views: shop.Int64(a.Views), CreatedAt: a.CreatedAt.UTC(), UpdatedAt: a.UpdatedAt.UTC(),
	}
	v.Author.UserID = 0 // only members may see the author's account
	return v
}

// viewArticles converts articles; members also see who wrote them and whether the draft has
// changes of them.
func viewArticles(ctx context.Context, r store.Reader, visitor bool, rows []catalog.Article) ([]articleView, error) {
	views := make([]articleView, len(rows))
	ids, owners := make([]shop.ArticleID, len(rows)), make([]int64, len(rows))
	for i, row := range rows {
		views[i], ids[i], owners[i] = viewArticle(r.Company, row), row.ID, int64(row.ID)
	}
	linked, err := media.LinkedGalleries(ctx, r, store.EntityArticle, owners)
	if err != nil {
		return nil, err
	}
	for i, id := range owners {
		views[i].GalleryIDs = append([]shop.GalleryID{}, linked[id]...)
	}
	if visitor || len(rows) == 0 {
		return views, nil
	}
	dirty, err := catalog.ArticlesInDraft(ctx, r, ids)
	for i, row := range rows {
		waits := dirty[row.ID]
		views[i].CreatedBy, views[i].UpdatedBy, views[i].DevDirty = row.CreatedBy, row.UpdatedBy, &waits
		views[i].Author.UserID = row.Author.UserID
	}
	return views, err
}

// savedArticle returns the response of a write: the article after the write.
func savedArticle(ctx context.Context, tx *store.Tx, id shop.ArticleID) (card articleCard, err error) {
	row, err := catalog.GetArticle(ctx, tx.Reader, id)
	if err != nil {
		return card, err
	}
	views, err := viewArticles(ctx, tx.Reader, false, []catalog.Article{row})
	if err != nil {
		return card, err
	}
	return cardOfArticle(ctx, tx.Reader, views[0])
}
