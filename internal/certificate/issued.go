package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"vitrine/internal/hostname"
	"vitrine/internal/secret"
	"vitrine/internal/store"
)

// Authority is the certificate authority that certificates are ordered from.
type Authority struct {
	Directory string // address of its ACME directory
	Email     string // for messages about the account; may be empty
	HTTP      bool   // edges answer HTTP-01 without TLS; TLS-ALPN-01 is always answered
}

// Issued are certificates that an authority issues for the hosts of shops. All processes share
// them through the database: whichever process orders one, every edge answers the authority's
// questions and serves the result.
//
// A certificate is ordered by Obtain, or during a handshake for a host that has none. Nothing is
// looked up or ordered for a host that Allows does not name.
type Issued struct {
	files    *Files // used before others; nil: none
	allows   func(ctx context.Context, host string) (bool, error)
	log      *slog.Logger
	config   *certmagic.Config
	cache    *certmagic.Cache
	issuer   *certmagic.ACMEIssuer
	storage  *storage
	answers  *semaphore.Weighted // look-ups of challenges at once
	loads    *semaphore.Weighted // handshakes that wait for a certificate
	deafEars net.Listener
	now      func() time.Time

	mu     sync.Mutex
	failed map[string]time.Time // hosts, and until when nothing is ordered for them
}

// Config holds the dependencies of Issued; Files may be nil.
type Config struct {
	Store     *store.Store
	Sealer    *secret.Sealer
	Authority Authority
	Files     *Files
	Log       *slog.Logger

	// Allows reports whether a host belongs to this platform.
	Allows func(ctx context.Context, host string) (bool, error)
}

const (
	maxCached = 5_000 // certificates in memory; others are loaded by their handshake
	maxAnswer = 16
	maxLoad   = 256

	handshakeTime = 60 * time.Second // for an order during a handshake; the client may have left before
	failurePause  = 10 * time.Minute // in which no handshake of this process orders for a host again
	maxFailed     = 10_000
	soonest       = 5 * time.Minute // before its end a certificate is renewed at the latest (certmagic: five intervals of its checks)
)

// NewIssued returns the certificates of an authority. Close ends their maintenance.
func NewIssued(cfg Config) (*Issued, error) {
	i := &Issued{
		files: cfg.Files, allows: cfg.Allows, log: cfg.Log, now: time.Now, answers: semaphore.NewWeighted(maxAnswer), loads: semaphore.NewWeighted(maxLoad), failed: map[string]time.Time{},
		storage: &storage{store: cfg.Store, seal: cfg.Sealer, leases: map[string]lease{}},
	}
	var err error
	if i.deafEars, err = listenDeaf(); err != nil {
		return nil, err
	}
	port := i.deafEars.Addr().(*net.TCPAddr).Port
	i.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return i.config, nil },
		Capacity:         maxCached, RenewCheckInterval: time.Minute, Logger: zap.NewNop(),
	})
	i.config = certmagic.New(i.cache, certmagic.Config{
		Storage: i.storage, Logger: zap.NewNop(), DisableARI: true,
		OCSP:     certmagic.OCSPConfig{DisableStapling: true}, // its address is in the certificate; authorities give it up
		OnDemand: &certmagic.OnDemandConfig{DecisionFunc: i.decide},
	})
	i.issuer = certmagic.NewACMEIssuer(i.config, certmagic.ACMEIssuer{
		CA: cfg.Authority.Directory, TestCA: cfg.Authority.Directory, Email: cfg.Authority.Email, Agreed: true, Logger: zap.NewNop(),
		DisableHTTPChallenge: !cfg.Authority.HTTP, ListenHost: "127.0.0.1", AltHTTPPort: port, AltTLSALPNPort: port,
	})
	i.config.Issuers = []certmagic.Issuer{i.issuer}
	return i, nil
}

// listenDeaf opens a listener that closes every connection. The library answers challenges by
// itself if nothing listens on its port; here edges answer them.
func listenDeaf() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close() // nothing is said
		}
	}()
	return l, nil
}

// Close ends the maintenance of the certificates in memory.
func (i *Issued) Close() error {
	i.cache.Stop()
	return i.deafEars.Close()
}

var errNotOurs = errors.New("certificate: no shop has this host")

// decide allows a handshake to load the certificate of a host, or else to order it. After a failure,
// another process may have stored one meanwhile.
func (i *Issued) decide(ctx context.Context, host string) error {
	if i.paused(host) {
		if leaf, err := i.stored(ctx, host); err != nil || !leaf.NotAfter.After(i.now()) {
			return errors.Join(fmt.Errorf("certificate: an order for %s has failed", host), err)
		}
	}
	allowed, err := i.allows(ctx, host)
	if err == nil && !allowed {
		return errNotOurs
	}
	return err
}

func (i *Issued) paused(host string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now().Before(i.failed[host])
}

// stored reads the certificate of a host.
func (i *Issued) stored(ctx context.Context, host string) (*x509.Certificate, error) {
	chain, err := i.storage.Load(ctx, certmagic.StorageKeys.SiteCert(i.issuer.IssuerKey(), host))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(bytes.TrimSpace(chain))
	if block == nil {
		return nil, errors.New("certificate: the stored certificate is unreadable")
	}
	return x509.ParseCertificate(block.Bytes)
}

// GetCertificate returns the certificate for a handshake.
func (i *Issued) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name, err := hostname.Parse([]byte(hello.ServerName))
	if err != nil {
		name = nil // none, or nothing that a shop can have
	}
	host := string(name)
	challenge := len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acmez.ACMETLS1Protocol
	if i.files != nil && !challenge && (host == "" || i.files.Has(host)) {
		return i.files.GetCertificate(hello)
	}
	if challenge {
		if !i.answers.TryAcquire(1) {
			return nil, errors.New("certificate: too many challenges")
		}
		defer i.answers.Release(1)
		return i.config.GetCertificateWithContext(hello.Context(), hello)
	}
	if allowed, err := i.allows(hello.Context(), host); err != nil || !allowed {
		return nil, errors.Join(errNotOurs, err)
	}
	if len(i.cache.AllMatchingCertificates(host)) > 0 {
		return i.config.GetCertificateWithContext(hello.Context(), hello)
	}
	return i.load(host, hello)
}

// load loads a certificate or orders it. The order goes on when the client leaves: the next one
// finds the certificate.
func (i *Issued) load(host string, hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if !i.loads.TryAcquire(1) {
		return nil, errors.New("certificate: too many handshakes wait for certificates")
	}
	defer i.loads.Release(1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(hello.Context()), handshakeTime)
	defer cancel()
	cert, err := i.config.GetCertificateWithContext(ctx, hello)
	if err != nil {
		i.fail(host)
	}
	return cert, err
}

// fail pauses orders for a host. Handshakes that fail during the pause do not prolong it.
func (i *Issued) fail(host string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now().Before(i.failed[host]) {
		return
	}
	if len(i.failed) >= maxFailed {
		clear(i.failed)
	}
	i.failed[host] = i.now().Add(failurePause)
}

// Covers reports whether the certificate for one host is valid for another one: those of an
// authority are for one host each.
func (i *Issued) Covers(host, other string) bool {
	return i.files != nil && i.files.Has(host) && i.files.Covers(host, other)
}

// Obtain orders or renews the certificate of a host if that is due. It returns its end, and when to
// call again.
func (i *Issued) Obtain(ctx context.Context, host string) (until, renew time.Time, err error) {
	if i.files != nil && i.files.Has(host) {
		until, renew = validity(i.files.of(host).Leaf)
		return until, renew, nil
	}
	var kept atomic.Pointer[error]
	ctx = context.WithValue(ctx, failure{}, &kept)
	if err := i.config.ObtainCertSync(ctx, host); err != nil {
		if cause := kept.Load(); cause != nil {
			err = errors.Join(err, *cause)
		}
		return until, renew, err
	}
	if err := i.config.RenewCertSync(ctx, host, false); err != nil {
		i.log.Warn("a certificate was not renewed", "host", host, "error", err)
	}
	leaf, err := i.stored(ctx, host)
	if err != nil {
		return until, renew, err
	}
	if until, renew = validity(leaf); !until.After(i.now()) {
		return until, renew, errors.New("certificate: it has expired and was not renewed")
	}
	i.mu.Lock()
	delete(i.failed, host)
	i.mu.Unlock()
	return until, renew, nil
}

// validity plans the renewal for the last third of a certificate.
func validity(leaf *x509.Certificate) (until, renew time.Time) {
	return leaf.NotAfter, leaf.NotAfter.Add(-max(leaf.NotAfter.Sub(leaf.NotBefore)/3, soonest))
}

// Remove deletes the certificate of a host and its key.
func (i *Issued) Remove(ctx context.Context, host string) error {
	return i.storage.Delete(ctx, certmagic.StorageKeys.CertsSitePrefix(i.issuer.IssuerKey(), host))
}
