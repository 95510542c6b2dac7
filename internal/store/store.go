// Package store is the kernel of access to PostgreSQL: transactions, the change flow, the
// outbox of letters and events, idempotency keys, the audit log, advisory locks and the draft
// contour. SQL statements stand here and in the packages by noun below it, nowhere else.
//
// The packages by noun (catalog, sales, media, …) are functions on the types of this
// package. Reads take a Reader, which is bound to one shop, so that no query can omit the
// tenant. Writes take a *Tx, which only Write returns, so a write outside a transaction does
// not compile. What spans shops (who owns a host, a key or a session) takes the *Store.
//
// Transactions run in READ COMMITTED with explicit locks, taken in one global order: the
// advisory locks of LockOrder, then rows (documents, products by id), the count of the shop's
// storage where bytes are kept, and last of all the shop's version row.
package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop"
)

// Store is a pool of connections to one database. It is safe for concurrent use.
type Store struct {
	Pool      *pgxpool.Pool
	share     *share
	TestClock func() time.Time    // takes the place of the database's clock where a test must move it; nil: it counts
	setup     string              // what follows BEGIN in each transaction
	drafts    *semaphore.Weighted // transactions in drafts
	changed   func(context.Context, shop.CompanyID, int64)
	onFreed   func(context.Context, shop.CompanyID)
	onLetters func()
	onEvents  func()

	replica *replica // nil: none

	orphans abandonedKeys
	kept    sync.Map // see Kept

	life context.Context // until Close
	end  context.CancelFunc

	following sync.Mutex
	followed  Moment       // of the last call of Follow
	era       atomic.Int64 // how often the database may have lost writes; see Reader.Version
}

// similarity is the minimum similarity, from 0 to 1, of a mistyped query and a name: one
// wrong or missing letter in a word of six stays above it, two words that only share an
// ending do not.
const similarity = "0.35"

// Defaults of a store's connections. A database URL may override all but the last
// (pool_max_conns, pool_max_conn_idle_time, connect_timeout, statement_timeout).
const (
	maxConns         = 24
	maxIdle          = 5 * time.Minute
	connectTimeout   = 5 * time.Second
	statementTimeout = 60 * time.Second // equal to the timeout of an API call

	// LongTimeout is for work that is known to take long: reading or writing a whole shop.
	LongTimeout = 10 * time.Minute
)

// ConnOption changes the connection configuration of a store.
type ConnOption func(*pgxpool.Config)

// LongRunning sets the statement timeout in transactions, for work that is known to take long:
// reading or writing a whole shop, outside of any call.
func LongRunning(cfg *pgxpool.Config) { limitStatements(cfg, LongTimeout) }

func limitStatements(cfg *pgxpool.Config, timeout time.Duration) {
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(timeout.Milliseconds(), 10)
}

// Traced passes every statement to a tracer.
func Traced(by pgx.QueryTracer) ConnOption {
	return func(cfg *pgxpool.Config) { cfg.ConnConfig.Tracer = by }
}

// configure parses a database URL. Its pool parameters and timeouts take precedence over
// the defaults; sized reports that they say how many connections there are.
func configure(url string) (cfg *pgxpool.Config, sized bool, err error) {
	plain, err := pgconn.ParseConfig(url) // ParseConfig of the pool removes the pool's parameters from its result
	if err != nil {
		return nil, false, err
	}
	if cfg, err = pgxpool.ParseConfig(url); err != nil {
		return nil, false, err
	}
	given := func(name string) bool { return plain.RuntimeParams[name] != "" }
	if !given("pool_max_conns") {
		cfg.MaxConns = maxConns
	}
	if !given("pool_max_conn_idle_time") {
		cfg.MaxConnIdleTime = maxIdle
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	if cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeExec {
		// Without prepared statements, but with the types of the parameters as the server has
		// them, asked once for each connection and statement. Those of Go do not tell jsonb
		// from bytea.
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !given("statement_timeout") {
		limitStatements(cfg, statementTimeout)
	}
	cfg.ConnConfig.RuntimeParams["jit"] = "off" // compiling would take longer than the statements do
	// Every index of shops' rows begins with the shop. A sequential scan evaluates its
	// conditions in the order that the planner prefers: it may compare the texts of all
	// shops with a query before it checks to which shop they belong.
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	cfg.ConnConfig.RuntimeParams["pg_trgm.word_similarity_threshold"] = similarity
	return cfg, given("pool_max_conns"), nil
}

// configured returns the configuration of a pool with its share of the connections, and what follows
// BEGIN in each transaction.
func configured(url string, settings ...ConnOption) (cfg *pgxpool.Config, held *share, setup string, err error) {
	cfg, given, err := configure(url)
	if err != nil {
		return nil, nil, "", fmt.Errorf("database url: %w", err)
	}
	params := cfg.ConnConfig.RuntimeParams
	timeout := params["statement_timeout"]
	for _, change := range settings {
		change(cfg)
	}
	if own := params["statement_timeout"]; own != timeout { // not at the start of a connection: a pooler shares it
		setup = "; SET LOCAL statement_timeout = " + own
		params["statement_timeout"] = timeout
	}
	wrapConnections(cfg)
	cfg.AfterConnect = verifySettings(params)
	cfg.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error { persist(&c.Config); return nil }
	return cfg, newShare(cfg, given), setup, nil
}

// Open connects to a migrated database.
func Open(ctx context.Context, url string, settings ...ConnOption) (*Store, error) {
	cfg, held, setup, err := configured(url, settings...)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", explainRefusal(err, cfg.ConnConfig))
	}
	s := &Store{Pool: pool, share: held, setup: setup, drafts: semaphore.NewWeighted(maxDrafts)}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// Close ends work in the background, waits for connections in use and closes the pool.
func (s *Store) Close() {
	s.end()
	s.Pool.Close()
	if s.replica != nil {
		s.replica.pool.Close()
	}
}

// Background runs work that outlasts the request of ctx, for at most limit and until Close.
func (s *Store) Background(ctx context.Context, limit time.Duration, work func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(s.life, cancel)
	go func() {
		defer cancel()
		defer stop()
		work(ctx)
	}()
}

// PoolStats holds the statistics of a connection pool, for the operator's metrics.
type PoolStats struct {
	InUse, Idle, Limit int   // connections
	Taken, Waited      int64 // how often a connection was taken, and how often none was idle then
	WaitSeconds        float64
}

// PoolStats returns the statistics of the pool.
func (s *Store) PoolStats() PoolStats {
	stat := s.Pool.Stat()
	return PoolStats{
		InUse: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Limit: int(s.share.size.Load()),
		Taken: stat.AcquireCount(), Waited: stat.EmptyAcquireCount() + s.share.waits.Load(),
		WaitSeconds: (stat.EmptyAcquireWaitTime() + time.Duration(s.share.waited.Load())).Seconds(),
	}
}

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.Pool.Ping(ctx) }

// OnChange sets the function that gets a shop's new version after the commit and before the
// writer's answer. In one process this is the edge, so that the next visitor sees the
// write. Set it before the first Write.
func (s *Store) OnChange(notify func(context.Context, shop.CompanyID, int64)) { s.changed = notify }

// Kept returns the value of type T that lives as long as the store, such as an index
// of its rows in memory. The first call creates it.
func Kept[T any](s *Store, create func() *T) *T {
	value, found := s.kept.Load((*T)(nil))
	if !found {
		value, _ = s.kept.LoadOrStore((*T)(nil), create())
	}
	return value.(*T)
}

// Querier is the common interface of a pool and a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Reader reads one shop, from the pool or inside a transaction.
type Reader struct {
	DB      Querier
	Company shop.CompanyID
	Hidden  *shop.Hidden // what it leaves out; nil: nothing
	era     int64        // see Version
}

func (s *Store) reader(db Querier, company shop.CompanyID) Reader {
	return Reader{DB: db, Company: company, era: s.era.Load()}
}

// Again returns a reader that reads the same through another connection, later.
func (s *Store) Again(r Reader, db Querier) Reader {
	r.DB, r.era = db, s.era.Load()
	return r
}

// Hiding returns a reader for somebody who does not see the whole shop
// (compile.Site.ViewFor): its lists leave out hidden rows, and reading a single hidden row
// finds nothing. Queries for rows known to be shown, or read only by the shop's staff,
// ignore it.
func (r Reader) Hiding(hidden *shop.Hidden) Reader {
	r.Hidden = hidden
	return r
}

// Hiding returns the transaction with the visibility of a reader.
func (tx *Tx) Hiding(reader Reader) *Tx {
	if reader.Hidden == nil {
		return tx
	}
	copied := *tx
	copied.Hidden = reader.Hidden
	return &copied
}

// Shop returns a reader of one shop's committed rows; with a Work in the context it also
// sees the rows that the call itself wrote. It reads the contour of the context.
func (s *Store) Shop(id shop.CompanyID) Reader { return s.reader(contextReader{s, id}, id) }

// Clock returns the time of the database. What is deleted by its age is compared with it: a process
// whose own clock is wrong would delete what others still need.
func (s *Store) Clock(ctx context.Context) (now time.Time, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce($1, clock_timestamp())`, s.TestTime()).Scan(&now)
	return now.UTC(), err
}

// TestTime is the parameter of statements that say coalesce($1, now()): nil unless a test moves the
// clock.
func (s *Store) TestTime() *time.Time {
	if s.TestClock == nil {
		return nil
	}
	at := s.TestClock()
	return &at
}

// UniqueViolation reports whether err is a violation of the named unique index.
func UniqueViolation(err error, index string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.ConstraintName == index
}

// IsReferenced reports whether rows were not deleted because others refer to them.
func IsReferenced(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23503"
}

// ErrShopNotFound answers calls for a shop that does not exist.
var ErrShopNotFound = shop.Refuse(shop.NotFound, "SHOP_NOT_FOUND").When("there is no such shop")

// missingShop returns ErrShopNotFound where the database refused a row because there is no
// company with its id: a buyer's call names its shop, and nothing reads the shop first.
func missingShop(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23503" && pg.ConstraintName == pg.TableName+"_company_id_fkey" {
		return ErrShopNotFound
	}
	return err
}

// NoRow reports whether a query found nothing.
func NoRow(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// Prefixed returns a row that scans one more column, first, before the others.
func Prefixed(row pgx.Row, first any) pgx.Row { return prefixed{row, first} }

type prefixed struct {
	row   pgx.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }

// OnFreed sets the function that deletes the bytes released by a shop, after the commit and
// before the writer's answer. Set it before the first Write.
func (s *Store) OnFreed(remove func(context.Context, shop.CompanyID)) { s.onFreed = remove }

// OnEvents sets the function that is called after a commit that recorded events.
func (s *Store) OnEvents(f func()) { s.onEvents = f }
