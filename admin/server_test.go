package admin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp/fasthttputil"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range []string{
		"/nope", "/products/", "/Products", "//products", "/v2/products", "/products/1/2", "/api/products", "/%00", "/docs/../products",
	} {
		for _, key := range []string{"", a.Owner} {
			answer := a.Send(apitest.Request{Method: "GET", Path: path, Key: key})
			if answer.Status != 404 || apitest.Code(answer.JSON) != "NOT_FOUND" || answer.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}
	for path, allow := range map[string][]string{
		"/products": {"GET", "HEAD", "POST"}, "/products/1": {"GET", "HEAD", "PUT", "DELETE"}, "/v1/auth/login": {"POST"}, "/": {"GET", "HEAD"},
	} {
		for _, method := range []string{"PATCH", "OPTIONS", "TRACE"} {
			answer := a.Send(apitest.Request{Method: method, Path: path, Key: a.Owner})
			if answer.Status != 405 || apitest.Code(answer.JSON) != "METHOD_NOT_ALLOWED" || answer.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
			}
			for _, m := range allow {
				if !strings.Contains(answer.Header.Get("Allow"), m) {
					t.Errorf("%s %s: Allow %q lacks %s", method, path, answer.Header.Get("Allow"), m)
				}
			}
		}
	}
}

func TestHEADAnswersLikeGETWithoutABody(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range []string{"/", "/openapi.json", "/products", "/products/1", "/v1/account/token"} {
		get, head := a.Send(
			apitest.Request{Method: "GET", Path: path, Key: a.Owner},
		), a.Send(
			apitest.Request{Method: "HEAD", Path: path, Key: a.Owner},
		)
		if head.Status != get.Status || len(head.Body) != 0 || head.Header.Get("Content-Length") != strconv.Itoa(len(get.Body)) {
			t.Errorf("%s: HEAD %d %v, GET %d", path, head.Status, head.Header, get.Status)
		}
	}
}

func TestRequestIDsDiffer(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seen := map[string]bool{}
	for _, path := range []string{"/", "/products", "/nope", "/products/1", "/v1/auth/me", "/openapi.json"} {
		id := a.Send(apitest.Request{Method: "GET", Path: path}).Header.Get("X-Request-Id")
		if id == "" || seen[id] {
			t.Errorf("%s: id %q", path, id)
		}
		seen[id] = true
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no JSON":          {"name=tea", 400, "INVALID_REQUEST"},
		"half":             {`{"item":{"name":"Tea"}`, 400, "INVALID_REQUEST"},
		"two values":       {`{"item":{"name":"Tea"}}{}`, 400, "INVALID_REQUEST"},
		"a list":           {`[{"name":"Tea"}]`, 400, "INVALID_REQUEST"},
		"nothing":          {``, 400, "PRODUCT_NAME_REQUIRED"},
		"null":             {`null`, 400, "PRODUCT_NAME_REQUIRED"},
		"depth bomb":       {strings.Repeat(`{"item":`, 100_000), 400, "INVALID_REQUEST"},
		"deep unknown":     {`{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 400, "INVALID_REQUEST"},
		"invalid UTF-8":    {"{\"item\":{\"name\":\"\xc3\x28\"}}", 400, "INVALID_REQUEST"},
		"a lone surrogate": {`{"item":{"name":"\ud800"}}`, 200, ""},
		"NUL":              {`{"item":{"name":"a\u0000b"}}`, 400, "INVALID_REQUEST"},
		"raw NUL":          {"{\"item\":{\"name\":\"a\x00b\"}}", 400, "INVALID_REQUEST"},
		"UTF-16":           {"\xff\xfe{\x00}\x00", 400, "INVALID_REQUEST"},
		"too large":        {`{"item":{"name":"` + strings.Repeat("a", 1<<20) + `"}}`, 413, "BODY_TOO_LARGE"},
		"spaces too large": {strings.Repeat(" ", 1<<20+1), 413, "BODY_TOO_LARGE"},
	} {
		answer, code := post(t, a, a.Owner, int64(len(c.body)), strings.NewReader(c.body))
		if answer.StatusCode != c.status || code != c.code || answer.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %s, want %d %s", name, answer.StatusCode, code, c.status, c.code)
		}
	}
}

// endless is a body of 100 MB that counts the bytes that were read.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Load() >= 100<<20 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = ' '
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func TestAHugeBodyIsRefusedEarly(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, c := range map[string]struct {
		key    string
		size   int64
		status int
		code   string
	}{
		"announced":     {a.Owner, 100 << 20, 413, "BODY_TOO_LARGE"},
		"not announced": {a.Owner, -1, 413, "BODY_TOO_LARGE"},
		"anonymous":     {"", 100 << 20, 401, "UNAUTHENTICATED"},
	} {
		body := &endless{}
		answer, code := post(t, a, c.key, c.size, body)
		if answer.StatusCode != c.status || code != c.code || !answer.Close {
			t.Errorf("%s: %d %s, close %v", name, answer.StatusCode, code, answer.Close)
		}
		if n := body.read.Load(); n > 10<<20 {
			t.Errorf("%s: %d bytes were read before the refusal", name, n)
		}
	}
	a.OK("GET", "/products", a.Owner, nil)
}

// post creates a product on its own connection and reads the response even if the server closes
// the connection before the whole body was sent.
func post(t *testing.T, a *apitest.API, key string, size int64, body io.Reader) (answer *http.Response, code string) {
	t.Helper()
	request, err := http.NewRequest("POST", apitest.AdminURL+"/products", body)
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = size
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	answers := talk(t, a, request.Write)
	if answer, err = http.ReadResponse(bufio.NewReader(bytes.NewReader(answers)), request); err != nil {
		t.Fatal(err)
	}
	var refusal apitest.Map
	if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil {
		t.Fatal(err)
	}
	return answer, apitest.Code(refusal)
}

// A body that no endpoint reads must not be parsed as the next request.
func TestUnreadBodiesDoNotBecomeRequests(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
	pad := strings.Repeat(" ", 20_000)
	chunk := func(body string) string {
		return strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n0\r\n\r\n"
	}
	for name, request := range map[string]string{
		"GET, short":      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: " + strconv.Itoa(len(smuggled)) + "\r\n\r\n" + smuggled,
		"GET, long":       "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: " + strconv.Itoa(len(pad+smuggled)) + "\r\n\r\n" + pad + smuggled,
		"GET, chunked":    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(smuggled),
		"POST, unread":    "POST /v1/auth/logout HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(pad+smuggled),
		"refused, long":   "POST /products HTTP/1.1\r\nHost: a\r\nContent-Length: " + strconv.Itoa(len(pad+smuggled)) + "\r\n\r\n" + pad + smuggled,
		"no such address": "POST /nope HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(smuggled),
	} {
		answers := talk(t, a, func(w io.Writer) error {
			_, err := io.WriteString(w, request+"GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			return err
		})
		if bytes.Contains(answers, []byte("smuggled")) || bytes.Contains(answers, []byte("Error when parsing")) {
			t.Errorf("%s: %s", name, answers)
		}
		if _, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answers)), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// talk writes to its own connection, closes the sending side, and reads all responses.
func talk(t *testing.T, a *apitest.API, write func(io.Writer) error) []byte {
	t.Helper()
	ln := fasthttputil.NewInmemoryListener()
	server := a.Admin.Gate()
	server.HTTP.IdleTimeout = 100 * time.Millisecond
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	conn, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- write(conn) }()
	answers, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	await.Next(t, written) // an error when the server closed before it had read everything
	for _, err := range []error{conn.Close(), ln.Close(), await.Next(t, served)} {
		if err != nil {
			t.Error(err)
		}
	}
	return answers
}

func TestCallsAreCountedPerCompanyAndClass(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	// The window must not change while it is filled.
	a.Clock.Advance(a.Clock.Now().Truncate(time.Minute).Add(time.Minute + 20*time.Second).Sub(a.Clock.Now()))
	call := func(method, path, key string) int {
		return a.Send(apitest.Request{Method: method, Path: path, Key: key, Body: ""}).Status
	}
	for i, limit := range map[string]int{"GET /products": 600, "POST /products": 240, "POST /v1/storages/files": 180} {
		method, path, _ := strings.Cut(i, " ")
		for n := range limit {
			// Editors and sessions share the company's count with its keys.
			if got := call(method, path, []string{a.Owner, a.Editor}[n%2]); got == 429 {
				t.Fatalf("%s: call %d of %d is refused", i, n+1, limit)
			}
		}
		answer := a.Send(apitest.Request{Method: method, Path: path, Key: a.Session(a.OwnerID), Body: ""})
		if answer.Status != 429 || apitest.Code(answer.JSON) != "RATE_LIMITED" || answer.Header.Get("Retry-After") != "40" ||
			answer.JSON["retry_after"] != 40.0 {
			t.Errorf("%s: %d %v %s", i, answer.Status, answer.Header, answer.Body)
		}
		if got := call(method, path, a.Stranger); got == 429 {
			t.Errorf("%s: another company is refused", i)
		}
	}
	if got := call("GET", "/products?filter.company_id="+a.Shop.ID.String(), ""); got != 200 {
		t.Errorf("a visitor is refused for the company's count: %d", got)
	}
	a.Clock.Advance(40 * time.Second)
	if got := call("GET", "/products", a.Owner); got != 200 {
		t.Errorf("the next window: %d", got)
	}
}

func TestCallsInsideTheProcess(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ctx := context.Background()
	who := api.Identity{Person: a.OwnerID, Company: a.Shop.ID, Role: shop.Owner, Contour: shop.Prod}
	if _, err := a.Admin.Do(ctx, who, "POST", "/products", nil, apitest.Map{"item": apitest.Map{"name": "Tea"}}); err != nil {
		t.Error(err)
	}
	if _, err := a.Admin.Do(ctx, who, "PUT", "/products/{id}", map[string]string{"id": "999999"}, apitest.Map{}); err == nil {
		t.Error("an unknown product was changed")
	}
	if _, err := a.Admin.Do(ctx, who, "POST", "/nope", nil, nil); err == nil {
		t.Error("an unknown endpoint was called")
	}
	if total := a.Result("GET", "/products", a.Owner, nil)["total"]; total != 1.0 {
		t.Errorf("total %v", total)
	}
}
