package catalog_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

// BenchmarkMenu measures view=menu of 5,000 sections over in-memory HTTP, as it is and compressed for
// the call. The client does not decompress it. The ceiling is reading the rows through a dedicated
// connection.
func BenchmarkMenu(b *testing.B) {
	a := apitest.New(b)
	storetest.Large(b, a.URL, int(a.Shop.ID), 1000)
	storetest.Deep(b, a.URL, int(a.Shop.ID), 5000-40)
	conn, err := pgx.Connect(b.Context(), a.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	client := a.Client(a.Owner)
	for _, coding := range []string{"identity", "gzip", "br"} {
		b.Run(coding, func(b *testing.B) {
			var took, ceiling []time.Duration
			var size int64
			b.ReportAllocs()
			for b.Loop() {
				a.Clock.Advance(time.Second)
				request, err := http.NewRequestWithContext(b.Context(), "GET", apitest.AdminURL+"/categories?view=menu", nil)
				if err != nil {
					b.Fatal(err)
				}
				request.Header.Set("Accept-Encoding", coding)
				begin := time.Now()
				response, err := client.Do(request)
				if err != nil {
					b.Fatal(err)
				}
				size, err = io.Copy(io.Discard, response.Body)
				took = append(took, time.Since(begin))
				if closed := response.Body.Close(); err != nil || closed != nil || response.StatusCode != 200 {
					b.Fatal(response.StatusCode, err, closed)
				}
				begin = time.Now()
				if _, err := conn.Exec(b.Context(), `SELECT * FROM category WHERE company_id = $1`, a.Shop.ID); err != nil {
					b.Fatal(err)
				}
				ceiling = append(ceiling, time.Since(begin))
			}
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/call")
			b.ReportMetric(median(took).Seconds()/median(ceiling).Seconds(), "x-plain-read")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
