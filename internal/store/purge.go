package store

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Purges is the record of changes for caches in front of the edges, with the moment up to which
// each of them was told. One process at a time has the lease of a target.
type Purges struct {
	store  *Store
	holder string

	mu      sync.Mutex
	renewed map[string]time.Time // by target
}

// purgeLease is how long a target waits for another process when the one that told it has died.
const purgeLease = 20 * time.Second

// NewPurges returns the record for a process.
func (s *Store) NewPurges() *Purges {
	return &Purges{store: s, holder: rand.Text(), renewed: map[string]time.Time{}}
}

// Claim leases a target to this process, and returns the moment up to which it was told; mine is
// false while another process has the lease.
func (p *Purges) Claim(ctx context.Context, target string) (since Moment, mine bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.renewed[target]) < purgeLease/4 {
		return since, true, nil
	}
	err = p.store.Pool.QueryRow(ctx, `
		INSERT INTO purge_target AS p (target, holder, leased_until) VALUES ($1, $2, now() + $3)
		ON CONFLICT (target) DO UPDATE SET holder = $2, leased_until = now() + $3 WHERE p.holder = $2 OR p.leased_until < now()
		RETURNING history, lsn, snapshot, at`, target, p.holder, purgeLease).Scan(&since.history, &since.lsn, &since.snapshot, &since.at)
	if NoRow(err) {
		return since, false, nil
	}
	if err == nil {
		p.renewed[target] = time.Now()
	}
	return since, err == nil, err
}

// Told stores that a target was told up to a moment, unless another process tells it now.
func (p *Purges) Told(ctx context.Context, target string, upTo Moment) error {
	_, err := p.store.Pool.Exec(ctx, `UPDATE purge_target SET history = $3, lsn = $4, snapshot = $5, at = $6 WHERE target = $1 AND holder = $2`,
		target, p.holder, upTo.history, upTo.lsn, upTo.snapshot, upTo.at)
	return err
}

// ChangedKeys are the keys that changed between two moments.
type ChangedKeys struct {
	Keys  map[shop.CompanyID][]shop.Key
	Whole map[shop.CompanyID]bool // shops of which the record is not complete, or that were removed
	All   bool                    // the record of all shops is not complete
}

// After returns what changed since a moment, and the next moment. A change may be returned twice.
func (p *Purges) After(ctx context.Context, since Moment) (changed ChangedKeys, next Moment, err error) {
	f, err := p.store.Follow(ctx, since)
	if err != nil || f.Reset || len(f.Versions) == 0 {
		return ChangedKeys{All: f.Reset}, f.Now, err
	}
	rows, err := p.store.Pool.Query(ctx, `
		SELECT company_id, kinds, ids FROM company_change
		WHERE (xid >= pg_snapshot_xmax($1::pg_snapshot) OR xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))) AND xid < pg_snapshot_xmax($2::pg_snapshot)`,
		since.snapshot, f.Now.snapshot)
	if err != nil {
		return changed, since, err
	}
	changed = ChangedKeys{Keys: map[shop.CompanyID][]shop.Key{}, Whole: map[shop.CompanyID]bool{}}
	count := map[shop.CompanyID]int{}
	var id shop.CompanyID
	var kinds []int16
	var ids []int64
	_, err = pgx.ForEachRow(rows, []any{&id, &kinds, &ids}, func() error {
		for i := range kinds {
			changed.Keys[id] = append(changed.Keys[id], shop.Key{Kind: shop.KeyKind(kinds[i]), ID: ids[i]})
		}
		// Older changes may have been deleted, and many keys are not worth the memory.
		if count[id]++; count[id] >= changesKept || len(changed.Keys[id]) > maxPurged {
			changed.Whole[id], changed.Keys[id] = true, nil
		}
		return nil
	})
	for id, version := range f.Versions {
		if version == 0 {
			changed.Whole[id] = true
		}
	}
	for id := range changed.Whole {
		delete(changed.Keys, id)
	}
	return changed, f.Now, err
}

// maxPurged bounds the keys of a shop in ChangedKeys.
const maxPurged = 1000
