package edge

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Bodies smaller and larger than the write buffer, many requests in one packet, over a real
// socket: every response arrives complete and in order.
func TestPipelinedAnswersOfAllSizesArriveWhole(t *testing.T) {
	w := newWorld(t)
	sizes := []int{1, 100, 3000, 3500, 3600, 3700, 3800, 3900, 4000, 4090, 4095, 4096, 4097, 5000, 8191, 8192, 9000, 20_000, 200_000, 1}
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		for _, n := range sizes {
			s.releases[render.Release{Document: 5, ID: 9}]["s"+itoa(n)+".bin"] = bytes.Repeat([]byte("x"), n)
		}
	}, shop.Key{Kind: shop.KeyDocument, ID: 5})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.edge.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	defer closing(t, conn)
	var all strings.Builder
	methods := []string{"GET", "HEAD", "GET"}
	for _, method := range methods {
		for _, n := range sizes {
			all.WriteString(requestOf(method, "/_html/5/9/s"+itoa(n)+".bin"))
			all.WriteString(requestOf(method, "/nothing"))
		}
	}
	go func() {
		if _, err := io.WriteString(conn, all.String()); err != nil {
			t.Error(err)
		}
	}()
	r := bufio.NewReader(conn)
	for _, method := range methods {
		for _, n := range sizes {
			for i, want := range []int{200, 404} {
				resp, err := http.ReadResponse(r, &http.Request{Method: method})
				if err != nil {
					t.Fatalf("%s %d: %v", method, n, err)
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != want {
					t.Fatalf("%s %d: %d, %v", method, n, resp.StatusCode, err)
				}
				if method == "GET" && i == 0 && len(body) != n {
					t.Errorf("%d bytes of %d", len(body), n)
				}
			}
		}
	}
}

func TestRequestsInFlightFinishAtShutdown(t *testing.T) {
	w := newWorld(t)
	began, goOn := make(chan struct{}), make(chan struct{})
	w.src.before = func(want render.PageRequest) {
		if want.Page.ID == 11 {
			close(began)
			<-goOn
		}
	}
	got := make(chan reply)
	go func() { got <- w.get("/shoes/boot") }()
	await.Next(t, began)
	down := make(chan error)
	go func() { down <- w.edge.Shutdown(t.Context()) }()
	close(goOn)
	if r := await.Next(t, got); r.Status != 200 {
		t.Errorf("status %d", r.Status)
	}
	if err := await.Next(t, down); err != nil {
		t.Error(err)
	}
}

func TestIdleShopsAreFreedAndComeBack(t *testing.T) {
	w := newWorld(t)
	w.get("/about")
	w.edge.retireIdle()
	if w.edge.Stats().Shops != 1 {
		t.Error("a shop in use was freed")
	}
	w.edge.retireIdle()
	if w.edge.Stats().Shops != 0 {
		t.Error("an idle shop was kept")
	}
	w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "While idle" }, shop.Key{Kind: shop.KeyProduct, ID: 11})
	if body := w.get("/shoes/boot").Body; !strings.Contains(body, "While idle") {
		t.Error("the reloaded shop is stale")
	}
}
