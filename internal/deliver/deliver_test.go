package deliver

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// queue is an in-memory queue.
type queue struct {
	mu    sync.Mutex
	rows  []int
	asked []int
	fails bool
}

func (s *queue) put(rows ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, rows...)
}

func (s *queue) claim(_ context.Context, most int) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, most)
	if s.fails {
		return nil, errors.New("no connection to vt_abcdefghijklmnopqrstuvwxyz0123456789")
	}
	n := min(most, len(s.rows))
	got := s.rows[:n:n]
	s.rows = s.rows[n:]
	return got, nil
}

// runs starts a loop, which ends with the bubble of the test.
func runs(t *testing.T, l *Loop[int], log *slog.Logger) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx, log) }()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
}

// All rows are delivered, concurrently by all workers, in claims of at most a batch.
func TestLoopDrainsItsQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &queue{}
		for i := range 100 {
			s.put(i)
		}
		var done, under, most atomic.Int64
		l := &Loop[int]{
			Claim: s.claim, Workers: 5, PerWorker: 2, Batch: 7, Lease: time.Minute, Interval: time.Hour, Name: "rows",
			Deliver: func(context.Context, int, int) error {
				most.Store(max(most.Load(), under.Add(1)))
				time.Sleep(time.Millisecond)
				under.Add(-1)
				done.Add(1)
				return nil
			},
		}
		runs(t, l, slog.New(slog.DiscardHandler))
		time.Sleep(time.Minute)
		if done.Load() != 100 {
			t.Errorf("%d of 100 rows are done", done.Load())
		}
		s.put(100, 101)
		time.Sleep(time.Minute)
		if done.Load() != 100 {
			t.Error("the queue was checked without a wake")
		}
		l.Wake()
		time.Sleep(time.Minute)
		if done.Load() != 102 {
			t.Errorf("after a wake %d of 102 rows are done", done.Load())
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, n := range s.asked {
			if n < 1 || n > 7 {
				t.Errorf("a claim of %d rows", n)
			}
		}
		if most.Load() != 5 {
			t.Errorf("%d concurrent workers", most.Load())
		}
	})
}

// A row that is not started within half of its lease is left to the next claim.
func TestRowsWaitNoLongerThanHalfTheirLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &queue{}
		s.put(1, 2)
		var mu sync.Mutex
		var done []int
		l := &Loop[int]{
			Claim: s.claim, Workers: 1, PerWorker: 2, Batch: 2, Lease: 100 * time.Millisecond, Interval: time.Hour, Name: "rows",
			Deliver: func(_ context.Context, _, row int) error {
				mu.Lock()
				done = append(done, row)
				mu.Unlock()
				time.Sleep(80 * time.Millisecond)
				return nil
			},
		}
		runs(t, l, slog.New(slog.DiscardHandler))
		time.Sleep(time.Second)
		s.put(3)
		l.Wake()
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if len(done) != 2 || done[0] != 1 || done[1] != 3 {
			t.Errorf("%v", done)
		}
	})
}

// A failing queue is logged once, without its secrets, and checked again; so is a failing
// row.
func TestFailingQueueIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &queue{fails: true}
		var text strings.Builder
		var mu sync.Mutex
		log := slog.New(slog.NewTextHandler(locked{&mu, &text}, nil))
		var done atomic.Int64
		l := &Loop[int]{
			Claim: s.claim, Workers: 1, PerWorker: 1, Batch: 1, Lease: time.Minute, Interval: time.Second, Name: "rows",
			Deliver: func(context.Context, int, int) error { done.Add(1); return errors.New("not this one") },
		}
		runs(t, l, log)
		time.Sleep(10 * time.Second)
		s.mu.Lock()
		claims := len(s.asked)
		s.fails = false
		s.rows = []int{1}
		s.mu.Unlock()
		time.Sleep(10 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if claims < 10 || done.Load() != 1 || !strings.Contains(text.String(), "not this one") {
			t.Errorf("%d claims, %d done: %s", claims, done.Load(), text.String())
		}
		if strings.Count(text.String(), "rows could not be claimed") != 1 || strings.Contains(text.String(), "0123456789") {
			t.Errorf("%s", text.String())
		}
	})
}

type locked struct {
	mu *sync.Mutex
	to *strings.Builder
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}
