package webhook_test

import (
	"context"
	"net"
	"net/http/httptest"
	"net/netip"
	"sync"

	"vitrine/admin"
	"vitrine/internal/outbound"
)

// trusting makes the client trust the certificate of a test server.
func trusting(server *httptest.Server) func(*admin.Config) {
	return func(cfg *admin.Config) {
		cfg.Hook.Client = outbound.New(outbound.ForWebhooks(), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32")), outbound.Trust(server.Certificate()))
	}
}

// names is the resolver of a test.
type names struct {
	mu sync.Mutex
	of map[string][]netip.Addr
}

func newNames() *names { return &names{of: map[string][]netip.Addr{}} }

func (n *names) set(host string, addresses ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of[host] = nil
	for _, a := range addresses {
		n.of[host] = append(n.of[host], netip.MustParseAddr(a))
	}
}

func (n *names) serve(cfg *admin.Config) {
	cfg.Hook.Client = outbound.New(outbound.ForWebhooks(), outbound.Resolve(func(_ context.Context, host string) ([]netip.Addr, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(n.of[host]) == 0 {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return n.of[host], nil
	}))
}
