package movein_test

import (
	"fmt"
	"io"
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
		plan, err := movein.Read([]movein.File{file("a", text)}, eur, nil)
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
	plan, err := movein.Read([]movein.File{file("a", text)}, eur, nil)
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
	plan, err := movein.Read([]movein.File{{Name: "a", Size: 200 << 20, Open: open}}, eur, nil)
	if err != nil || len(plan.Products) != 1 || len(plan.Products[0].Pictures) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > race.MemoryFactor*60<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}
