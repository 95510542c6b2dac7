package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// Refusals of Idempotency-Key. A call whose claim was taken over while it worked also gets
// the second: its writes are rolled back.
var (
	ErrKeyReused     = shop.Refuse(shop.FailedPrecondition, "IDEMPOTENCY_KEY_REUSED").When("the same Idempotency-Key was used with another request before").WithStatus(422)
	ErrKeyInProgress = shop.Refuse(shop.Aborted, "IDEMPOTENCY_IN_PROGRESS").When("the request with this Idempotency-Key is still in progress").RetryAfter(1)
)

const (
	keyLifetime = 24 * time.Hour
	// KeyOfAssistant is how long the protocols of assistants keep a key.
	KeyOfAssistant = 48 * time.Hour
	keyLease       = 90 * time.Second // longer than the timeout of a call
)

// Claim is the right to process the request of one Idempotency-Key.
type Claim struct {
	Company        shop.CompanyID // in which the call acts, 0 for none
	Credential     []byte         // the owner of the key: a person or an API key
	Key            string
	Fingerprint    []byte        // of the request
	Keep           time.Duration // how long it holds; 0: 24 hours
	SeparateCommit bool          // the call's writes commit separately, not together with its answer
	TakenOver      bool          // set by Claim: an earlier call with the key has ended without an answer
	attempt        uuid.UUID
}

// StoredAnswer is the answer of a finished call. The caller of the store decides the
// encoding of Body.
type StoredAnswer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Claim claims an Idempotency-Key. The answer is nil when the caller must do the work, and
// the stored one when it was done before. It returns ErrKeyReused for a key of another
// request, and ErrKeyInProgress while the first request is in progress.
func (s *Store) Claim(ctx context.Context, c *Claim, now time.Time) (*StoredAnswer, error) {
	if err := s.orphans.release(ctx, s, c); err != nil {
		return nil, err
	}
	for range 3 { // the row may vanish between the insert and the read
		claimed, err := s.takeKey(ctx, c, now)
		if err != nil && unanswered(err) {
			s.orphans.add(c) // the row may have been written
		}
		if err != nil || claimed {
			return nil, err
		}
		var fingerprint []byte
		var a StoredAnswer
		err = s.Pool.QueryRow(ctx, `
			SELECT fingerprint, status, content_type, answer FROM idempotency_key
			WHERE company_id = $1 AND credential = $2 AND key = $3`, c.Company, c.Credential, c.Key).
			Scan(&fingerprint, &a.Status, &a.ContentType, &a.Body)
		switch {
		case NoRow(err):
			continue
		case err != nil:
			return nil, err
		case !bytes.Equal(fingerprint, c.Fingerprint):
			return nil, ErrKeyReused.With("this key was used with another request before")
		case a.Status == 0:
			return nil, ErrKeyInProgress.With("the first request with this key is still in progress")
		}
		return &a, nil
	}
	return nil, ErrKeyInProgress.With("too many requests with this key at once")
}

// takeKey inserts the row, or takes over an expired or abandoned one.
func (s *Store) takeKey(ctx context.Context, c *Claim, now time.Time) (won bool, err error) {
	if c.attempt, err = uuid.NewRandom(); err != nil {
		return false, err
	}
	err = s.Pool.QueryRow(ctx, `
		INSERT INTO idempotency_key AS k (company_id, credential, key, fingerprint, attempt, lease_until, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company_id, credential, key) DO UPDATE SET fingerprint = excluded.fingerprint, attempt = excluded.attempt,
			lease_until = excluded.lease_until, expires_at = excluded.expires_at, status = 0, content_type = '', answer = NULL
		WHERE k.expires_at <= $8 OR k.status = 0 AND k.lease_until <= $8 AND k.fingerprint = excluded.fingerprint
		RETURNING xmax <> 0`,
		c.Company, c.Credential, c.Key, c.Fingerprint, c.attempt, now.Add(keyLease), now.Add(cmp.Or(c.Keep, keyLifetime)), now).Scan(&c.TakenOver)
	if NoRow(err) {
		return false, nil
	}
	return err == nil, err
}

// Finish stores the answer of a claimed call and commits it together with everything that
// the call wrote. When the claim was taken over meanwhile, everything is rolled back and it
// returns ErrKeyInProgress.
func (w *Work) Finish(ctx context.Context, a StoredAnswer) error {
	tag, err := w.conn().Exec(ctx, `
		UPDATE idempotency_key SET status = $5, content_type = $6, answer = $7
		WHERE company_id = $1 AND credential = $2 AND key = $3 AND attempt = $4`,
		w.claim.Company, w.claim.Credential, w.claim.Key, w.claim.attempt, a.Status, a.ContentType, a.Body)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrKeyInProgress.With("another request with this key has taken over")
	}
	if err != nil {
		if rerr := w.rollback(context.WithoutCancel(ctx)); rerr != nil {
			return fmt.Errorf("%w (and the rollback failed: %v)", err, rerr)
		}
		return err
	}
	if w.tx == nil {
		return nil
	}
	return w.commit(ctx)
}

// Abandon rolls back the writes of a claimed call and frees its key: the next request with
// it is processed. While the database is unavailable the key is remembered, and freed when
// it is requested again.
func (w *Work) Abandon(ctx context.Context) error {
	err := w.rollback(ctx)
	if err == nil {
		err = w.store.freeKey(ctx, w.claim)
	}
	if err != nil {
		w.store.orphans.add(w.claim)
	}
	return err
}

// freeKey deletes the row of a claim that has no answer. A commit in doubt keeps its row
// locked, so by the time this runs it is decided whether an answer was stored.
func (s *Store) freeKey(ctx context.Context, c *Claim) error {
	_, err := s.Pool.Exec(ctx, `
		DELETE FROM idempotency_key WHERE company_id = $1 AND credential = $2 AND key = $3 AND attempt = $4 AND status = 0`,
		c.Company, c.Credential, c.Key, c.attempt)
	return err
}

// maxAbandonedKeys bounds the claims that are remembered; the keys of others are free when their
// lease expires.
const maxAbandonedKeys = 10_000

// abandonedKeys are claims whose calls failed while the database was unavailable, so that their
// keys could not be freed. They are indexed by what a repeated call would claim.
type abandonedKeys struct {
	mu     sync.Mutex
	claims map[claimID]*Claim
}

type claimID struct {
	company         shop.CompanyID
	credential, key string
}

func claimIDOf(c *Claim) claimID { return claimID{c.Company, string(c.Credential), c.Key} }

func (o *abandonedKeys) add(c *Claim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.claims == nil {
		o.claims = map[claimID]*Claim{}
	}
	if len(o.claims) < maxAbandonedKeys {
		o.claims[claimIDOf(c)] = c
	}
}

// release frees the key that a claim asks for, if it was abandoned.
func (o *abandonedKeys) release(ctx context.Context, s *Store, claim *Claim) error {
	o.mu.Lock()
	abandoned := o.claims[claimIDOf(claim)]
	o.mu.Unlock()
	if abandoned == nil {
		return nil
	}
	if err := s.freeKey(ctx, abandoned); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.claims[claimIDOf(claim)] == abandoned {
		delete(o.claims, claimIDOf(claim))
	}
	return nil
}

// SweepBatch bounds what one statement of a sweep deletes.
const SweepBatch = 5000

// SweepKeys deletes expired Idempotency-Keys.
func (s *Store) SweepKeys(ctx context.Context, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM idempotency_key WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM idempotency_key WHERE expires_at <= $1 LIMIT $2))`, now)
}

// SweepBatches deletes in batches until one is not full.
func (s *Store) SweepBatches(ctx context.Context, sql string, before any) error {
	for {
		tag, err := s.Beside().Exec(ctx, sql, before, SweepBatch)
		if err != nil || tag.RowsAffected() < SweepBatch {
			return err
		}
	}
}
