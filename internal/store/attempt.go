package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// AttemptKind names what attempts are counted for. Rows have its value.
type AttemptKind int16

// The kinds, in the order in which an attempt that counts for several locks their rows.
const (
	PasswordsOfPair AttemptKind = iota + 1
	PasswordsOfNetwork
	PasswordsOfAccount
	FactorsOfPair
	FactorsOfNetwork
	FactorsOfAccount
	RequestsOfCaller
	LettersOfPair
	LettersOfAddress
	PINsOfNetwork
	PINsOfLock
	CodesOfNetwork
	CodesOfBuyer
	SharedInMinutes // of budget.Shared, by window, so that keys in one cell cost each other a minute at most
	SharedInHours
)

// Attempt is an attempt of a key, of which there are Limit per Window: at once, or spread over the
// window. They are earned back evenly, as in package budget.
//
// The attempts of all processes are counted in rows, by the database's clock: one process whose clock
// is wrong would forgive attempts, or refuse them for hours. Keys are hashed into attemptCells cells per
// kind, so a flood of made-up keys neither fills the table nor evicts anything: keys that share a
// cell are refused too early, never too late.
type Attempt struct {
	Kind   AttemptKind
	Key    string
	Limit  int
	Window time.Duration
}

// attemptNow is the moment of a statement in microseconds since 1970. Its parameter is attemptTime.
const attemptNow = `coalesce($3::bigint, (extract(epoch FROM now()) * 1000000)::bigint)`

func (s *Store) attemptTime() *int64 {
	if s.TestClock == nil {
		return nil
	}
	at := s.TestClock().UnixMicro()
	return &at
}

const attemptCells = 1 << 18

func (a Attempt) each() int64 { return a.Window.Microseconds() / int64(a.Limit) }
func (a Attempt) most() int64 { return a.each() * int64(a.Limit) }

// attemptKey is the key of the hash, which nobody outside knows: otherwise they could find keys that
// share the cell of a victim.
type attemptKey struct {
	mu  sync.Mutex
	key []byte
}

func (s *Store) attemptCell(ctx context.Context, a Attempt) (int32, error) {
	k := Kept(s, func() *attemptKey { return &attemptKey{} })
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil {
		key, err := s.Secret(ctx, "attempts")
		if err != nil {
			return 0, err
		}
		k.key = key
	}
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(a.Key)) // never fails (hash.Hash)
	return int32(binary.BigEndian.Uint32(mac.Sum(nil)) % attemptCells), nil
}

// TakeAttempts counts an attempt for every one of the list, which is in the order of the kinds, or
// for none: then it returns the time until there is one for all. spent is the highest number of
// attempts, of those in the list, that are not earned back.
func (s *Store) TakeAttempts(ctx context.Context, list ...Attempt) (spent int, wait time.Duration, err error) {
	take := &pgx.Batch{}
	for _, a := range list {
		cell, err := s.attemptCell(ctx, a)
		if err != nil {
			return 0, 0, err
		}
		take.Queue(`INSERT INTO attempt AS a (kind, cell, paid) VALUES ($1, $2, `+attemptNow+` + $4) ON CONFLICT (kind, cell) DO UPDATE
			SET paid = greatest(a.paid, `+attemptNow+`) + $4 WHERE greatest(a.paid, `+attemptNow+`) + $4 <= `+attemptNow+` + $5::bigint
			RETURNING paid - `+attemptNow, a.Kind, cell, s.attemptTime(), a.each(), a.most())
	}
	results := s.Pool.SendBatch(ctx, take)
	var taken []Attempt
	for _, a := range list {
		var ahead int64
		switch err := results.QueryRow().Scan(&ahead); {
		case err == nil:
			taken = append(taken, a)
			spent = max(spent, int((ahead+a.each()-1)/a.each()))
		case !NoRow(err):
			_ = results.Close() // the first error says more
			return 0, 0, err
		}
	}
	if err := results.Close(); err != nil {
		return 0, 0, err
	}
	if len(taken) == len(list) {
		return spent, 0, nil
	}
	if err := s.ReturnAttempts(ctx, 0, taken...); err != nil {
		return 0, 0, err
	}
	wait, err = s.attemptWait(ctx, list)
	return 0, wait, err
}

// attemptWait returns the time until there is an attempt for all of a list, at least a microsecond.
func (s *Store) attemptWait(ctx context.Context, list []Attempt) (time.Duration, error) {
	wait := int64(1)
	for _, a := range list {
		cell, err := s.attemptCell(ctx, a)
		if err != nil {
			return 0, err
		}
		var ahead int64
		err = s.Pool.QueryRow(ctx, `SELECT paid - `+attemptNow+` FROM attempt WHERE kind = $1 AND cell = $2`, a.Kind, cell, s.attemptTime()).Scan(&ahead)
		if err != nil && !NoRow(err) {
			return 0, err
		}
		wait = max(wait, ahead+a.each()-a.most())
	}
	return time.Duration(wait) * time.Microsecond, nil
}

// ReturnAttempts takes attempts back that were counted some time ago and must not count after all,
// such as a right password. The part that was earned back since then is not returned again.
func (s *Store) ReturnAttempts(ctx context.Context, ago time.Duration, list ...Attempt) error {
	give := &pgx.Batch{}
	for _, a := range list {
		left := a.each() - max(0, ago.Microseconds())
		if left <= 0 {
			continue
		}
		cell, err := s.attemptCell(ctx, a)
		if err != nil {
			return err
		}
		give.Queue(`UPDATE attempt SET paid = paid - $3, free = 0 WHERE kind = $1 AND cell = $2`, a.Kind, cell, left)
	}
	return s.Pool.SendBatch(ctx, give).Close()
}

// Pace is how soon after a wrong attempt the next one is made: at once after the first Typos that are
// not earned back, then after Soonest and Slower for each further one, at most the time in which
// one is earned back.
type Pace struct {
	Typos           int
	Soonest, Slower time.Duration
}

// TakePaced counts an attempt as wrong before it is made, or returns the time until it may be made.
// Beyond the limit the pace no longer slows down.
func (s *Store) TakePaced(ctx context.Context, a Attempt, pace Pace) (wait time.Duration, err error) {
	cell, err := s.attemptCell(ctx, a)
	if err != nil {
		return 0, err
	}
	var ahead int64
	err = s.Pool.QueryRow(ctx, strings.ReplaceAll(`
		INSERT INTO attempt AS a (kind, cell, paid, free) VALUES ($1, $2, {now} + $4, {now}) ON CONFLICT (kind, cell) DO UPDATE
		SET paid = least(greatest(a.paid, {now}) + $4, {now} + $5::bigint),
			free = {now} + (SELECT CASE WHEN spent <= $6 THEN 0 ELSE least($7::bigint + (spent - $6) * $8::bigint, $4) END
				FROM (SELECT (least(greatest(a.paid, {now}) + $4, {now} + $5) - {now} + $4 - 1) / $4 AS spent) s)
		WHERE a.free <= {now} RETURNING free - {now}`, `{now}`, attemptNow),
		a.Kind, cell, s.attemptTime(), a.each(), a.most(), pace.Typos, pace.Soonest.Microseconds(), pace.Slower.Microseconds()).Scan(&ahead)
	if !NoRow(err) {
		return 0, err
	}
	err = s.Pool.QueryRow(ctx, `SELECT free - `+attemptNow+` FROM attempt WHERE kind = $1 AND cell = $2`, a.Kind, cell, s.attemptTime()).Scan(&ahead)
	return time.Duration(max(1, ahead)) * time.Microsecond, err
}

// CountAttempts implements budget.Count.
func (s *Store) CountAttempts(ctx context.Context, name, key string, each, most time.Duration, attempts int) (ahead time.Duration, err error) {
	a, longest := Attempt{Kind: SharedInMinutes, Key: name + "\x00" + key}, time.Minute
	if most > longest {
		a.Kind, longest = SharedInHours, 24*time.Hour
	}
	cell, err := s.attemptCell(ctx, a)
	if err != nil {
		return 0, err
	}
	// A time further ahead than the longest window dates from before the clock was set back.
	var micros int64
	err = s.Pool.QueryRow(ctx, strings.NewReplacer(`{now}`, attemptNow, `{paid}`, `CASE WHEN shared.paid <= `+attemptNow+` + $6::bigint THEN shared.paid ELSE 0 END`).Replace(`
		INSERT INTO attempt AS shared (kind, cell, paid) VALUES ($1, $2, {now} + least($4::bigint, $5::bigint)) ON CONFLICT (kind, cell) DO UPDATE
		SET paid = greatest({paid}, least(greatest({paid}, {now}) + $4, {now} + $5)) RETURNING paid - {now}`),
		a.Kind, cell, s.attemptTime(), each.Microseconds()*int64(attempts), most.Microseconds(), longest.Microseconds()).Scan(&micros)
	return time.Duration(micros) * time.Microsecond, err
}

// SweepAttempts deletes cells whose attempts are all earned back.
func (s *Store) SweepAttempts(ctx context.Context) error {
	return s.SweepBatches(ctx, `DELETE FROM attempt WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM attempt WHERE paid <= coalesce($1::bigint, (extract(epoch FROM now()) * 1000000)::bigint) LIMIT $2))`, s.attemptTime())
}
