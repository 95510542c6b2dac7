package edge

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nginx is the reference: two workers, sendfile and open_file_cache, no access log, serving
// the bytes of a response as a file.
type nginx struct {
	address string
	scheme  string
	tag     string // its entity tag of the file
	master  int
}

// startNginx serves bytes as a file. It returns nil if nginx is not installed: the baseline
// is the bare handler.
func startNginx(b *testing.B, target string, body []byte) *nginx {
	dir := b.TempDir()
	write(b, filepath.Join(dir, "www", target), body)
	return nginxWith(b, dir, target, fmt.Sprintf(`
		sendfile on; tcp_nopush on; default_type text/html;
		open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
		server { listen {address}; root %s/www; }`, dir))
}

// nginxWith runs nginx with the content of its http block, {address} filled in, and waits
// until it answers a target. It returns nil if nginx is not installed.
func nginxWith(b *testing.B, dir, target, block string) *nginx {
	path, err := exec.LookPath("nginx")
	if err != nil {
		if path = "/usr/sbin/nginx"; !exists(path) {
			return nil
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	n := &nginx{address: l.Addr().String(), scheme: "http://"}
	if strings.Contains(block, "{address} ssl") {
		n.scheme = "https://"
	}
	closing(b, l)
	write(b, filepath.Join(dir, "nginx.conf"), fmt.Appendf(nil, `
		daemon off; worker_processes 2; pid %[1]s/pid; error_log stderr error; user root;
		events { worker_connections 1024; }
		http {
			access_log off; keepalive_requests 100000000;
			client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
			%[2]s
		}`, dir, strings.ReplaceAll(block, "{address}", n.address)))
	cmd := exec.Command(path, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	n.master = cmd.Process.Pid
	b.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			b.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	n.await(b, target)
	return n
}

// await waits until nginx answers, and stores the entity tag.
func (n *nginx) await(b *testing.B, target string) {
	once := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	for range 200 {
		if response, err := once.Get(n.scheme + n.address + target); err == nil {
			n.tag = response.Header.Get("ETag")
			closing(b, response.Body)
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	b.Fatal("nginx does not answer")
}

// location is the redirect target of nginx for a target.
func (n *nginx) location(b *testing.B, target string) string {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get("http://" + n.address + target)
	if err != nil {
		b.Fatal(err)
	}
	closing(b, response.Body)
	return response.Header.Get("Location")
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func write(b *testing.B, path string, body []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o644); err != nil {
		b.Fatal(err)
	}
}

// processorTime is the processor time of the master and its workers, in microseconds.
func (n *nginx) processorTime(b *testing.B) (micros float64) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", n.master, n.master))
	if err != nil {
		b.Fatal(err)
	}
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(n.master)) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		for _, at := range []int{11, 12} { // utime and stime, in hundredths of a second
			ticks, err := strconv.ParseFloat(fields[at], 64)
			if err != nil {
				b.Fatal(err)
			}
			micros += ticks * 10_000
		}
	}
	return micros
}
