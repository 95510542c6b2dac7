package edge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	dto "github.com/prometheus/client_model/go"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/render"
)

func TestWriteIsSeenByTheNextRequest(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.get("/shoes/boot")
		name := fmt.Sprintf("Boot No. %d", i)
		w.rename(11, name)
		for range 3 {
			if !strings.Contains(w.get("/shoes/boot").Body, name) {
				t.Fatalf("after write %d the old page was served", i)
			}
		}
	}
}

func TestWriteInvalidatesOnlyAffectedPages(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	w.get("/shoes/clog")
	tag := w.get("/shoes/clog").has("ETag")
	w.rename(11, "New boot")
	w.get("/shoes/boot")
	if got := w.get("/shoes/clog"); got.has("ETag") != tag {
		t.Error("the other product changed")
	}
	if n := w.src.called("Content"); n != 3 {
		t.Errorf("%d pages were drawn, want 3", n)
	}
	if n := w.src.called("Load"); n != 1 {
		t.Errorf("the shop was loaded %d times", n)
	}
}

// A request reads the old rows, a write is committed and acknowledged, then the page of the
// request is finished: later requests must not get it.
func TestPageDrawnFromOldRowsIsNeverServedAfterTheWrite(t *testing.T) {
	w := newWorld(t)
	read, goOn := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	w.src.after = func(want render.PageRequest) {
		if want.Page.ID == 11 && first.CompareAndSwap(false, true) {
			close(read)
			<-goOn
		}
	}
	slow := make(chan string)
	go func() { slow <- w.get("/shoes/boot").Body }()
	await.Next(t, read)
	w.rename(11, "Renamed")
	// This visit began after the write, so it must not join the flight of the first.
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Renamed") {
		t.Error("a visit after the write got the old page")
	}
	close(goOn)
	if body := await.Next(t, slow); strings.Contains(body, "Renamed") {
		t.Error("the test is wrong: the first visit read the new rows")
	}
	for range 3 {
		if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Renamed") {
			t.Error("the page of old rows was cached")
		}
	}
}

func TestConcurrentRequestsShareOneDraw(t *testing.T) {
	w := newWorld(t)
	w.get("/about") // the shop is loaded
	began, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.src.before = func(want render.PageRequest) {
		if want.Page.ID == 11 {
			once.Do(func() { close(began) })
			<-goOn
		}
	}
	var visitors sync.WaitGroup
	ready := make(chan struct{}, 100)
	for range 100 {
		visitors.Go(func() {
			ready <- struct{}{}
			if got := w.get("/shoes/boot"); got.Status != 200 {
				t.Errorf("status %d", got.Status)
			}
		})
	}
	for range 100 {
		await.Next(t, ready)
	}
	await.Next(t, began)
	close(goOn)
	visitors.Wait()
	if n := w.src.called("Content"); n != 2 {
		t.Errorf("drawn %d times, want once", n-1)
	}
}

func TestColdShopIsLoadedOnce(t *testing.T) {
	w := newWorld(t)
	var visitors sync.WaitGroup
	for i := range 50 {
		visitors.Go(func() {
			if got := w.get([]string{"/about", "/shoes", "/nothing"}[i%3]); got.Status == 503 {
				t.Errorf("status %d", got.Status)
			}
		})
	}
	visitors.Wait()
	if n := w.src.called("Load"); n != 1 {
		t.Errorf("loaded %d times", n)
	}
}

func TestPanicWhileDrawingDoesNotEndTheServer(t *testing.T) {
	w := newWorld(t)
	w.src.before = func(want render.PageRequest) {
		if want.Page.ID == 11 {
			panic("a fault of the drawing")
		}
	}
	w.expect("panic", w.get("/shoes/boot"), 503)
	w.expect("the next page", w.get("/about"), 200)
}

func TestDatabaseUnavailable(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"))
	w.get("/about")
	w.get("/shoes/boot")
	w.get("/_html/5/9/css/site.css")
	w.src.setAway(true)
	w.expect("cached page", w.get("/about"), 200)
	w.expect("cached page by another spelling", w.get("/about?utm_source=x"), 200)
	w.expect("redirect", w.get("/old"), 308, "Location", "/about")
	w.expect("cached file", w.get("/_html/5/9/css/site.css"), 200)
	w.expect("robots", w.get("/robots.txt"), 200)
	w.expect("404 without its page", w.get("/nothing"), 404)
	w.expect("page that is not cached", w.get("/shoes/clog"), 503, "Retry-After", "5", "Cache-Control", "no-store")
	w.expect("shop that is not loaded", w.askHost("GET", "other.test", "/"), 503)
	w.expect("unknown host", w.askHost("GET", "nobody.test", "/"), 503)

	// A write is committed, then the database becomes unavailable before the edge has read
	// it: the edge serves what it has, and applies the write once the database is back.
	version := w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "Late" }, shop.Key{Kind: shop.KeyProduct, ID: 11})
	if err := w.edge.Changed(context.Background(), 7, version); err == nil {
		t.Error("the writer got no error")
	}
	w.expect("stale page", w.get("/shoes/boot"), 200)
	w.src.setAway(false)
	w.clock.Add(2)
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Late") {
		t.Error("the write was lost")
	}
}

// A database that answers nothing holds no visit for which there is an older page or shop. Once it
// answers, visits see what was written.
func TestVisitsDoNotWaitForADatabaseThatAnswersNothing(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	w.get("/about")
	w.rename(11, "Newer")
	w.src.setAway(true)
	version := w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.texts[2] = "Late" }, shop.Key{Kind: shop.KeyCategory, ID: 2})
	if err := w.edge.Changed(context.Background(), 7, version); err == nil {
		t.Error("the writer got no error")
	}
	w.src.setAway(false)
	w.clock.Add(2)

	waiting, stop := w.edge.pulse.during(context.Background())
	defer stop()
	answers := make(chan struct{})
	w.src.beforeFollow = func() { <-answers }
	polled := make(chan struct{})
	go func() { w.poll(nil); close(polled) }()
	await.Next(t, waiting.Done())
	read := w.src.called("Delta")
	w.src.before = func(render.PageRequest) { t.Error("a page was read") }
	if got := w.get("/shoes/boot"); got.Status != 200 || strings.Contains(got.Body, "Newer") {
		t.Errorf("a page that has changed: %d %s", got.Status, got.Body)
	}
	w.expect("a page of a shop that has changed", w.get("/about"), 200)
	if n := w.src.called("Delta") - read; n != 0 {
		t.Errorf("the changes were read %d times", n)
	}
	w.src.before = nil
	close(answers)
	await.Next(t, polled)
	w.src.beforeFollow = nil
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Newer") {
		t.Error("a write was lost")
	}
	w.get("/about")
	if n := w.src.called("Delta") - read; n == 0 {
		t.Error("the changes were not read")
	}
}

func TestStalePageIsServedWhenItCannotBeRedrawn(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	w.rename(11, "Newer")
	w.src.setAway(true)
	w.expect("stale", w.get("/shoes/boot"), 200)
	if n := w.edge.Stats().Stale; n != 1 {
		t.Errorf("%d stale answers were counted", n)
	}
	w.src.setAway(false)
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Newer") {
		t.Error("the stale page stayed")
	}
}

func TestPollAppliesChangesOfOtherProcesses(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	since := w.poll(nil)
	w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "From afar" }, shop.Key{Kind: shop.KeyProduct, ID: 11})
	w.poll(since)
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "From afar") {
		t.Error("the change was not applied")
	}
}

// Only changes that this edge has applied count for their lag: others concern shops that it does not
// hold, or were made by its own process.
func TestTheLagOfAppliedChangesIsMeasured(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	since := w.poll(nil)
	w.src.lag = 3 * time.Second
	measured := func() (n uint64, sum float64) {
		t.Helper()
		var m dto.Metric
		if err := w.edge.stats.lag.Write(&m); err != nil {
			t.Fatal(err)
		}
		return m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum()
	}
	since = w.poll(since)
	if n, _ := measured(); n != 0 {
		t.Errorf("%d without a change", n)
	}
	w.src.commit(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyProduct, ID: 11})
	since = w.poll(since)
	w.poll(since)
	if n, sum := measured(); n != 1 || sum < 3 {
		t.Errorf("%d changes took %v s", n, sum)
	}
	if w.edge.Stats().Followed.IsZero() {
		t.Error("the poll is not noted")
	}
}

// poll applies what has changed since a moment.
func (w *world) poll(since Moment) Moment {
	w.t.Helper()
	now, err := w.edge.poll(context.Background(), since)
	if err != nil {
		w.t.Fatal(err)
	}
	return now
}

func TestALostDatabaseReplacesWhatIsHeld(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	since := w.poll(nil)
	w.get("/shoes/boot")
	if n := w.src.called("Load"); n != 1 {
		t.Errorf("the first poll loaded the shop again: %d times", n)
	}
	w.get("/shoes/boot")
	w.src.goBack(func(shops map[shop.CompanyID]*fixtureShop) { shops[7].names[11] = "Lost and found" })
	since = w.poll(since)
	w.src.setAway(true)
	w.expect("the database is unavailable again before the shop was compared", w.get("/shoes/boot"), 200)
	w.src.setAway(false)
	w.clock.Add(2)
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "Lost and found") {
		t.Error("the page of before stayed")
	}
	loads := w.src.called("Load")
	w.poll(since)
	w.get("/shoes/boot")
	if n := w.src.called("Load"); n != loads {
		t.Errorf("the shop was loaded %d times after one loss", n-loads+1)
	}
}

func TestALostDatabaseGivesAHostToAnotherShop(t *testing.T) {
	w := newWorld(t)
	w.get("/about")
	since := w.poll(nil)
	w.src.goBack(func(shops map[shop.CompanyID]*fixtureShop) {
		shops[7].in.Shop.Hosts, shops[8].in.Shop.Hosts = shops[8].in.Shop.Hosts, shops[7].in.Shop.Hosts
	})
	w.poll(since)
	if r := w.get("/shoes/boot"); r.Status != 404 {
		t.Errorf("a page of the shop that had the host before: %d", r.Status)
	}
	w.src.mu.Lock()
	delete(w.src.shops, 8)
	w.src.mu.Unlock()
	w.src.goBack(func(map[shop.CompanyID]*fixtureShop) {})
	w.poll(since)
	w.expect("the host of a shop that does not exist", w.get("/"), 404)
}

func TestWholeChangeReloadsTheShop(t *testing.T) {
	w := newWorld(t)
	w.get("/shoes/boot")
	w.change(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "All new" })
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "All new") {
		t.Error("the old page stayed")
	}
	if n := w.src.called("Load"); n != 2 {
		t.Errorf("loaded %d times", n)
	}
}

func TestHostOfADeletedShopIs404(t *testing.T) {
	w := newWorld(t)
	w.get("/about")
	w.src.mu.Lock()
	delete(w.src.shops, 7)
	w.src.mu.Unlock()
	if err := w.edge.Changed(context.Background(), 7, 99); err == nil {
		t.Error("a change of a deleted shop was applied")
	}
	w.expect("gone", w.get("/about"), 404)
}

// Readers and writers of one product run concurrently. No reader may see a name older than
// one whose write was acknowledged before the reader began.
func TestReadsAreNeverOlderThanAcknowledgedWrites(t *testing.T) {
	w := newWorld(t)
	const writes, readers = 60, 4
	var acknowledged atomic.Int64
	w.rename(11, "serial 0.")
	done := make(chan struct{})
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				floor := acknowledged.Load()
				body := w.get("/shoes/boot").Body
				at := strings.Index(body, "serial ")
				var seen int64
				if _, err := fmt.Sscanf(body[at:], "serial %d.", &seen); err != nil {
					t.Errorf("unreadable page: %v", err)
					return
				}
				if seen < floor {
					t.Errorf("read %d after %d was acknowledged", seen, floor)
					return
				}
			}
		})
	}
	for i := 1; i <= writes; i++ {
		w.rename(11, fmt.Sprintf("serial %d.", i))
		acknowledged.Store(int64(i))
	}
	close(done)
	all.Wait()
}

// The ledger must agree with the plain definition: an entry is valid if no key of it was
// recorded after it was made.
func TestLedgerAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l ledger
		key := rapid.Custom(func(t *rapid.T) shop.Key {
			return shop.Key{Kind: shop.KeyKind(rapid.IntRange(1, 3).Draw(t, "kind")), ID: int64(rapid.IntRange(0, 3).Draw(t, "id"))}
		})
		last := map[shop.Key]uint64{}
		var whole uint64
		for gen := uint64(1); gen <= 20; gen++ {
			keys := rapid.SliceOfN(key, 0, 3).Draw(t, "moved")
			if rapid.IntRange(0, 9).Draw(t, "whole") == 0 {
				whole = gen
				l.record(nil, gen)
				continue
			}
			l.record(append([]shop.Key{}, keys...), gen)
			for _, k := range keys {
				last[k], last[shop.Key{Kind: k.Kind}] = gen, gen
			}
		}
		keys := rapid.SliceOfN(key, 0, 4).Draw(t, "of the entry")
		born := rapid.Uint64Range(1, 20).Draw(t, "born")
		want := born >= whole
		for _, k := range keys {
			want = want && last[k] <= born
		}
		if got := l.valid(keys, born); got != want {
			t.Fatalf("valid(%v, %d) = %v, want %v", keys, born, got, want)
		}
	})
}

func TestFullLedgerInvalidatesEverything(t *testing.T) {
	var l ledger
	k := shop.Key{Kind: shop.KeyProduct, ID: 1}
	l.record([]shop.Key{k}, 2)
	for i := range int64(maxLedger) {
		l.record([]shop.Key{{Kind: shop.KeyArticle, ID: i + 1}}, uint64(i)+3)
	}
	if l.valid([]shop.Key{k}, 1) {
		t.Error("an old page became valid again")
	}
	if len(l.moved) > maxLedger {
		t.Errorf("%d keys are held", len(l.moved))
	}
}
