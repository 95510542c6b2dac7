package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// internet is a small internet: a public server at 127.0.0.1, which tests allow, and a
// private one at 127.0.0.2, which counts the requests that reach it.
type internet struct {
	t       *testing.T
	public  *httptest.Server
	private *httptest.Server
	reached atomic.Int32
	names   map[string][]string // answers of the resolver, in order
	asked   map[string]int
}

func newInternet(t *testing.T, public http.HandlerFunc) *internet {
	t.Helper()
	n := &internet{t: t, names: map[string][]string{}, asked: map[string]int{}}
	n.public = serve(t, "127.0.0.1", public)
	n.private = serve(t, "127.0.0.2", func(w http.ResponseWriter, _ *http.Request) {
		n.reached.Add(1)
		fmt.Fprint(w, "secret")
	})
	t.Cleanup(func() {
		if got := n.reached.Load(); got != 0 {
			t.Errorf("the private server was reached %d times", got)
		}
	})
	return n
}

func serve(t *testing.T, addr string, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", addr+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (n *internet) client() *Client {
	return New(Resolve(n.lookUp), Allow(netip.MustParsePrefix("127.0.0.1/32")))
}

// lookUp answers with the next of a name's answers, and repeats the last one.
func (n *internet) lookUp(_ context.Context, host string) (addrs []netip.Addr, err error) {
	answers := n.names[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	i := min(n.asked[host], len(answers)-1)
	n.asked[host]++
	for text := range strings.FieldsSeq(answers[i]) {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// at returns an address of the public server under a name.
func (n *internet) at(host, path string) string {
	_, port, _ := net.SplitHostPort(n.public.Listener.Addr().String())
	return "http://" + net.JoinHostPort(host, port) + path
}

func (n *internet) get(url string, limit int64) (string, error) {
	n.t.Helper()
	out, err := n.client().Do(n.t.Context(), Request{URL: url, MaxRedirects: 3, MaxBody: limit})
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(out.Body)
	return string(text), errors.Join(err, out.Body.Close())
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

func TestPublicAddressesAreFetched(t *testing.T) {
	t.Parallel()
	n := newInternet(t, hello)
	n.names["shop.test"] = []string{"127.0.0.1"}
	n.names["both.test"] = []string{"10.0.0.1 127.0.0.2 127.0.0.1"} // what may not be dialled is left out
	for _, host := range []string{"shop.test", "both.test", "127.0.0.1", "::ffff:127.0.0.1"} {
		if text, err := n.get(n.at(host, "/"), 100); text != "hello" || err != nil {
			t.Errorf("%s: %q, %v", host, text, err)
		}
	}
}

// Server-side request forgery: each private address literally, by a name, and by a redirect
// of a public server.
func TestPrivateAddressesAreNeverDialled(t *testing.T) {
	t.Parallel()
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	n.names["shop.test"] = []string{"127.0.0.1"}
	for i, c := range private {
		if c.addr == "127.0.0.1" || c.addr == "::ffff:127.0.0.1" {
			continue // the address of the public server in this test
		}
		name := fmt.Sprintf("inside%d.test", i)
		n.names[name] = []string{c.addr}
		literal := "http://" + netip.AddrPortFrom(netip.MustParseAddr(c.addr), 80).String() + "/"
		literal = strings.Replace(literal, "%", "%25", 1)
		for _, target := range []string{literal, "http://" + name + "/", "https://" + name + ":8443/"} {
			for _, url := range []string{target, n.at("shop.test", "/?to="+strings.ReplaceAll(target, "%", "%25"))} {
				if _, err := n.get(url, 100); !errors.Is(err, ErrNotAllowed) {
					t.Errorf("%s, %s: %v", c.why, url, err)
				}
			}
		}
	}
}

func TestDNSRebindingReachesNothingPrivate(t *testing.T) {
	t.Parallel()
	hits := 0
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		hits++
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	_, port, _ := net.SplitHostPort(n.private.Listener.Addr().String())
	n.names["rebind.test"] = []string{"127.0.0.1", "127.0.0.2"}
	if _, err := n.get(n.at("rebind.test", "/"), 100); !errors.Is(err, ErrNotAllowed) || hits != 1 {
		t.Errorf("%v after %d requests", err, hits)
	}
	if n.asked["rebind.test"] != 2 {
		t.Errorf("%d look-ups for two hops: the checked address may differ from the dialled one", n.asked["rebind.test"])
	}
	n.names["inside.test"] = []string{"127.0.0.2"}
	if _, err := n.get("http://inside.test:"+port+"/", 100); !errors.Is(err, ErrNotAllowed) {
		t.Error(err)
	}
}

func TestSocketIsCheckedAgain(t *testing.T) {
	t.Parallel()
	d := dialler{lookUp: func(context.Context, string) ([]netip.Addr, error) { return nil, nil }}
	for _, c := range private {
		at := netip.AddrPortFrom(netip.MustParseAddr(c.addr), 80).String()
		if err := d.control("tcp", at, nil); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if err := d.control("tcp", "8.8.8.8:80", nil); err != nil {
		t.Error(err)
	}
	if err := d.control("tcp", "shop.test:80", nil); !errors.Is(err, ErrNotAllowed) {
		t.Error(err)
	}
	if _, err := d.addresses(t.Context(), "empty.test"); !errors.Is(err, ErrNotAllowed) {
		t.Error(err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		switch left := strings.Count(r.URL.Path, "x"); {
		case r.URL.Query().Has("location"):
			w.Header()["Location"] = r.URL.Query()["location"]
			w.WriteHeader(http.StatusMovedPermanently)
		case left > 0:
			http.Redirect(w, r, "/"+strings.Repeat("x", left-1), http.StatusTemporaryRedirect)
		default:
			fmt.Fprint(w, "there")
		}
	})
	if text, err := n.get(n.at("127.0.0.1", "/xxx"), 100); text != "there" || err != nil {
		t.Errorf("three hops: %q, %v", text, err)
	}
	if _, err := n.get(n.at("127.0.0.1", "/xxxx"), 100); !errors.Is(err, ErrTooManyRedirects) {
		t.Errorf("four hops: %v", err)
	}
	for location, want := range map[string]error{
		"": ErrRedirectWithoutLocation, "file:///etc/passwd": ErrNotAllowed, "http://user@shop.test/": ErrNotAllowed, "http://shop.test:22/": ErrNotAllowed,
		"//localhost/": ErrNotAllowed, "http://%zz/": ErrNotAllowed, "http://" + strings.Repeat("a", maxURL): ErrNotAllowed,
	} {
		if _, err := n.get(n.at("127.0.0.1", "/?location="+strings.ReplaceAll(location, "%", "%25")), 100); !errors.Is(err, want) {
			t.Errorf("to %.40q: %v", location, err)
		}
	}
	out, err := n.client().Do(t.Context(), Request{Method: "POST", URL: n.at("127.0.0.1", "/x"), Body: []byte("{}"), MaxRedirects: 3, MaxBody: 100})
	if err != nil || out.Status != http.StatusTemporaryRedirect || out.Body.Close() != nil {
		t.Errorf("a POST is not repeated elsewhere: %v, %v", out, err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/announced":
			fmt.Fprint(w, strings.Repeat("x", 11))
		case "/streamed":
			for range 11 {
				fmt.Fprint(w, "x")
				w.(http.Flusher).Flush()
			}
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", maxHeader+4096))
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, strings.Repeat("x", 100))
		default:
			fmt.Fprint(w, strings.Repeat("x", 10))
		}
	})
	for path, want := range map[string]error{"/": nil, "/announced": ErrTooLarge, "/streamed": ErrTooLarge, "/missing": ErrTooLarge} {
		if text, err := n.get(n.at("127.0.0.1", path), 10); !errors.Is(err, want) || len(text) > 10 {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
	if _, err := n.get(n.at("127.0.0.1", "/headers"), 10); err == nil {
		t.Error("endless headers are read")
	}
}

func TestEndlessAnswersTimeOut(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			fmt.Fprint(w, "x")
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release)
	for _, path := range []string{"/head", "/body"} {
		c := n.client()
		c.whole = 50 * time.Millisecond
		out, err := c.Do(t.Context(), Request{URL: n.at("127.0.0.1", path), MaxBody: 10})
		if err == nil {
			_, err = io.ReadAll(out.Body)
			err = errors.Join(err, out.Body.Close())
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got := New().whole; got != 30*time.Second {
		t.Errorf("a client gives up after %v (document 1, section 8)", got)
	}
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	n := newInternet(t, hello)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, n.private.URL)
	}
	n.names["shop.test"] = []string{"127.0.0.1"}
	if text, err := n.get(n.at("shop.test", "/"), 100); text != "hello" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestRequestsHaveMinimalHeaders(t *testing.T) {
	t.Parallel()
	var got http.Header
	n := newInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if got = r.Header; r.URL.Path == "/" {
			w.Header().Set("Set-Cookie", "a=b")
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	})
	if _, err := n.get(n.at("127.0.0.1", "/"), 100); err != nil {
		t.Fatal(err)
	}
	got.Del("Connection") // announces that there will be no second request
	if len(got) != 1 || got.Get("User-Agent") != agent {
		t.Errorf("%v", got)
	}
}

func TestUnreachableServers(t *testing.T) {
	t.Parallel()
	n := newInternet(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			err = conn.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, url := range []string{"http://nowhere.test/", n.at("127.0.0.1", "/"), strings.Replace(n.at("127.0.0.1", "/"), "http:", "https:", 1)} {
		if _, err := n.get(url, 10); err == nil || errors.Is(err, ErrNotAllowed) || errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
