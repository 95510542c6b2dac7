package catalog

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrArticleNotFound is returned for missing and unpublished articles and for those of
// other shops.
var ErrArticleNotFound = shop.Refuse(shop.NotFound, "ARTICLE_NOT_FOUND").When("no article that the caller may see has this id or slug")

// Author is the author that an article names (document 1, 2.7).
type Author struct {
	Mode        string      `json:"mode" enum:"none,member,manual"` // none, member, manual
	UserID      shop.UserID `json:"user_id"`
	Name        string      `json:"name" len:"255" refuse:"ARTICLE_AUTHOR_INVALID"`
	Description string      `json:"description" len:"500" refuse:"ARTICLE_AUTHOR_INVALID"`
	PhotoID     *uuid.UUID  `json:"photo_id"`
}

// Article is the row of an article (document 1, 2.7).
type Article struct {
	ID           shop.ArticleID
	Category     shop.CategoryID
	CategoryName string
	Title        string
	Announce     string
	CoverID      *uuid.UUID
	CoverPath    string // below /files/, read only
	CoverWidth   int
	CoverHeight  int
	Badge        string
	Author       Author
	SEO          SEO
	Related      []shop.ArticleID
	IsPublished  bool
	PublishedAt  *time.Time
	Views        int64
	CreatedBy    shop.UserID
	UpdatedBy    shop.UserID
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeletedAt    *time.Time
}

const articleColumns = `
	a.id, a.category_id, coalesce(c.name, ''), a.title, a.announce, a.cover_id, coalesce(f.path, ''), coalesce(f.width, 0), coalesce(f.height, 0),
	a.badge, a.author, a.seo, a.slug, a.related, a.is_published, a.published_at, a.views, a.created_by, a.updated_by, a.created_at, a.updated_at, a.deleted_at`

const fromArticle = ` FROM article a
	LEFT JOIN category c ON c.company_id = $1 AND c.id = a.category_id
	LEFT JOIN media_file f ON f.company_id = $1 AND f.id = a.cover_id AND f.deleted_at IS NULL
	WHERE a.company_id = $1 `

func scanArticle(row pgx.Row) (Article, error) {
	var a Article
	var author, seo []byte
	err := row.Scan(&a.ID, &a.Category, &a.CategoryName, &a.Title, &a.Announce, &a.CoverID, &a.CoverPath, &a.CoverWidth, &a.CoverHeight,
		&a.Badge, &author, &seo, &a.SEO.Slug, &a.Related, &a.IsPublished, &a.PublishedAt, &a.Views, &a.CreatedBy, &a.UpdatedBy,
		&a.CreatedAt, &a.UpdatedAt, &a.DeletedAt)
	if store.NoRow(err) {
		return a, ErrArticleNotFound
	}
	if err != nil {
		return a, err
	}
	if err := a.SEO.read(seo); err != nil {
		return a, err
	}
	return a, json.Unmarshal(author, &a.Author)
}

// GetArticle reads one article, deleted ones included: an owner may restore them.
func GetArticle(ctx context.Context, r store.Reader, id shop.ArticleID) (Article, error) {
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT`+articleColumns+fromArticle+`AND a.id = ?`, id)
	hideArticles(r, s)
	return scanArticle(r.DB.QueryRow(ctx, s.String(), s.Args...))
}

// ArticleBySlug reads one article that is not deleted.
func ArticleBySlug(ctx context.Context, r store.Reader, slug string) (Article, error) {
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT`+articleColumns+fromArticle+`AND a.slug = ? AND a.deleted_at IS NULL`, slug)
	hideArticles(r, s)
	return scanArticle(r.DB.QueryRow(ctx, s.String(), s.Args...))
}

// ArticleState is what visitors can see of an article in a published rubric.
type ArticleState string

// The states of articles. A published one with a date in the future is scheduled.
const (
	ArticlePublished ArticleState = "published"
	ArticleScheduled ArticleState = "scheduled"
	ArticleHidden    ArticleState = "hidden"
)

// ArticleStates lists them.
var ArticleStates = []ArticleState{ArticlePublished, ArticleScheduled, ArticleHidden}

// Values lists the states as texts.
func (ArticleState) Values() []string { return shop.Texts(ArticleStates) }

var articleStates = map[ArticleState]string{
	ArticlePublished: ` AND a.is_published AND (a.published_at IS NULL OR a.published_at <= now())`,
	ArticleScheduled: ` AND a.is_published AND a.published_at > now()`,
	ArticleHidden:    ` AND NOT a.is_published`,
}

// ArticleFilter restricts a list of articles.
type ArticleFilter struct {
	State         ArticleState // empty: all
	Since, Until  time.Time    // of the date; zero: no limit
	Deleted       bool         // deleted articles, instead of those that are not
	Category      shop.CategoryID
	Subtree       bool // with Category: includes all sections below it
	PublishedOnly bool // and only those in sections that visitors see
	Popular       bool
	Query         string
	Number, Limit int
}

// Articles returns one page of a list and the total of all pages, sorted newest first with
// undated articles last, or by views.
func Articles(ctx context.Context, r store.Reader, f ArticleFilter) (list []Article, total int, err error) {
	s := &store.Statement{Args: []any{r.Company, f.Category, f.Subtree, f.PublishedOnly, f.Popular, f.Query, f.Limit, (f.Number - 1) * f.Limit, store.LikePattern(shop.Fold(f.Query))}}
	deletion := `AND a.deleted_at IS NULL`
	if f.Deleted {
		deletion = `AND a.deleted_at IS NOT NULL`
	}
	s.WriteString(subtreeCTE + `
		SELECT count(*) OVER (),` + articleColumns + fromArticle + deletion + `
		AND ($2 = 0 OR a.category_id = $2 OR ($3 AND a.category_id IN (SELECT id FROM tree)))
		AND (NOT $4 OR (a.is_published AND a.category_id IN ` + visibleSections + `))
		AND ($6 = '' OR CASE WHEN a.company_id = $1 THEN translate(lower(a.title), 'ё', 'е') LIKE $9 OR translate(lower(a.announce), 'ё', 'е') LIKE $9 END)`)
	s.WriteString(articleStates[f.State])
	if !f.Since.IsZero() {
		s.Add(` AND a.published_at >= ?`, f.Since)
	}
	if !f.Until.IsZero() {
		s.Add(` AND a.published_at < ?`, f.Until)
	}
	hideArticles(r, s)
	s.WriteString(`
		ORDER BY CASE WHEN $6 <> '' THEN similarity(a.title || ' ' || a.announce, $6) ELSE 0 END DESC,
			CASE WHEN $5 THEN a.views ELSE 0 END DESC, a.published_at DESC NULLS LAST, a.id DESC
		LIMIT $7 OFFSET $8`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		a, err := scanArticle(store.Prefixed(rows, &total))
		if err != nil {
			return nil, 0, err
		}
		list = append(list, a)
	}
	if err := rows.Err(); err != nil || len(list) > 0 || f.Number == 1 {
		return list, total, err
	}
	f.Number, f.Limit = 1, 1 // a page past the last one has no row to carry the total
	_, total, err = Articles(ctx, r, f)
	return nil, total, err
}

// ArticleAddress holds the fields of an article that determine addresses.
type ArticleAddress struct {
	ID          shop.ArticleID
	Category    shop.CategoryID
	Slug        string
	IsPublished bool
	NoIndex     bool
	Modified    int64 // in seconds since 1970
}

// ArticleAddresses reads the articles that are not deleted, for the compiler. Non-nil ids
// restrict the result.
func ArticleAddresses(ctx context.Context, r store.Reader, ids []shop.ArticleID) ([]ArticleAddress, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, category_id, slug, is_published, `+noIndex+`, `+Modified+` FROM article
		WHERE company_id = $1 AND deleted_at IS NULL AND ($2::integer[] IS NULL OR id = ANY($2))`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ArticleAddress])
}

// InsertArticle adds an article; explicit means that the caller asked for this slug.
func InsertArticle(ctx context.Context, tx *store.Tx, a *Article, explicit bool) error {
	err := withFreeSlug(ctx, tx, a.SEO.Slug, explicit, "article_slug", func(slug string) error {
		a.SEO.Slug = slug
		return tx.DB.QueryRow(ctx, `
			INSERT INTO article (company_id, category_id, title, slug, announce, cover_id, badge, author, seo, is_published, published_at, created_by, updated_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) RETURNING id`,
			tx.Company, a.Category, a.Title, slug, a.Announce, a.CoverID, a.Badge, a.Author, a.SEO, a.IsPublished, a.PublishedAt,
			a.UpdatedBy,
		).Scan(&a.ID)
	})
	if err != nil {
		return err
	}
	return recordArticleChange(ctx, tx, Article{}, *a)
}

// UpdateArticle writes the whole row; old is the row as it was read.
func UpdateArticle(ctx context.Context, tx *store.Tx, old, a Article) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE article SET category_id = $3, title = $4, slug = $5, announce = $6, cover_id = $7, badge = $8, author = $9, seo = $10,
			is_published = $11, published_at = $12, updated_by = $13, deleted_at = $14, related = $15, updated_at = now()
		WHERE company_id = $1 AND id = $2`,
		tx.Company, a.ID, a.Category, a.Title, a.SEO.Slug, a.Announce, a.CoverID, a.Badge, a.Author, a.SEO,
		a.IsPublished, a.PublishedAt, a.UpdatedBy, a.DeletedAt, a.Related)
	if store.UniqueViolation(err, "article_slug") {
		return shop.ErrSlugTaken.At("seo.slug").With(a.SEO.Slug)
	}
	if err != nil {
		return err
	}
	return recordArticleChange(ctx, tx, old, a)
}

func recordArticleChange(ctx context.Context, tx *store.Tx, old, a Article) error {
	tx.Changed(shop.Key{Kind: shop.KeyArticle, ID: int64(a.ID)}, shop.Key{Kind: shop.KeyArticle})
	if err := RecordListingChanges(ctx, tx, old.Category, a.Category); err != nil {
		return err
	}
	return recordRename(ctx, tx, store.EntityArticle, int64(a.ID), old.SEO.Slug, a.SEO.Slug)
}

// LockArticle reads and locks an article for update.
func LockArticle(ctx context.Context, tx *store.Tx, id shop.ArticleID) (Article, error) {
	return scanArticle(tx.DB.QueryRow(ctx, `SELECT`+articleColumns+fromArticle+`AND a.id = $2 FOR UPDATE OF a`, tx.Company, id))
}
