package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
)

// A replica is a standby that answers reads which would show nothing older than what this process
// has seen of a shop. The log of the primary orders everything: Follow returns a position of it with
// the changes that it found, and what a standby has replayed up to a position has them, too.
//
// What the process reads of a shop's state or writes at the primary may be newer than the last
// Follow. The next one that begins after it covers it; until then the shop is read at the primary.

const (
	replicaEvery  = 250 * time.Millisecond // between two looks at the replica
	replicaAnswer = time.Second            // after which one that does not answer is not read
	replicaBehind = 5 * time.Second        // how far it may be behind for shops of which no change is known
)

type replica struct {
	pool  *pgxpool.Pool
	share *share

	mu        sync.Mutex
	state     replicaState
	alive     context.Context // ends when the replica is found to be down, and with it what is being read there
	down      context.CancelFunc
	history   string // of the primary, as Follow has seen it
	floor     int64  // position that every read needs
	unreached int64  // a position that the replica has not reached yet; 0: it has reached all
	since     time.Time
	touched   map[shop.CompanyID]bool  // read or written at the primary since the last Follow began
	needs     map[shop.CompanyID]int64 // positions that reads of shops need
	stats     ReplicaStats
}

// replicaState is what a look at the replica has found.
type replicaState struct {
	server   string // system identifier and start of the server
	history  string // system identifier and timeline, as Moment.history begins
	replayed int64
}

// ReplicaStats are the numbers of a replica, for the operator's metrics.
type ReplicaStats struct {
	Up                      bool
	Behind                  time.Duration // how long it has lacked something of the primary
	Read, Primary, Repeated int64         // reads that it answered, that it could not answer yet, that failed there
}

type atReplica struct{}

// UseReplica lets reads go to a standby of the database. It need not run. Set it before the first
// Follow.
func (s *Store) UseReplica(ctx context.Context, url string, settings ...ConnOption) error {
	cfg, held, _, err := configured(url, settings...)
	if err != nil {
		return err
	}
	r := &replica{share: held, touched: map[shop.CompanyID]bool{}, needs: map[shop.CompanyID]int64{}, floor: math.MaxInt64}
	r.alive, r.down = context.WithCancel(context.Background())
	r.down()
	verify := cfg.AfterConnect
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := verify(ctx, conn); err != nil {
			return err
		}
		return r.recognise(ctx, conn)
	}
	if r.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return fmt.Errorf("connect to the replica: %w", err)
	}
	s.replica = r
	return nil
}

// errAnotherServer refuses connections to a server that was not looked at: it may have replayed less.
var errAnotherServer = errors.New("the replica is not the server that was looked at")

func (r *replica) recognise(ctx context.Context, conn *pgx.Conn) error {
	found, err := lookAtReplica(ctx, conn)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if found.server != r.state.server {
		return errAnotherServer
	}
	return nil
}

// errNoStandby reports that the server at the address of a replica is not one.
var errNoStandby = errors.New("the server is not a standby")

// lookAtReplica reads what a standby has replayed. The timeline of what it replays is the highest of
// those that it has written down; that of the receiver is visible to some roles only.
func lookAtReplica(ctx context.Context, conn *pgx.Conn) (found replicaState, err error) {
	var standby bool
	err = conn.QueryRow(ctx, `
		SELECT pg_is_in_recovery(), coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0),
			concat_ws(' ', system_identifier, extract(epoch FROM pg_postmaster_start_time())),
			concat_ws(' ', system_identifier, upper(lpad(to_hex(greatest(
				(SELECT timeline_id FROM pg_control_checkpoint()), (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
				(SELECT received_tli FROM pg_stat_wal_receiver))), 8, '0')))
		FROM pg_control_system()`).Scan(&standby, &found.replayed, &found.server, &found.history)
	if err == nil && !standby {
		err = errNoStandby
	}
	return found, err
}

// FollowReplica looks at the replica until ctx ends, if there is one.
func (s *Store) FollowReplica(ctx context.Context, failed func(error)) {
	r := s.replica
	if r == nil {
		return
	}
	tick := time.NewTicker(replicaEvery)
	defer tick.Stop()
	var conn *pgx.Conn
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, replicaAnswer)
		var err error
		if conn == nil {
			conn, err = pgx.ConnectConfig(within, r.pool.Config().ConnConfig)
		}
		var found replicaState
		if err == nil {
			found, err = lookAtReplica(within, conn)
		}
		cancel()
		if err != nil && ctx.Err() == nil {
			if conn != nil {
				closeSoon(conn)
				conn = nil
			}
			if r.stop() {
				failed(err)
			}
		}
		if err == nil {
			r.found(found)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	r.stop()
	if conn != nil {
		closeSoon(conn)
	}
}

// closeSoon closes a connection to a server that may answer nothing.
func closeSoon(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), replicaEvery)
	defer cancel()
	_ = conn.Close(ctx) // it may be broken
}

// stop keeps reads from the replica until the next look, and reports whether there were any.
func (r *replica) stop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.alive.Err() == nil
	r.down()
	return was
}

// found takes what a look at the replica has found.
func (r *replica) found(now replicaState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.server != r.state.server {
		r.down() // what was read there may be older than what is read from now on
	}
	r.state = now
	if r.unreached > 0 && r.replays(r.unreached) {
		r.unreached = 0
	}
	for id, need := range r.needs {
		if r.replays(need) {
			delete(r.needs, id)
		}
	}
	if r.alive.Err() != nil {
		r.alive, r.down = context.WithCancel(context.Background())
	}
}

// replays reports whether the replica has a position of the primary's log, in the same history.
func (r *replica) replays(position int64) bool {
	return r.state.replayed >= position && strings.HasPrefix(r.history, r.state.history+" ")
}

// begin returns the shops that a Follow covers which begins now.
func (r *replica) begin() map[shop.CompanyID]bool {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	covered := r.touched
	r.touched = map[shop.CompanyID]bool{}
	return covered
}

// followed takes the result of a Follow, which began when covered was returned.
func (r *replica) followed(f Followed, covered map[shop.CompanyID]bool, err error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		for id := range covered {
			r.touched[id] = true
		}
		return
	}
	if f.Reset || r.history != f.Now.history {
		r.history, r.floor = f.Now.history, f.Now.lsn
		clear(r.needs)
		r.unreached = 0
	}
	for id := range f.Versions {
		r.needs[id] = f.Now.lsn
	}
	for id := range covered {
		r.needs[id] = f.Now.lsn
	}
	if r.unreached == 0 && !r.replays(f.Now.lsn) {
		r.unreached, r.since = f.Now.lsn, time.Now()
	}
}

// touch records that the process knows more of a shop than the last Follow.
func (r *replica) touch(company shop.CompanyID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched[company] = true
}

// has reports whether the replica has what this process has seen of a shop. Reads there end with
// alive.
func (r *replica) has(company shop.CompanyID) (alive context.Context, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alive.Err() != nil || r.touched[company] || !r.replays(max(r.floor, r.needs[company])) || r.unreached > 0 && time.Since(r.since) > replicaBehind {
		r.stats.Primary++
		return nil, false
	}
	return r.alive, true
}

// Anywhere runs a read of a shop with a context in which the replica is read, if it has all that this
// process has seen of the shop. If there is none, or the read fails there, it runs at the primary.
// final reports errors of the replica that count.
func (s *Store) Anywhere(ctx context.Context, company shop.CompanyID, final func(error) bool, read func(context.Context) error) error {
	r := s.replica
	if r == nil || InDraftOf(ctx, company) || s.workOf(ctx) != nil {
		return read(ctx)
	}
	alive, ok := r.has(company)
	if !ok {
		return read(ctx)
	}
	within, cancel := context.WithCancel(context.WithValue(ctx, atReplica{}, true))
	unhook := context.AfterFunc(alive, cancel)
	err := read(within)
	unhook()
	cancel()
	failed := err != nil && !final(err)
	r.mu.Lock()
	if failed {
		r.stats.Repeated++
	} else {
		r.stats.Read++
	}
	r.mu.Unlock()
	if !failed || ctx.Err() != nil {
		return err
	}
	if IsUnavailable(err) || errors.Is(err, errAnotherServer) {
		r.stop()
	}
	return read(ctx)
}

// Touch records that the state of a shop was read at the primary in this context, after the last Follow.
func (s *Store) Touch(ctx context.Context, company shop.CompanyID) {
	if !ReadsReplica(ctx) {
		s.replica.touch(company)
	}
}

// ReadsReplica reports whether reads in a context go to the replica.
func ReadsReplica(ctx context.Context) bool { return ctx.Value(atReplica{}) != nil }

// reads is the pool that answers a read in a context.
func (s *Store) reads(ctx context.Context) *pgxpool.Pool {
	if s.replica != nil && ReadsReplica(ctx) {
		return s.replica.pool
	}
	return s.Pool
}

// ReplicaStats returns the numbers of the replica; ok is false if there is none.
func (s *Store) ReplicaStats() (now ReplicaStats, ok bool) {
	r := s.replica
	if r == nil {
		return now, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now = r.stats
	if r.unreached > 0 {
		now.Behind = time.Since(r.since)
	}
	now.Up = r.alive.Err() == nil && r.replays(r.floor) && now.Behind <= replicaBehind
	return now, true
}

// CheckReplica compares a server with the database: whether it is a standby of it, and how many bytes
// of the log it lacks.
func (s *Store) CheckReplica(ctx context.Context, url string) (behind int64, err error) {
	cfg, _, _, err := configured(url)
	if err != nil {
		return 0, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return 0, err
	}
	defer closeSoon(conn)
	f, err := s.Follow(ctx, Moment{})
	if err != nil {
		return 0, err
	}
	found, err := lookAtReplica(ctx, conn)
	if err != nil {
		return 0, err
	}
	if !strings.HasPrefix(f.Now.history, found.history+" ") {
		return 0, errors.New("it is of another server, or on another timeline after a failover, until its next checkpoint")
	}
	return max(0, f.Now.lsn-found.replayed), nil
}
