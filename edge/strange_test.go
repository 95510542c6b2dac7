package edge

import (
	"net"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/gate/gatetest"
)

// Unusual requests get their documented responses, over real sockets, and a connection is
// not reused after a request whose end is uncertain.
func TestUnusualRequestsGetTheirDocumentedResponses(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.edge.Serve(l) }()
	gatetest.Check(t, l.Addr().String(), "shop.localhost", "/about", func(c gatetest.Case) int { return c.Edge })
	if err := w.edge.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := await.Next(t, served); err != nil {
		t.Error(err)
	}
}
