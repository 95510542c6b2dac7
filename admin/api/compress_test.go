package api

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/gzip"

	"vitrine/compile/pack"
)

// list is 100 KB of JSON as a list of products has it.
func list() []byte {
	var b bytes.Buffer
	for n := 0; b.Len() < 100<<10; n++ {
		text, _ := encode(map[string]any{"id": n * 7919, "name": "Sencha", "price": n % 97, "slug": "sencha-" + string(rune('a'+n%26)), "updated_at": "2026-11-29T10:00:00Z",
			"is_published": n%3 == 0, "description": "Steamed leaves from Uji, second flush", "tags": []int{n, n * n}})
		b.Write(text)
	}
	return b.Bytes()[:100<<10]
}

// BenchmarkCompression compresses a list for a call. The ceiling is gzip at its fastest level.
func BenchmarkCompression(b *testing.B) {
	body, p := list(), NewCompression()
	b.Run("ceiling", func(b *testing.B) {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			out.Reset()
			w.Reset(&out)
			w.Write(body) //nolint:errcheck // into memory
			w.Close()     //nolint:errcheck // into memory
		}
		b.ReportMetric(float64(out.Len()), "size")
	})
	for _, coding := range []pack.Coding{pack.Gzip, pack.Brotli} {
		b.Run(string(coding), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				form, err := p.form(reply{body: body}, coding)
				if err != nil {
					b.Fatal(err)
				}
				size = len(form)
			}
			b.ReportMetric(float64(size), "size")
		})
	}
}
