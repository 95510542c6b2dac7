package ucp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/outbound"
)

// Many calls of one new platform read its profile once, and leave the limit of unknown platforms to
// others, of whom no more than the limit are read.
func TestCallsOfOneNewPlatformCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		fetched := map[string]int{}
		profiles := NewProfiles(func(_ context.Context, r outbound.Request) (*outbound.Answer, error) {
			mu.Lock()
			fetched[r.URL]++
			mu.Unlock()
			time.Sleep(time.Second)
			return &outbound.Answer{Status: 404, Body: io.NopCloser(strings.NewReader(""))}, nil
		}, time.Now)
		var all sync.WaitGroup
		refused := 0
		for n := range 3 * discoveries {
			for _, address := range []string{"https://same.example", fmt.Sprintf("https://%d.example", n)} {
				all.Go(func() {
					_, err := profiles.Get(t.Context(), address)
					var f *fault
					if !errors.As(err, &f) {
						t.Errorf("%s: %v", address, err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					if f.Code == errUnavailable.Code {
						refused++
					}
				})
			}
			if n == 0 {
				synctest.Wait() // the first calls are made first
			}
		}
		all.Wait()
		if fetched["https://same.example"] != 1 || len(fetched) != discoveries || refused != 2*discoveries+1 {
			t.Errorf("%d profiles were read, %d of one platform; %d calls were refused", len(fetched), fetched["https://same.example"], refused)
		}
	})
}

// A profile that does not come within its time makes the platform unreachable, for a minute.
func TestASlowProfileIsUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		profiles := NewProfiles(func(ctx context.Context, _ outbound.Request) (*outbound.Answer, error) {
			fetches++
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Now)
		for n, wanted := range []struct {
			after   time.Duration
			waits   time.Duration
			fetches int
		}{{0, profileTimeout, 1}, {0, 0, 1}, {failureAge, profileTimeout, 2}} {
			time.Sleep(wanted.after)
			began := time.Now()
			_, err := profiles.Get(t.Context(), "https://slow.example")
			var f *fault
			if !errors.As(err, &f) || f.Code != errUnreachable.Code || time.Since(began) != wanted.waits || fetches != wanted.fetches {
				t.Errorf("call %d: %v after %v and %d fetches", n, err, time.Since(began), fetches)
			}
		}
	})
}
