package release_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
)

// BenchmarkPublishOfAZIP publishes a ZIP of 2,000 new files of 5 KB and compares it with the
// speed of the disk: hashing and storing the same number of files without anything else. It
// reports files per second of both and their ratio.
func BenchmarkPublishOfAZIP(b *testing.B) {
	a := apitest.New(b)
	at := newSection(a, "docs")
	round := 0
	website := func() files {
		round++
		f := files{"index.html": fmt.Sprint("<p>round ", round)}
		for n := range 1999 {
			f[fmt.Sprintf("d%d/p%d.html", n%20, n)] = fmt.Sprintf(
				"<h1>%d of %d</h1>", n, round,
			) + strings.Repeat(
				fmt.Sprintf("<p>words and words %d</p>\n", n), 200,
			)
		}
		return f
	}
	var ours, bare time.Duration
	for range b.N {
		archive := packed(b, website())
		start := time.Now()
		if got := zipTo(a, at, "?base=none&publish=1", archive); got.Status != 200 {
			b.Fatalf("%d %.300s", got.Status, got.Body)
		}
		ours += time.Since(start)
		other := website()
		start = time.Now()
		keepAll(b, a, other)
		bare += time.Since(start)
	}
	total := float64(2000 * b.N)
	b.ReportMetric(total/ours.Seconds(), "files/s")
	b.ReportMetric(total/bare.Seconds(), "disk-files/s")
	b.ReportMetric(bare.Seconds()/ours.Seconds(), "x-disk")
	b.ReportMetric(0, "ns/op")
}

// keepAll stores files in the blob store, as many concurrently as there are processors.
func keepAll(b *testing.B, a *apitest.API, f files) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, text := range f {
		group.Go(func() error {
			body := []byte(text)
			return a.Blobs.PutExpect(b.Context(), bytes.NewReader(body), blob.Sum(body), int64(len(body)))
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}
