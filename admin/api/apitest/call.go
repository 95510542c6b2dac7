package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"vitrine/internal/await"
	"vitrine/internal/store/storetest"
)

// Map is a JSON object.
type Map = map[string]any

// storefrontHeader names the shop of a call in a test, admittedHeader marks a visitor who has
// entered the PIN; the edge passes both as user values.
const (
	storefrontHeader = "X-Test-Storefront"
	admittedHeader   = "X-Test-Admitted"
	plainHeader      = "X-Test-Plain"  // the visitor came over plain http
	openedHeader     = "X-Test-Opened" // the policies that the visitor has opened
)

// Request is a call. Body is sent as it is if it is an io.Reader, []byte or string, not at all
// if it is nil, and as JSON otherwise.
type Request struct {
	Method string
	Path   string // with its query; may also be an address under AdminURL
	Key    string // key or session token; empty: anonymous
	Header map[string]string
	Body   any
}

// Answer is the response of a call. JSON is nil if the body is not an object.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // without the coding that Header names, in which it has Sent bytes
	Sent   int
	JSON   Map
}

// Send makes a call and checks its response against the OpenAPI document.
func (a *API) Send(r Request) Answer {
	a.t.Helper()
	req, err := http.NewRequest(r.Method, AdminURL+strings.TrimPrefix(r.Path, AdminURL), a.body(r.Body))
	a.must(err)
	if r.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.Key)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	out := a.roundTrip(req)
	if challenge := out.Header.Get("WWW-Authenticate"); out.Status == 401 && !strings.HasPrefix(challenge, "Bearer ") {
		a.t.Errorf("%s %s: 401 with the challenge %q", r.Method, r.Path, challenge) // RFC 9110, 15.5.2; by other schemes browsers ask for passwords
	}
	a.checker().check(a.t, r, out)
	return out
}

func (a *API) roundTrip(req *http.Request) Answer {
	a.t.Helper()
	response, err := a.client.Do(req)
	a.must(err)
	body, err := io.ReadAll(response.Body)
	a.must(err)
	a.must(response.Body.Close())
	out := Answer{Status: response.StatusCode, Header: response.Header, Body: a.decoded(body, response.Header.Get("Content-Encoding")), Sent: len(body)}
	if json.Unmarshal(body, &out.JSON) != nil {
		out.JSON = nil // not an object: the caller uses Body
	}
	return out
}

func (a *API) decoded(body []byte, coding string) []byte {
	a.t.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch {
	case len(body) == 0 || coding == "":
		return body
	case coding == "br":
		r = brotli.NewReader(r)
	default:
		r, err = gzip.NewReader(r)
		a.must(err)
	}
	body, err = io.ReadAll(r)
	a.must(err)
	return body
}

func (a *API) body(v any) io.Reader {
	a.t.Helper()
	switch v := v.(type) {
	case nil:
		return nil
	case io.Reader:
		return v
	case []byte:
		return bytes.NewReader(v)
	case string:
		return strings.NewReader(v)
	}
	text, err := json.Marshal(v)
	a.must(err)
	return bytes.NewReader(text)
}

// Call makes a call and returns its status and JSON object.
func (a *API) Call(method, path, key string, body any) (status int, answer Map) {
	a.t.Helper()
	out := a.Send(Request{Method: method, Path: path, Key: key, Body: body})
	return out.Status, out.JSON
}

// OK makes a call that must succeed and returns its JSON object.
func (a *API) OK(method, path, key string, body any) Map {
	a.t.Helper()
	out := a.Send(Request{Method: method, Path: path, Key: key, Body: body})
	if out.Status >= 300 {
		a.t.Fatalf("%s %s: %d %s", method, path, out.Status, out.Body)
	}
	return out.JSON
}

// Result makes a call that must succeed and returns its object "result".
func (a *API) Result(method, path, key string, body any) Map {
	a.t.Helper()
	answer := a.OK(method, path, key, body)
	result, ok := answer["result"].(Map)
	if !ok {
		a.t.Fatalf("%s %s: no object in the field result of %v", method, path, answer)
	}
	return result
}

// Refused makes a call that must be refused with the status and code, and returns the body.
func (a *API) Refused(method, path, key string, body any, status int, code string) Map {
	a.t.Helper()
	out := a.Send(Request{Method: method, Path: path, Key: key, Body: body})
	if got := Code(out.JSON); out.Status != status || got != code {
		a.t.Errorf("%s %s: %d %s, want %d %s: %s", method, path, out.Status, got, status, code, out.Body)
	}
	return out.JSON
}

// Code returns the code in an error body, or "" if there is none:
// "rpc error: code = X desc = CODE: detail".
func Code(answer Map) string {
	text, _ := answer["error"].(string)
	_, code, _ := strings.Cut(text, " desc = ")
	code, _, _ = strings.Cut(code, ": ")
	return code
}

// AtOnce makes calls concurrently and returns their responses in the order of the calls.
func (a *API) AtOnce(calls ...Request) []Answer {
	a.t.Helper()
	answers := make([]Answer, len(calls))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() {
			<-start
			answers[i] = a.Send(call)
		})
	}
	close(start)
	all.Wait()
	return answers
}

// Codes counts responses by the code of their error; "" is success.
func Codes(answers []Answer) map[string]int {
	count := map[string]int{}
	for _, answer := range answers {
		count[Code(answer.JSON)]++
	}
	return count
}

// Values returns the values of one field of a list of objects, with spaces between them.
func Values(list any, field string) string {
	var values []string
	for _, v := range list.([]any) {
		values = append(values, fmt.Sprint(v.(map[string]any)[field]))
	}
	return strings.Join(values, " ")
}

// WaitForStatement waits until a running call has sent a statement that contains one of the texts.
func (a *API) WaitForStatement(texts ...string) {
	a.t.Helper()
	sent := func(s storetest.Statement) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(s.SQL, text) })
	}
	for over := time.Now().Add(2 * time.Minute); !slices.ContainsFunc(a.Sent.Take(), sent); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(over) {
			a.t.Fatalf("no call sent any of %q", texts)
		}
	}
}

// Client returns a client that sends a key or session token with each request, for libraries that
// speak a protocol of their own. A header of the request goes before it.
func (a *API) Client(key string) *http.Client {
	return &http.Client{Transport: bearer{key, a.client.Transport}, Timeout: await.Limit}
}

type bearer struct {
	key  string
	next http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "" && b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return b.next.RoundTrip(r)
}
