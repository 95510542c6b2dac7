package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
)

// The first signal lets a slow incoming request finish; the second one ends the program, and
// nothing saved is lost.
func TestSecondSignalEndsTheProgramImmediately(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	r := p.start()
	key := p.shop("tea")
	p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Oolong", "price": map[string]any{"price": 14}}})
	ends := dripUpload(t, p.admin, key)
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, "the program stops", func() bool {
		response, err := http.Get("http://" + p.ops + "/readyz")
		if err != nil {
			return true
		}
		response.Body.Close()
		return response.StatusCode != http.StatusOK
	})
	select {
	case <-r.done:
		t.Fatal("the first signal did not wait for the request")
	default:
	}
	r.killed = true // it does not end cleanly
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await.Next(t, r.done)
	if status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("the program ended with %v", r.exit)
	}
	<-ends
	p.start()
	if _, answer := p.call(key, "GET", "/products", nil); !strings.Contains(fmt.Sprint(answer), "Oolong") {
		t.Errorf("the product is gone: %v", answer)
	}
}

// dripUpload sends a product of 100 KB byte by byte, starting when the handler runs; the
// channel is closed when the server closes the connection.
func dripUpload(t *testing.T, address, key string) <-chan struct{} {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	head := "POST /products HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, `{"item":{"name":"`+strings.Repeat("x", 20_000)); err != nil {
		t.Fatal(err)
	}
	ends := make(chan struct{})
	go func() {
		defer close(ends)
		defer conn.Close()
		for range 79_000 {
			if _, err := io.WriteString(conn, "x"); err != nil {
				return
			}
			<-time.After(time.Millisecond) // a thousand bytes per second, twice the minimum rate
		}
	}()
	return ends
}
