package draft

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of the draft.
var (
	ErrNotFound = shop.Refuse(shop.NotFound, "DRAFT_NOT_FOUND").When("the draft has no change of this kind and id")
	// ErrDraftConflict carries the field conflicts: a list of DraftConflict.
	ErrConflict = shop.Refuse(shop.Aborted, "DRAFT_CONFLICT").When("live fields changed since the draft was made; items lists them")
)

// Ref identifies something that the draft changes. Kind is category, product, article,
// block, binding, gallery or document; the id of a binding is that of its resource, such as
// "category:5".
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// Item is something that the draft changes.
type Item struct {
	Ref
	Name      string        `json:"name"`
	Change    string        `json:"change" enum:"created,edited,deleted"`
	ChangedAt time.Time     `json:"changed_at"`
	ChangedBy *store.Editor `json:"changed_by" doc:"of the last change; null if the audit log no longer has it"`
	Fields    []Field       `json:"fields"`
	Conflicts []Conflict    `json:"conflicts"`
}

// Field is one field that the draft changes. For a list (sections of a product, blocks
// of a page) it has the entries that differ.
type Field struct {
	Field string `json:"field"`
	Live  any    `json:"live"`
	Draft any    `json:"draft"`
}

// Conflict explains why something cannot be published as it is. With the code
// DRAFT_STALE the live value differs from the one on which the draft is based, and the
// draft may be published all the same; the other codes are those with which a write to the
// live shop would be refused.
type Conflict struct {
	Ref
	Field string `json:"field"`
	Code  string `json:"code"`
	Base  any    `json:"base"`
	Live  any    `json:"live"`
	Draft any    `json:"draft"`
}

// draftStale is the code of a conflict that can be overridden.
const draftStale = "DRAFT_STALE"

// draftNotPublished is the code of a block that would show a document without a live release; it
// can be overridden too.
const draftNotPublished = "DOCUMENT_NOT_PUBLISHED"

// draftStillShown is the code of something that the selected part of the draft deletes while the
// live shop still shows it; it can be overridden too.
const draftStillShown = "STILL_SHOWN"

// draftTable is a table with a draft (migration 0007), as part of a noun.
type draftTable struct {
	table string
	key   []string // the primary key without company_id
	owner string   // expression on alias d: the id of the noun, as text
	where string   // condition on alias d: which rows belong to the noun
	list  string   // the field under which rows of a list are shown; empty for the noun's own row
	by    string   // the column that names the field of each row, instead of list
	show  []string // the columns of a list's row that people see
	free  []string // text columns of unique indexes, freed before rows are moved
}

// draftNoun is a kind of drafted things. Its first table has the thing's own row.
type draftNoun struct {
	kind   string
	name   string // the column of its own row with its name
	tables []draftTable
}

// draftNouns is in publishing order: referenced kinds come before those that refer to them.
var draftNouns = []draftNoun{
	{"category", "name", []draftTable{
		{table: "category", key: []string{"id"}, owner: "d.id::text", free: []string{"slug"}},
		linkOf("gallery_link", store.EntityCategory, "galleries", "gallery_id"), linkOf("block_link", store.EntityCategory, "content_blocks", "block_id"),
	}},
	{"product", "name", []draftTable{
		{table: "product", key: []string{"id"}, owner: "d.id::text", free: []string{"slug", "sku"}},
		{table: "product_extra_category", key: []string{"category_id", "product_id"}, owner: "d.product_id::text", list: "categories", show: []string{"category_id"}},
		{table: "product_attribute", key: []string{"attribute_id", "product_id", "option_id"}, owner: "d.product_id::text", list: "attributes",
			show: []string{"attribute_id", "option_id", "number", "text"}},
		{table: "variant_set", key: []string{"id"}, owner: "d.product_id::text", list: "variants", free: []string{"sku"},
			show: []string{"id", "sku", "title", "price", "image_id", "gallery_id", "options", "is_active", "sort_order"}},
		linkOf("gallery_link", store.EntityProduct, "galleries", "gallery_id"),
	}},
	{"article", "title", []draftTable{
		{table: "article", key: []string{"id"}, owner: "d.id::text", free: []string{"slug"}},
		linkOf("gallery_link", store.EntityArticle, "galleries", "gallery_id"), linkOf("block_link", store.EntityArticle, "content_blocks", "block_id"),
	}},
	{"block", "name", []draftTable{{table: "content_block", key: []string{"id"}, owner: "d.id::text"}}},
	{"binding", "", []draftTable{{
		table: "design_binding", key: []string{"resource_type", "resource_id", "slot"}, owner: "d.resource_type || ':' || d.resource_id",
		by: "slot", show: []string{"group_id"},
	}}},
	{"gallery", "name", []draftTable{
		{table: "gallery", key: []string{"id"}, owner: "d.id::text"},
		{table: "gallery_item", key: []string{"gallery_id", "item_key"}, owner: "d.gallery_id::text", list: "items",
			show: []string{"item_key", "kind", "file_id", "poster_id", "html", "caption", "sort_order"}},
	}},
	{"document", "name", []draftTable{{table: "document", key: []string{"id"}, owner: "d.id::text"}}},
}

// linkOf returns a table of links that several nouns share.
func linkOf(table string, owner int16, field, column string) draftTable {
	return draftTable{
		table: table, key: []string{"owner", "owner_id", column}, owner: "d.owner_id::text", where: "d.owner = " + strconv.Itoa(int(owner)),
		list: field, show: []string{column, "sort_order"},
	}
}

// Kinds returns the kinds of drafted things, in publishing order.
func Kinds() (kinds []string) {
	for _, noun := range draftNouns {
		kinds = append(kinds, noun.kind)
	}
	return kinds
}

func nounOf(kind string) (draftNoun, bool) {
	i := slices.IndexFunc(draftNouns, func(n draftNoun) bool { return n.kind == kind })
	if i < 0 {
		return draftNoun{}, false
	}
	return draftNouns[i], true
}

// condition returns the condition that selects the rows of a shop and a noun.
func (t draftTable) condition() string {
	if t.where == "" {
		return "d.company_id = $1"
	}
	return "d.company_id = $1 AND " + t.where
}

// joinOn returns the condition that joins the rows of two aliases by the key.
func (t draftTable) joinOn(a, b string) string {
	on := a + ".company_id = " + b + ".company_id"
	for _, column := range t.key {
		on += " AND " + a + "." + column + " = " + b + "." + column
	}
	return on
}

// List returns one page of the changed things, by kind and id, and their total. The
// conflicts it reports are fields that changed on both sides; DraftConflicts finds the
// others.
func List(ctx context.Context, r store.Reader, number, limit int) (items []Item, total int, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT count(*) OVER (), kind, id FROM (`+waiting()+`) w
		ORDER BY kind, length(id), id LIMIT $2 OFFSET $3`, r.Company, limit, (number-1)*limit)
	if err != nil {
		return nil, 0, err
	}
	owners := make([][]string, len(draftNouns))
	var kind int
	var id string
	if _, err = pgx.ForEachRow(rows, []any{&total, &kind, &id}, func() error {
		owners[kind] = append(owners[kind], id)
		return nil
	}); err != nil {
		return nil, 0, err
	}
	items = []Item{}
	for n, noun := range draftNouns {
		if len(owners[n]) == 0 {
			continue
		}
		changed, err := loadWaiting(ctx, r, noun, owners[n])
		if err != nil {
			return nil, 0, err
		}
		for _, w := range changed {
			items = append(items, w.item.external())
		}
	}
	if err := nameEditors(ctx, r, items); err != nil {
		return nil, 0, err
	}
	if len(items) == 0 && number > 1 { // a page past the last one has no row to carry the total
		_, total, err = List(ctx, r, 1, 1)
	}
	return items, total, err
}

// nameEditors finds who changed things last.
func nameEditors(ctx context.Context, r store.Reader, items []Item) error {
	times := make([]time.Time, len(items))
	for i := range items {
		times[i] = items[i].ChangedAt
	}
	editors, err := store.EditorsAt(ctx, r, times)
	for i := range items {
		items[i].ChangedBy = editors[items[i].ChangedAt.UnixMicro()]
	}
	return err
}

// waiting selects the kind and the id of everything that waits in the draft.
func waiting() string {
	var parts []string
	for n, noun := range draftNouns {
		for _, t := range noun.tables {
			parts = append(parts, "SELECT "+strconv.Itoa(n)+" AS kind, "+t.owner+" AS id FROM draft."+t.table+" d WHERE "+t.condition())
		}
	}
	return strings.Join(parts, " UNION ")
}

// Count counts what List lists.
func Count(ctx context.Context, r store.Reader) (n int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT count(*) FROM (`+waiting()+`) w`, r.Company).Scan(&n)
	return n, err
}

// draftRow is a row of the draft with the row on which it is based and the present live
// row. live is nil when there is none.
type draftRow struct {
	gone              bool
	base, draft, live map[string]json.RawMessage
}

// draftThing is a drafted thing with its rows.
type draftThing struct {
	item Item
	own  *draftRow
	rows []listRow
}

type listRow struct {
	table draftTable
	draftRow
}
