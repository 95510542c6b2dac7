// Package gatetest lists the responses that a listener behind a gate must give to unusual
// request lines, framings and header fields, byte for byte as they are sent.
package gatetest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/await"
)

// Case is the input of one client. {host} and {path} stand for a host and a page of the
// listener. Lives reports whether the connection accepts another request.
type Case struct {
	Name  string
	Sent  string
	Edge  int // status of the storefront edge
	Admin int // status of the admin API
	Lives bool
}

const line = "GET {path} HTTP/1.1\r\nHost: {host}\r\n"
const post = "POST {path} HTTP/1.1\r\nHost: {host}\r\n"

// Cases are all cases.
var Cases = []Case{
	{"a request", line + "\r\n", 200, 200, true},
	{"HTTP/1.0", "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n", 200, 200, false},
	{"HTTP/1.0 keep-alive", "GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: keep-alive\r\n\r\n", 200, 200, true},
	{"a leading empty line", "\r\n" + line + "\r\n", 200, 200, true},

	// Versions.
	{"HTTP/0.9", "GET {path}\r\n\r\n", 400, 400, false},
	{"HTTP/1.2", "GET {path} HTTP/1.2\r\nHost: {host}\r\n\r\n", 505, 505, false},
	{"HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, 505, false},
	{"HTTP/9.9", "GET {path} HTTP/9.9\r\nHost: {host}\r\n\r\n", 505, 505, false},
	{"HTTP/1.10", "GET {path} HTTP/1.10\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"http/1.1", "GET {path} http/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, 400, false},

	// Lengths and codings.
	{"a length and chunks", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"chunks and a length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"a length and chunks of a GET", line + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"chunks on HTTP/1.0", "POST {path} HTTP/1.0\r\nHost: {host}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"identity", post + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n", 400, 400, false},
	{"xchunked", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"chunked, identity", post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"a tab before chunked", post + "Transfer-Encoding:\tchunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"a control before chunked", post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"two lengths", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, 400, false},
	{"a length twice", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400, 400, false},
	{"a list of lengths", post + "Content-Length: 1, 1\r\n\r\na", 400, 400, false},
	{"a length with a sign", post + "Content-Length: +1\r\n\r\na", 400, 400, false},
	{"a length below zero", post + "Content-Length: -1\r\n\r\n", 400, 400, false},
	{"a hexadecimal length", post + "Content-Length: 0x1\r\n\r\na", 400, 400, false},
	{"an empty length", post + "Content-Length:\r\n\r\n", 400, 400, false},
	{"an endless length", post + "Content-Length: 99999999999999999999\r\n\r\n", 400, 400, false},
	{"a length with an underscore", line + "Content_Length: 5\r\n\r\n", 200, 200, true},
	{"a body of a GET", line + "Content-Length: 3\r\n\r\nabc", 200, 200, true},

	// Fields.
	{"a space before the colon", line + "X : y\r\n\r\n", 400, 400, false},
	{"a space before the colon of chunks", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"a space before the first field", "GET {path} HTTP/1.1\r\n Host: {host}\r\n\r\n", 400, 400, false},
	{"no colon", line + "X\r\n\r\n", 400, 400, false},
	{"no name", line + ": y\r\n\r\n", 400, 400, false},
	{"a folded field", line + "X: y\r\n z\r\n\r\n", 400, 400, false},
	{"a folded coding", post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400, 400, false},
	{"a folded field that hides a length", post + "X: y\r\n\tContent-Length: 5\r\n\r\n", 400, 400, false},
	{"bare line feeds", "GET {path} HTTP/1.1\nHost: {host}\n\n", 400, 400, false},
	{"a bare line feed within", post + "X: y\nContent-Length: 5\r\n\r\n", 400, 400, false},
	{"a bare line feed before the end", line + "X: y\r\n\n", 400, 400, false},
	{"a bare carriage return", line + "X: y\rContent-Length: 5\r\n\r\n", 400, 400, false},
	{"NUL in a value", line + "X: a\x00b\r\n\r\n", 400, 400, false},
	{"NUL in a name", line + "X\x00: b\r\n\r\n", 400, 400, false},
	{"a quoted name", line + "\"X\": b\r\n\r\n", 400, 400, false},
	{"64 KB in a field", line + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431, 431, false},
	{"64 KB in many fields", line + strings.Repeat("X: "+strings.Repeat("x", 100)+"\r\n", 640) + "\r\n", 431, 431, false},
	{"1,000 fields", line + strings.Repeat("X: y\r\n", 1000) + "\r\n", 200, 200, true},
	{"10,000 fields", line + strings.Repeat("X: y\r\n", 10_000) + "\r\n", 431, 431, false},

	// Hosts.
	{"no host", "GET {path} HTTP/1.1\r\n\r\n", 400, 400, false},
	{"no host on HTTP/1.0", "GET {path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 400, 200, true},
	{"an empty host", "GET {path} HTTP/1.1\r\nHost:\r\n\r\n", 400, 400, false},
	{"two hosts", line + "Host: {host}\r\n\r\n", 400, 400, false},
	{"a host with a space", "GET {path} HTTP/1.1\r\nHost: a b\r\n\r\n", 400, 400, false},
	{"a host with a path", "GET {path} HTTP/1.1\r\nHost: {host}/x\r\n\r\n", 400, 400, false},
	{"a host with a user", "GET {path} HTTP/1.1\r\nHost: u@{host}\r\n\r\n", 400, 400, false},
	{"two hosts in one field", "GET {path} HTTP/1.1\r\nHost: {host}, evil.test\r\n\r\n", 400, 400, false},
	{"a host with an invalid port", "GET {path} HTTP/1.1\r\nHost: {host}:x\r\n\r\n", 400, 400, false},

	// Request lines.
	{"a long line", "GET /" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: {host}\r\n\r\n", 414, 414, false},
	{"a long method", strings.Repeat("G", 64<<10) + " / HTTP/1.1\r\nHost: {host}\r\n\r\n", 414, 414, false},
	{"absolute form", "GET http://{host}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 200, 200, true},
	{"absolute form without a scheme", "GET {host}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"authority form of a GET", "GET {host}:80 HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"CONNECT", "CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\n\r\n", 405, 404, true},
	{"TRACE", "TRACE {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 405, 405, true},
	{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n", 204, 405, true},
	{"GET *", "GET * HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 405, true},
	{"a lower-case method", "get {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 405, 405, true},
	{"an unknown method", "BREW {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 405, 405, true},
	{"an invalid method", "GE(T {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"no method", " {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"two spaces", "GET  {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"a space in the target", "GET {path} x HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"a space at the end", "GET {path} HTTP/1.1 \r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"a control in the target", "GET {path}\x01 HTTP/1.1\r\nHost: {host}\r\n\r\n", 400, 400, false},
	{"a fragment", "GET {path}#x HTTP/1.1\r\nHost: {host}\r\n\r\n", 200, 200, true},

	// Other requests.
	{"an upgrade to WebSocket", line + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", 200, 200, true},
	{"an upgrade to HTTP/2", line + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", 200, 200, true},
	{"an unknown expectation", line + "Expect: coffee\r\n\r\n", 200, 200, true},
}

// Check sends all cases to a listener and compares its responses.
func Check(t *testing.T, address, host, path string, want func(Case) int) {
	fill := strings.NewReplacer("{host}", host, "{path}", path)
	for _, c := range Cases {
		probe := fill.Replace(line + "Connection: close\r\n\r\n")
		answers := talk(t, address, fill.Replace(c.Sent)+probe)
		if len(answers) == 0 {
			t.Errorf("%s: no answer", c.Name)
			continue
		}
		if lives := len(answers) > 1; answers[0] != want(c) || lives != c.Lives || len(answers) > 2 {
			t.Errorf("%s: answers %v, want %d and lives %v", c.Name, answers, want(c), c.Lives)
		}
	}
}

// talk sends bytes and returns the statuses of all responses until the end of the
// connection.
func talk(t *testing.T, address, sent string) (statuses []int) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.WriteString(conn, sent) // the server may close before it has read everything
	}()
	defer func() { _ = conn.Close(); <-done }()
	for r := bufio.NewReader(conn); ; {
		answer, err := http.ReadResponse(r, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			statuses = append(statuses, answer.StatusCode)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
			return statuses
		case err != nil:
			t.Errorf("%.40q: %v", sent, err)
			return statuses
		}
	}
}
