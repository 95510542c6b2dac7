package render

import (
	"bytes"
	"testing"
	"time"
)

// BenchmarkAppend compares drawing each page with copying its bytes, which is
// what a request costs once the page is cached: x/copy is how often.
func BenchmarkAppend(b *testing.B) {
	pages := fixture()
	listing := pages["listing"].(*Listing)
	for len(listing.Products) < 24 {
		listing.Products = append(listing.Products, listing.Products[0])
	}
	for _, name := range []string{"home", "listing", "product", "article"} {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, pages[name]) })
	}
}

func benchmarkAppend(b *testing.B, page Page) {
	dst := bytesOf(b, page)
	ready := bytes.Clone(dst)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		out, err := Append(dst[:0], page)
		if err != nil {
			b.Fatal(err)
		}
		dst = out
	}
	drawing := b.Elapsed()
	start := time.Now()
	for range b.N {
		dst = append(dst[:0], ready...)
	}
	b.ReportMetric(float64(drawing)/float64(time.Since(start)), "x/copy")
}

// BenchmarkDocument draws a page that is one large html document: almost all
// of it is one copy.
func BenchmarkDocument(b *testing.B) {
	page := fixture()["text"]
	page.frame().Layout.Body = []Block{{Kind: BlockHTML, Fragment: make([]byte, 400<<10)}}
	benchmarkAppend(b, page)
}
