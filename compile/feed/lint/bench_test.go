package lint

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
	"time"

	"vitrine/compile/feed"
)

// BenchmarkCheck compares Check with only parsing the feed with encoding/xml.
func BenchmarkCheck(b *testing.B) {
	items := make([]feed.Item, 2000)
	for i := range items {
		items[i].Product = feed.Product{
			ID: int64(i + 1), Name: `Boots "North" & more`, URL: "https://demo.test/boots?a=1&b=2", Price: 5, OldPrice: 7,
			Currency: "EUR", CategoryID: 1, Description: "Warm & dry, for the town and the country.",
		}
		items[i].Pictures = []string{"https://demo.test/files/a.jpg", "https://demo.test/files/b.jpg"}
	}
	c := feed.NewCatalogue(feed.Contents{Shop: demo().Shop(), Items: items, Categories: []feed.Category{{ID: 1, Name: "A"}}})
	t, _ := feed.Compile("a.yml", feed.Seeds()[0].Body)
	var out bytes.Buffer
	result, problem := t.Render(&out, c, feed.Options{Trace: true})
	if problem != nil {
		b.Fatal(problem)
	}
	start := time.Now()
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	parsing := time.Since(start)
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		if report := Check(out.Bytes(), &result, Rules{Shop: c.Shop()}); report.Offers != len(items) || len(report.Findings) > 1 {
			b.Fatal(report.Findings)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(parsing), "x-of-encoding/xml")
}
