package resizer

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/blob"
)

// gate is a source whose reading can be blocked.
type gate struct {
	Source
	opened chan struct{} // a worker has started
	let    chan struct{} // closed to let it continue
	reads  atomic.Int64
}

func gated(key string, file []byte) *gate {
	g := &gate{opened: make(chan struct{}, 100), let: make(chan struct{})}
	g.Source = Source{Key: blob.Sum([]byte(key)), Open: func(context.Context) ([]byte, error) {
		g.reads.Add(1)
		g.opened <- struct{}{}
		<-g.let
		return file, nil
	}}
	return g
}

// asked is a request in the background.
type asked struct {
	leave context.CancelFunc
	err   chan error
	body  chan []byte
}

func ask(r *Resizer, src Source, width int) asked {
	ctx, cancel := context.WithCancel(context.Background())
	a := asked{leave: cancel, err: make(chan error, 1), body: make(chan []byte, 1)}
	go func() {
		v, err := r.Variant(ctx, src, width, 0)
		a.body <- v.Body
		a.err <- err
	}()
	return a
}

// until yields until something has happened. After a minute it fails instead of blocking all
// other tests.
func until(happened func() bool) {
	for given := time.Now().Add(await.Limit); !happened(); runtime.Gosched() {
		if time.Now().After(given) {
			panic("resizer: the awaited event did not happen")
		}
	}
}

func waiting(r *Resizer, n int) func() bool {
	return func() bool { return r.Stats().Waiting == n }
}

func TestAThousandRequestsAreOneDecode(t *testing.T) {
	r := start(t, Config{Workers: 2, Queue: 1})
	src := gated("one", jpegOf(t, quartered(400, 300)))
	var all sync.WaitGroup
	var answered atomic.Int64
	for range 1000 {
		all.Go(func() {
			if v, err := r.Variant(context.Background(), src.Source, 320, 0); err == nil && v.Width == 320 {
				answered.Add(1)
			}
		})
	}
	until(func() bool {
		r.pool.mu.Lock()
		defer r.pool.mu.Unlock()
		f := r.pool.flights[specFor(320, 0).key(src.Key)]
		return f != nil && f.waiting == 1000
	})
	close(src.let)
	all.Wait()
	if answered.Load() != 1000 || r.Stats().Decodes != 1 || src.reads.Load() != 1 {
		t.Errorf("%d answers, %d reads, %+v", answered.Load(), src.reads.Load(), r.Stats())
	}
}

func TestFullQueueIsBusyAtOnce(t *testing.T) {
	r := start(t, Config{Workers: 1, Queue: 1})
	file := jpegOf(t, quartered(400, 300))
	first := gated("first", file)
	a := ask(r, first.Source, 320)
	await.Next(t, first.opened)
	b := ask(r, Source{Key: "second", Open: first.Open}, 320)
	until(waiting(r, 1))
	if _, err := r.Variant(t.Context(), given(file), 320, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("a third: %v", err)
	}
	if _, _, err := r.Master(t.Context(), file); !errors.Is(err, ErrBusy) {
		t.Errorf("an upload: %v", err)
	}
	c := ask(r, first.Source, 320) // joins a flight, so it needs no capacity
	close(first.let)
	for _, request := range []asked{a, b, c} {
		if err := await.Next(t, request.err); err != nil {
			t.Error(err)
		}
	}
	if r.Stats().Busy != 1 {
		t.Errorf("%+v", r.Stats())
	}
}

func TestNoQueueMeansWorkersOnly(t *testing.T) {
	r := start(t, Config{Workers: 1, Queue: -1})
	src := gated("one", jpegOf(t, quartered(40, 30)))
	a := ask(r, src.Source, 32)
	await.Next(t, src.opened)
	if _, err := r.Variant(t.Context(), given([]byte("x")), 32, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("error %v", err)
	}
	close(src.let)
	if err := await.Next(t, a.err); err != nil {
		t.Error(err)
	}
}

func TestKeptStepStandsInWhileBusy(t *testing.T) {
	r := start(t, Config{Workers: 1, Queue: -1, Cache: cacheFor(t)})
	file := jpegOf(t, quartered(2000, 300))
	for _, step := range []int{64, 320, 1024} {
		cut(t, r, file, step, 0)
	}
	src := gated("other", file)
	a := ask(r, src.Source, 32)
	await.Next(t, src.opened)
	for width, want := range map[int]int{200: 320, 321: 1024, 1025: 1024, 16: 64} {
		v, err := r.Variant(t.Context(), given(file), width, 0)
		if err != nil || !v.StandIn || v.Width != want || v.ETag != ETag(given(file).Key, want, 0) {
			t.Errorf("asked for %d: %d wide, stand-in %v, %v, want %d", width, v.Width, v.StandIn, err, want)
		}
	}
	if _, err := r.Prepare(t.Context(), given(file)); !errors.Is(err, ErrBusy) {
		t.Errorf("preparing: %v", err)
	}
	close(src.let)
	if err := await.Next(t, a.err); err != nil {
		t.Error(err)
	}
}

func TestQueuedWorkOfDisconnectedClientsIsDropped(t *testing.T) {
	r := start(t, Config{Workers: 1, Queue: 1})
	file := jpegOf(t, quartered(400, 300))
	first, second := gated("first", file), gated("second", file)
	a := ask(r, first.Source, 320)
	await.Next(t, first.opened)
	b, c := ask(r, second.Source, 320), ask(r, second.Source, 320)
	until(func() bool {
		r.pool.mu.Lock()
		defer r.pool.mu.Unlock()
		f := r.pool.flights[specFor(320, 0).key(second.Key)]
		return f != nil && f.waiting == 2
	})
	b.leave()
	if err := await.Next(t, b.err); !errors.Is(err, context.Canceled) || r.Stats().Waiting != 1 {
		t.Errorf("one of two gone: %v, %+v", err, r.Stats())
	}
	c.leave()
	if err := await.Next(t, c.err); !errors.Is(err, context.Canceled) || r.Stats().Waiting != 0 || r.Stats().Dropped != 1 {
		t.Errorf("both gone: %v, %+v", err, r.Stats())
	}
	close(first.let)
	if err := await.Next(t, a.err); err != nil {
		t.Error(err)
	}
	if second.reads.Load() != 0 {
		t.Error("the dropped source was read")
	}
}

func TestStartedWorkCompletesAndIsStored(t *testing.T) {
	r := start(t, Config{Workers: 1, Cache: cacheFor(t)})
	src := gated("one", jpegOf(t, quartered(400, 300)))
	a := ask(r, src.Source, 320)
	await.Next(t, src.opened)
	a.leave()
	if err := await.Next(t, a.err); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(src.let)
	until(func() bool { return r.Stats().Running == 0 })
	if v, err := r.Variant(t.Context(), src.Source, 320, 0); err != nil || v.Width != 320 || r.Stats().Decodes != 1 {
		t.Errorf("%d wide, %v, %+v", v.Width, err, r.Stats())
	}
}

func TestCloseCompletesRunningAndRefusesWaitingWork(t *testing.T) {
	r, err := New(Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	src := gated("first", jpegOf(t, quartered(400, 300)))
	a := ask(r, src.Source, 320)
	await.Next(t, src.opened)
	b := ask(r, Source{Key: "second", Open: src.Open}, 320)
	until(waiting(r, 1))
	closed := make(chan struct{})
	go func() { r.Close(); close(closed) }()
	if err := await.Next(t, b.err); !errors.Is(err, ErrClosed) {
		t.Errorf("waiting work: %v", err)
	}
	close(src.let)
	await.Next(t, closed)
	if body, err := await.Next(t, a.body), await.Next(t, a.err); err != nil || len(body) == 0 {
		t.Errorf("running work: %d bytes, %v", len(body), err)
	}
}

func TestManyDifferentVariantsAtOnce(t *testing.T) {
	r := start(t, Config{Workers: 3, Queue: 1000, Cache: cacheFor(t)})
	src := given(tagged(jpegOf(t, noise(600, 400)), 6))
	bodies := make([][]byte, 120)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() {
			v, err := r.Variant(context.Background(), src, 300+i%40, 0)
			if err != nil {
				t.Error(strconv.Itoa(i), err)
			}
			bodies[i] = v.Body
		})
	}
	all.Wait()
	for i := range 40 {
		if !bytes.Equal(bodies[i], bodies[i+40]) || !bytes.Equal(bodies[i], bodies[i+80]) {
			t.Errorf("width %d differs between requests", 300+i)
		}
	}
	if s := r.Stats(); s.Decodes != 40 {
		t.Errorf("%+v", s)
	}
}

func TestVerdictsAreBounded(t *testing.T) {
	s := newVerdicts()
	for i := range maxVerdicts + 10 {
		s.Add(strconv.Itoa(i), verdict{})
	}
	if s.Len() != maxVerdicts || s.Contains("9") {
		t.Errorf("%d verdicts kept", s.Len())
	}
}
