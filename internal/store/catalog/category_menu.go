package catalog

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MenuCategory is what a menu shows of a section.
type MenuCategory struct {
	ID            shop.CategoryID
	Parent        shop.CategoryID // 0 at the root
	Type          string
	Name          string
	Slug          string
	Order         int
	IsPublished   bool
	IsShowMenu    bool
	IsHome        bool
	IsDeleted     bool
	PreviewPath   string // below /files/
	Sidebar       []byte // JSON
	CountArticles int
}

// MenuCategories returns the sections that Categories returns, or those of DeletedCategories, in the
// same order.
func MenuCategories(ctx context.Context, r store.Reader, visitor, deleted bool) ([]MenuCategory, error) {
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT c.id, c.parent_id, c.type, c.name, c.slug, c.sort_order, c.is_published, c.is_show_menu, c.is_home, c.deleted_at IS NOT NULL,
		coalesce(f.path, ''), c.sidebar_config, coalesce(n.articles, 0)
	FROM category c
	LEFT JOIN media_file f ON f.company_id = $1 AND f.id = c.preview_id AND f.deleted_at IS NULL
	LEFT JOIN (SELECT a.category_id, count(*) AS articles FROM article a WHERE a.company_id = $1 AND a.deleted_at IS NULL`)
	countedArticles(r, s, visitor)
	s.Add(` GROUP BY a.category_id) n ON n.category_id = c.id WHERE c.company_id = $1`)
	seenSections(r, s, visitor)
	s.Add(listedSections(deleted))
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c MenuCategory, err error) {
		err = row.Scan(&c.ID, &c.Parent, &c.Type, &c.Name, &c.Slug, &c.Order, &c.IsPublished, &c.IsShowMenu, &c.IsHome, &c.IsDeleted,
			&c.PreviewPath, &c.Sidebar, &c.CountArticles)
		return c, err
	})
}
