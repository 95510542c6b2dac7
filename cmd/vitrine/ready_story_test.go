package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/blob/blobtest"
)

// askOps requests a path of the ops listener; status is 0 if nobody answers.
func (p *program) askOps(path string) (status int, body string) {
	p.t.Helper()
	response, err := http.Get("http://" + p.ops + path)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// tcpGate is a TCP proxy to a server that can be shut and opened.
type tcpGate struct {
	mu     sync.Mutex
	listen string
	to     string
	l      net.Listener
	conns  []net.Conn
}

func newTCPGate(t *testing.T, to string) *tcpGate {
	g := &tcpGate{listen: freeAddress(t), to: to}
	t.Cleanup(g.shut)
	return g
}

func (g *tcpGate) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", g.listen)
	if err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	g.l = l
	g.mu.Unlock()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			network := "tcp"
			if strings.HasPrefix(g.to, "/") {
				network = "unix"
			}
			server, err := net.Dial(network, g.to)
			if err != nil {
				client.Close()
				continue
			}
			g.mu.Lock()
			g.conns = append(g.conns, client, server)
			g.mu.Unlock()
			pipe := func(to, from net.Conn) {
				_, _ = io.Copy(to, from)
				to.Close()
				from.Close()
			}
			go pipe(server, client)
			go pipe(client, server)
		}
	}()
}

func (g *tcpGate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l != nil {
		g.l.Close()
	}
	for _, c := range g.conns {
		c.Close()
	}
	g.conns = nil
}

// behind puts a gate between a program and its database.
func behind(t *testing.T, p *program) *tcpGate {
	t.Helper()
	for i, e := range p.env {
		address, found := strings.CutPrefix(e, "VITRINE_DATABASE_URL=")
		if !found {
			continue
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		to := u.Host
		q := u.Query()
		if socket := q.Get("host"); socket != "" {
			port := q.Get("port")
			if port == "" {
				port = u.Port()
			}
			if port == "" {
				port = "5432"
			}
			to = socket + "/.s.PGSQL." + port
			q.Del("host")
			q.Del("port")
		}
		g := newTCPGate(t, to)
		u.Host, u.RawQuery = g.listen, q.Encode()
		p.env[i] = "VITRINE_DATABASE_URL=" + u.String()
		return g
	}
	t.Fatal("no database")
	return nil
}

// All roles start while the database is unavailable, say so, and are ready once it is there. When it goes
// again, edge and serve stay ready, since they serve what they have; admin and worker do not.
func TestProcessesWaitForTheDatabaseAndTellWhatIsAway(t *testing.T) {
	t.Parallel()
	first := newProgram(t)
	gate := behind(t, first)
	gate.open(t)
	first.shop("tea")
	gate.shut()
	for role, stays := range map[string]bool{"edge": true, "serve": true, "admin": false, "worker": false} {
		t.Run(role, func(t *testing.T) {
			p := first.with()
			p.t = t
			r := p.launch(role)
			wait(t, "it says that it waits", func() bool { return strings.Contains(r.stderr.String(), "waiting for the database") })
			if status, body := p.askOps("/healthz"); status != 200 || !strings.Contains(body, "database") {
				t.Errorf("%d %s", status, body)
			}
			if status, _ := p.askOps("/readyz"); status != 503 {
				t.Errorf("it is ready without a database: %d", status)
			}
			gate.open(t)
			defer gate.shut()
			r.awaitReady()
			if _, body := p.askOps("/healthz"); body != "ok\n" {
				t.Error(body)
			}
			if role == "edge" || role == "serve" {
				if status, _, _ := p.visit("tea", "/"); status != 200 {
					t.Errorf("the page: %d", status)
				}
			}
			gate.shut()
			wait(t, "the database is named", func() bool { _, body := p.askOps("/healthz"); return body == "away: database\n" })
			if _, metrics := p.askOps("/metrics"); !strings.Contains(metrics, "vitrine_database_up 0\n") || !strings.Contains(metrics, "vitrine_bucket_up 1\n") {
				t.Error("the metrics do not say that the database alone is unavailable")
			}
			if status, _ := p.askOps("/readyz"); (status == 200) != stays {
				t.Errorf("without the database /readyz is %d", status)
			}
			if stays {
				if status, _, _ := p.visit("tea", "/"); status != 200 {
					t.Errorf("the page without the database: %d", status)
				}
			}
			gate.open(t)
			r.awaitReady()
			r.stop()
		})
	}
}

// A process that starts while the bucket is unavailable waits for it too, and one that waits can be stopped.
func TestProcessesWaitForTheBucket(t *testing.T) {
	bucket := blobtest.Start(t)
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_BLOB_URL="+bucket.URL())
	p.shop("tea")
	bucket.Proxy.Cut()
	r := p.launch("serve")
	wait(t, "it says that it waits", func() bool { return strings.Contains(r.stderr.String(), "waiting for the bucket") })
	if status, body := p.askOps("/healthz"); status != 200 || body != "away: bucket\n" {
		t.Errorf("%d %s", status, body)
	}
	r.stop()
	r = p.launch("serve")
	wait(t, "it says that it waits", func() bool { return strings.Contains(r.stderr.String(), "waiting for the bucket") })
	p.verb("shop", "list") // says that the bucket was not checked, and goes on
	bucket.Proxy.Restore()
	r.awaitReady()
	bucket.Proxy.Cut()
	wait(t, "the bucket is named", func() bool { _, body := p.askOps("/healthz"); return body == "away: bucket\n" })
	if _, metrics := p.askOps("/metrics"); !strings.Contains(metrics, "vitrine_bucket_up 0\n") {
		t.Error("no metric says that the bucket is unavailable")
	}
	if status, _ := p.askOps("/readyz"); status != 200 {
		t.Errorf("without the bucket /readyz is %d", status)
	}
}
