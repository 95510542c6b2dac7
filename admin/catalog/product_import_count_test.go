package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/store/storetest"
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

// New products are not read again unless a later line refers to one.
func TestNewLinesCostNoStatementsOfTheirOwn(t *testing.T) {
	b := open(t)
	b.section("product", "Tea")
	sent := func(letter string, lines int, more ...string) int {
		text := "sku,name,price,category,tags\n"
		for n := range lines {
			text += fmt.Sprintf("%[1]s-%[2]d,Product %[1]s %[2]d,1,tea,new\n", letter, n)
		}
		b.Clock.Advance(time.Minute)
		b.Sent.Take()
		if report := b.Result("POST", "/products/import", b.Owner, m{"text": text + strings.Join(more, "")}); report["created"] != float64(lines) || report["updated"] != float64(len(more)) {
			t.Fatal(report)
		}
		return len(b.Sent.Take())
	}
	sent("A", 1) // what is done once
	one, many := sent("B", 1), sent("C", 60)
	if one != many {
		t.Errorf("%d statements for a new line, %d for 60", one, many)
	}
	if again := sent("D", 60, "D-7,Product D 7,2,tea,new\n"); again <= many {
		t.Error("the product of an earlier line was changed without reading it")
	}
}

// The statistics of the server know only shops that had products when they were gathered. While an import
// fills another shop, the planner learns of it: it would read all products of the shop for each new one.
func TestAnImportTellsThePlannerOfANewShop(t *testing.T) {
	b := open(t)
	b.section("product", "Tea")
	for _, sql := range []string{
		`ALTER TABLE product SET (autovacuum_enabled = false)`,
		`INSERT INTO company (slug, name, currency) VALUES ('other', 'Other', 'EUR')`,
		`INSERT INTO product (company_id, kind, name, slug) SELECT c.id, 'standard', 'Tea ' || n, 'tea-' || n FROM company c, generate_series(1, 5000) n WHERE c.slug = 'other'`,
		`ANALYZE product`,
	} {
		if _, err := b.Store.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	text := "sku,name,price,category\n"
	for n := range 500 {
		text += fmt.Sprintf("S-%d,Product %d,1,tea\n", n, n)
	}
	if report := b.Result("POST", "/products/import", b.Owner, m{"text": text}); report["created"] != 500.0 {
		t.Fatal(report)
	}
	rows, plan := storetest.RowsExpected(t, b.Store.Pool, `SELECT FROM product WHERE company_id = $1`, b.Shop.ID)
	if rows < 100 {
		t.Errorf("%.0f products are expected:\n%s", rows, plan)
	}
}
