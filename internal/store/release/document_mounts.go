package release

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// DocumentMount is a place that shows a document: a resource of the design, or with the
// type shop every page.
type DocumentMount struct {
	Type shop.ResourceType
	ID   int64
}

// blockRefs lists the props of a widget that reference other blocks (document 3, 2.2).
const blockRefs = `$.** ? (@.widgets[*] == $id || @.widgets[*] == $num || @.refs[*] == $id || @.refs[*] == $num || @.top == $id || @.top == $num
	|| @.bottom == $id || @.bottom == $num || @.main == $id || @.main == $num || @.aside == $id || @.aside == $num
	|| @.modalTpl == $id || @.modalTpl == $num)`

// DocumentMounts lists where a document is shown: the owners of the blocks that contain it,
// directly or through other blocks, the resources to which those blocks are bound, and the
// owners of galleries whose canvas it is. A layout is on every page.
func DocumentMounts(ctx context.Context, r store.Reader, doc shop.DocumentID) ([]DocumentMount, error) {
	rows, err := r.DB.Query(ctx, `SELECT m.type, m.id FROM (`+documentMounts+`) m(doc, type, id)`, r.Company, doc)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DocumentMount])
}

// DocumentUse is a place that shows a document, as people know it.
type DocumentUse struct {
	DocumentMount
	Name string
}

// DocumentUses lists where a document is shown, at most limit places with their names.
type DocumentUses struct {
	Places []DocumentUse
	Total  int
}

// UsesOfDocuments lists where one document is shown, or with 0 where each is.
func UsesOfDocuments(ctx context.Context, r store.Reader, doc shop.DocumentID, limit int) (map[shop.DocumentID]DocumentUses, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT * FROM (
			SELECT m.doc, m.type, m.id, coalesce(c.name, p.name, a.title, ''), count(*) OVER (PARTITION BY m.doc),
				row_number() OVER (PARTITION BY m.doc ORDER BY m.type, m.id) AS n FROM (`+documentMounts+`) m(doc, type, id)
			LEFT JOIN category c ON c.company_id = $1 AND c.id = m.id AND m.type IN ('category', 'category_children') AND c.deleted_at IS NULL
			LEFT JOIN product p ON p.company_id = $1 AND p.id = m.id AND m.type = 'product' AND p.deleted_at IS NULL
			LEFT JOIN article a ON a.company_id = $1 AND a.id = m.id AND m.type = 'article' AND a.deleted_at IS NULL
			WHERE m.type NOT IN ('category', 'category_children', 'product', 'article') OR c.id IS NOT NULL OR p.id IS NOT NULL OR a.id IS NOT NULL
		) listed WHERE n <= $3 ORDER BY doc, n`, r.Company, doc, limit)
	if err != nil {
		return nil, err
	}
	uses := map[shop.DocumentID]DocumentUses{}
	var of shop.DocumentID
	var u DocumentUse
	var total, n int
	_, err = pgx.ForEachRow(rows, []any{&of, &u.Type, &u.ID, &u.Name, &total, &n}, func() error {
		uses[of] = DocumentUses{append(uses[of].Places, u), total}
		return nil
	})
	return uses, err
}

// documentMounts lists the places of document $2, or of all documents if it is 0.
const documentMounts = `
		WITH RECURSIVE shows(doc, id) AS (
			SELECT x.doc, b.id FROM content_block b CROSS JOIN LATERAL (
				SELECT (d #>> '{}')::bigint FROM jsonb_path_query(b.sections, '$.**.html.documentId') d WHERE d #>> '{}' ~ '^[0-9]{1,18}$') x(doc)
			WHERE b.company_id = $1 AND b.deleted_at IS NULL AND ($2::bigint = 0 OR x.doc = $2)
			UNION
			SELECT s.doc, b.id FROM shows s JOIN content_block b ON b.company_id = $1 AND b.deleted_at IS NULL
			AND jsonb_path_exists(b.sections, '` + blockRefs + `', jsonb_build_object('id', s.id::text, 'num', s.id))
		)
		SELECT s.doc, CASE l.owner WHEN 1 THEN 'category' WHEN 2 THEN 'product' ELSE 'article' END, l.owner_id
			FROM shows s JOIN block_link l ON l.company_id = $1 AND l.block_id = s.id
		UNION SELECT s.doc, d.resource_type, d.resource_id FROM shows s JOIN design_binding d ON d.company_id = $1 AND d.group_id = s.id
		UNION SELECT s.doc, 'shop', 0 FROM shows s JOIN content_block b ON b.company_id = $1 AND b.id = s.id AND b.group_type = 'theme'
		UNION SELECT id, 'shop', 0 FROM document WHERE company_id = $1 AND ($2::bigint = 0 OR id = $2) AND kind = 'theme'
		UNION SELECT g.canvas_id, CASE l.owner WHEN 1 THEN 'category' WHEN 2 THEN 'product' ELSE 'article' END, l.owner_id
			FROM gallery g JOIN gallery_link l ON l.company_id = $1 AND l.gallery_id = g.id
			WHERE g.company_id = $1 AND g.canvas_id <> 0 AND ($2::bigint = 0 OR g.canvas_id = $2) AND g.deleted_at IS NULL`
