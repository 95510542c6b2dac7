package certificate

import (
	"crypto/tls"
	"log/slog"
	"os"
	"strings"
	"testing"

	"vitrine/internal/certificate/certtest"
)

func hello(name string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: name, SupportedVersions: []uint16{tls.VersionTLS13}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		SupportedCurves: []tls.CurveID{tls.CurveP256}, SupportedPoints: []uint8{0},
	}
}

func served(t *testing.T, f *Files, name string) string {
	t.Helper()
	c, err := f.GetCertificate(hello(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(c.Leaf.DNSNames, " ")
}

func TestTheCertificateOfAHostIsServed(t *testing.T) {
	t.Parallel()
	authority, shops, admin := certtest.New(t), t.TempDir(), t.TempDir()
	cert1, key1 := authority.Files(t, shops, "*.shops.test")
	cert2, key2 := authority.Files(t, admin, "admin.test", "other.test")
	f, err := OpenFiles(cert1+", "+cert2, key1+","+key2, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tea.shops.test": "*.shops.test", "admin.test": "admin.test other.test", "unknown.test": "*.shops.test", "": "*.shops.test",
	} {
		if got := served(t, f, name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	for pair, want := range map[[2]string]bool{
		{"tea.shops.test", "rival.shops.test"}: true, {"tea.shops.test", "admin.test"}: false, {"admin.test", "other.test"}: true,
		{"admin.test", "tea.shops.test"}: false, {"", "tea.shops.test"}: true, {"", "admin.test"}: false, {"unknown.test", "tea.shops.test"}: true,
	} {
		if got := f.Covers(pair[0], pair[1]); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
	if !f.Has("tea.shops.test") || f.Has("a.tea.shops.test") || f.Has("") {
		t.Error("Has is wrong")
	}
}

func TestChangedFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	authority, folder := certtest.New(t), t.TempDir()
	cert, key := authority.Files(t, folder, "old.test")
	f, err := OpenFiles(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	newCert, newKey := authority.PEM(t, "a-new-one.test")
	replace := func(path string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(cert, newCert) // the key is still the old one
	if got := served(t, f, ""); got != "old.test" {
		t.Errorf("half of a pair is in use: %s", got)
	}
	replace(key, newKey)
	if got := served(t, f, ""); got != "a-new-one.test" {
		t.Errorf("%s is still in use", got)
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if got := served(t, f, ""); got != "a-new-one.test" {
		t.Errorf("%s, after the file was removed", got)
	}
}

func TestWrongFilesAreRefused(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t)
	cert, key := authority.Files(t, t.TempDir(), "a.test")
	_, other := authority.Files(t, t.TempDir(), "b.test")
	for name, c := range map[string][2]string{
		"another key": {cert, other}, "no file": {cert + "x", key}, "no key": {cert, ""}, "no certificate": {key, key}, "one key for two": {cert + "," + cert, key},
	} {
		if _, err := OpenFiles(c[0], c[1], slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
