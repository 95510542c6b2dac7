package catalog

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of articles (document 1, sections 2.7 and 7).
var (
	errArticleTitle  = shop.Refuse(shop.InvalidArgument, "ARTICLE_TITLE_REQUIRED")
	errArticleFile   = shop.Refuse(shop.NotFound, "ARTICLE_FILE_NOT_FOUND")
	errArticleBadge  = shop.Refuse(shop.InvalidArgument, "ARTICLE_BADGE_TOO_LONG")
	errArticleAuthor = shop.Refuse(shop.InvalidArgument, "ARTICLE_AUTHOR_INVALID")
)

const (
	maxBadge       = 48
	maxAuthorName  = 255
	maxAuthorAbout = 500
	maxQuery       = 100
)

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
	CreatedBy    shop.UserID     `json:"created_by,omitempty"` // for members only
	UpdatedBy    shop.UserID     `json:"updated_by,omitempty"`
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
}

func viewArticle(company shop.CompanyID, a store.Article, owner bool) articleView {
	v := articleView{
		ID: a.ID, CompanyID: company, CategoryID: a.Category, CategoryName: a.CategoryName, Title: a.Title, Slug: a.SEO.Slug, Announce: a.Announce,
		CoverID: a.CoverID, Cover: viewFile(a.CoverID, a.CoverPath), Badge: a.Badge, Author: a.Author, SEO: a.SEO, IsPublished: a.IsPublished,
		IsDeleted: a.DeletedAt != nil, Views: shop.Int64(a.Views), CreatedAt: a.CreatedAt.UTC(), UpdatedAt: a.UpdatedAt.UTC(),
	}
	if a.PublishedAt != nil {
		at := a.PublishedAt.UTC()
		v.PublishedAt = &at
	}
	if owner {
		v.CreatedBy, v.UpdatedBy = a.CreatedBy, a.UpdatedBy
	}
	return v
}

// authorItem is an author as it may be sent: no mode is none, and so is an empty
// photo_id.
type authorItem struct {
	store.Author
	PhotoID optionalID `json:"photo_id"`
}

func (i authorItem) value() store.Author {
	author := i.Author
	author.PhotoID = i.PhotoID.ID
	if author.Mode == "" {
		author.Mode = "none"
	}
	return author
}

// articleItem is what may be sent of an article: absent fields stay.
type articleItem struct {
	CategoryID  *shop.CategoryID `json:"category_id"`
	Title       *string          `json:"title"`
	Slug        *string          `json:"slug"`
	Announce    *string          `json:"announce"`
	CoverID     optionalID       `json:"cover_id"`
	Badge       *string          `json:"badge"`
	Author      *authorItem      `json:"author"`
	SEO         *seoItem         `json:"seo"`
	IsPublished *bool            `json:"is_published"`
	IsDeleted   *bool            `json:"is_deleted"`
	PublishedAt *time.Time       `json:"published_at"`
}

// apply writes the sent fields over a row and checks the result. The top-level
// slug goes before seo.slug (document 1, 2.7).
func (i articleItem) apply(ctx context.Context, r store.Reader, a *store.Article) error {
	set(&a.Category, i.CategoryID)
	set(&a.Title, i.Title)
	set(&a.Announce, i.Announce)
	set(&a.Badge, i.Badge)
	set(&a.IsPublished, i.IsPublished)
	if i.PublishedAt != nil {
		a.PublishedAt = i.PublishedAt
	}
	if i.Author != nil {
		a.Author = i.Author.value()
	}
	if i.CoverID.Set {
		a.CoverID = i.CoverID.ID
	}
	slug := a.SEO.Slug
	if i.SEO != nil {
		if a.SEO = i.SEO.value(); a.SEO.Slug == "" {
			a.SEO.Slug = slug
		}
	}
	if i.Slug != nil && *i.Slug != "" {
		a.SEO.Slug = *i.Slug
	}
	if err := i.check(*a); err != nil {
		return err
	}
	if i.CategoryID != nil || a.ID == 0 {
		if err := isRubric(ctx, r, a.Category); err != nil {
			return err
		}
	}
	files := []*uuid.UUID{i.CoverID.ID}
	if i.Author != nil {
		files = append(files, a.Author.PhotoID)
	}
	if i.SEO != nil {
		files = append(files, a.SEO.OGImageID)
	}
	return requireFiles(ctx, r, errArticleFile, files...)
}

func (i articleItem) check(a store.Article) error {
	switch {
	case strings.TrimSpace(a.Title) == "":
		return errArticleTitle
	case utf8.RuneCountInString(a.Badge) > maxBadge:
		return errArticleBadge.With("at most 48 characters")
	case a.PublishedAt != nil && (a.PublishedAt.UTC().Year() < 1 || a.PublishedAt.UTC().Year() > 9999):
		return shop.ErrInvalidRequest.With("published_at is a date of the years 1 to 9999")
	case a.Author.Mode != "none" && a.Author.Mode != "member" && a.Author.Mode != "manual":
		return errArticleAuthor.With("mode is none, member or manual")
	case utf8.RuneCountInString(a.Author.Name) > maxAuthorName, utf8.RuneCountInString(a.Author.Description) > maxAuthorAbout:
		return errArticleAuthor.With("name at most 255 characters, description at most 500")
	}
	return nil
}

// isRubric checks that articles live in a live section of type news.
func isRubric(ctx context.Context, r store.Reader, id shop.CategoryID) error {
	category, err := r.Category(ctx, id)
	if err != nil {
		return err
	}
	if category.Type != "news" {
		return store.ErrCategoryNotFound.With("articles stand in a section of type news")
	}
	return nil
}

type articleRequest struct {
	Item articleItem `json:"item"`
}

func (c *Catalog) createArticle(ctx context.Context, call *api.Call, in articleRequest) (api.Result[articleView], error) {
	row := store.Article{Author: store.Author{Mode: "none"}, UpdatedBy: call.Person}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := in.Item.apply(ctx, tx.Reader, &row); err != nil {
			return err
		}
		slug, explicit, err := slugFor(row.SEO.Slug, row.Title, "article")
		if err != nil {
			return err
		}
		row.SEO.Slug = slug
		if err := tx.InsertArticle(ctx, &row, explicit); err != nil {
			return err
		}
		if err := seedBody(ctx, tx, row.ID); err != nil {
			return err
		}
		row, err = tx.Article(ctx, row.ID)
		return err
	})
	return api.Wrap(viewArticle(call.Company, row, true)), err
}

type updateArticle struct {
	ID   shop.ArticleID `path:"id" json:"-"`
	Item articleItem    `json:"item"`
}

func (c *Catalog) updateArticle(ctx context.Context, call *api.Call, in updateArticle) (api.Result[articleView], error) {
	var row store.Article
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := tx.LockArticle(ctx, in.ID)
		if err != nil {
			return err
		}
		row = old
		row.UpdatedBy = call.Person
		if row.DeletedAt, err = c.restored(old.DeletedAt, in.Item.IsDeleted, store.ErrArticleNotFound); err != nil {
			return err
		}
		if err := in.Item.apply(ctx, tx.Reader, &row); err != nil {
			return err
		}
		if row.SEO.Slug != old.SEO.Slug {
			if row.SEO.Slug, err = shop.ParseSlug(row.SEO.Slug); err != nil {
				return err
			}
		}
		if err := tx.UpdateArticle(ctx, old, row); err != nil {
			return err
		}
		row, err = tx.Article(ctx, in.ID)
		return err
	})
	return api.Wrap(viewArticle(call.Company, row, true)), err
}

type articleID struct {
	ID shop.ArticleID `path:"id" json:"-"`
}

func (c *Catalog) deleteArticle(ctx context.Context, call *api.Call, in articleID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := tx.LockArticle(ctx, in.ID)
		if err != nil {
			return err
		}
		if old.DeletedAt != nil {
			return store.ErrArticleNotFound
		}
		gone, now := old, c.now()
		gone.DeletedAt, gone.UpdatedBy = &now, call.Person
		return tx.UpdateArticle(ctx, old, gone)
	})
}
