package storetest

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Statement is a statement that a test's store sent to its database.
type Statement struct {
	SQL   string
	Args  []any
	Draft bool // in the draft contour
	Trip  int  // number of its round trip; statements of a batch share one
}

// Counter records the statements of a store (store.Traced), including those of
// transactions.
//
// With an Order it checks the order of the advisory locks in transactions; Disorder returns
// the violations.
type Counter struct {
	Order []string // names of advisory locks, in the order in which they must be taken

	mu       sync.Mutex
	sent     []Statement
	trips    int // statements sent alone, and batches
	held     map[*pgx.Conn][]string
	disorder []string
	drafts   map[*pgx.Conn]bool // whose transaction is in the draft contour
}

// advisory matches the name of a transaction's advisory lock.
var advisory = regexp.MustCompile(`pg_advisory_xact_lock\(hashtextextended\('(\w+):`)

// lock records the locks taken by a statement. The caller holds mu.
func (c *Counter) lock(conn *pgx.Conn, sql string) {
	switch word, _, _ := strings.Cut(strings.ToLower(sql), " "); word {
	case "begin", "begin;", "commit":
		delete(c.held, conn)
		return
	case "rollback":
		if !strings.Contains(strings.ToLower(sql), "savepoint") {
			delete(c.held, conn)
		}
		return
	}
	for _, match := range advisory.FindAllStringSubmatch(sql, -1) {
		held := c.held[conn]
		if slices.Contains(held, match[1]) {
			continue // held already, so it does not wait
		}
		at := slices.Index(c.Order, match[1])
		if at < 0 || slices.ContainsFunc(held, func(h string) bool { return slices.Index(c.Order, h) > at }) {
			c.disorder = append(c.disorder, strings.Join(append(slices.Clone(held), match[1]), ", "))
		}
		if c.held == nil {
			c.held = map[*pgx.Conn][]string{}
		}
		c.held[conn] = append(held, match[1])
	}
}

// OrderViolations returns the sequences of locks that violated the order.
func (c *Counter) OrderViolations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.disorder
}

// TraceQueryStart is called by the driver before each statement.
func (c *Counter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !counts(q.SQL) {
		c.trip()
	}
	c.add(conn, q.SQL, q.Args)
	return ctx
}

// TraceQueryEnd is called by the driver after each statement.
func (c *Counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is called by the driver before a batch.
func (c *Counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.trip()
	return ctx
}

// TraceBatchQuery is called by the driver for each statement of a batch.
func (c *Counter) TraceBatchQuery(_ context.Context, conn *pgx.Conn, q pgx.TraceBatchQueryData) {
	c.add(conn, q.SQL, q.Args)
}

// TraceBatchEnd is called by the driver after a batch.
func (c *Counter) TraceBatchEnd(_ context.Context, conn *pgx.Conn, _ pgx.TraceBatchEndData) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.PgConn().TxStatus() == 'I' { // it was a transaction
		delete(c.drafts, conn)
	}
}

// contour records what a statement does to the search_path. The caller holds mu.
func (c *Counter) contour(conn *pgx.Conn, sql string, args []any) {
	switch word, rest, _ := strings.Cut(strings.ToLower(sql), " "); word {
	case "begin", "begin;", "commit":
		delete(c.drafts, conn)
	case "rollback":
		if !strings.Contains(rest, "savepoint") {
			delete(c.drafts, conn)
		}
	}
	if !strings.Contains(sql, "search_path") {
		return
	}
	if c.drafts == nil {
		c.drafts = map[*pgx.Conn]bool{}
	}
	c.drafts[conn] = strings.Contains(sql, "dev, public") || slices.Contains(args, any("dev, public"))
}

func counts(sql string) bool {
	return strings.Contains(sql, "INTO rate_count") || strings.Contains(sql, "INTO attempt AS shared")
}

func (c *Counter) add(conn *pgx.Conn, sql string, args []any) {
	if counts(sql) { // a process counts calls in portions, so not every call has one
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.contour(conn, sql, args)
	if strings.HasPrefix(sql, "SELECT set_config('search_path'") { // the beginning of a batch in a draft: no work for the database
		return
	}
	if c.Order != nil {
		c.lock(conn, sql)
	}
	c.sent = append(c.sent, Statement{SQL: sql, Args: args, Draft: c.drafts[conn], Trip: c.trips})
}

func (c *Counter) trip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips++
}

// TakeTrips returns the number of round trips since the last call. A batch is one.
func (c *Counter) TakeTrips() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	trips := c.trips
	c.trips = 0
	return trips
}

// Take returns the statements since the last call.
func (c *Counter) Take() []Statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

// SequentialScans returns the tables with a company_id on which the planner would use a sequential
// scan for a statement. Statements without a plan scan nothing.
func SequentialScans(t testing.TB, url string, statements []Statement) map[string][]string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	found := map[string][]string{}
	for _, s := range statements {
		path := "public"
		if s.Draft {
			path = "dev, public"
		}
		if err := run(ctx, conn, "SET search_path = "+path); err != nil {
			t.Fatal(err)
		}
		for _, table := range scannedTables(t, conn, s) {
			found[table] = append(found[table], s.SQL)
		}
	}
	return found
}

// planNode is a node of EXPLAIN (FORMAT JSON); the last four numbers are there with ANALYZE.
type planNode struct {
	Kind     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Rows     float64    `json:"Plan Rows"`
	Plans    []planNode `json:"Plans"`

	Returned  float64 `json:"Actual Rows"` // by each loop, as Filtered and Rechecked
	Filtered  float64 `json:"Rows Removed by Filter"`
	Rechecked float64 `json:"Rows Removed by Index Recheck"`
	Loops     float64 `json:"Actual Loops"`
}

func (n planNode) scans() (tables []string) {
	if n.Kind == "Seq Scan" {
		tables = append(tables, n.Relation)
	}
	for _, below := range n.Plans {
		tables = append(tables, below.scans()...)
	}
	return tables
}

func scannedTables(t testing.TB, conn *pgx.Conn, s Statement) (tables []string) {
	t.Helper()
	word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(s.SQL)), " ")
	switch strings.Trim(word, " ;") {
	case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET", "-- PING":
		return nil
	}
	ctx := context.Background()
	var plan []byte
	if err := conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON, COSTS OFF) "+s.SQL, s.Args...).Scan(&plan); err != nil {
		t.Errorf("no plan: %v\n%s", err, s.SQL)
		return nil
	}
	var roots []struct{ Plan planNode }
	if err := json.Unmarshal(plan, &roots); err != nil {
		t.Fatal(err)
	}
	for _, root := range roots {
		for _, table := range root.Plan.scans() {
			var tenant bool
			err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
				WHERE c.relname = $1 AND a.attname = 'company_id')`, table).Scan(&tenant)
			if err != nil {
				t.Fatal(err)
			}
			if tenant {
				tables = append(tables, table)
			}
		}
	}
	return tables
}
