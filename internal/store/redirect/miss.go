package redirect

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Miss is one address of the 404 log.
type Miss struct {
	Path      string     `json:"path"`
	Hits      shop.Int64 `json:"hits"`
	LastHitAt time.Time  `json:"last_hit_at"`
	Hidden    bool       `json:"hidden"`
}

// Bounds of a shop's 404 log: visible addresses, addresses hidden by the owner, and how
// long an address that is no longer requested keeps priority over a new one.
const (
	maxMisses       = 2000
	maxHiddenMisses = 10_000
	missPriority    = 90 * 24 * time.Hour
)

// AddMisses adds to the 404 log of one shop and keeps it bounded.
//
// A full log first evicts the addresses that recur least: those not requested for 90 days,
// then those requested on the fewest days, then those with the fewest hits, then the
// oldest. A scanner invents thousands of addresses in an hour and requests each once, or a
// few times; these evict one another, because a broken link that people follow is requested
// on a second day, or more often.
func AddMisses(ctx context.Context, s *store.Store, company shop.CompanyID, batch []Miss) error {
	if len(batch) == 0 {
		return nil
	}
	paths, hits, times := make([]string, len(batch)), make([]int64, len(batch)), make([]time.Time, len(batch))
	latest := time.Time{}
	for i, m := range batch {
		paths[i], hits[i], times[i] = m.Path, int64(m.Hits), m.LastHitAt
		if m.LastHitAt.After(latest) {
			latest = m.LastHitAt
		}
	}
	return s.Write(ctx, company, func(tx *store.Tx) error {
		// The paths are sorted, so that two edges do not deadlock on each other's rows.
		_, err := tx.DB.Exec(ctx, `
			INSERT INTO redirect_miss AS m (company_id, path, hits, last_hit_at)
			SELECT $1, u.path, sum(u.hits), max(u.at) FROM unnest($2::text[], $3::bigint[], $4::timestamptz[]) AS u(path, hits, at)
			WHERE EXISTS (SELECT FROM company WHERE id = $1) GROUP BY u.path ORDER BY u.path
			ON CONFLICT (company_id, path) DO UPDATE SET hits = m.hits + excluded.hits, last_hit_at = greatest(m.last_hit_at, excluded.last_hit_at),
				days = m.days + ((excluded.last_hit_at AT TIME ZONE 'UTC')::date > (m.last_hit_at AT TIME ZONE 'UTC')::date)::integer`,
			company, paths, hits, times)
		if err != nil {
			return err
		}
		return evictMisses(ctx, tx, latest)
	})
}

func evictMisses(ctx context.Context, tx *store.Tx, now time.Time) error {
	_, err := tx.DB.Exec(ctx, `
		DELETE FROM redirect_miss WHERE company_id = $1 AND path IN (
			SELECT path FROM (
				SELECT path, hidden, row_number() OVER (PARTITION BY hidden
					ORDER BY last_hit_at > $2 DESC, days DESC, hits DESC, last_hit_at DESC, path) AS place
				FROM redirect_miss WHERE company_id = $1) AS ranked
			WHERE place > CASE WHEN hidden THEN $4::bigint ELSE $3::bigint END)`, tx.Company, now.Add(-missPriority), maxMisses, maxHiddenMisses)
	return err
}

// MissFilter selects addresses of the 404 log.
type MissFilter struct {
	Hidden  bool
	Text    string // part of the path, ignoring the case of ASCII letters; empty: any
	MinHits int64
}

// Misses returns one page of the 404 log, most requested first.
func Misses(ctx context.Context, r store.Reader, f MissFilter, number, limit int) (list []Miss, total int, err error) {
	where := `FROM redirect_miss WHERE company_id = $1 AND hidden = $2 AND hits >= $3
		AND CASE WHEN company_id = $1 THEN strpos(lower(path), lower($4)) > 0 END`
	if err := r.DB.QueryRow(ctx, `SELECT count(*) `+where, r.Company, f.Hidden, f.MinHits, f.Text).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `SELECT path, hits, last_hit_at, hidden `+where+`
		ORDER BY hits DESC, last_hit_at DESC, path LIMIT $5 OFFSET $6`, r.Company, f.Hidden, f.MinHits, f.Text, limit, (number-1)*limit)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list = []Miss{}
	for rows.Next() {
		var m Miss
		if err := rows.Scan(&m.Path, &m.Hits, &m.LastHitAt, &m.Hidden); err != nil {
			return nil, 0, err
		}
		m.LastHitAt = m.LastHitAt.UTC()
		list = append(list, m)
	}
	return list, total, rows.Err()
}

// HideMisses hides addresses of the 404 log, or shows them again, and returns how many of
// the paths the log has.
func HideMisses(ctx context.Context, tx *store.Tx, paths []string, hidden bool) (n int, err error) {
	tag, err := tx.DB.Exec(ctx, `UPDATE redirect_miss SET hidden = $3 WHERE company_id = $1 AND path = ANY($2)`, tx.Company, paths, hidden)
	return int(tag.RowsAffected()), err
}
