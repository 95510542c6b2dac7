package edge

import (
	"net"
	"testing"

	"vitrine/internal/gate/gatetest"
)

// Strange requests get the answers that are written down, over real sockets, and
// no connection goes on after one whose end is in doubt.
func TestStrangeRequestsAreAnsweredAsWrittenDown(t *testing.T) {
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
	if err := <-served; err != nil {
		t.Error(err)
	}
}
