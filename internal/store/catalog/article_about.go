package catalog

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Facts about articles that are kept outside their rows.

// ArticleShown reports whether visitors see the rubric of an article.
func ArticleShown(ctx context.Context, r store.Reader, rubric shop.CategoryID) (yes bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT $2 IN `+visibleSections, r.Company, rubric).Scan(&yes)
	return yes, err
}

// ArticlesByID reads those of the articles that are not deleted, in the order of the ids.
// For a visitor it returns only published ones in visible sections, and none that is hidden
// from the reader.
func ArticlesByID(ctx context.Context, r store.Reader, visitor bool, ids []shop.ArticleID) ([]Article, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s := &store.Statement{Args: []any{r.Company, ids, visitor}}
	s.Add(`SELECT` + articleColumns + fromArticle + `AND a.deleted_at IS NULL AND a.id = ANY($2)
		AND (NOT $3 OR (a.is_published AND a.category_id IN ` + visibleSections + `))`)
	hideArticles(r, s)
	s.Add(` ORDER BY array_position($2::integer[], a.id)`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Article, error) { return scanArticle(row) })
}

// ArticlesInDraft returns which of the articles have pending changes in the draft: fields,
// links or the content of one of their blocks.
func ArticlesInDraft(ctx context.Context, r store.Reader, ids []shop.ArticleID) (map[shop.ArticleID]bool, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT a.id FROM unnest($2::integer[]) AS a (id) WHERE
		EXISTS (SELECT FROM draft.article d WHERE d.company_id = $1 AND d.id = a.id)
		OR EXISTS (SELECT FROM draft.block_link d WHERE d.company_id = $1 AND d.owner = $3 AND d.owner_id = a.id)
		OR EXISTS (SELECT FROM draft.gallery_link d WHERE d.company_id = $1 AND d.owner = $3 AND d.owner_id = a.id)
		OR EXISTS (SELECT FROM public.block_link l JOIN draft.content_block d ON d.company_id = $1 AND d.id = l.block_id
			WHERE l.company_id = $1 AND l.owner = $3 AND l.owner_id = a.id)`, r.Company, ids, store.EntityArticle)
	if err != nil {
		return nil, err
	}
	dirty := map[shop.ArticleID]bool{}
	var id shop.ArticleID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		dirty[id] = true
		return nil
	})
	return dirty, err
}

// ArticleViews is a number of views to add to an article.
type ArticleViews struct {
	Company shop.CompanyID
	Article shop.ArticleID
	Views   int64
}

// AddViews adds to the view counters of articles; deleted articles are skipped. Pages do
// not show the count, so no change is recorded.
func AddViews(ctx context.Context, s *store.Store, batch []ArticleViews) error {
	companies, articles, views := make([]shop.CompanyID, len(batch)), make([]shop.ArticleID, len(batch)), make([]int64, len(batch))
	for i, v := range batch {
		companies[i], articles[i], views[i] = v.Company, v.Article, v.Views
	}
	_, err := s.Beside().Exec(ctx, `
		UPDATE article a SET views = a.views + v.views FROM (
			SELECT a.company_id, a.id, v.views FROM unnest($1::integer[], $2::integer[], $3::bigint[]) AS v (company_id, id, views)
			JOIN article a ON a.company_id = v.company_id AND a.id = v.id ORDER BY 1, 2 FOR UPDATE OF a) v
		WHERE a.company_id = v.company_id AND a.id = v.id`, companies, articles, views)
	return err
}
