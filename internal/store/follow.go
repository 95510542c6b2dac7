package store

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/shop"
)

// Moment is how far a process has followed the changes of the database. The zero value is
// the beginning.
type Moment struct {
	history  string // of the database; another one after a failover, a restore or a restart
	lsn      int64  // of its log
	snapshot string // which transactions were visible
	at       time.Time
}

// Followed is what became visible since a Moment.
type Followed struct {
	Now Moment

	// Versions are the versions of the shops that changed; 0 for a shop that was removed.
	Versions map[shop.CompanyID]int64

	// Lag is the time between the first of these changes and the call.
	Lag time.Duration

	// Reset reports that Versions are not all that changed: whatever is held must be compared
	// with the database. It is set at the beginning, after a long pause, and when the database
	// may have lost writes.
	Reset bool
}

const (
	goneKept = 24 * time.Hour // how long removals of shops are recorded
	maxPause = time.Hour      // between two calls of Follow without a reset
)

// followSQL reads what transactions changed that a snapshot did not see: later ones, and those
// that ran then. Rows of a restored database may name transactions that are still to come. The
// planner does not see the bounds, so that it keeps one plan.
const followSQL = `
	SELECT now.history, now.lsn, now.snapshot, now.at, changed.id, changed.version, changed.at
	FROM (SELECT pg_current_snapshot()::text AS snapshot, (pg_current_wal_insert_lsn() - '0/0')::bigint AS lsn, now() AS at,
		concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
			(SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('public.company'),
			extract(epoch FROM pg_postmaster_start_time())) AS history OFFSET 0) AS now
	LEFT JOIN (
		SELECT company_id AS id, version, at FROM company_change
		WHERE xid >= (SELECT pg_snapshot_xmax($1::pg_snapshot)) AND xid < (SELECT pg_snapshot_xmax(pg_current_snapshot()))
		UNION ALL SELECT company_id, version, at FROM company_change WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))
		UNION ALL SELECT id, 0, at FROM company_gone
		WHERE xid >= (SELECT pg_snapshot_xmax($1::pg_snapshot)) AND xid < (SELECT pg_snapshot_xmax(pg_current_snapshot()))
		UNION ALL SELECT id, 0, at FROM company_gone WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))
	) AS changed ON true`

// Follow returns which shops have changed since a moment: those changed by transactions that
// were not visible then, in whatever order they were committed. It costs one look into an
// index, however many shops there are.
//
// A database that lost writes repeats versions for other content. A failover and a restore
// show as another timeline, server, database or table, a restart as another start of the
// server, and a crash that lost writes as a log that is shorter than before. Each begins an
// era: see Reader.Version. The caller then compares what it holds.
func (s *Store) Follow(ctx context.Context, since Moment) (f Followed, err error) {
	s.following.Lock()
	defer s.following.Unlock()
	covered := s.replica.begin()
	defer func() { s.replica.followed(f, covered, err) }()
	var snapshot *string
	if since.snapshot != "" {
		snapshot = &since.snapshot
	}
	rows, err := s.Pool.Query(ctx, followSQL, snapshot)
	if err != nil {
		return f, err
	}
	defer rows.Close()
	f.Versions = map[shop.CompanyID]int64{}
	for rows.Next() {
		var id *shop.CompanyID
		var version *int64
		var at *time.Time
		if err := rows.Scan(&f.Now.history, &f.Now.lsn, &f.Now.snapshot, &f.Now.at, &id, &version, &at); err != nil {
			return f, err
		}
		if id != nil && *version >= f.Versions[*id] {
			f.Versions[*id] = *version
		}
		if at != nil {
			f.Lag = max(f.Lag, f.Now.at.Sub(*at))
		}
	}
	if err := rows.Err(); err != nil {
		return f, err
	}
	if s.followed != (Moment{}) && s.followed.lost(f.Now) {
		s.era.Add(1)
	}
	s.followed = f.Now
	for id, version := range f.Versions {
		if version > 0 {
			f.Versions[id] = s.version(version)
		}
	}
	f.Reset = since.lost(f.Now) || f.Now.at.Sub(since.at).Abs() > maxPause
	return f, nil
}

// lost reports whether writes that were visible at a moment may be lost now.
func (m Moment) lost(now Moment) bool { return m.history != now.history || m.lsn > now.lsn }

// followEvery is how often FollowEras looks.
const followEvery = 500 * time.Millisecond

// FollowEras follows the eras of the database until ctx ends, in a process that does nothing
// else with its changes. Where nobody follows them, values that are cached by version may be
// stale after a failover.
func (s *Store) FollowEras(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var since Moment
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		f, err := s.Follow(ctx, since)
		if err != nil {
			if !errors.Is(err, ctx.Err()) {
				failed(err)
			}
			continue
		}
		since = f.Now
	}
}

// eraShift leaves room for 10^12 versions of a shop.
const eraShift = 40

// version returns a stored version of a shop as this process sees it: see Reader.Version.
func (s *Store) version(stored int64) int64 { return s.era.Load()<<eraShift + stored }

// Version returns a version of the shop that is stored in the database as versions are
// compared in this process. The database repeats versions after it has lost writes. So a
// version also counts the eras of the database that this process has seen: of two equal
// ones, the content is equal too.
func (r Reader) Version(stored int64) int64 { return r.era<<eraShift + stored }

// stored is the reverse of Version; ok is false for a version of an earlier era.
func (r Reader) stored(version int64) (stored int64, ok bool) {
	return version - r.era<<eraShift, version>>eraShift == r.era
}

// SameEra reports whether two versions of a shop are of one era.
func SameEra(a, b int64) bool { return a>>eraShift == b>>eraShift }

// SweepGone deletes the records of shops that were removed some time ago.
func (s *Store) SweepGone(ctx context.Context, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM company_gone WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM company_gone WHERE at < $1 LIMIT $2))`, now.Add(-goneKept))
}
