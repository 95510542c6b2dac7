// Package store is PostgreSQL: every SQL statement of the program stands here,
// one file a noun.
//
// Reads are methods of Reader, which is bound to one shop, so that the tenant
// stands first in every query and cannot be forgotten. Writes are methods of
// *Tx, which only Write hands out, so a write outside a transaction does not
// compile. What crosses shops (who owns a host, a key or a session) are methods
// of *Store itself.
//
// Transactions run in READ COMMITTED with explicit locks, taken in one global
// order: the advisory locks of LockOrder, then rows (documents, products by id),
// the count of the shop's storage where bytes are kept, and last of all the
// shop's version row.
package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
)

// LockOrder is the order of a shop's advisory locks, by the word that each is
// named with: who belongs to the shop, its draft, its tree of sections, its
// bindings of design, its collections, who takes slugs and skus of products, its
// redirect set, what is closed to whom, parts of the blob store from which something may be removed, the
// count of its storage. A transaction that holds one never waits
// for one that stands before it.
var LockOrder = []string{"members", "draft", "tree", "design", "collections", "products", "pricing", "policies", "rules", "webhooks", "objects", "storage", "letters"}

// Store is a pool of connections to one database. Safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	draft   *pgxpool.Pool // sees drafts in the place of live rows
	changed func(context.Context, shop.CompanyID, int64)
	freed   func(context.Context, shop.CompanyID)
	posted  func()
	told    func()

	orphans orphans
	kept    sync.Map // see Kept
}

// similarity is how like a name a mistyped query must be, from 0 to 1: one
// wrong or missing letter in a word of six stays above it, two words that only
// end alike do not.
const similarity = "0.35"

// Bounds of a store's connections. An address may set all of them but the last
// (pool_max_conns, pool_max_conn_idle_time, connect_timeout, statement_timeout).
const (
	maxConns         = 24
	maxIdle          = 5 * time.Minute
	connectTimeout   = 5 * time.Second
	statementTimeout = 60 * time.Second // as long as a call of the API
	longTimeout      = 10 * time.Minute // of work that is known to be long (Unhurried)
)

// Setting changes how a store connects.
type Setting func(*pgxpool.Config)

// Unhurried gives statements the time of known long work: a whole shop read or
// written, outside of any call.
func Unhurried(cfg *pgxpool.Config) { limitStatements(cfg, longTimeout) }

func limitStatements(cfg *pgxpool.Config, to time.Duration) {
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(to.Milliseconds(), 10)
}

// Traced lets a tracer see every statement.
func Traced(by pgx.QueryTracer) Setting {
	return func(cfg *pgxpool.Config) { cfg.ConnConfig.Tracer = by }
}

// configure reads an address. What it says about the pool and about times stands.
func configure(url string) (*pgxpool.Config, error) {
	plain, err := pgconn.ParseConfig(url) // the pool takes its parameters out of its own
	if err != nil {
		return nil, err
	}
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	asked := func(name string) bool { return plain.RuntimeParams[name] != "" }
	if !asked("pool_max_conns") {
		cfg.MaxConns = maxConns
	}
	if !asked("pool_max_conn_idle_time") {
		cfg.MaxConnIdleTime = maxIdle
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	if !asked("statement_timeout") {
		limitStatements(cfg, statementTimeout)
	}
	cfg.ConnConfig.RuntimeParams["jit"] = "off" // statements end before they would be compiled
	// Every index of shops' rows begins with the shop, a scan of a whole table with
	// whatever stands first: it may compare the texts of all shops with a query
	// before it looks whose they are, in the order that the planner likes.
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	cfg.ConnConfig.RuntimeParams["pg_trgm.word_similarity_threshold"] = similarity
	return cfg, nil
}

// Open connects to a migrated database.
func Open(ctx context.Context, url string, settings ...Setting) (*Store, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	for _, change := range settings {
		change(cfg)
	}
	wired(cfg)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	draft, err := openDraft(ctx, cfg)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database for drafts: %w", err)
	}
	return &Store{pool: pool, draft: draft}, nil
}

// Close waits for connections in use and closes the pools.
func (s *Store) Close() {
	s.draft.Close()
	s.pool.Close()
}

// PoolStats is what a pool of connections does, for the operator's metrics.
type PoolStats struct {
	Name               string // live or draft
	InUse, Idle, Limit int    // connections
	Taken, Waited      int64  // how often one was taken, and how often none was idle then
	WaitSeconds        float64
}

// Pools is what the pools do.
func (s *Store) Pools() []PoolStats {
	var list []PoolStats
	for _, p := range []struct {
		name string
		*pgxpool.Pool
	}{{"live", s.pool}, {"draft", s.draft}} {
		stat := p.Stat()
		list = append(list, PoolStats{
			Name: p.name, InUse: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Limit: int(stat.MaxConns()),
			Taken: stat.AcquireCount(), Waited: stat.EmptyAcquireCount(), WaitSeconds: stat.EmptyAcquireWaitTime().Seconds(),
		})
	}
	return list
}

// Ping asks the database for a sign of life.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// OnChange sets who is told of a shop's new version after the commit and before
// the writer's answer. In one process this is the edge, so that the next
// visitor sees the write. Set it before the first Write.
func (s *Store) OnChange(tell func(context.Context, shop.CompanyID, int64)) { s.changed = tell }

// Kept returns the value of type T that lives as long as the store, such as an index
// of its rows in memory. The first call creates it.
func Kept[T any](s *Store, create func() *T) *T {
	value, found := s.kept.Load((*T)(nil))
	if !found {
		value, _ = s.kept.LoadOrStore((*T)(nil), create())
	}
	return value.(*T)
}

// querier is what a pool and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Reader reads one shop, from the pool or inside a transaction.
type Reader struct {
	q       querier
	Company shop.CompanyID
	hidden  *shop.Hidden // what it leaves out; nil: nothing
}

// Without is a reader for somebody who does not see all of the shop
// (compile.Site.Seen): its lists leave out what is hidden, and one thing that is
// hidden is not there. What looks things up that are known to be shown, or that only
// the shop's people read, does not ask.
func (r Reader) Without(hidden *shop.Hidden) Reader {
	r.hidden = hidden
	return r
}

// As is the transaction as a reader sees the shop.
func (tx *Tx) As(seen Reader) *Tx {
	if seen.hidden == nil {
		return tx
	}
	as := *tx
	as.hidden = seen.hidden
	return &as
}

// Shop is a reader of one shop's committed rows, and in the context of a Work of
// those that the call itself wrote; in the contour that the context names.
func (s *Store) Shop(id shop.CompanyID) Reader { return Reader{q: reading{s, id}, Company: id} }

// uniqueViolation reports whether err breaks the named unique index.
func uniqueViolation(err error, index string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.ConstraintName == index
}

// ErrShopNotFound answers calls for a shop that does not exist.
var ErrShopNotFound = shop.Refuse(shop.NotFound, "SHOP_NOT_FOUND").When("there is no such shop")

// unlessNoShop is ErrShopNotFound where the database refused a row because it has no
// company of that id: a buyer's call names its shop, and nothing reads it first.
func unlessNoShop(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23503" && pg.ConstraintName == pg.TableName+"_company_id_fkey" {
		return ErrShopNotFound
	}
	return err
}

// noRow reports that a query found nothing.
func noRow(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// prefixed scans one more column in front of a row.
type prefixed struct {
	row   pgx.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }
