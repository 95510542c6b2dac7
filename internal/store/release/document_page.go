package release

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// PagesMounting lists the sections that mount a document: in one of the section's blocks, or in a
// template bound only to that section.
func PagesMounting(ctx context.Context, r store.Reader, doc shop.DocumentID) ([]shop.CategoryID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT c.id FROM category c WHERE c.company_id = $1 AND c.deleted_at IS NULL AND `+mountsDocument+` ORDER BY c.id`, r.Company, doc)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CategoryID])
}

// mountsDocument is a condition: category c mounts the document $2. A template shared through
// category_children or the shop does not count and gives its title to no page, because it
// is not about a single page.
const mountsDocument = `(EXISTS (
	SELECT 1 FROM block_link l JOIN content_block b ON b.company_id = $1 AND b.id = l.block_id AND b.deleted_at IS NULL
	WHERE l.company_id = $1 AND l.owner = 1 AND l.owner_id = c.id AND ` + showsDocument + `)
	OR EXISTS (
	SELECT 1 FROM design_binding d JOIN content_block g ON g.company_id = $1 AND g.id = d.group_id AND g.deleted_at IS NULL
	CROSS JOIN LATERAL (
		SELECT g.id UNION ALL
		SELECT (w #>> '{}')::bigint FROM jsonb_path_query(g.sections, '$[*].payload ? (@.kind == "group").props.widgets[*]') w
		WHERE w #>> '{}' ~ '^[0-9]{1,18}$') m(id)
	JOIN content_block b ON b.company_id = $1 AND b.id = m.id AND b.deleted_at IS NULL
	WHERE d.company_id = $1 AND d.resource_type = 'category' AND d.resource_id = c.id AND d.slot = 'body' AND ` + showsDocument + `))`

// showsDocument is a condition: block b has a section with the document $2.
const showsDocument = `jsonb_path_exists(b.sections, '$[*].payload ? (@.kind == "html").props.html ? (@.documentId == $doc || @.documentId == $num)',
	jsonb_build_object('doc', $2::bigint::text, 'num', $2::bigint))`

// DocumentPage is a page that mounts a document.
type DocumentPage struct {
	ID   shop.CategoryID `json:"id"`
	Slug string          `json:"slug"`
}

// FillSEO sets title and description of the sections that mount a document and lack them,
// or of all of them with overwrite, and returns the sections that it changed. Non-empty
// pages restrict it to those.
func FillSEO(
	ctx context.Context, tx *store.Tx, doc shop.DocumentID, title, description string, overwrite bool, pages ...shop.CategoryID,
) ([]DocumentPage, error) {
	rows, err := tx.DB.Query(ctx, `
		UPDATE category c SET seo = c.seo
			|| CASE WHEN $3 <> '' AND ($5 OR coalesce(c.seo->>'meta_title', '') = '') THEN jsonb_build_object('meta_title', $3::text) ELSE '{}' END
			|| CASE WHEN $4 <> '' AND ($5 OR coalesce(c.seo->>'meta_description', '') = '') THEN jsonb_build_object('meta_description', $4::text) ELSE '{}' END
		WHERE c.company_id = $1 AND c.deleted_at IS NULL AND ($6::integer[] IS NULL OR c.id = ANY($6)) AND `+mountsDocument+`
		AND (($3 <> '' AND ($5 OR coalesce(c.seo->>'meta_title', '') = '')) OR ($4 <> ''
			AND ($5 OR coalesce(c.seo->>'meta_description', '') = '')))
		RETURNING c.id, c.slug`, tx.Company, doc, title, description, overwrite, pages)
	if err != nil {
		return nil, err
	}
	filled, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DocumentPage])
	for _, p := range filled {
		tx.Changed(shop.Key{Kind: shop.KeyCategory, ID: int64(p.ID)})
	}
	if filled == nil {
		filled = []DocumentPage{}
	}
	return filled, err
}
