package source_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/edge"
	"vitrine/internal/race"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/sitefile"
)

// large is five shops with two files of 45 MB each.
type large struct {
	*testShop
	shops []shop.CompanyID
}

const (
	largeShops = 5
	largeFile  = 45 << 20
	// largeGrowth is how much the process may grow, including garbage that has not been
	// collected yet, while ten files of 45 MB are requested at once.
	largeGrowth = 600 << 20
)

func newLarge(t testing.TB) *large {
	t.Helper()
	l := &large{testShop: newTestShop(t)}
	owner, err := peopledb.CreatePerson(t.Context(), l.store, "large@example.test", "", "x")
	if err != nil {
		t.Fatal(err)
	}
	for i := range largeShops {
		id, err := companydb.CreateCompany(t.Context(), l.store, fmt.Sprintf("large-%d", i), "Large", "EUR", owner, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.shops = append(l.shops, id)
		l.fill(id)
	}
	return l
}

// fill adds 100 products with 4.7 KB of text each to a shop, and two files that list all of
// them once per product.
func (l *large) fill(id shop.CompanyID) {
	l.Helper()
	words := rand.New(rand.NewPCG(1, uint64(id)))
	err := l.store.Write(context.Background(), id, func(tx *store.Tx) error {
		ctx := context.Background()
		for i := range 100 {
			var text strings.Builder
			for text.Len() < 4750 {
				fmt.Fprintf(&text, "%s-%s ", vocabulary[words.IntN(len(vocabulary))], vocabulary[words.IntN(len(vocabulary))])
			}
			p := &catalog.Product{
				Kind: "standard", Name: "Tea", Description: text.String(), SEO: catalog.SEO{Slug: fmt.Sprintf("tea-%d", i)}, Price: 1,
				IsPublished: true, Tags: []string{},
			}
			if err := catalog.InsertProduct(ctx, tx, p, true, 0); err != nil {
				return err
			}
		}
		for i := range 2 {
			file := &sitefile.SiteFile{Name: fmt.Sprintf("f%d.xml", i), IsPublished: true,
				Body: `<a>{{range products}}{{range products}}<b>{{.Description}}</b>{{end}}{{end}}</a>`}
			if err := sitefile.Insert(ctx, tx, file, 0, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		l.Fatal(err)
	}
}

var vocabulary = strings.Fields(`jacket boot clog lamp chair kettle oolong sencha copper linen walnut garden winter summer travel pocket
	handle leather cotton silver bright warm light heavy soft round square narrow double single family morning evening harbour`)

// open starts an edge with an empty cache.
func (l *large) open() *edge.Server {
	l.Helper()
	e, err := edge.New(edge.Config{Source: l.source, Secret: make([]byte, 32), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

func (l *large) shut(e *edge.Server) {
	if err := e.Shutdown(context.Background()); err != nil {
		l.Error(err)
	}
}

// visitAll requests each file at once, and again while it is still being built.
func (l *large) visitAll(e *edge.Server) {
	var all sync.WaitGroup
	for i := range largeShops {
		for n := range 2 {
			all.Go(func() {
				status, size := 503, int64(0)
				for tries := 0; status == 503 && tries < 20*race.TimeFactor; tries++ {
					status, size = visit(e, fmt.Sprintf("large-%d.localhost", i), fmt.Sprintf("/f%d.xml", n))
				}
				if status != 200 || size < largeFile {
					l.Errorf("file %d of shop %d: %d, %d bytes", n, i, status, size)
				}
			})
		}
	}
	all.Wait()
}

// visit returns the answer to a visitor who accepts no compression.
func visit(e *edge.Server, host, target string) (status int, size int64) {
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI(target)
	ctx.Request.Header.SetHost(host)
	e.Handle(&ctx)
	if ctx.Response.IsBodyStream() {
		size, _ = io.Copy(io.Discard, ctx.Response.BodyStream())
	} else {
		size = int64(len(ctx.Response.Body()))
	}
	return ctx.Response.StatusCode(), size
}

// growth returns by how much the heap grew at most while run ran, with the collector as in
// production.
func growth(run func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() int64 { metrics.Read(heap); return int64(heap[0].Value.Uint64()) }
	runtime.GC()
	runtime.GC()
	before := now()
	peak, done := before, make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		select {
		case <-done:
			return max(peak, now()) - before
		default:
			peak = max(peak, now())
		}
	}
}

// Ten files of 45 MB are requested at once: before they were ever built, from an edge that
// starts with their saved copies, and after a change of each shop.
func TestTenConcurrentLargeFilesUseLittleMemory(t *testing.T) {
	l := newLarge(t)
	first := l.open()
	l.checkGrowth("rendered", growth(func() { l.visitAll(first) }))
	l.shut(first)
	cold := l.open()
	l.checkGrowth("restored", growth(func() { l.visitAll(cold) }))
	l.shut(cold)
	for _, id := range l.shops {
		if err := l.store.Write(t.Context(), id, func(tx *store.Tx) error {
			return companydb.SetDomain(t.Context(), tx, fmt.Sprintf("d%d.example.test", id), time.Now())
		}); err != nil {
			t.Fatal(err)
		}
	}
	again := l.open()
	l.checkGrowth("restored and rendered again", growth(func() { l.visitAll(again) }))
	l.shut(again)
}

func (l *large) checkGrowth(name string, bytes int64) {
	l.Logf("%s: %d MB", name, bytes>>20)
	if bytes > largeGrowth {
		l.Errorf("%s: the heap grew by %d MB, want at most %d", name, bytes>>20, int64(largeGrowth)>>20)
	}
}
