package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// importRows is how many products the benchmark imports in one run.
const importRows = 4000

// BenchmarkDraftImport imports 4,000 products into an empty draft, then changes each of them
// there, and then adds 4,000 more: each is compared with the same import into the live shop in
// the same run.
func BenchmarkDraftImport(b *testing.B) {
	var live, draft [3]time.Duration
	for b.Loop() {
		a := apitest.New(b)
		a.Result("POST", "/categories", a.Owner, item(m{"name": "Tea", "type": "product", "is_published": true}))
		for _, c := range []struct {
			key  string
			took *[3]time.Duration
		}{{a.Dev, &draft}, {a.Owner, &live}} {
			for i, text := range []string{sheetOf("tea", c.key, "A", 100), sheetOf("tea", c.key, "A", 200), sheetOf("tea", c.key, "B", 100)} {
				a.Clock.Advance(time.Minute) // the next window of the rate limits
				begin := time.Now()
				answer := a.Result("POST", "/products/import", c.key, m{"text": text})
				c.took[i] += time.Since(begin)
				if done := answer["created"].(float64) + answer["updated"].(float64); done != importRows {
					b.Fatal(answer["created"], answer["updated"], answer["rows"].(l)[0])
				}
			}
		}
	}
	for i, name := range []string{"add", "update", "add-to-full"} {
		b.ReportMetric(draft[i].Seconds()/float64(b.N), "s/"+name)
		b.ReportMetric(draft[i].Seconds()/live[i].Seconds(), "x-live-"+name)
	}
}

// sheetOf returns a CSV of products with unused skus.
func sheetOf(section, key, letter string, price int) string {
	var text strings.Builder
	text.WriteString("sku,name,price,category\n")
	for n := range importRows {
		fmt.Fprintf(&text, "%s-%s-%d,Product %s %s %d,%d,%s\n", letter, key[len(key)-4:], n, letter, key[len(key)-4:], n, price, section)
	}
	return text.String()
}
