package movein_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"vitrine/compile/movein"
	"vitrine/internal/cells"
	"vitrine/internal/race"
)

// manyProducts writes Shopify's export of products with three variants and pictures each.
func manyProducts(products int) string {
	var b strings.Builder
	b.WriteString(shopifyHeader)
	text := `"` + strings.Repeat("<p>Water of 70 to 80 degrees, a minute and no longer.</p>", 10) + `"`
	for i := range products {
		for v := range 3 {
			first := [7]string{}
			if v == 0 {
				first = [7]string{fmt.Sprintf("Tea No. %d", i), text, "Isin", fmt.Sprintf("Type %d", i%40), "\"a, b\"", "true", "Size"}
			}
			fmt.Fprintf(&b, "tea-%d,%s,Size %d,,,T-%d-%d,100,shopify,%d,%d.50,,,https://cdn.example/%d/%d.jpg,%d,,,,,active\n", i, strings.Join(first[:], ","), v, i, v, v, v+5, i, v, v+1)
		}
	}
	return b.String()
}

// BenchmarkRead reads 10,000 products with 30,000 variants; x-cells is the time in terms of reading
// the same bytes as a table only.
func BenchmarkRead(b *testing.B) {
	text := manyProducts(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var reading time.Duration
	for b.Loop() {
		plan, err := loaded(movein.Read([]movein.File{file("a", text)}, eur, nil, newSpool()))
		if err != nil || plan.Counts().Variants != 30_000 {
			b.Fatal(plan.Counts(), err)
		}
		b.StopTimer()
		began := time.Now()
		for r, ok := cells.NewStream(strings.NewReader(text)), true; ok; {
			_, _, ok, _ = r.Next()
		}
		reading += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(reading), "x-cells")
}

// A plan of 10,000 products with 30,000 variants takes much less than 200 MB.
func TestALargePlanNeedsLittleMemory(t *testing.T) {
	text := manyProducts(10_000)
	var before, peak runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	plan, err := loaded(movein.Read([]movein.File{file("a", text)}, eur, nil, newSpool()))
	if err != nil || plan.Counts().Variants != 30_000 || len(plan.Losses) > 0 {
		t.Fatal(plan.Counts(), plan.Losses, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&peak)
	held, took := int64(peak.HeapAlloc)-int64(before.HeapAlloc), peak.TotalAlloc-before.TotalAlloc
	t.Logf("%d MB of text, %d MB are held, %d MB were taken", len(text)>>20, held>>20, took>>20)
	if held > race.MemoryFactor*80<<20 {
		t.Errorf("%d MB", held>>20)
	}
	runtime.KeepAlive(plan)
}

// products is an export of Shopify that is written while it is read. It measures the most memory that
// is held meanwhile.
type products struct {
	text  func(i int) string
	n     int
	rest  string
	since int
	peak  *uint64
}

func (p *products) Read(b []byte) (int, error) {
	if p.since += len(b); p.since > 16<<20 {
		p.since = 0
		measure(p.peak)
	}
	for i := p.n - 1; p.rest == "" && p.n > 0; i = p.n - 1 {
		p.rest, p.n = p.text(i), i
	}
	n := copy(b, p.rest)
	if p.rest = p.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func measure(peak *uint64) {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	*peak = max(*peak, now.HeapAlloc)
}

// Exports of 60 MB are read with little memory: one that consists of descriptions, and one of variants
// with pictures.
func TestThePlanOfALargeExportNeedsLittleMemory(t *testing.T) {
	long := strings.Repeat("<p>Water of 70 to 80 degrees, a minute and no longer.</p>", 36)
	for name, c := range map[string]struct {
		products int
		text     func(i int) string
	}{
		"descriptions": {30_000, func(i int) string {
			return fmt.Sprintf("tea-%d,Tea No. %d,\"%s\",Isin,Type %d,\"a, b\",true,,,,,T-%d,100,shopify,%d,%d.50,,,https://cdn.example/%d.jpg,1,,,,,active\n", i, i, long, i%40, i, i, i%90, i)
		}},
		"variants": {15_000, func(i int) string {
			rows := fmt.Sprintf("tea-%d,Tea No. %d,,Isin,Type %d,\"a, b\",true,Size,Size 0,,,T-%d-0,100,shopify,5,9.50,,,,,,,,,active\n", i, i, i%40, i)
			for v := 1; v < 25; v++ {
				at := fmt.Sprintf("https://cdn.example/products/large/%d/%d.jpg", i, v)
				rows += fmt.Sprintf("tea-%d,,,,,,,,Size %d,,,T-%d-%d,100,shopify,%d,%d.50,,,%s,%d,,,,%s,\n", i, v, i, v, v, v+9, at, v, at)
			}
			return rows
		}},
	} {
		t.Run(name, func(t *testing.T) {
			spool, err := os.Create(filepath.Join(t.TempDir(), "spool"))
			if err != nil {
				t.Fatal(err)
			}
			defer spool.Close()
			var before, peak, after uint64
			measure(&before)
			plan, err := movein.Read([]movein.File{{Name: "a", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader(shopifyHeader), &products{text: c.text, n: c.products, peak: &peak})), nil
			}}}, eur, nil, spool)
			if err != nil || len(plan.Products) != c.products {
				t.Fatal(len(plan.Products), err)
			}
			measure(&after)
			t.Logf("%d MB at most, %d MB in the plan", (peak-before)>>20, (after-before)>>20)
			if grown := max(peak, after) - before; grown > race.MemoryFactor*50<<20 {
				t.Errorf("%d MB", grown>>20)
			}
			runtime.KeepAlive(plan)
		})
	}
}

// A file of 90 MB is read with little more memory than its plan needs.
func TestALongFileIsNotHeld(t *testing.T) {
	block := strings.Repeat("tea,,,,,,,,,,,,,,,,,,https://cdn.example/1.jpg,1,,,,"+strings.Repeat("x", 700)+",\n", 1000)
	open := func() (io.ReadCloser, error) {
		parts := []io.Reader{strings.NewReader(shopifyHeader + "tea,Tea,,,,,true,,,,,,,,,5,,,,,,,,,\n")}
		for range 120 {
			parts = append(parts, strings.NewReader(block))
		}
		return io.NopCloser(io.MultiReader(parts...)), nil
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	plan, err := loaded(movein.Read([]movein.File{{Name: "a", Size: 200 << 20, Open: open}}, eur, nil, newSpool()))
	if err != nil || len(plan.Products) != 1 || len(plan.Products[0].Pictures) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > race.MemoryFactor*60<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}
