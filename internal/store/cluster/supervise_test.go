package cluster

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
)

// startSupervised starts a cluster and supervises its server until the end of the test, and
// returns its log.
func startSupervised(t *testing.T, dir string) (*Cluster, *lines) {
	t.Helper()
	log := &lines{}
	c, err := Start(t.Context(), Config{Dir: dir, Log: slog.New(slog.NewTextHandler(log, nil))}) // durable
	must(t, err)
	t.Cleanup(func() { must(t, c.Stop(context.Background())) })
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { c.Supervise(ctx) })
	t.Cleanup(func() { // before the server is stopped
		cancel()
		watch.Wait()
	})
	return c, log
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// await returns when the log contains a line that often.
func (l *lines) await(t *testing.T, part string, times int) {
	t.Helper()
	if !await.Until(func() bool { return l.count(part) >= times }) {
		t.Fatalf("no %q in %s", part, l.text.String())
	}
}

const (
	saidGone = "server is gone"
	saidBack = "server is back"
	saidDown = "does not start"
)

func TestAKilledServerIsRestarted(t *testing.T) {
	t.Parallel()
	c, log := startSupervised(t, stoppedCluster(t))
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	for times := 1; times <= 2; times++ {
		killPostmasterNow(t, c)
		log.await(t, saidBack, times)
		if got := query(t, c.URL(), "SELECT it FROM kept"); got != "yes" {
			t.Fatalf("kept: %q", got)
		}
	}
	if log.count(saidGone) != 2 {
		t.Errorf("the log has %d deaths, want 2", log.count(saidGone))
	}
}

func TestAServerThatCannotStartIsTriedUntilItCan(t *testing.T) {
	t.Parallel()
	c, log := startSupervised(t, stoppedCluster(t))
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	aside := c.home.data() + ".aside"
	must(t, os.Rename(c.home.data()+"/global", aside)) // as with a disk that is not mounted
	killPostmasterNow(t, c)
	log.await(t, saidDown, 2)
	must(t, os.Rename(aside, c.home.data()+"/global"))
	log.await(t, saidBack, 1)
	if got := query(t, c.URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
}

func TestOneOfSeveralProcessesBringsTheServerBack(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	first, _ := startSupervised(t, dir)
	second, _ := startSupervised(t, dir)
	other := startHolder(t, dir, superviseEnv+"=yes")
	dead, _, err := first.home.pidFile()
	must(t, err)
	killPostmasterNow(t, first)
	if !await.Until(func() bool { // any of them may restart it: the others may not even notice that it was gone
		file, _, err := first.home.pidFile()
		must(t, err)
		return file.pid != dead.pid && withConnection(t.Context(), second.URL(), func(*pgx.Conn) error { return nil }) == nil
	}) {
		t.Fatal("no process brought the server back")
	}
	if text, err := os.ReadFile(first.logPath()); err != nil || strings.Count(string(text), "starting PostgreSQL") != 2 {
		t.Errorf("%v: the server was not started twice in all:\n%s", err, text)
	}
	other.end(t)
	expectRunning(t, first, true)
}

func TestAServerOfAKilledProcessIsAdoptedAndBroughtBack(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	killed := startHolder(t, dir, superviseEnv+"=yes")
	execute(t, killed.url, "CREATE TABLE kept AS SELECT 'yes' AS it")
	execute(t, killed.url, "CHECKPOINT") // its server is not durable, so it delays writing
	killed.kill(t)
	c, log := startSupervised(t, dir)
	killPostmasterNow(t, c)
	log.await(t, saidBack, 1)
	if got := query(t, c.URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
}
