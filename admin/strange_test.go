package admin_test

import (
	"context"
	"net"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/gate/gatetest"
)

// Malformed requests get the responses recorded in testdata, over real sockets, and the
// connection is closed after a request whose end is ambiguous.
func TestMalformedRequestsGetTheRecordedAnswers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := a.Admin.Gate()
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	gatetest.Check(t, l.Addr().String(), "admin.test", "/docs/index.json", func(c gatetest.Case) int { return c.Admin })
	if err := server.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := await.Next(t, served); err != nil {
		t.Error(err)
	}
}
