package media

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// FileUse is one thing that refers to a file: its kind as the API names it, and whether only the
// draft refers to it. ID is that of the product for a variant set, and empty for the settings of
// the shop.
type FileUse struct {
	Kind    UseKind
	ID      string
	Name    string
	IsDraft bool
}

// place is a kind of rows that can refer to files of the library: by ids in columns, or in
// documents (JSON and text), where an id or the path of the file counts.
type place struct {
	kind, table string
	hasDraft    bool
	id, name    string   // expressions of row t
	living      string   // a condition on row t
	ids, lists  []string // columns of one id, and of a list
	documents   []string
}

// UseKind is what refers to a file.
type UseKind string

const useOfShop = "shop" // its settings

// Values lists the kinds.
func (UseKind) Values() (kinds []string) {
	for _, p := range places {
		kinds = append(kinds, p.kind)
	}
	return append(kinds, useOfShop)
}

// places are all such rows. The test of the schema fails on a column that is missing here.
var places = []place{
	{kind: "product", table: "product", hasDraft: true, id: "t.id", name: "t.name", living: "t.deleted_at IS NULL",
		ids: []string{"preview_id"}, lists: []string{"gallery"}, documents: []string{"seo", "description"}},
	{kind: "variant", table: "variant_set", hasDraft: true, id: "t.product_id", name: "concat_ws(' ', nullif(t.sku, ''), t.title)", living: "NOT t.product_deleted",
		ids: []string{"image_id"}},
	{kind: "category", table: "category", hasDraft: true, id: "t.id", name: "t.name", living: "t.deleted_at IS NULL",
		ids: []string{"preview_id"}, documents: []string{"seo", "description", "sidebar_config"}},
	{kind: "article", table: "article", hasDraft: true, id: "t.id", name: "t.title", living: "t.deleted_at IS NULL",
		ids: []string{"cover_id"}, documents: []string{"seo", "announce", "author"}},
	{kind: "content_block", table: "content_block", hasDraft: true, id: "t.id", name: "t.name", living: "t.deleted_at IS NULL", documents: []string{"sections"}},
	{kind: "gallery", table: "gallery_item", id: "t.gallery_id",
		name:   "(SELECT g.name FROM gallery g WHERE g.company_id = $1 AND g.id = t.gallery_id)",
		living: "EXISTS (SELECT FROM gallery g WHERE g.company_id = $1 AND g.id = t.gallery_id AND g.deleted_at IS NULL)",
		ids:    []string{"file_id", "poster_id"}, documents: []string{"html"}},
	{kind: "order", table: "order_message", id: "t.order_id", name: "(SELECT o.number::text FROM shop_order o WHERE o.company_id = $1 AND o.id = t.order_id)",
		living: "true", lists: []string{"file_ids"}},
	{kind: "form", table: "form", id: "t.id", name: "t.name", living: "t.deleted_at IS NULL", documents: []string{"success", "fields"}},
	{kind: "promotion", table: "promotion", id: "t.id", name: "t.name", living: "t.deleted_at IS NULL", documents: []string{"conditions"}},
}

// FileUses lists what refers to a file of the library, live things first, up to a limit, and how
// many there are. It does not look into uploaded websites and site files, which name files by
// their addresses.
func FileUses(ctx context.Context, r store.Reader, f File, limit int) (list []FileUse, total int, err error) {
	parts := []string{`SELECT '` + useOfShop + `' AS kind, '' AS id, name, false AS draft, 0 AS place FROM company WHERE id = $1 AND strpos(settings::text, $2::uuid::text) > 0`}
	for i, p := range places {
		parts = append(parts, p.uses("public", i+1))
		if p.hasDraft {
			parts = append(parts, p.uses("draft", i+1))
		}
	}
	rows, err := r.DB.Query(ctx, `
		SELECT kind, id, coalesce(name, ''), draft, count(*) OVER () FROM (`+strings.Join(parts, ` UNION `)+`) u
		ORDER BY draft, place, length(id), id, name LIMIT $4`, r.Company, f.ID, shop.FileURL(f.Path), limit)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (u FileUse, err error) {
		err = row.Scan(&u.Kind, &u.ID, &u.Name, &u.IsDraft, &total)
		return u, err
	})
	return list, total, err
}

// uses selects the rows of a schema that refer to the file $2 with the path $3.
func (p place) uses(schema string, n int) string {
	var named []string
	for _, c := range p.ids {
		named = append(named, `t.`+c+` = $2::uuid`)
	}
	for _, c := range p.lists {
		named = append(named, `$2::uuid = ANY (t.`+c+`)`)
	}
	for _, c := range p.documents {
		named = append(named, `strpos(t.`+c+`::text, $2::uuid::text) > 0`, `strpos(t.`+c+`::text, $3) > 0`)
	}
	living, isDraft := p.living, `false`
	if schema == "draft" {
		living, isDraft = living+` AND NOT t.draft_gone`, `true`
	}
	return `SELECT '` + p.kind + `', (` + p.id + `)::text, ` + p.name + `, ` + isDraft + `, ` + strconv.Itoa(n) + ` FROM ` + schema + `.` + p.table + ` t
		WHERE t.company_id = $1 AND ` + living + ` AND (` + strings.Join(named, ` OR `) + `)`
}

// UseColumns lists the columns that FileUses reads, as table.column.
func UseColumns() (columns []string) {
	for _, p := range places {
		for _, c := range slices.Concat(p.ids, p.lists, p.documents) {
			columns = append(columns, p.table+"."+c)
		}
	}
	return columns
}
