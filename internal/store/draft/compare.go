package draft

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// columnsWithoutDraft are the columns that no person edits or that have no draft.
var columnsWithoutDraft = []string{
	"company_id", "id", "created_at", "created_by", "updated_at", "updated_by", "draft_gone", "draft_base", "draft_at", "draft_picked",
	"stock_by", "stock_quantity", "stock_low_threshold", "rating", "rating_count", "ad_mode", "views", "product_deleted",
}

// loadWaiting reads the things of one noun with all their rows: those with the ids, or without
// ids those picked for publishing.
func loadWaiting(ctx context.Context, r store.Reader, noun draftNoun, ids []string) ([]*draftThing, error) {
	found := map[string]*draftThing{}
	var order []*draftThing
	for _, t := range noun.tables {
		rows, err := r.DB.Query(ctx, `
			SELECT `+t.owner+`, d.draft_at, d.draft_gone, d.draft_base, to_jsonb(d) - '{draft_base}'::text[], to_jsonb(l)
			FROM draft.`+t.table+` d LEFT JOIN public.`+t.table+` l ON `+t.joinOn("l", "d")+`
			WHERE `+t.condition()+` AND CASE WHEN $2::text[] IS NULL THEN d.draft_picked ELSE `+t.owner+` = ANY($2) END
			ORDER BY d.`+strings.Join(t.key, ", d."), r.Company, ids)
		if err != nil {
			return nil, err
		}
		var owner string
		var at time.Time
		var row draftRow
		_, err = pgx.ForEachRow(rows, []any{&owner, &at, &row.gone, &row.base, &row.draft, &row.live}, func() error {
			w := found[owner]
			if w == nil {
				w = &draftThing{
					item: Item{Ref: Ref{noun.kind, owner}, Change: "edited", Fields: []Field{}, Conflicts: []Conflict{}},
				}
				found[owner] = w
				order = append(order, w)
			}
			if w.item.ChangedAt.Before(at) {
				w.item.ChangedAt = at.UTC()
			}
			if t.list == "" && t.by == "" {
				own := row
				w.own = &own
				w.compareOwn(noun, row)
			} else {
				w.rows = append(w.rows, listRow{t, row})
			}
			row = draftRow{}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, w := range order {
		w.compareLists()
	}
	if err := nameThings(ctx, r, noun, found); err != nil {
		return nil, err
	}
	slices.SortFunc(order, func(a, b *draftThing) int {
		return cmp.Or(cmp.Compare(len(a.item.ID), len(b.item.ID)), strings.Compare(a.item.ID, b.item.ID))
	})
	return order, nil
}

// nameThings reads the names of things of which only lists changed.
func nameThings(ctx context.Context, r store.Reader, noun draftNoun, found map[string]*draftThing) error {
	var unnamed []string
	for id, w := range found {
		if w.own != nil || noun.name == "" {
			continue
		}
		unnamed = append(unnamed, id)
	}
	if len(unnamed) == 0 {
		return nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT id::text, `+noun.name+` FROM public.`+noun.tables[0].table+`
		WHERE company_id = $1 AND id = ANY($2::bigint[])`, r.Company, unnamed)
	if err != nil {
		return err
	}
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		found[id].item.Name = name
		return nil
	})
	return err
}

// text returns a string column of a row, "" when it is not a string.
func (m draftRow) text(of map[string]json.RawMessage, column string) (s string) {
	if json.Unmarshal(of[column], &s) != nil {
		return ""
	}
	return s
}

var jsonNull = json.RawMessage("null")

func valueOf(row map[string]json.RawMessage, column string) json.RawMessage {
	if v, ok := row[column]; ok {
		return v
	}
	return jsonNull
}

// isNull reports a value that is absent or null.
func isNull(v json.RawMessage) bool { return len(v) == 0 || bytes.Equal(v, jsonNull) }

// isEmpty reports whether a value has no content.
func isEmpty(v json.RawMessage) bool {
	return isNull(v) || slices.Contains([]string{`""`, "[]", "{}", "0", "false"}, string(v))
}

// changedColumns lists the columns in which two rows differ, sorted.
func changedColumns(a, b map[string]json.RawMessage) (columns []string) {
	for column := range a {
		if !slices.Contains(columnsWithoutDraft, column) && !bytes.Equal(valueOf(a, column), valueOf(b, column)) {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	return columns
}

// compareOwn finds what the draft changes in the thing's own row, and what changed live
// meanwhile.
func (w *draftThing) compareOwn(noun draftNoun, row draftRow) {
	w.item.Name = row.text(row.draft, noun.name)
	deleted := !isNull(row.draft["deleted_at"])
	switch {
	case row.base == nil && row.live == nil:
		w.item.Change = "created"
		for _, column := range changedColumns(row.draft, nil) {
			if !isEmpty(row.draft[column]) {
				w.item.Fields = append(w.item.Fields, Field{column, nil, row.draft[column]})
			}
		}
		return
	case row.gone || deleted && isNull(row.base["deleted_at"]):
		w.item.Change = "deleted"
	}
	for _, column := range changedColumns(row.draft, row.base) {
		w.item.Fields = append(w.item.Fields, fieldDiff(column, valueOf(row.live, column), row.draft[column])...)
		if !bytes.Equal(valueOf(row.live, column), valueOf(row.base, column)) && !bytes.Equal(valueOf(row.live, column), row.draft[column]) {
			w.stale(column, row.base[column], row.live[column], row.draft[column])
		}
	}
	// A deletion assumes the row as it was, and an edit assumes that the row exists: a live
	// change of either is a conflict.
	for _, column := range changedColumns(row.live, row.base) {
		if column == "deleted_at" && !deleted || column != "deleted_at" && w.item.Change == "deleted" {
			w.stale(column, row.base[column], row.live[column], row.draft[column])
		}
	}
}

func (w *draftThing) stale(field string, base, live, mine any) {
	if slices.ContainsFunc(w.item.Conflicts, func(c Conflict) bool { return c.Field == field }) {
		return
	}
	w.item.Conflicts = append(w.item.Conflicts, Conflict{w.item.Ref, field, draftStale, base, live, mine})
}

// fieldDiff returns a changed column; of an object only the members that differ.
func fieldDiff(column string, live, draft json.RawMessage) (fields []Field) {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(live, &a) != nil || json.Unmarshal(draft, &b) != nil || a == nil || b == nil {
		return []Field{{column, live, draft}}
	}
	for member := range b {
		if _, exists := a[member]; !exists {
			a[member] = jsonNull
		}
	}
	for _, member := range changedColumns(a, b) {
		if isEmpty(a[member]) && isEmpty(b[member]) {
			continue // two spellings of an absent value
		}
		fields = append(fields, Field{column + "." + member, valueOf(a, member), valueOf(b, member)})
	}
	return fields
}

// compareLists reports lists by the entries that differ.
func (w *draftThing) compareLists() {
	type sides struct{ live, draft []any }
	fields := map[string]*sides{}
	var names []string
	for _, row := range w.rows {
		name := w.listField(row)
		if fields[name] == nil {
			fields[name] = &sides{[]any{}, []any{}}
			names = append(names, name)
		}
		if row.live != nil {
			fields[name].live = append(fields[name].live, row.table.entry(row.live))
		}
		if !row.gone {
			fields[name].draft = append(fields[name].draft, row.table.entry(row.draft))
		}
		if w.rowStale(row) {
			w.stale(name, row.table.entry(row.base), row.table.entry(row.live), row.table.entry(row.draft))
		}
	}
	for _, name := range names {
		f := fields[name]
		if w.own == nil || w.own.live != nil || len(f.draft) > 0 {
			w.item.Fields = append(w.item.Fields, Field{name, f.live, f.draft})
		}
	}
}

// listField returns the field that a row of a list belongs to.
func (w *draftThing) listField(row listRow) string {
	if row.table.by != "" {
		return row.text(row.draft, row.table.by)
	}
	return row.table.list
}

// rowStale reports whether an entry was edited on both sides.
func (w *draftThing) rowStale(row listRow) bool {
	switch {
	case row.live == nil:
		return row.base != nil && !row.gone // edited in the draft, deleted live
	case row.base == nil:
		return len(changedColumns(row.live, row.draft)) > 0
	case row.gone:
		return len(changedColumns(row.live, row.base)) > 0
	}
	return len(changedColumns(row.live, row.base)) > 0 && len(changedColumns(row.live, row.draft)) > 0
}

// entry returns the columns of a list's row that people see.
func (t draftTable) entry(row map[string]json.RawMessage) any {
	if row == nil {
		return nil
	}
	if len(t.show) == 1 {
		return row[t.show[0]]
	}
	entry := map[string]json.RawMessage{}
	for _, column := range t.show {
		entry[column] = valueOf(row, column)
	}
	return entry
}
