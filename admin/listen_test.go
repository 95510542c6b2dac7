package admin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
)

// A request that is not valid HTTP is refused in the format of all other refusals.
func TestBrokenRequestsAreAnsweredInForm(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"no request":           {"nonsense\r\n\r\n", 400},
		"a bad version":        {"GET / HTTP/x\r\nHost: a\r\n\r\n", 400},
		"a broken field":       {"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400},
		"two lengths":          {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
		"a bad length":         {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400},
		"a large field":        {"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 20_000) + "\r\n\r\n", 431},
		"a large token":        {"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 431},
		"a large request line": {"GET /" + strings.Repeat("x", 20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
	} {
		answers := talk(t, a, func(w io.Writer) error { _, err := io.WriteString(w, c.request); return err })
		answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answers)), nil)
		if err != nil {
			t.Errorf("%s: %v in %.100q", name, err, answers)
			continue
		}
		var body apitest.Map
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if answer.StatusCode != c.status || apitest.Code(body) != "INVALID_REQUEST" || answer.Header.Get("X-Request-Id") == "" || !answer.Close ||
			answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v %v, close %v", name, answer.StatusCode, body, answer.Header, answer.Close)
		}
	}
}

// A client that sends its whole body before it reads still receives the refusal, over a real
// socket, and the next request works.
func TestAClientSeesWhyItsBodyIsTooLarge(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := a.Admin.Gate()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	t.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := await.Next(t, served); err != nil {
			t.Error(err)
		}
	})
	for size, what := range map[int]string{3 << 20: "a body a little too large", 20 << 20: "a large one", 100 << 20: "a body of 100 MB"} {
		for range 5 {
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.SetDeadline(time.Now().Add(await.Limit)); err != nil {
				t.Fatal(err)
			}
			body := &endless{}
			request, err := http.NewRequest("POST", "http://a/products", io.LimitReader(body, int64(size)))
			if err != nil {
				t.Fatal(err)
			}
			request.ContentLength = int64(size)
			request.Header.Set("Authorization", "Bearer "+a.Owner)
			sent := make(chan error, 1)
			go func() { sent <- request.Write(conn) }()
			if size < 100<<20 {
				await.Next(t, sent) // reads only now
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), request)
			if err != nil {
				t.Errorf("%s: %v", what, err)
			} else if answer.StatusCode != 413 || !answer.Close {
				t.Errorf("%s: %d", what, answer.StatusCode)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if n := body.read.Load(); size == 100<<20 && n > 48<<20 {
				t.Errorf("%s: %d bytes were read", what, n)
			}
		}
	}
}
