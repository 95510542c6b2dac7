package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/certificate/certtest"
)

// securely is a client of one protocol that connects to one address whatever host it asks for.
func securely(authority *certtest.Authority, address string, protocol int) *http.Client {
	var only http.Protocols
	only.SetHTTP1(protocol == 1)
	only.SetHTTP2(protocol == 2)
	return &http.Client{
		Timeout: await.Limit, CheckRedirect: direct.CheckRedirect,
		Transport: &http.Transport{
			Protocols: &only, TLSClientConfig: &tls.Config{RootCAs: authority.Roots}, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", address)
			},
		},
	}
}

// fetched gets an address and reads the whole response.
func fetched(t *testing.T, client *http.Client, address string) (*http.Response, string) {
	t.Helper()
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// With VITRINE_TLS=files the edge and the admin API serve HTTP/2 and HTTP/1.1 over TLS, another
// listener leads to them, and a renewed certificate is used without a restart.
func TestTheProgramServesTLSFromFiles(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	authority := certtest.New(t)
	cert, key := authority.Files(t, p.dir, "*.localhost", "localhost")
	plain := freeAddress(t)
	_, port, _ := net.SplitHostPort(p.edge)
	p.env = append(p.env, "VITRINE_TLS=files", "VITRINE_TLS_CERT="+cert, "VITRINE_TLS_KEY="+key, "VITRINE_EDGE_HTTP_LISTEN="+plain)
	token := p.shop("tea")
	p.start()
	shop := "https://tea.localhost:" + port
	for protocol := 1; protocol <= 2; protocol++ {
		client := securely(authority, p.edge, protocol)
		response, page := fetched(t, client, shop+"/")
		if response.ProtoMajor != protocol || response.StatusCode != 200 || !strings.Contains(page, "Shop tea") || response.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: %d, %v", response.Proto, response.StatusCode, response.Header)
		}
		request, err := http.NewRequest("POST", "https://localhost/products", strings.NewReader(`{"item":{"name":"Oolong","price":{"price":14}}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		made, err := securely(authority, p.admin, protocol).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		made.Body.Close()
		if made.StatusCode != 200 && made.StatusCode != 201 || made.ProtoMajor != protocol {
			t.Errorf("%s: %d from the admin API", made.Proto, made.StatusCode)
		}
		request, err = http.NewRequest("GET", shop+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "other.test"
		if stray, err := client.Do(request); err != nil || stray.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("another host: %v, %v", stray, err)
		}
		if cookies := response.Header.Values("Set-Cookie"); slices.ContainsFunc(cookies, func(c string) bool { return !strings.Contains(c, "Secure") }) {
			t.Errorf("%v", cookies)
		}
	}
	ask := func(host, path string) (int, string) {
		request, err := http.NewRequest("GET", "http://"+plain+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := direct.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header.Get("Location")
	}
	if status, to := ask("tea.localhost", "/x?y"); status != 301 || to != shop+"/x?y" {
		t.Errorf("%d to %s", status, to)
	}
	if status, to := ask("unknown.localhost", "/x?y"); status != 404 || to != "" {
		t.Errorf("%d to %s", status, to)
	}

	renewed := certtest.New(t)
	renewed.Files(t, p.dir, "*.localhost", "localhost", "renewed.test")
	response, _ := fetched(t, securely(renewed, p.edge, 2), shop+"/")
	if response.TLS.PeerCertificates[0].DNSNames[2] != "renewed.test" {
		t.Errorf("%v", response.TLS.PeerCertificates[0].DNSNames)
	}
}

// A server in front asks which hosts are to have a certificate.
func TestTheOpsListenerKnowsTheHostsOfShops(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	p.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test", "--at-once")
	p.shop("rival")
	p.verb("shop", "domain", "--shop", "rival", "--domain", "claimed.example.test") // not proven
	p.start()
	for host, want := range map[string]int{
		"tea.example.test": 200, "TEA.example.test.": 200, "tea.localhost": 200, "rival.localhost": 200, "claimed.example.test": 404, "x.tea.example.test": 404,
		"none.localhost": 404, "localhost": 404, "": 404, "tea.localhost:443": 404, "[::1]": 404, "127.0.0.1": 404, "tea.localhost'": 404, "%00": 404,
		strings.Repeat("a.", 4000) + "test": 404,
	} {
		response, err := http.Get("http://" + p.ops + "/ask?domain=" + url.QueryEscape(host))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%.80q: %d, want %d", host, response.StatusCode, want)
		}
	}
}

func TestContradictingSettingsOfTLSAreRefused(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	cert, key := certtest.New(t).Files(t, p.dir, "*.localhost")
	with := p.env
	for want, settings := range map[string][]string{
		"VITRINE_TLS_CERT and VITRINE_TLS_KEY": {"VITRINE_TLS=files"},
		"needs VITRINE_TLS":                    {"VITRINE_EDGE_HTTP_LISTEN=127.0.0.1:0"},
		"must begin with https://":             {"VITRINE_TLS=files", "VITRINE_TLS_CERT=" + cert, "VITRINE_TLS_KEY=" + key, "VITRINE_ADMIN_URL=http://admin.test"},
		"https://":                             {"VITRINE_TLS=files", "VITRINE_TLS_CERT=" + cert, "VITRINE_TLS_KEY=" + key, "VITRINE_STOREFRONT_URL=http://{shop}.test"},
		"no such file":                         {"VITRINE_TLS=files", "VITRINE_TLS_CERT=" + filepath.Join(p.dir, "none.pem"), "VITRINE_TLS_KEY=" + key},
		"must be one of":                       {"VITRINE_TLS=on"},
	} {
		p.env = append(slices.Clip(with), settings...)
		if _, stderr, err := p.run("serve"); err == nil || !strings.Contains(stderr, want) {
			t.Errorf("%v: %v\n%s", settings, err, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "var", "pg")); err == nil {
		t.Error("a database was created")
	}
}
