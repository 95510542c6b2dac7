// Package trace observes the statements that a store sends to its database. A statement
// that fails or is slow is logged with its name (verb and table), the function that issued
// it and the id of the request that it belongs to, and is counted for the operator's
// metrics.
//
//	failing := trace.New(log, trace.Slow)
//	db, err := store.Open(ctx, url, store.Traced(failing))
//
// A constraint violation is logged only at the level debug, because the store answers many
// of them with a refusal: a name that is taken, a shop that does not exist. One that no code
// expects makes its call fail, and Request.Failed names it for that call's log line. A
// statement whose context was cancelled, because its client went away, did not fail.
//
// Arguments are never logged, nor are messages of the database that may quote them: they
// hold people's data.
package trace

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/span"
	"vitrine/internal/store"
)

// Slow is how long a statement may take before it is logged. Statements of a call take
// milliseconds: one second is a missing index or a long wait for a lock, and noticeable to
// the person who waits for it. It is well below the five seconds that a visitor's read may
// take, so that a statement is logged before calls fail because of it.
const Slow = time.Second

// Tracer logs and counts the failing and slow statements of a store (store.Traced). It is
// safe for concurrent use.
type Tracer struct {
	log    *slog.Logger
	slow   time.Duration
	mu     sync.Mutex
	totals map[series]int64
}

var (
	_ pgx.QueryTracer    = (*Tracer)(nil)
	_ pgx.BatchTracer    = (*Tracer)(nil)
	_ pgx.CopyFromTracer = (*Tracer)(nil)
)

// New returns a tracer that logs failing statements, and those that take at least slow.
func New(log *slog.Logger, slow time.Duration) *Tracer {
	return &Tracer{log: log, slow: slow, totals: map[series]int64{}}
}

// sent is a statement, or a batch of them, on its way.
type sent struct {
	sql    string
	batch  *pgx.Batch // nil for a single statement
	at     time.Time
	stack  stack
	read   bool // of a batch: a result was read
	failed bool // of a batch: one of its statements failed
	span   *span.Span
	ended  bool // the driver reports the end of a batch that could not be sent twice
}

// name returns the name of a statement, or the first few different names of a batch: the
// results of a batch arrive together, so that the slow one among them is not known.
func (s *sent) name() string {
	if s.batch == nil {
		return Name(s.sql)
	}
	var names []string
	for _, q := range s.batch.QueuedQueries {
		if name := Name(q.SQL); len(names) < 3 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

type sentKey struct{}

func begin(ctx context.Context, s *sent) context.Context {
	s.at = time.Now()
	s.stack.capture()
	if span.Of(ctx) != nil {
		ctx, s.span = span.Call(ctx, s.name())
	}
	return context.WithValue(ctx, sentKey{}, s)
}

// TraceQueryStart is called by the driver before each statement.
func (t *Tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return begin(ctx, &sent{sql: q.SQL})
}

// TraceQueryEnd is called by the driver when a statement failed or its rows were read.
func (t *Tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	if s, ok := ctx.Value(sentKey{}).(*sent); ok {
		t.end(ctx, s, q.Err)
	}
}

// TraceCopyFromStart is called by the driver before rows are copied into a table.
func (t *Tracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromStartData) context.Context {
	return begin(ctx, &sent{sql: "COPY " + strings.Join(c.TableName, ".")})
}

// TraceCopyFromEnd is called by the driver after rows were copied into a table.
func (t *Tracer) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromEndData) {
	if s, ok := ctx.Value(sentKey{}).(*sent); ok {
		t.end(ctx, s, c.Err)
	}
}

// TraceBatchStart is called by the driver before a batch.
func (t *Tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	return begin(ctx, &sent{batch: b.Batch})
}

// TraceBatchQuery is called by the driver for each statement of a batch.
func (t *Tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	s, ok := ctx.Value(sentKey{}).(*sent)
	if !ok {
		return
	}
	s.read = true
	if q.Err != nil && !s.failed { // the statements after it fail with the same error
		s.failed = true
		s.span.Fail(reason(q.Err))
		t.fail(ctx, &sent{sql: q.SQL, at: s.at, stack: s.stack}, q.Err)
	}
}

// TraceBatchEnd is called by the driver after a batch. Its error may come from the code that
// read a result; an error of the database without a result means that the batch was not
// sent.
func (t *Tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchEndData) {
	s, ok := ctx.Value(sentKey{}).(*sent)
	if !ok {
		return
	}
	if s.read {
		b.Err = nil
	}
	t.end(ctx, s, b.Err)
}

func (t *Tracer) end(ctx context.Context, s *sent, err error) {
	if s.ended {
		return
	}
	s.ended = true
	if s.span != nil {
		s.span.Set("db.system.name", "postgresql")
		s.span.Set("code.function.name", s.stack.caller().function)
		if err != nil {
			s.span.Fail(reason(err))
		}
		s.span.End()
	}
	if err != nil {
		t.fail(ctx, s, err)
	}
	took := time.Since(s.at)
	if took < t.slow {
		return
	}
	name, by, from := s.name(), s.stack.caller(), s.stack.from()
	t.count(series{Statement: name, Caller: by.function, Outcome: outcomeSlow})
	t.log.LogAttrs(context.WithoutCancel(ctx), slog.LevelWarn, "a statement was slow", attributes(ctx, name, by, from, took)...)
}

// fail logs and counts a statement that failed.
func (t *Tracer) fail(ctx context.Context, s *sent, err error) {
	name := s.name()
	if cancelled(ctx) || name == "rollback" || name == "ping" {
		// A rollback fails only on a connection that an earlier statement lost, and the
		// pool replaces a connection that does not answer its ping.
		return
	}
	by, from, why := s.stack.caller(), s.stack.from(), reason(err)
	if r := requestOf(ctx); r != nil {
		r.set(name, by.String(), err)
	}
	t.count(series{Statement: name, Caller: by.function, Outcome: why})
	level := slog.LevelWarn
	if why == outcomeConstraint {
		level = slog.LevelDebug
	}
	t.log.LogAttrs(context.WithoutCancel(ctx), level, "a statement failed",
		append(attributes(ctx, name, by, from, time.Since(s.at)), slog.String("reason", why), slog.String("error", message(err)))...)
}

func attributes(ctx context.Context, name string, by, from frame, took time.Duration) []slog.Attr {
	list := []slog.Attr{slog.String("statement", name), slog.String("caller", by.String())}
	if from != (frame{}) {
		list = append(list, slog.String("from", from.String()))
	}
	if r := requestOf(ctx); r != nil {
		list = append(list, slog.String("request_id", r.id))
	}
	return append(list, slog.Int64("took_ms", took.Milliseconds()))
}

// cancelled reports whether a context was cancelled, but not because its time was over.
func cancelled(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// Reasons why a statement failed, and the outcome of a slow one.
const (
	outcomeConstraint  = "constraint"  // it violates a constraint
	outcomeTimeout     = "timeout"     // it or its call ran out of time
	outcomeUnavailable = "unavailable" // the database cannot serve for now (store.IsUnavailable)
	outcomeDiskFull    = "disk_full"   // of the database
	outcomeError       = "error"
	outcomeSlow        = "slow"
)

func reason(err error) string {
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && strings.HasPrefix(refused.Code, "23"):
		return outcomeConstraint
	case store.TimedOut(err), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return outcomeTimeout // contexts that were only cancelled were handled before
	case store.IsDiskFull(err):
		return outcomeDiskFull
	case store.IsUnavailable(err):
		return outcomeUnavailable
	}
	return outcomeError
}

// message describes an error without the values of its statement. The database quotes
// values in messages about data (class 22) and in those that a trigger raises (P0001), the
// driver in those about an argument or a column that it could not convert.
func message(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		text := "SQLSTATE " + refused.Code
		if !strings.HasPrefix(refused.Code, "22") && refused.Code != "P0001" {
			text += ": " + refused.Message
		}
		return text
	}
	var column pgx.ScanArgError
	if errors.As(err, &column) {
		return "the value of column " + column.FieldName + " could not be read"
	}
	if place, _, found := strings.Cut(err.Error(), ": "); found && strings.HasPrefix(place, "failed to encode args[") {
		return place
	}
	return err.Error()
}
