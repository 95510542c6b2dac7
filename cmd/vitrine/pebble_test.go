package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/certificate/certtest"
)

// pebble is a certificate authority on this machine.
type pebble struct {
	directory string
	roots     string // file of the certificate that its own address is trusted by
	output    *transcript
	dns       string
	env       []string
}

// startPebble starts an authority whose certificates are valid for some seconds. It checks hosts
// at the ports of the edge, and finds them in the DNS of pebble-challtestsrv, where every host is
// this machine.
func startPebble(t *testing.T, httpPort, tlsPort string, validity int, env ...string) *pebble {
	t.Helper()
	folder := t.TempDir()
	authority := certtest.New(t)
	cert, key := authority.Files(t, folder, "localhost")
	roots := filepath.Join(folder, "roots.pem")
	if err := os.WriteFile(roots, authority.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	listen, manage, dns, control := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": manage, "certificate": cert, "privateKey": key,
		"httpPort": number(httpPort), "tlsPort": number(tlsPort), "certificateValidityPeriod": validity,
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listen)
	p := &pebble{directory: "https://localhost:" + port + "/dir", roots: roots, output: &transcript{}, dns: dns, env: append([]string{"PEBBLE_WFE_NONCEREJECT=10"}, env...)}
	if env == nil {
		p.env = append(p.env, "PEBBLE_VA_NOSLEEP=1")
	}
	p.run(t, "pebble-challtestsrv", "-dns01", dns, "-management", control, "-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", "")
	p.run(t, "pebble", "-config", file, "-dnsserver", dns, "-strict")
	client := securely(authority, listen, 1)
	wait(t, "the authority answers", func() bool {
		response, err := client.Get(p.directory)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return p
}

func (p *pebble) run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = p.output, p.output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended it
}

// orders is how many orders the authority has had.
func (p *pebble) orders() int {
	p.output.mu.Lock()
	defer p.output.mu.Unlock()
	return bytes.Count(p.output.text.Bytes(), []byte("/order-plz"))
}

// owner is the owner of a shop who connects a domain over TLS.
type owner struct {
	t     *testing.T
	http  *http.Client
	token string
}

func (o *owner) call(method string, body any) map[string]any {
	o.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		o.t.Fatal(err)
	}
	request, err := http.NewRequest(method, "https://localhost/v1/shop/domain", bytes.NewReader(data))
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	response, err := o.http.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Result map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		o.t.Fatalf("%s: %d, %v", method, response.StatusCode, err)
	}
	return answer.Result
}

// A domain is proven, gets its certificate, is served over HTTP/2, is renewed, and removed with its
// certificate. A host that no shop has moves nothing. The worker orders the certificates, and the edge
// answers the questions of the authority with either of its processes, which get the connections in
// no order.
func TestAnAuthorityIssuesTheCertificatesOfDomains(t *testing.T) {
	t.Parallel()
	machines := sharing(t, 3)
	p, admin, worker := machines[0], machines[1], machines[2]
	plain := freeAddress(t)
	_, plainPort, _ := net.SplitHostPort(plain)
	_, port, _ := net.SplitHostPort(p.edge)
	const validity = 312 // seconds: renewed once less than five minutes are left
	ca := startPebble(t, plainPort, port, validity)
	own := certtest.New(t)
	cert, key := own.Files(t, p.dir, "*.localhost", "localhost")
	for _, m := range machines {
		m.env = append(m.env, "VITRINE_TLS=acme", "VITRINE_ACME_DIRECTORY="+ca.directory, "VITRINE_ACME_EMAIL=operator@example.test", "SSL_CERT_FILE="+ca.roots,
			"VITRINE_EDGE_HTTP_LISTEN="+plain, "VITRINE_TLS_CERT="+cert, "VITRINE_TLS_KEY="+key,
			"VITRINE_STOREFRONT_URL=https://{shop}.localhost:"+port, "VITRINE_ADMIN_URL=https://localhost:"+portOf(t, admin.admin))
	}
	p.env = append(p.env, "VITRINE_EDGE_PROCESSES=2")
	token := p.shop("tea")
	p.startRole("edge")
	admin.startRole("admin")
	working := worker.startRole("worker")
	api := securely(own, admin.admin, 2)
	call := (&owner{t, api, token}).call
	connected := call("PUT", map[string]any{"domain": "tea.example.test"})
	if connected["state"] != "waiting_dns" || ca.orders() != 0 {
		t.Errorf("%v, %d orders", connected, ca.orders())
	}
	record := connected["records"].([]any)[0].(map[string]any)
	for _, m := range machines {
		m.dns.SetTXT(record["name"].(string), record["value"].(string))
	}
	seen := map[string]bool{}
	if !await.Until(func() bool {
		v := call("GET", nil)
		seen[v["state"].(string)] = true
		return v["state"] == "active" && v["certificate_until"] != "" && v["storefront_url"] == "https://tea.example.test:"+port
	}) {
		t.Fatalf("it is not served: %v\n%s\n%s", call("GET", nil), working.stderr, ca.output)
	}
	if !seen["waiting_certificate"] {
		t.Errorf("the states were %v", seen)
	}
	visitor := securely(own, p.edge, 2)
	visitor.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true // the root of the authority is made at its start
	issued := map[string]bool{}                                                   // serial numbers
	serial := func() string {
		visitor.CloseIdleConnections() // the next process may answer
		response, err := visitor.Get("https://tea.example.test:" + port + "/")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		leaf := response.TLS.PeerCertificates[0]
		if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK || leaf.VerifyHostname("tea.example.test") != nil {
			t.Fatalf("%s: %d, %v", response.Proto, response.StatusCode, leaf.DNSNames)
		}
		issued[leaf.SerialNumber.String()] = true
		return leaf.SerialNumber.String()
	}
	first := serial()
	wait(t, "the certificate is renewed", func() bool { return serial() != first })
	wait(t, "both processes serve a renewed one", func() bool {
		for range 16 {
			if serial() == first {
				return false
			}
		}
		return true
	})
	if got := ca.orders(); got > len(issued)+1 { // one may be under way
		t.Errorf("%d orders for %d certificates: more than one process renews", got, len(issued))
	}

	before := ca.orders()
	for n := range 20 {
		for _, host := range []string{fmt.Sprintf("x%d.example.test", n), "www.tea.example.test", "none.localhost.test"} {
			if response, err := visitor.Get("https://" + host + ":" + port + "/"); err == nil {
				response.Body.Close()
				t.Errorf("%s has a certificate", host)
			}
		}
	}
	request, err := http.NewRequest("GET", "http://"+plain+"/.well-known/acme-challenge/token", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "x.example.test"
	if response, err := direct.Do(request); err != nil || response.StatusCode != http.StatusNotFound {
		t.Errorf("a challenge that was not issued: %v, %v", response, err)
	}
	if ca.orders()-before > 2 { // those of a renewal
		t.Errorf("%d orders for hosts of strangers", ca.orders()-before)
	}

	if v := call("DELETE", nil); v["domain"] != "" {
		t.Errorf("%v", v)
	}
	wait(t, "the certificate is removed", func() bool {
		response, err := visitor.Get("https://tea.example.test:" + port + "/")
		if err == nil {
			response.Body.Close()
		}
		return err != nil
	})
}
