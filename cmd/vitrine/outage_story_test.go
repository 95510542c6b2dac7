package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// clusterHome is the directory of the program's private PostgreSQL.
func (p *program) clusterHome() string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "var", "pg.location"))
	if os.IsNotExist(err) {
		return filepath.Join(p.dir, "var", "pg")
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// postmaster is the process of the private PostgreSQL.
func (p *program) postmaster() int {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.clusterHome(), "data", "postmaster.pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(first))
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// tally counts the statuses received by clients of one kind.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int
}

func (s *tally) add(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.statuses == nil {
		s.statuses = map[int]int{}
	}
	s.statuses[status]++
}

func (s *tally) of(status int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.statuses[status]
}

// only fails the test if there were other statuses.
func (s *tally) only(t *testing.T, who string, allowed ...int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("%s saw %v", who, s.statuses)
	rest := len(s.statuses)
	for _, status := range allowed {
		if s.statuses[status] > 0 {
			rest--
		}
	}
	if rest > 0 {
		t.Errorf("%s saw %v", who, s.statuses)
	}
}

// The postmaster is killed while visitors and API clients are active. Cached pages keep
// working, other requests get a Retry-After, and everything recovers without intervention;
// acknowledged writes are kept.
func TestKilledDatabaseRecoversUnderLoad(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	key := p.shop("tea")
	server := p.start()
	if status, _, _ := p.visit("tea", "/"); status != 200 {
		t.Fatalf("the home page: %d", status)
	}
	var hot, cold, reads, writes tally
	stop := make(chan struct{})
	var callers sync.WaitGroup
	// Each kind calls at its own rate, below the shop's limit per minute.
	repeat := func(s *tally, pace time.Duration, call func(n int) (int, error)) {
		callers.Go(func() {
			tick := time.NewTicker(pace)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				status, err := call(n)
				if err != nil {
					t.Error(err)
					return
				}
				s.add(status)
			}
		})
	}
	page := func(path string) (int, error) {
		response, err := p.ask("tea", path)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
		return response.StatusCode, nil
	}
	repeat(&hot, 20*time.Millisecond, func(int) (int, error) { return page("/") })
	repeat(&cold, 50*time.Millisecond, func(n int) (int, error) { return page(fmt.Sprintf("/?q=%d", n)) })
	repeat(&reads, 200*time.Millisecond, func(int) (int, error) {
		status, _, err := p.try(key, "GET", "/products", nil)
		return status, err
	})
	repeat(&writes, 300*time.Millisecond, func(n int) (int, error) {
		status, _, err := p.try(key, "POST", "/products", map[string]any{"item": map[string]any{"name": fmt.Sprintf("Tea %d", n)}})
		return status, err
	})
	for deaths := 1; deaths <= 2; deaths++ {
		before := writes.of(200)
		wait(t, "a write", func() bool { return writes.of(200) > before })
		if err := syscall.Kill(p.postmaster(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		wait(t, "the server is back", func() bool { return strings.Count(server.stderr.String(), "server is back") == deaths })
		before = writes.of(200)
		wait(t, "calls work again", func() bool { return writes.of(200) > before })
	}
	close(stop)
	callers.Wait()
	hot.only(t, "visitors of a page in memory", 200)
	cold.only(t, "visitors of others", 200, 503)
	reads.only(t, "readers of the API", 200, 503)
	writes.only(t, "writers of the API", 200, 503)
	saved, _ := p.must(key, "GET", "/products", nil)["total"].(float64)
	if least := writes.of(200); int(saved) < least || int(saved) > least+writes.of(503) {
		t.Errorf("there are %v products, of %d acknowledged and %d uncertain ones", saved, least, writes.of(503))
	}
}
