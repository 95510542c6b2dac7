package movein_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// benchProducts have three variants each.
const benchProducts = 10_000

// BenchmarkImport imports 10,000 products with 30,000 variants from an export of Shopify, and the
// same as CSV of this program in the same run: the ratio of their speeds is that of the contract.
func BenchmarkImport(b *testing.B) {
	var moved, own time.Duration
	for b.Loop() {
		y := openFor(b)
		begin := time.Now()
		y.imported(shopifyOf(benchProducts))
		moved += time.Since(begin)
		if n := y.Result("GET", "/products", y.Owner, nil)["total"]; n != float64(benchProducts) {
			b.Fatal(n)
		}
		y = openFor(b)
		begin = time.Now()
		for from := 0; from < benchProducts; from += 2500 { // a body has at most 4 MB
			y.Clock.Advance(time.Minute)
			if got := y.Result("POST", "/products/import", y.Owner, m{"text": ownOf(from, from+2500)}); got["created"] != 2500.0 {
				b.Fatal(got["errors"], got["rows"].(l)[0])
			}
		}
		own += time.Since(begin)
	}
	b.ReportMetric(moved.Seconds()/float64(b.N), "s/import")
	b.ReportMetric(own.Seconds()/float64(b.N), "s/own-csv")
	b.ReportMetric(own.Seconds()/moved.Seconds(), "x-own-csv")
}

func shopifyOf(n int) string {
	var text strings.Builder
	text.WriteString("Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Status\n")
	for i := range n {
		for v, size := range []string{"S", "M", "L"} {
			if v == 0 {
				fmt.Fprintf(&text, "shirt-%d,Shirt %d,<p>A shirt of linen with number %d.</p>,Acme,Kind %d,\"linen, summer\",true,Size,%s,S%d-%s,shopify,5,19.90,active\n", i, i, i, i%50, size, i, size)
			} else {
				fmt.Fprintf(&text, "shirt-%d,,,,,,,,%s,S%d-%s,shopify,5,19.90,\n", i, size, i, size)
			}
		}
	}
	return text.String()
}

func ownOf(from, to int) string {
	var text strings.Builder
	text.WriteString("name,slug,description,brand,price,tags,is_published,stock_by,variants\n")
	for i := from; i < to; i++ {
		sets := make([]string, 3)
		for v, size := range []string{"S", "M", "L"} {
			sets[v] = fmt.Sprintf(`{""sku"":""S%d-%s"",""price"":1990,""options"":{""Size"":""%s""},""stock_quantity"":5}`, i, size, size)
		}
		fmt.Fprintf(&text, "Shirt %d,shirt-%d,<p>A shirt of linen with number %d.</p>,Acme,1990,linen|summer,true,variant,\"[%s]\"\n", i, i, i, strings.Join(sets, ","))
	}
	return text.String()
}
