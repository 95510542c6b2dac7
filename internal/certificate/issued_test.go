package certificate

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"

	"vitrine/internal/certificate/certtest"
)

// An order that failed in one process does not keep it from serving the certificate that another
// process has stored since. Visitors who try meanwhile do not prolong the pause between two orders.
func TestACertificateIsServedAfterAFailure(t *testing.T) {
	t.Parallel()
	const host = "shop.example"
	kept := newStorage(t)
	i, err := NewIssued(Config{
		Store: kept.store, Sealer: kept.seal, Log: slog.New(slog.DiscardHandler), Authority: Authority{Directory: "http://127.0.0.1:1/", HTTP: true},
		Allows: func(context.Context, string) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	now := time.Now()
	i.now = func() time.Time { return now }
	visit := func() (*tls.Certificate, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { _, _ = client.Close(), server.Close() })
		var served *tls.Certificate
		visitor := tls.Server(server, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			served, err = i.GetCertificate(hello)
			return nil, net.ErrClosed // no more than this is wanted
		}})
		go func() {
			_ = tls.Client(client, &tls.Config{ServerName: host}).HandshakeContext(t.Context()) // refused, see above
			_ = client.Close()
		}()
		_ = visitor.HandshakeContext(t.Context()) // refused, see above
		return served, err
	}
	i.fail(host)
	now = now.Add(failurePause - time.Second)
	if _, err := visit(); err == nil || !i.paused(host) {
		t.Fatal("no order was refused during the pause", err)
	}
	now = now.Add(2 * time.Second)
	if i.paused(host) {
		t.Error("the visit prolonged the pause")
	}
	i.fail(host)
	cert, key := certtest.New(t).PEM(t, host)
	issuer := i.issuer.IssuerKey()
	for at, value := range map[string][]byte{
		certmagic.StorageKeys.SiteCert(issuer, host): cert, certmagic.StorageKeys.SitePrivateKey(issuer, host): key,
		certmagic.StorageKeys.SiteMeta(issuer, host): []byte(`{"sans":["` + host + `"]}`),
	} {
		if err := kept.Store(t.Context(), at, value); err != nil {
			t.Fatal(err)
		}
	}
	if served, err := visit(); err != nil || served.Leaf.VerifyHostname(host) != nil {
		t.Error("a stored certificate was not served", err)
	}
}
