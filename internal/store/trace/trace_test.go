package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
	"vitrine/internal/store/trace"
)

// secretText stands for people's data in the arguments of statements.
const secretText = "anna@people.test"

// traced is a connection whose statements are traced.
type traced struct {
	*pgx.Conn
	*trace.Tracer
	log bytes.Buffer
}

func newTraced(t *testing.T, slow time.Duration) *traced {
	t.Helper()
	c := &traced{}
	c.Tracer = trace.New(c.logger(), slow)
	cfg, err := pgx.ParseConfig(storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Tracer = c.Tracer
	if c.Conn, err = pgx.ConnectConfig(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Conn.Close(context.Background()) })
	return c
}

func (c *traced) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(&c.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// lines returns the logged lines since the last call.
func (c *traced) lines(t *testing.T) (list []map[string]any) {
	t.Helper()
	if strings.Contains(c.log.String(), secretText) {
		t.Errorf("an argument was logged: %s", c.log.String())
	}
	for line := range bytes.Lines(c.log.Bytes()) {
		var values map[string]any
		if err := json.Unmarshal(line, &values); err != nil {
			t.Fatal(err)
		}
		list = append(list, values)
	}
	c.log.Reset()
	return list
}

// only returns the one logged line.
func (c *traced) only(t *testing.T) map[string]any {
	t.Helper()
	list := c.lines(t)
	if len(list) != 1 {
		t.Fatalf("%d lines: %v", len(list), list)
	}
	return list[0]
}

func TestAFailingStatementIsLoggedWithItsNameCallerAndRequest(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	ctx, request := trace.WithRequest(t.Context(), "abc123")
	_, err := c.Exec(ctx, `SELECT nothing FROM product WHERE name = $1`, secretText)
	if err == nil {
		t.Fatal("it did not fail")
	}
	line := c.only(t)
	caller := fmt.Sprint(line["caller"])
	if line["level"] != "WARN" || line["statement"] != "select product" || line["request_id"] != "abc123" || line["reason"] != "error" ||
		!strings.HasPrefix(caller, "internal/store/trace_test.TestAFailingStatement") || !strings.Contains(caller, "internal/store/trace/trace_test.go:") ||
		!strings.Contains(fmt.Sprint(line["error"]), "42703") {
		t.Errorf("%v", line)
	}
	wrapped := fmt.Errorf("read the product: %w", err)
	if got := fmt.Sprint(request.Failed(wrapped)...); !strings.Contains(got, "select product") || !strings.Contains(got, "trace_test.go:") {
		t.Errorf("the request's failure: %s", got)
	}
	if got := request.Failed(errors.New("disk full")); got != nil {
		t.Errorf("the statement is blamed for another failure: %v", got)
	}
	counts := c.Counts()
	if len(counts) != 1 || counts[0].Total != 1 || counts[0].Outcome != "error" || counts[0].Slow() || strings.ContainsAny(counts[0].Caller, ": ") {
		t.Errorf("%+v", counts)
	}
}

// The database and the driver quote values in some messages.
func TestNoArgumentIsLogged(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	var number int64
	for _, fail := range []func() error{
		func() error {
			_, err := c.Exec(t.Context(), `SELECT $1::text::bigint FROM product`, secretText)
			return err
		},
		func() error { return c.QueryRow(t.Context(), `SELECT $1::text::bigint`, secretText).Scan(&number) },
		func() error { return c.QueryRow(t.Context(), `SELECT $1::text`, secretText).Scan(&number) },
		func() error { return c.QueryRow(t.Context(), `SELECT $1::bigint`, secretText).Scan(&number) },
		func() error {
			_, err := c.Exec(t.Context(), `DO $$ BEGIN RAISE EXCEPTION '`+secretText+`'; END $$`)
			return err
		},
		func() error {
			_, err := c.Exec(t.Context(), `INSERT INTO person (email, name, password_hash) VALUES ($1, '', ''), ($1, '', '')`, secretText)
			return err
		},
	} {
		if err := fail(); err == nil {
			t.Error("it did not fail")
		} else if line := c.only(t); line["error"] == "" {
			t.Errorf("no reason: %v", line)
		}
	}
}

func TestAConstraintViolationIsOnlyLoggedForDebugging(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	ctx, request := trace.WithRequest(t.Context(), "abc123")
	_, err := c.Exec(ctx, `INSERT INTO person (email, name, password_hash) VALUES ('a', '', ''), ('a', '', '')`)
	if line := c.only(t); line["level"] != "DEBUG" || line["reason"] != "constraint" {
		t.Errorf("%v", line)
	}
	if request.Failed(err) == nil {
		t.Error("a call that fails with it would not name it")
	}
}

func TestASlowStatementIsLoggedAndCounted(t *testing.T) {
	t.Parallel()
	c := newTraced(t, 30*time.Millisecond)
	if _, err := c.Exec(t.Context(), `SELECT 1`); err != nil {
		t.Fatal(err)
	}
	c.log.Reset() // the machine may be slower than that
	if _, err := c.Exec(t.Context(), `SELECT pg_sleep(0.05)`); err != nil {
		t.Fatal(err)
	}
	line := c.only(t)
	if line["msg"] != "a statement was slow" || line["statement"] != "select pg_sleep" || line["took_ms"].(float64) < 30 || line["caller"] == "" {
		t.Errorf("%v", line)
	}
	if !slices.ContainsFunc(c.Counts(), func(n trace.Count) bool { return n.Slow() && n.Statement == "select pg_sleep" && n.Total == 1 }) {
		t.Errorf("%v", c.Counts())
	}
}

func TestAClientThatWentAwayIsNoFailure(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Exec(ctx, `SELECT pg_sleep(60)`); err == nil {
		t.Fatal("it was not cancelled")
	}
	if lines := c.lines(t); len(lines) != 0 || len(c.Counts()) != 0 {
		t.Errorf("%v, %v", lines, c.Counts())
	}
}

// A call that runs out of time ends with a cancelled context too (admin/api).
func TestACallThatRanOutOfTimeIsAFailure(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(context.DeadlineExceeded) })
	if _, err := c.Exec(ctx, `SELECT pg_sleep(60)`); err == nil {
		t.Fatal("it was not cancelled")
	}
	if line := c.only(t); line["reason"] != "timeout" {
		t.Errorf("%v", line)
	}
}

func TestABatchNamesItsFailingStatementOnce(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	b := &pgx.Batch{}
	b.Queue(`SELECT 1`)
	b.Queue(`UPDATE product SET name = name WHERE 1 / (id - id) = 1 OR 1 / $1::int = 1`, 0)
	b.Queue(`DELETE FROM session WHERE false`)
	if err := c.SendBatch(t.Context(), b).Close(); err == nil {
		t.Fatal("it did not fail")
	}
	if line := c.only(t); line["statement"] != "update product" {
		t.Errorf("%v", line)
	}
	if counts := c.Counts(); len(counts) != 1 || counts[0].Statement != "update product" || counts[0].Total != 1 {
		t.Errorf("%v", counts)
	}
	b = &pgx.Batch{}
	b.Queue(`SELECT 1`)
	b.Queue(`SELECT nothing FROM sku`)
	if err := c.SendBatch(t.Context(), b).Close(); err == nil {
		t.Fatal("it did not fail") // the batch is not sent: the driver prepares its statements first
	}
	if line := c.only(t); line["statement"] != "select, select sku" {
		t.Errorf("%v", line)
	}
	// What the code that reads a result returns is no failure of the statement.
	b = &pgx.Batch{}
	b.Queue(`SELECT 1 WHERE false`).QueryRow(func(row pgx.Row) error { var n int; return row.Scan(&n) })
	before := len(c.Counts())
	if err := c.SendBatch(t.Context(), b).Close(); !errors.Is(err, pgx.ErrNoRows) || len(c.Counts()) != before {
		t.Errorf("%v, %v", err, c.Counts())
	}
}

func TestASlowBatchNamesItsStatements(t *testing.T) {
	t.Parallel()
	c := newTraced(t, 30*time.Millisecond)
	b := &pgx.Batch{}
	b.Queue(`SELECT 1`)
	b.Queue(`SELECT pg_sleep(0.05)`)
	c.log.Reset()
	if err := c.SendBatch(t.Context(), b).Close(); err != nil {
		t.Fatal(err)
	}
	if line := c.only(t); line["statement"] != "select, select pg_sleep" || line["msg"] != "a statement was slow" {
		t.Errorf("%v", line)
	}
}

func TestCopiedRowsAreTraced(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	rows := pgx.CopyFromRows([][]any{{secretText, nil, ""}})
	if _, err := c.CopyFrom(t.Context(), pgx.Identifier{"person"}, []string{"email", "name", "password_hash"}, rows); err == nil {
		t.Fatal("it did not fail")
	}
	if line := c.only(t); line["statement"] != "copy person" || line["reason"] != "constraint" {
		t.Errorf("%v", line)
	}
}

// The caller is the function of the store that issued a statement, not the one that passed it
// to the driver.
func TestTheCallerOfAStoresStatement(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	tracer := trace.New(slog.New(slog.NewTextHandler(&log, nil)), time.Nanosecond)
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), store.Traced(tracer))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	log.Reset()
	if err := s.Write(t.Context(), shop.CompanyID(1), func(tx *store.Tx) error { return tx.LockTree(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Categories(t.Context(), s.Shop(1), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`caller="internal/store.(*Tx).LockTree (internal/store/`, `caller="internal/store/catalog.Categories (internal/store/`,
		`statement="select pg_advisory_xact_lock"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, log.String())
		}
	}
}

func TestSeriesAreLimited(t *testing.T) {
	t.Parallel()
	c := newTraced(t, time.Hour)
	for n := range 1010 {
		ctx := c.TraceQueryStart(t.Context(), nil, pgx.TraceQueryStartData{SQL: fmt.Sprintf("SELECT 1 FROM t%d", n)})
		c.TraceQueryEnd(ctx, nil, pgx.TraceQueryEndData{Err: errors.New("no")})
	}
	if n := len(c.Counts()); n != 1001 {
		t.Errorf("%d series", n)
	}
}
