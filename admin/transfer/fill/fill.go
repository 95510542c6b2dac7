// Package fill fills a new shop from the file of an export (internal/backup), row by row and through
// the calls of the API as its owner. The file may come from anybody: no row is written but by the call
// that checks it, and what no call writes is left out and counted.
//
// Every row gets a new id. A column that refers to a row which the file does not have is an error of
// its row. Ids inside of widgets, texts, html files and templates refer loosely, as they do in a shop:
// one without a row becomes 0.
package fill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/backup"
	"vitrine/internal/shop"
)

// Refusals of files.
var (
	ErrFile      = shop.Refuse(shop.InvalidArgument, "SHOP_FILE_INVALID").When("the file is not the export of a shop, is damaged, or was made by a newer version")
	ErrLarge     = shop.Refuse(shop.InvalidArgument, "SHOP_FILE_TOO_LARGE").When("the file, a row, or a table has more than an import reads; the operator can import it with vitrine shop import")
	ErrReference = shop.Refuse(shop.InvalidArgument, "SHOP_FILE_REFERENCE").When("a row of the file refers to one that the file does not have")
)

const (
	maxRows  = 200_000   // of one table
	maxHeld  = 128 << 20 // bytes of rows that are held at once: those that belong to other rows, or are sorted
	maxDepth = 16        // passes over a table whose rows refer to each other
)

// Call makes a call of the API as the owner of the new shop; params are values of the path and the
// query.
type Call func(ctx context.Context, method, path string, params map[string]string, body any) (any, error)

// Left says what of a table was left out.
type Left struct {
	Table  string `json:"table"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Report counts what was written.
type Report struct {
	Rows  int    `json:"rows"`
	Files int    `json:"files"`
	Left  []Left `json:"left"`
}

type object = map[string]any

// filling is the work of one Shop.
type filling struct {
	archive *backup.Archive
	call    Call
	ids     backup.IDs
	known   map[string]map[int64]bool // rows of the file by table and id: whether they are not deleted
	files   map[string]string         // new ids of files by old ones; empty: left out
	authors map[int64]string          // names of members
	titled  map[string]bool           // pages that may have got the texts of a website, as table and old id
	held    int
	left    map[[2]string]int // counts by table and reason

	progress func(done, total int64)
	total    int64
	report   Report
}

// Shop fills a shop that is empty.
func Shop(ctx context.Context, a *backup.Archive, call Call, progress func(done, total int64)) (Report, error) {
	m := &filling{
		archive: a, call: call, ids: backup.IDs{}, known: map[string]map[int64]bool{}, files: map[string]string{}, authors: map[int64]string{},
		titled: map[string]bool{},
		left:   map[[2]string]int{}, progress: progress,
	}
	rows := a.Tables()
	for name := range rows {
		if !slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) {
			return m.report, ErrFile.With(fmt.Sprintf("an unknown table %.100q", name))
		}
	}
	for _, t := range tables {
		switch {
		case t.left != "":
			m.leave(t.name, t.left, rows[t.name])
		case t.write != nil:
			m.total += int64(min(rows[t.name], maxRows))
		}
		if t.ids {
			if err := m.number(ctx, t.name); err != nil {
				return m.report, err
			}
		}
	}
	for _, t := range tables {
		if t.write == nil {
			continue
		}
		if err := t.write(m, ctx); err != nil {
			return m.report, err
		}
	}
	if err := m.again(ctx); err != nil {
		return m.report, err
	}
	m.report.Left = []Left{}
	for _, of := range slices.SortedFunc(maps.Keys(m.left), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		m.report.Left = append(m.report.Left, Left{of[0], m.left[of], of[1]})
	}
	return m.report, nil
}

func (m *filling) leave(table, reason string, n int) {
	if n > 0 {
		m.left[[2]string{table, reason}] += n
	}
}

// number notes the ids of a table.
func (m *filling) number(ctx context.Context, table string) error {
	known := map[int64]bool{}
	m.known[table] = known
	return m.lines(ctx, table, func(n int, line []byte) error {
		var head struct {
			ID      int64           `json:"id"`
			Deleted json.RawMessage `json:"deleted_at"`
		}
		if err := json.Unmarshal(line, &head); err != nil || head.ID <= 0 {
			return at(ErrFile.With("no id"), table, n)
		}
		if _, twice := known[head.ID]; twice {
			return at(ErrFile.With("another row has this id"), table, n)
		}
		known[head.ID] = len(head.Deleted) == 0 || string(head.Deleted) == "null"
		return nil
	})
}

// lines calls each with the rows of a table; n counts from 1.
func (m *filling) lines(ctx context.Context, table string, each func(n int, line []byte) error) error {
	n := 0
	return m.archive.Rows(table, func(line []byte) error {
		if n++; n > maxRows {
			return ErrLarge.With(fmt.Sprintf("%s has more than %d rows", table, maxRows))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return each(n, line)
	})
}

// at names the row of an error.
func at(err error, table string, n int) error {
	r, ok := shop.AsRefusal(err)
	if !ok {
		return fmt.Errorf("row %d of %s: %w", n, table, err)
	}
	return r.With(strings.TrimSuffix(fmt.Sprintf("row %d of %s: %s", n, table, r.Detail), ": "))
}

// row is a row of the file.
type row struct {
	*filling
	table  string
	n      int
	fields map[string]any
	err    error // the first reference without a row
}

func (m *filling) decode(table string, n int, line []byte) (*row, error) {
	fields, err := backup.Fields(line)
	if err != nil {
		return nil, at(ErrFile.With(err.Error()), table, n)
	}
	return &row{filling: m, table: table, n: n, fields: fields}, nil
}

func (r *row) id() int64 { return r.num("id") }

func (r *row) num(column string) int64 {
	n, _ := backup.Int(r.fields[column])
	return n
}

func (r *row) text(column string) string {
	text, _ := r.fields[column].(string)
	return text
}

func (r *row) flag(column string) bool { return r.fields[column] == true }
func (r *row) null(column string) bool { return r.fields[column] == nil }

// val returns a column with the new ids in its texts.
func (r *row) val(column string) any { return r.texts(r.fields[column]) }

// pick returns some columns under their names.
func (r *row) pick(columns ...string) object {
	body := object{}
	for _, c := range columns {
		if value, ok := r.fields[c]; ok {
			body[c] = r.texts(value)
		}
	}
	return body
}

// ref returns the new id of the row that a column refers to: 0 for none, and for one that was left out.
func (r *row) ref(column, table string) int64 { return r.refTo(column, table, r.fields[column]) }

// refs is ref for a column with a list.
func (r *row) refs(column, table string) []int64 {
	list, _ := r.fields[column].([]any)
	fresh := []int64{}
	for _, old := range list {
		if id := r.refTo(column, table, old); id != 0 {
			fresh = append(fresh, id)
		}
	}
	return fresh
}

func (r *row) refTo(column, table string, value any) int64 {
	old, ok := backup.Int(value)
	if value == nil || ok && old == 0 {
		return 0
	}
	if _, known := r.known[table][old]; !known {
		r.missing(column, table, value)
	}
	return r.ids.New(table, old)
}

func (r *row) missing(column, table string, value any) {
	if r.err == nil {
		r.err = ErrReference.At(column).With(fmt.Sprintf("the file has no %s %.40v", table, value))
	}
}

// file returns the new id of the file that a column names; nil for none, and for one that was left out.
func (r *row) file(column string) any { return r.fileOf(column, r.fields[column]) }

func (r *row) fileOf(column string, value any) any {
	old, _ := value.(string)
	if value == nil || value == "" {
		return nil
	}
	fresh, known := r.files[old]
	if !known {
		r.missing(column, "media_file", value)
	}
	if fresh == "" {
		return nil
	}
	return fresh
}

// fileRef matches the id of a file in a text, and the number of its content in an address.
var fileRef = regexp.MustCompile(`([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-[0-9]+(\.))?`)

// texts replaces the ids in all texts of a value. A text that is the id of a file that was left out
// becomes null.
func (m *filling) texts(value any) any { return m.fileTexts(m.ids.Texts(clone(value))) }

func (m *filling) fileTexts(value any) any {
	switch v := value.(type) {
	case string:
		if fresh, known := m.files[v]; known && fresh == "" {
			return nil
		}
		return m.fileText(v)
	case []any:
		for i := range v {
			v[i] = m.fileTexts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.fileTexts(v[name])
		}
	}
	return value
}

func (m *filling) fileText(text string) string {
	return fileRef.ReplaceAllStringFunc(text, func(found string) string {
		part := fileRef.FindStringSubmatch(found)
		if fresh := m.files[part[1]]; fresh != "" {
			return fresh + part[2]
		}
		return found
	})
}

func clone(value any) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = clone(v[i])
		}
		return list
	case map[string]any:
		of := make(map[string]any, len(v))
		for name := range v {
			of[name] = clone(v[name])
		}
		return of
	}
	return value
}

// each writes the rows of a table that are not deleted, in the order of the file.
func (m *filling) each(ctx context.Context, table string, write func(ctx context.Context, r *row) error) error {
	return m.from(ctx, table, m.stream(ctx, table), write)
}

// from is each for the rows of a source.
func (m *filling) from(ctx context.Context, table string, rows source, write func(ctx context.Context, r *row) error) error {
	return rows(func(n int, line []byte) error {
		r, err := m.decode(table, n, line)
		if err != nil {
			return err
		}
		return m.one(ctx, r, write)
	})
}

func (m *filling) one(ctx context.Context, r *row, write func(ctx context.Context, r *row) error) error {
	m.report.Rows++
	m.step()
	if !r.null("deleted_at") {
		m.report.Rows--
		m.leave(r.table, "deleted", 1)
		return nil
	}
	err := write(ctx, r)
	if err == nil {
		err = r.err
	}
	if errors.Is(err, errLeft) {
		m.report.Rows--
		return nil
	}
	if err != nil {
		return at(err, r.table, r.n)
	}
	return nil
}

func (m *filling) step() {
	done := int64(m.report.Rows)
	for _, n := range m.left {
		done += int64(n)
	}
	m.progress(min(done, m.total), m.total)
}

var errLeft = errors.New("the row is left out")

// without leaves the row out for a reason.
func (r *row) without(reason string) error {
	r.leave(r.table, reason, 1)
	return errLeft
}

// source calls each with the rows of a table, and can do so again.
type source func(each func(n int, line []byte) error) error

// nested is each for a table whose rows refer to each other: a row is written after those that needs
// lists.
func (m *filling) nested(
	ctx context.Context, table string, rows source, needs func(r *row) []int64, write func(ctx context.Context, r *row) error,
) error {
	seen := map[int64]bool{}
	for range maxDepth {
		waiting := false
		err := rows(func(n int, line []byte) error {
			r, err := m.decode(table, n, line)
			if err != nil {
				return err
			}
			if seen[r.id()] {
				return nil
			}
			if m.known[table][r.id()] && slices.ContainsFunc(needs(r), func(id int64) bool { return m.known[table][id] && !seen[id] }) {
				waiting = true
				return nil
			}
			seen[r.id()] = true
			return m.one(ctx, r, write)
		})
		if err != nil || !waiting {
			return err
		}
	}
	return ErrReference.With(table + ": its rows refer to each other in a circle, or too deep")
}

// stream is the source that reads a table of the file.
func (m *filling) stream(ctx context.Context, table string) source {
	return func(each func(n int, line []byte) error) error { return m.lines(ctx, table, each) }
}

// sorted is a source that holds a table and has its rows in the order of sort_order.
func (m *filling) sorted(ctx context.Context, table string) (rows source, release func(), err error) {
	return m.sortedBy(ctx, table, func(r *row) int64 { return r.num("sort_order") })
}

// tree is sorted for a table with parents: the rows of a level follow those of the levels above.
func (m *filling) tree(ctx context.Context, table string) (rows source, release func(), err error) {
	parents := map[int64]int64{}
	err = m.lines(ctx, table, func(n int, line []byte) error {
		r, err := m.decode(table, n, line)
		if err == nil {
			parents[r.id()] = r.num("parent_id")
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return m.sortedBy(ctx, table, func(r *row) int64 {
		level := int64(0)
		for at := r.num("parent_id"); at != 0 && level < maxDepth; at = parents[at] {
			level++
		}
		return level<<40 + r.num("sort_order")
	})
}

func (m *filling) sortedBy(ctx context.Context, table string, key func(r *row) int64) (rows source, release func(), err error) {
	held, err := m.hold(ctx, table, func(r *row) (int64, bool) { return key(r), true })
	return func(each func(n int, line []byte) error) error {
		for _, order := range slices.Sorted(maps.Keys(held)) {
			for _, l := range held[order] {
				if err := each(l.n, l.text); err != nil {
					return err
				}
			}
		}
		return nil
	}, func() { m.release(held) }, err
}

// line is a row that is held.
type line struct {
	n    int
	text []byte
}

// hold returns the rows of a table by the number that key returns.
func (m *filling) hold(ctx context.Context, table string, key func(r *row) (int64, bool)) (map[int64][]line, error) {
	held := map[int64][]line{}
	err := m.lines(ctx, table, func(n int, text []byte) error {
		r, err := m.decode(table, n, text)
		if err != nil {
			return err
		}
		k, wanted := key(r)
		if !wanted {
			return nil
		}
		if m.held += len(text); m.held > maxHeld {
			return ErrLarge.With(table + ": its rows have too many bytes")
		}
		held[k] = append(held[k], line{n, bytes.Clone(text)})
		return nil
	})
	return held, err
}

// by is hold by the number in a column.
func (m *filling) by(ctx context.Context, table, column string) (map[int64][]line, error) {
	return m.hold(ctx, table, func(r *row) (int64, bool) { return r.num(column), true })
}

func (m *filling) release(held map[int64][]line) {
	for _, lines := range held {
		for _, l := range lines {
			m.held -= len(l.text)
		}
	}
}

// parts calls each with rows that belong to another row, in the order of sort_order.
func (m *filling) parts(table string, held []line, each func(r *row) error) error {
	list := make([]*row, 0, len(held))
	for _, l := range held {
		r, err := m.decode(table, l.n, l.text)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b *row) int { return int(a.num("sort_order") - b.num("sort_order")) })
	for _, r := range list {
		m.report.Rows++
		m.step()
		err := each(r)
		if err == nil {
			err = r.err
		}
		if err != nil {
			return at(err, table, r.n)
		}
	}
	return nil
}

// send makes a call and returns its response as JSON values.
func (m *filling) send(ctx context.Context, method, path string, params map[string]string, body any) (object, error) {
	out, err := m.call(ctx, method, path, params, body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return backup.Fields(text)
}

// create makes a call that creates the row, and notes its new id.
func (r *row) create(ctx context.Context, path string, body any) (result object, err error) {
	if r.err != nil {
		return nil, r.err
	}
	answer, err := r.send(ctx, "POST", path, nil, body)
	if err != nil {
		return nil, err
	}
	result, _ = answer["result"].(object)
	if result == nil {
		result = answer
	}
	id, ok := backup.Int(result["id"])
	if !ok {
		return nil, fmt.Errorf("POST %s: a response without an id", path)
	}
	r.ids.Put(r.table, r.id(), id)
	return result, nil
}

// put makes a call about the new row.
func (r *row) put(ctx context.Context, method, path string, body any) error {
	if r.err != nil {
		return r.err
	}
	_, err := r.send(ctx, method, path, id(r.ids.New(r.table, r.id())), body)
	return err
}

func id(n int64) map[string]string { return map[string]string{"id": fmt.Sprint(n)} }
