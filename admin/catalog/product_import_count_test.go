package catalog_test

import (
	"fmt"
	"testing"
	"time"
)

// An import reads data for a hundred lines at once: a changed product only costs its own UPDATE
// and the savepoint around it, in the draft as in the live shop.
func TestAChangedLineCostsOneUpdate(t *testing.T) {
	const few, many = 10, 60
	b := open(t)
	b.section("product", "Tea")
	sheet := func(lines, price int) string {
		text := "sku,name,price,category,tags\n"
		for n := range lines {
			text += fmt.Sprintf("S-%d,Product %d,%d,tea,t%d\n", n, n, price, price)
		}
		return text
	}
	b.Result("POST", "/products/import", b.Owner, m{"text": sheet(many, 1)})
	price := 1
	for _, key := range []string{b.Owner, b.Dev} {
		sent := map[int]int{}
		for _, lines := range []int{few, many} {
			price++
			b.Clock.Advance(time.Minute)
			b.Sent.Take()
			if report := b.Result("POST", "/products/import", key, m{"text": sheet(lines, price)}); report["updated"] != float64(lines) {
				t.Fatal(report)
			}
			sent[lines] = len(b.Sent.Take())
		}
		if perLine := float64(sent[many]-sent[few]) / (many - few); perLine > 3 {
			t.Errorf("%.1f statements for each changed line", perLine)
		}
	}
}
