// Package certtest makes certificates for tests.
package certtest

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates. Roots trusts it.
type Authority struct {
	Roots *x509.CertPool
	Valid time.Duration // how long new certificates are valid; 0: for hours

	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial int64
}

// New returns an authority.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{Roots: x509.NewCertPool()}
	a.key = newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.Roots.AddCert(a.cert)
	a.serial = 1
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// PEM returns a certificate for host names and its key.
func (a *Authority) PEM(t testing.TB, names ...string) (cert, key []byte) {
	t.Helper()
	own := newKey(t)
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(cmp.Or(a.Valid, 12*time.Hour)),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// Pair returns a certificate for host names.
func (a *Authority) Pair(t testing.TB, names ...string) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(a.PEM(t, names...))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// Files writes a certificate for host names and its key to a folder, replacing those that are
// there.
func (a *Authority) Files(t testing.TB, folder string, names ...string) (cert, key string) {
	t.Helper()
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	certPEM, keyPEM := a.PEM(t, names...)
	for path, text := range map[string][]byte{cert: certPEM, key: keyPEM} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// CertificatePEM returns the certificate of the authority.
func (a *Authority) CertificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}
