package feed

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"text/template"
	"time"
)

// escapedByHand returns the YML seed for text/template, with an escaping function
// around every value.
func escapedByHand(c *Catalogue) *template.Template {
	body := strings.NewReplacer("{{.Name}}", "{{x .Name}}", "{{.URL}}", "{{x .URL}}", "{{.SKU}}", "{{x .SKU}}",
		"{{.Description}}", "{{x .Description}}", "{{.Currency}}", "{{x .Currency}}", "<picture>{{.}}", "<picture>{{x .}}").Replace(yandex)
	funcs := referenceFuncs(c)
	funcs["pictures"] = func(p view, most int) []string { // fast: ids are consecutive
		found := c.contents.Items[p.ID-1].Pictures
		return found[:min(most, len(found))]
	}
	funcs["x"] = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace
	return template.Must(template.New(mainName).Funcs(funcs).Parse(body))
}

// timed returns the shortest time of a few runs.
func timed(rounds int, run func()) time.Duration {
	best := time.Hour
	for range rounds {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	return best
}

const products = 50_000

// BenchmarkRender compares the YML seed over 50,000 products with text/template
// and an XML-escaping function on the same data.
func BenchmarkRender(b *testing.B) {
	c := many(products)
	t, _ := Compile("feed.yml", yandex)
	plain := escapedByHand(c)
	least := timed(3, func() {
		if err := plain.Execute(io.Discard, struct{ Shop Shop }{c.Shop()}); err != nil {
			b.Fatal(err)
		}
	})
	var size int64
	for b.Loop() {
		result, problem := t.Render(io.Discard, c, Options{Now: noon})
		if problem != nil {
			b.Fatal(problem)
		}
		size = result.Bytes
	}
	b.SetBytes(size)
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(least), "x-of-text/template")
}

// BenchmarkMemory reports the peak memory of a traced render of 50,000 products beside
// its output, measured after garbage collections.
func BenchmarkMemory(b *testing.B) {
	c := many(products)
	t, _ := Compile("feed.yml", yandex)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	peak, asked := before, 0
	for b.Loop() {
		_, problem := t.Render(io.Discard, c, Options{Now: noon, Trace: true, Stop: func() error {
			if asked++; asked%100 == 0 {
				peak = max(peak, heap())
			}
			return nil
		}})
		if problem != nil {
			b.Fatal(problem)
		}
	}
	b.ReportMetric(float64(peak-before)/(1<<20), "MB-beside-output")
	if peak-before > 64<<20 {
		b.Error("more than 64 MB")
	}
}
