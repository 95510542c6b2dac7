// Package blobtest runs a real S3 server for tests, and a proxy in front of it whose
// connections can be cut.
//
// The server is versitygw, which keeps objects as files of a directory. It has its own
// module (server/go.mod), so that its dependencies are not among the libraries of the
// product; it is built once into bin/ of the checkout.
package blobtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	accessKey = "test"
	secretKey = "test-secret"
	tool      = "github.com/versity/versitygw/cmd/versitygw"
	startTime = 30 * time.Second
)

// S3 is a server with one bucket, for one test.
type S3 struct {
	Bucket string // its directory: keys are paths below it
	Proxy  *Proxy
}

// Start runs a server until the test ends. It sets the credentials in the environment, so
// the test cannot be parallel.
func Start(t testing.TB) *S3 {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	s := &S3{Bucket: filepath.Join(root, "data", "shop")}
	for _, dir := range []string{s.Bucket, filepath.Join(root, "meta"), filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := freePort(t)
	server := exec.Command(binary, "--quiet", "--port", at, "posix", "--sidecar", filepath.Join(root, "meta"), filepath.Dir(s.Bucket))
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err == nil {
			t.Error("the S3 server ended unexpectedly")
		}
	})
	awaitPort(t, at)
	s.Proxy = newLine(t, at)
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	t.Setenv("TMPDIR", filepath.Join(root, "tmp")) // of spools
	return s
}

// URL returns the address of a prefix of the bucket through the proxy.
func (s *S3) URL() string {
	return "s3://" + filepath.Base(s.Bucket) + "/some/prefix?endpoint=http://" + s.Proxy.addr
}

// build builds the server's program; if it is up to date, that is quick.
var build = sync.OnceValues(func() (binary string, err error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	module := strings.TrimSpace(string(root))
	binary = filepath.Join(module, "bin", "s3server")
	command := exec.Command("go", "build", "-o", binary, tool)
	command.Dir = filepath.Join(module, "internal", "blob", "blobtest", "server")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, out)
	}
	return binary, nil
})

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// awaitPort waits until the port accepts connections.
func awaitPort(t testing.TB, at string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(startTime)
	for {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the S3 server does not start: ", err)
		}
	}
}
