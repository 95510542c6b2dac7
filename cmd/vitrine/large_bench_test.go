package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store/storetest"
)

// largeProducts is how many products the shop of BenchmarkLargeShop has.
const largeProducts = 200_000

// importCall is how many products one call of the import takes.
const importCall = 5000

// What visitors and owners of a shop of so many products wait for at most.
const (
	wantedColdHome    = 500 * time.Millisecond
	wantedColdSection = 300 * time.Millisecond
	wantedExportByte  = 200 * time.Millisecond
	wantedSitemap     = 500 * time.Millisecond
	wantedImport      = 60 * time.Second
)

// BenchmarkLargeShop measures a shop of 200,000 products with eight attributes each: the first pages that
// an edge draws after its start, parts of the sitemap, the export as CSV, the import of as many products, and
// the deletion. It prints each figure with the one wanted, as a multiple of reading the ids of all products,
// and how much memory the processes used at most. Times of pages are medians over starts of the edge.
func BenchmarkLargeShop(b *testing.B) {
	processes := sharing(b, 3)
	edge, admin := processes[0], processes[1]
	key := edge.shop("large")
	conn := edge.database(b)
	var company int
	if err := conn.QueryRow(b.Context(), `SELECT id FROM company WHERE slug = 'large'`).Scan(&company); err != nil {
		b.Fatal(err)
	}
	storetest.Large(b, edge.databaseURL(), company, largeProducts)
	if _, err := conn.Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	if _, err := conn.Exec(b.Context(), `SELECT count(id) FROM (SELECT id FROM product WHERE company_id = $1 OFFSET 0) p`, company); err != nil {
		b.Fatal(err)
	}
	plain, all := time.Since(begin), over(0)
	add := func(what string, got, wanted time.Duration, more ...any) {
		all.add(what, got, wanted, plain, "reading all ids", more...)
	}
	fmt.Println()

	var took [5][]time.Duration
	var peaks []int
	for range 5 {
		r := edge.startRole("edge")
		for i, path := range []string{"/", "/section-4/section-7", "/section-1", "/sitemap.xml", "/sitemap.xml?page=3"} {
			begin := time.Now()
			if status, _, body := edge.visit("large", path); status != 200 || len(body) < 200 {
				b.Fatal(path, status, body)
			}
			took[i] = append(took[i], time.Since(begin))
			if i == 0 {
				peaks = append(peaks, r.peak())
			}
		}
		r.stop()
	}
	add("home page, first visit of the shop", quantile(took[0], 0.5), wantedColdHome, "edge at most ", peaks[0], " MB")
	add("section, after the home page", quantile(took[1], 0.5), wantedColdSection)
	add("another section", quantile(took[2], 0.5), wantedColdSection)
	add("sitemap, index", quantile(took[3], 0.5), wantedSitemap)
	add("sitemap, a part", quantile(took[4], 0.5), wantedSitemap)

	api := admin.startRole("admin")
	begin = time.Now()
	first, lines := admin.download(key, "/products/export", begin)
	add("export as CSV, first byte", first, wantedExportByte, lines, " lines after ", time.Since(begin).Round(time.Millisecond), ", admin at most ", api.peak(), " MB")

	processes[2].startRole("worker") // analyses tables that have grown
	other := edge.shop("filled")
	admin.must(other, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Tea", "type": "product", "is_published": true}})
	var slowest time.Duration
	begin = time.Now()
	for from := 0; from < largeProducts; from += importCall {
		sent := time.Now()
		if done := admin.must(other, "POST", "/products/import", map[string]any{"text": importText(from, from+importCall)}); done["created"] != float64(importCall) {
			b.Fatal(done["errors"], done["rows"].([]any)[0])
		}
		slowest = max(slowest, time.Since(sent))
	}
	add("import of 200,000 products", time.Since(begin), wantedImport, "slowest call ", slowest.Round(time.Millisecond), ", admin at most ", api.peak(), " MB")

	begin = time.Now()
	if deleted := edge.verb("shop", "delete", "--shop", "large", "--yes", "large"); deleted["deleted"] != true {
		b.Fatal(deleted)
	}
	add("shop delete", time.Since(begin), wantedImport)
	b.ReportMetric(float64(all), "over")
	b.ReportMetric(0, "ns/op")
}

// databaseURL is the address of the database without settings of the program.
func (p *program) databaseURL() (url string) {
	for _, pair := range p.env {
		if rest, is := strings.CutPrefix(pair, "VITRINE_DATABASE_URL="); is {
			url = strings.TrimSuffix(rest, fewConnections)
		}
	}
	return url
}

// database is a connection to the database of an installation.
func (p *program) database(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), p.databaseURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// peak is how much memory a process has used at most, in megabytes.
func (r *running) peak() (mb int) {
	r.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		r.t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	if _, err := fmt.Sscan(string(rest), &mb); err != nil {
		r.t.Fatal(err)
	}
	return mb / 1024
}

// download reads a response of the API, and returns when its first byte came and how many lines it has.
func (p *program) download(key, path string, begin time.Time) (first time.Duration, lines int) {
	p.t.Helper()
	request, err := http.NewRequest("GET", "http://"+p.admin+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: 5 * time.Minute}
	response, err := client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 && first == 0 {
			first = time.Since(begin)
		}
		lines += bytes.Count(buffer[:n], []byte("\n"))
		switch {
		case err == io.EOF && response.StatusCode == http.StatusOK:
			return first, lines
		case err != nil:
			p.t.Fatal(response.Status, err)
		}
	}
}

// importText is a CSV of products.
func importText(from, to int) string {
	var text strings.Builder
	text.WriteString("sku,name,slug,price,category,description,brand,tags,is_published\n")
	for n := from; n < to; n++ {
		fmt.Fprintf(&text, "A-%d,Product %d,product-%d,%d,tea,A thing for the house with the number %d.,Acme,new|linen,true\n", n, n, n, n%900, n)
	}
	return text.String()
}
