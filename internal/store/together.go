package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Together runs reads that do not depend on each other in as few round trips as the longest of
// them needs: each runs until it waits for a statement, then one batch sends the statements
// that all of them wait for, in the order of the reads. It returns the first error.
//
// Only one read runs at a time, so they may share memory without locks. They read through the
// Reader that read gets; statements of other readers are sent at once. Rows are held in
// memory, so reads with many rows do not belong here. A nested call joins the outer one.
func (r Reader) Together(ctx context.Context, reads ...func(Reader) error) error {
	g, nested := r.DB.(*gathering)
	if !nested {
		g = &gathering{Querier: r.DB}
	}
	r.DB = g
	group := &readGroup{left: len(reads)}
	branches := make([]*branch, len(reads))
	for i, read := range reads {
		branches[i] = g.branch(group, func() error { return read(r) })
	}
	g.ready = slices.Concat(branches, g.ready)
	if nested {
		return g.join(group)
	}
	return g.run(ctx, group)
}

// gathering collects the statements of reads that run together. Fields change only while the
// one goroutine runs that holds the turn.
type gathering struct {
	Querier // for the batches, and for what is not gathered

	ready   []*branch
	asked   []*question // statements that wait for the next batch
	current *branch
	over    bool // run was left by a panic: nothing answers any more
}

// errAbandoned ends reads whose neighbour panicked.
var errAbandoned = errors.New("store: a read that ran together with this one panicked")

// branch is one read, a coroutine that yields when it waits.
type branch struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	group *readGroup
}

// readGroup is the reads of one call of Together.
type readGroup struct {
	left   int
	err    error
	parent *branch // waits for the group
}

// question is a statement and, after its batch, its rows.
type question struct {
	sql    string
	args   []any
	branch *branch
	rows   *heldRows
}

func (g *gathering) branch(group *readGroup, read func() error) *branch {
	b := &branch{group: group}
	b.next, b.stop = iter.Pull(func(yield func(struct{}) bool) {
		b.yield = yield
		if err := read(); err != nil && group.err == nil {
			group.err = err
		}
		if group.left--; group.left == 0 && group.parent != nil {
			g.ready = slices.Insert(g.ready, 0, group.parent)
		}
	})
	return b
}

// run gives turns to the branches and sends a batch whenever all of them wait.
func (g *gathering) run(ctx context.Context, group *readGroup) error {
	var all []*branch
	defer func() {
		for _, b := range all {
			b.stop()
		}
	}()
	for group.left > 0 {
		for len(g.ready) > 0 {
			b := g.ready[0]
			g.ready = g.ready[1:]
			all = append(all, b)
			g.current = b
			b.next()
		}
		if group.left > 0 {
			g.send(ctx)
		}
	}
	return group.err
}

// wait ends the turn of the running branch until something makes it ready again.
func (g *gathering) wait() error {
	b := g.current
	if g.over || !b.yield(struct{}{}) {
		g.over = true
		return errAbandoned
	}
	g.current = b
	return nil
}

func (g *gathering) join(group *readGroup) error {
	if group.left > 0 {
		group.parent = g.current
		if err := g.wait(); err != nil {
			return err
		}
	}
	return group.err
}

func (g *gathering) send(ctx context.Context) {
	asked := g.asked
	g.asked = nil
	batch := &pgx.Batch{}
	for _, q := range asked {
		batch.Queue(q.sql, q.args...)
	}
	results := g.Querier.SendBatch(ctx, batch)
	for _, q := range asked {
		q.rows = hold(results.Query())
		g.ready = append(g.ready, q.branch)
	}
	if err := results.Close(); err != nil {
		for _, q := range asked {
			if q.rows.err == nil {
				q.rows.err = err
			}
		}
	}
}

func (g *gathering) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	q := &question{sql: sql, args: args, branch: g.current}
	g.asked = append(g.asked, q)
	if err := g.wait(); err != nil {
		return nil, err
	}
	return q.rows, q.rows.err
}

func (g *gathering) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := g.Query(ctx, sql, args...)
	return heldRow{rows, err}
}

// heldRows are the rows of a statement in memory.
type heldRows struct {
	fields []pgconn.FieldDescription
	values [][][]byte
	tag    pgconn.CommandTag
	types  *pgtype.Map
	plans  []scanPlan // of the columns, as of the last scan
	at     int        // of the current row, from 1
	err    error
}

// scanPlan scans values of a column into targets of a type. Planning takes longer than scanning.
type scanPlan struct {
	pgtype.ScanPlan
	to reflect.Type
}

func hold(rows pgx.Rows, err error) *heldRows {
	if err != nil {
		return &heldRows{err: err}
	}
	defer rows.Close()
	h := &heldRows{types: rows.TypeMap()}
	for rows.Next() {
		row := make([][]byte, len(rows.RawValues()))
		for i, v := range rows.RawValues() {
			if v != nil {
				row[i] = append(make([]byte, 0, len(v)), v...)
			}
		}
		h.values = append(h.values, row)
	}
	h.fields = append(h.fields, rows.FieldDescriptions()...)
	h.err = rows.Err()
	h.tag = rows.CommandTag()
	return h
}

func (h *heldRows) Close()                                       { h.at = len(h.values) + 1 }
func (h *heldRows) Err() error                                   { return h.err }
func (h *heldRows) CommandTag() pgconn.CommandTag                { return h.tag }
func (h *heldRows) FieldDescriptions() []pgconn.FieldDescription { return h.fields }
func (h *heldRows) RawValues() [][]byte                          { return h.values[h.at-1] }
func (h *heldRows) Conn() *pgx.Conn                              { return nil }
func (h *heldRows) TypeMap() *pgtype.Map                         { return h.types }

func (h *heldRows) Next() bool {
	if h.at > len(h.values) {
		return false
	}
	h.at++
	return h.at <= len(h.values)
}

func (h *heldRows) Scan(dest ...any) error {
	if len(dest) == 1 {
		if scanner, ok := dest[0].(pgx.RowScanner); ok {
			return scanner.ScanRow(h)
		}
	}
	if err := h.scan(dest); err != nil {
		h.err = err
		h.Close()
		return err
	}
	return nil
}

func (h *heldRows) scan(dest []any) error {
	if len(dest) != len(h.fields) {
		return fmt.Errorf("store: %d columns are scanned into %d targets", len(h.fields), len(dest))
	}
	if h.plans == nil {
		h.plans = make([]scanPlan, len(h.fields))
	}
	for i, raw := range h.RawValues() {
		if dest[i] == nil {
			continue
		}
		f, p := &h.fields[i], &h.plans[i]
		if to := reflect.TypeOf(dest[i]); p.to != to {
			*p = scanPlan{h.types.PlanScan(f.DataTypeOID, f.Format, dest[i]), to}
		}
		if err := p.Scan(raw, dest[i]); err != nil {
			return fmt.Errorf("store: column %s: %w", f.Name, err)
		}
	}
	return nil
}

func (h *heldRows) Values() ([]any, error) {
	values := make([]any, 0, len(h.fields))
	for i, raw := range h.RawValues() {
		if raw == nil {
			values = append(values, nil)
			continue
		}
		t, ok := h.types.TypeForOID(h.fields[i].DataTypeOID)
		if !ok {
			values = append(values, string(raw))
			continue
		}
		v, err := t.Codec.DecodeValue(h.types, h.fields[i].DataTypeOID, h.fields[i].Format, raw)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// heldRow is the first of the rows of a statement.
type heldRow struct {
	rows pgx.Rows
	err  error
}

func (r heldRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	return r.rows.Scan(dest...)
}
