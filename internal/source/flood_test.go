package source_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/edge"
	"vitrine/internal/race"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sitefile"
)

// flood is an edge serving a shop with files that list every product.
type flood struct {
	*testShop
	edge  *edge.Server
	files int
	most  atomic.Int64 // most renders at once

	mu      sync.Mutex
	written []time.Time // when change n was acknowledged
}

// renderCounter counts concurrent renders.
type renderCounter struct {
	edge.Source
	running, most *atomic.Int64
}

func (p renderCounter) RenderPlace(ctx context.Context, id shop.CompanyID) (func(), error) {
	leave, err := p.Source.RenderPlace(ctx, id)
	if err != nil {
		return nil, err
	}
	if n := p.running.Add(1); n > p.most.Load() {
		p.most.Store(n)
	}
	return func() { p.running.Add(-1); leave() }, nil
}

func newFlood(t testing.TB, files, products int) *flood {
	t.Helper()
	f := &flood{testShop: newTestShop(t), files: files}
	var err error
	f.edge, err = edge.New(edge.Config{
		Source: renderCounter{f.source, new(atomic.Int64), &f.most}, Secret: make([]byte, 32), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.edge.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f.store.OnChange(func(ctx context.Context, id shop.CompanyID, version int64) {
		if err := f.edge.Changed(ctx, id, version); err != nil {
			t.Error(err)
		}
	})
	f.fillProducts(products)
	f.write(func(ctx context.Context, tx *store.Tx) error {
		for i := range files {
			file := &sitefile.SiteFile{
				Name: fmt.Sprintf("f%d.xml", i), IsPublished: true,
				Body: `<a>{{range products}}<b n="{{.ID}}">{{.Name}}</b>{{end}}</a>`,
			}
			if err := sitefile.Insert(ctx, tx, file, 0, 0); err != nil {
				return err
			}
		}
		return nil
	})
	return f
}

// change writes the next number into the name of a product.
func (f *flood) change(n int) {
	f.write(func(ctx context.Context, tx *store.Tx) error {
		old, err := catalog.ProductBySlug(ctx, tx.Reader, "product-7")
		if err != nil {
			return err
		}
		edited := old
		edited.Name = fmt.Sprintf("change %d.", n)
		return catalog.UpdateProduct(ctx, tx, old, edited)
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written = append(f.written, time.Now())
}

// get requests a file and returns the number of the change that it shows.
func (f *flood) get(file int) (shown int, took time.Duration) {
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI(fmt.Sprintf("/f%d.xml", file))
	ctx.Request.Header.SetHost("tea.localhost")
	began := time.Now()
	f.edge.Handle(&ctx)
	took = time.Since(began)
	body := string(ctx.Response.Body())
	if status := ctx.Response.StatusCode(); status != 200 || !strings.HasSuffix(body, "</a>") {
		f.Errorf("%d, %d bytes", status, len(body))
		return -1, took
	}
	_, rest, _ := strings.Cut(body, ">change ")
	number, _, _ := strings.Cut(rest, ".")
	shown, err := strconv.Atoi(number)
	if err != nil {
		return -1, took // before the first change
	}
	return shown, took
}

// stale returns for how long the next change had been acknowledged when the request of an
// answer that lacks it began.
func (f *flood) stale(shown int, at time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if shown+1 < len(f.written) && f.written[shown+1].Before(at) {
		return at.Sub(f.written[shown+1])
	}
	return 0
}

// 200 visitors request 20 files while products change 50 times a second: no request fails
// or gets a partial file or a copy outdated by more than 15 seconds, and no more renders
// run at once than a shop may have.
func TestFloodOfVisitorsAndChanges(t *testing.T) {
	const visitors, files, changes = 200, 20, 1000
	f := newFlood(t, files, 500)
	f.change(0)
	for i := range files {
		f.get(i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var visits, slowest, worst atomic.Int64
	for v := range visitors {
		all.Go(func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for n := v; ctx.Err() == nil; n++ {
				began := time.Now()
				shown, took := f.get(n % files)
				visits.Add(1)
				maximum(&slowest, took)
				if shown >= 0 {
					maximum(&worst, f.stale(shown, began))
				}
				<-tick.C
			}
		})
	}
	began := time.Now()
	pace := time.NewTicker(20 * time.Millisecond)
	for n := range changes {
		<-pace.C
		f.change(n + 1)
	}
	pace.Stop()
	took := time.Since(began)
	cancel()
	all.Wait()
	t.Logf("%d visits of %d files, %.0f a second; %.0f changes a second; slowest answer %v; oldest copy %v; at most %d renders at once",
		visits.Load(), files, float64(visits.Load())/took.Seconds(), changes/took.Seconds(), time.Duration(slowest.Load()),
		time.Duration(worst.Load()), f.most.Load())
	if f.most.Load() > 2 {
		t.Errorf("%d renders of one shop ran at once", f.most.Load())
	}
	if stale := time.Duration(worst.Load()); stale > 15*time.Second*race.TimeFactor {
		t.Errorf("a copy was outdated for %v", stale)
	}
}

func maximum(of *atomic.Int64, d time.Duration) {
	for {
		old := of.Load()
		if int64(d) <= old || of.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// A shop of 50,000 products: reading its catalogue after one change and unchanged, and
// serving a cached feed of it.
func BenchmarkCatalogueOf50000(b *testing.B) {
	f := newFlood(b, 1, 50_000)
	b.Run("one-change", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			f.change(n)
			b.StartTimer()
			if _, err := f.source.Catalogue(context.Background(), f.company); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.source.Catalogue(context.Background(), f.company); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cached-copy", func(b *testing.B) {
		for b.Loop() {
			f.get(0)
		}
	})
}
