package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

// The connections of all processes on a server share max_connections. Each process counts the others
// every two seconds, and keeps to its share while it runs: one that starts gets its connections from
// those that run, and those of one that ends or dies go back to them.
const (
	// processName is the beginning of the application_name of a process, by which others count it.
	processName = "vitrine:"

	spareConns = 10 // for commands and other programs
	leastConns = 8  // of a process: some of its work holds a connection while it takes another (RunExclusive)
	shareEvery = 2 * time.Second
)

// Counted names the connections of a process, so that others leave a share to it.
func Counted(cfg *pgxpool.Config) {
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = newProcessName()
	}
}

// share keeps a pool to the process's share of the connections of a server. The limit of a pool cannot
// be changed, so share delays who acquires a connection; the pool calls it as a tracer. One connection of
// the share is left to adjust, which counts also while all others are in use.
type share struct {
	free   *semaphore.Weighted // connections for work; what exceeds the share is withheld
	limit  int
	given  bool // the URL has pool_max_conns, which takes precedence over the share
	pooled bool // the connections are a pooler's, which may hide processes from the count
	size   atomic.Int64
	waits  atomic.Int64
	waited atomic.Int64 // nanoseconds

	mu       sync.Mutex
	withheld int
	owed     int // of those withheld, still in use
}

func newShare(cfg *pgxpool.Config, given bool) *share {
	s := &share{limit: int(cfg.MaxConns), given: given, pooled: cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheDescribe}
	s.free = semaphore.NewWeighted(int64(s.forWork(s.limit)))
	s.size.Store(int64(cfg.MaxConns))
	all := &multitracer.Tracer{}
	if cfg.ConnConfig.Tracer != nil {
		all = multitracer.New(cfg.ConnConfig.Tracer)
	}
	all.PoolAcquireTracers, all.PoolReleaseTracers = append(all.PoolAcquireTracers, s), append(all.PoolReleaseTracers, s)
	cfg.ConnConfig.Tracer = all
	return s
}

// forWork is how many of the process's connections its work may use.
func (s *share) forWork(size int) int {
	if s.given {
		return size
	}
	return max(1, size-1)
}

// outside marks contexts and connections for which nothing is taken from the share.
type outside struct{}

const outsideConn = "outside of the share"

// TraceAcquireStart is called by the pool before it acquires a connection.
func (s *share) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	if ctx.Value(outside{}) != nil || s.free.TryAcquire(1) {
		return ctx
	}
	begun := time.Now()
	err := s.free.Acquire(ctx, 1)
	s.waits.Add(1)
	s.waited.Add(int64(time.Since(begun)))
	if err != nil { // the pool sees the end of ctx by itself
		return context.WithValue(ctx, outside{}, true)
	}
	return ctx
}

// TraceAcquireEnd is called by the pool with what TraceAcquireStart returned.
func (s *share) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, end pgxpool.TraceAcquireEndData) {
	switch isOutside := ctx.Value(outside{}) != nil; {
	case isOutside && end.Conn != nil:
		end.Conn.PgConn().CustomData()[outsideConn] = true
	case !isOutside && end.Err != nil:
		s.release()
	}
}

// TraceRelease is called by the pool for each acquired connection. It closes those that have refused a
// write: they may do so for as long as they live, while others find a server that accepts writes.
func (s *share) TraceRelease(_ *pgxpool.Pool, of pgxpool.TraceReleaseData) {
	data := of.Conn.PgConn().CustomData()
	if data[readOnly] != nil {
		closeSoon(of.Conn)
	}
	if data[outsideConn] != nil {
		delete(data, outsideConn)
		return
	}
	s.release()
}

// release lets the next one acquire a connection, unless one is owed.
func (s *share) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owed > 0 {
		s.owed--
		return
	}
	s.free.Release(1)
}

// resize withholds what exceeds a share: what is in use is owed until it is released.
func (s *share) resize(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size.Store(int64(size))
	for excess := s.forWork(s.limit) - s.forWork(size); s.withheld != excess; {
		switch {
		case s.withheld < excess:
			s.withheld++
			s.owed++
		case s.owed > 0:
			s.withheld--
			s.owed--
		default:
			s.withheld--
			s.free.Release(1)
		}
	}
	for s.owed > 0 && s.free.TryAcquire(1) {
		s.owed--
	}
}

// adjust counts the processes, and gives back connections of the pool above the share, or takes more.
func (s *share) adjust(ctx context.Context, pool *pgxpool.Pool) error {
	ctx = context.WithValue(ctx, outside{}, true)
	var most, processes int
	if err := pool.QueryRow(ctx, `
		SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
			(SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE left(application_name, length($1::text)) = $1)`, processName).Scan(&most, &processes); err != nil {
		return err
	}
	size := min(s.limit, max(leastConns, (most-spareConns)/max(1, processes)))
	if s.pooled {
		size = min(size, int(s.size.Load()))
	}
	s.resize(size)
	for stat := pool.Stat(); int(stat.TotalConns()) > size && stat.IdleConns() > 0; stat = pool.Stat() {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		err = conn.Conn().Close(ctx)
		conn.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// ShareConnections keeps the process to its share of the connections until ctx ends.
func (s *Store) ShareConnections(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, shareEvery)
		err := s.adjustShares(within)
		cancel()
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (s *Store) adjustShares(ctx context.Context) (err error) {
	if !s.share.given {
		err = s.share.adjust(ctx, s.Pool)
	}
	if r := s.replica; r != nil && !r.share.given {
		err = errors.Join(err, r.share.adjust(ctx, r.pool))
	}
	return err
}

// newProcessName names a process, with the newest migration that it knows.
func newProcessName() string {
	newest, err := newestMigration()
	if err != nil {
		newest = 0 // the migrations are part of the program
	}
	return fmt.Sprintf("%s%s:%d", processName, uuid.NewString(), newest)
}

// OlderProcesses counts the processes at work with a database that know less migrations than this one.
func OlderProcesses(ctx context.Context, db Querier) (n int, err error) {
	newest, err := newestMigration()
	if err == nil {
		err = db.QueryRow(ctx, `
			SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE datname = current_database() AND left(application_name, length($1::text)) = $1
				AND coalesce(nullif(split_part(application_name, ':', 3), '')::bigint, 0) < $2`, processName, newest).Scan(&n)
	}
	return n, err
}

// refusedWaits are the waits after the server has refused a connection because it has too many.
var refusedWaits = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second}

const tooManyConnections = "53300"

// errRefused ends the attempts of a connection that failed for another reason.
var errRefused = errors.New("the server refused the connection")

// persist makes one connection try again while the server has too many. Other failures are errors at
// once.
func persist(cfg *pgconn.Config) {
	again := &pgconn.FallbackConfig{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}
	own := 1 + len(cfg.Fallbacks) // hosts, or with and without TLS
	cfg.Fallbacks = append(slices.Clone(cfg.Fallbacks), slices.Repeat([]*pgconn.FallbackConfig{again}, len(refusedWaits))...)
	dial, refused, connected, attempts := cfg.DialFunc, cfg.OnPgError, cfg.AfterConnect, 0
	tooMany, done := false, false
	cfg.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		tooMany = err.Code == tooManyConnections
		if err.Code == readOnly {
			c.CustomData()[readOnly] = true
		}
		return refused == nil || refused(c, err)
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		done = true // the connection dials again to cancel statements
		if connected == nil {
			return nil
		}
		return connected(ctx, c)
	}
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if attempts++; attempts <= own || done {
			return dial(ctx, network, address)
		}
		if !tooMany {
			return nil, errRefused
		}
		tooMany = false
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(refusedWaits[min(attempts-own, len(refusedWaits))-1]):
		}
		return dial(ctx, network, address)
	}
}
