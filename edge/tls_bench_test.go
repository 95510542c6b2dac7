package edge

import (
	"crypto/tls"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/certificate/certtest"
)

// benchCertificates are one certificate for all hosts.
type benchCertificates struct{ pair tls.Certificate }

func (c benchCertificates) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return &c.pair, nil
}

func (benchCertificates) Covers(string, string) bool { return true }

// BenchmarkTLS compares requests over TLS with the same requests without it, on connections that
// stay open, and HTTP/2 with nginx, which serves the same bytes as a file. It reports processor
// time as ratios.
func BenchmarkTLS(b *testing.B) {
	path, err := exec.LookPath("wrk")
	if err != nil {
		b.Skip("wrk is not installed")
	}
	w := newWorld(b)
	w.prepareBench()
	folder := b.TempDir()
	cert, key := certtest.New(b).Files(b, folder, "shop.localhost")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		b.Fatal(err)
	}
	plain := listening(b, w.edge.Serve)
	secure := listening(b, func(l net.Listener) error { return w.edge.ServeTLS(l, benchCertificates{pair}) })
	own := func() float64 { return processorTime(b) }
	// Few connections for a longer time, so that handshakes count little.
	drive := func(b *testing.B, address, target, lines string) run {
		before := own()
		r := wrk(b, path, address, target, lines, 16, 3*benchTime)
		r.micros = own() - before
		return r
	}
	for _, c := range []struct{ name, target, lines string }{
		{"page20k", "/about", ""},
		{"page20k-br", "/about", "Accept-Encoding: gzip, deflate, br\r\n"},
		{"page20k-304", "/about", "If-None-Match: {tag}\r\n"},
		{"file2k", "/_html/5/9/two.css", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			sample := w.get(c.target)
			lines := strings.ReplaceAll(c.lines, "{tag}", sample.has("ETag"))
			var open, sealed, ours, theirs []run
			peer := nginxTLS(b, folder, c.target, []byte(sample.Body), cert, key)
			for range b.N {
				for range benchRounds {
					open = append(open, drive(b, plain, c.target, lines))
					sealed = append(sealed, drive(b, "https://"+secure, c.target, lines))
					if ours = append(ours, multiplexed(b, secure, c.target, lines, own)); peer != nil {
						theirs = append(theirs, multiplexed(b, peer.address, c.target, strings.ReplaceAll(c.lines, "{tag}", peer.tag), func() float64 { return peer.processorTime(b) }))
					}
				}
			}
			b.ReportMetric(median(sealed, run.cpu)/median(open, run.cpu), "tls-x-plain-cpu")
			b.ReportMetric(median(sealed, run.rate)/median(open, run.rate), "tls-x-plain-req/s")
			b.ReportMetric(median(open, run.cpu), "plain-cpu-us/req")
			b.ReportMetric(median(sealed, run.cpu), "tls-cpu-us/req")
			b.ReportMetric(median(ours, run.cpu), "h2-cpu-us/req")
			b.ReportMetric(median(ours, run.rate), "h2-req/s")
			if theirs != nil {
				b.ReportMetric(median(ours, run.cpu)/median(theirs, run.cpu), "h2-x-nginx-cpu")
				b.ReportMetric(median(ours, run.rate)/median(theirs, run.rate), "h2-x-nginx-req/s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// nginxTLS serves bytes as a file with TLS and HTTP/2.
func nginxTLS(b *testing.B, folder, target string, body []byte, cert, key string) *nginx {
	write(b, filepath.Join(folder, "www", target), body)
	return nginxWith(b, folder, target, fmt.Sprintf(`
		sendfile on; tcp_nopush on; default_type text/html;
		open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
		ssl_certificate %s; ssl_certificate_key %s; ssl_protocols TLSv1.2 TLSv1.3;
		server { listen {address} ssl http2; root %s/www; }`, cert, key, folder))
}

var h2loadTotals = regexp.MustCompile(`finished in ([0-9.]+)(m?s), ([0-9.]+) req/s`)

// multiplexed loads an address over HTTP/2 with 8 requests at a time on each of 16 connections.
func multiplexed(b *testing.B, address, target, lines string, processorTime func() float64) run {
	path, err := exec.LookPath("h2load")
	if err != nil {
		b.Skip("h2load is not installed")
	}
	args := []string{"-t1", "-c16", "-m8", "-D" + strconv.Itoa(int(benchTime/time.Second)), "-H", ":authority: shop.localhost"}
	for _, line := range strings.FieldsFunc(lines, func(c rune) bool { return c == '\r' || c == '\n' }) {
		args = append(args, "-H", line)
	}
	before := processorTime()
	out, err := exec.Command(path, append(args, "https://"+address+target)...).CombinedOutput()
	spent := processorTime() - before
	m := h2loadTotals.FindSubmatch(out)
	if err != nil || m == nil || !strings.Contains(string(out), " 0 failed, 0 errored") {
		b.Fatalf("h2load: %v\n%s", err, out)
	}
	seconds, err1 := strconv.ParseFloat(string(m[1]), 64)
	rate, err2 := strconv.ParseFloat(string(m[3]), 64)
	if err1 != nil || err2 != nil {
		b.Fatalf("h2load answered\n%s", out)
	}
	return run{requests: rate * seconds, seconds: seconds, micros: spent}
}
