// Package certificate provides the certificates of TLS listeners: those of files, and those that
// an authority issues for the domains of shops.
package certificate

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Files are certificates in PEM files, each with its key. The files are read again when they have
// changed; while they are not a valid pair, the previous one stays in use.
type Files struct {
	log *slog.Logger

	mu    sync.Mutex
	pairs []*pair
}

// pair is a certificate and its key.
type pair struct {
	cert, key string // paths
	stamp     string // of the files when they were read
	value     *tls.Certificate
}

// OpenFiles reads certificates. Both lists are paths separated by commas, in the same order.
func OpenFiles(certs, keys string, log *slog.Logger) (*Files, error) {
	certPaths, keyPaths := strings.Split(certs, ","), strings.Split(keys, ",")
	if len(certPaths) != len(keyPaths) {
		return nil, fmt.Errorf("there are %d certificates, but %d keys", len(certPaths), len(keyPaths))
	}
	f := &Files{log: log}
	for i := range certPaths {
		p := &pair{cert: strings.TrimSpace(certPaths[i]), key: strings.TrimSpace(keyPaths[i])}
		if err := p.read(p.look()); err != nil {
			return nil, err
		}
		f.pairs = append(f.pairs, p)
	}
	return f, nil
}

// look returns what tells versions of the files apart.
func (p *pair) look() string {
	var b strings.Builder
	for _, path := range []string{p.cert, p.key} {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d %s ", info.Size(), info.ModTime().Format(time.RFC3339Nano))
		}
	}
	return b.String()
}

// read reads the files. A failure is reported once for each version of the files.
func (p *pair) read(stamp string) error {
	p.stamp = stamp
	value, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return fmt.Errorf("certificate %s: %w", p.cert, err)
	}
	p.value = &value
	return nil
}

// current returns the certificates after a look at the files, which costs less than a hundredth of
// a handshake.
func (f *Files) current() []*tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]*tls.Certificate, len(f.pairs))
	for i, p := range f.pairs {
		if stamp := p.look(); stamp != p.stamp {
			if err := p.read(stamp); err != nil {
				f.log.Warn("a changed certificate is not used", "error", err)
			} else {
				f.log.Info("a changed certificate is in use", "file", p.cert, "until", p.value.Leaf.NotAfter)
			}
		}
		list[i] = p.value
	}
	return list
}

// Expiry returns when the first of the certificates expires.
func (f *Files) Expiry() time.Time {
	var first time.Time
	for _, c := range f.current() {
		if until := c.Leaf.NotAfter; first.IsZero() || until.Before(first) {
			first = until
		}
	}
	return first
}

// GetCertificate returns the first certificate for the host that a client names, or the first one
// of all.
func (f *Files) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	list := f.current()
	for _, c := range list {
		if hello.SupportsCertificate(c) == nil {
			return c, nil
		}
	}
	return list[0], nil
}

// Covers reports whether the certificate for one host is valid for another one.
func (f *Files) Covers(host, other string) bool {
	return f.of(host).Leaf.VerifyHostname(other) == nil
}

// Has reports whether a certificate is valid for a host.
func (f *Files) Has(host string) bool { return f.of(host).Leaf.VerifyHostname(host) == nil }

// of is GetCertificate by the name of a host.
func (f *Files) of(host string) *tls.Certificate {
	list := f.current()
	for _, c := range list {
		if host != "" && c.Leaf.VerifyHostname(host) == nil {
			return c
		}
	}
	return list[0]
}
