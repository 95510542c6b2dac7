package media_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"vitrine/admin"
	"vitrine/internal/await"
	"vitrine/internal/outbound"
)

func TestSlowFetchesOfOneShopDoNotDelayOtherShops(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}, 100), make(chan struct{})
	l := openWith(t, func(cfg *admin.Config) {
		cfg.Fetch = func(_ context.Context, r outbound.Request) (*outbound.Answer, error) {
			if strings.Contains(r.URL, "slow") {
				started <- struct{}{}
				<-release
			}
			return &outbound.Answer{Status: 200, Size: -1, Body: io.NopCloser(strings.NewReader(tinyWebP))}, nil
		}
	})
	const calls, atOnce = 12, 8
	var group sync.WaitGroup
	for range calls {
		group.Go(func() { l.OK("POST", fromURL, l.Owner, fetchBody("http://slow.test/")) })
	}
	for range atOnce {
		await.Next(t, started)
	}
	l.OK("POST", fromURL, l.Stranger, fetchBody("http://quick.test/"))
	if n := len(started); n != 0 {
		t.Errorf("%d fetches of one shop run at once", atOnce+n)
	}
	close(release)
	group.Wait()
	if list := l.OK("GET", "/v1/storages/files", l.Owner, nil); list["total"] != float64(calls) {
		t.Errorf("%v pictures", list["total"])
	}
}
