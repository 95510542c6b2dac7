package webhook_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/hook"
	webhookdb "vitrine/internal/store/webhook"
)

// The delays before attempts 2 to 8 (document 2, 6.4).
var pauses = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 30 * time.Minute}

// expectIdle expects that the worker finds nothing to send when it polls the journal.
func (d *fixture) expectIdle(r *receiver, n int, why string) {
	d.t.Helper()
	begun := d.begun.Load()
	for range 2 { // one poll may have started before
		polls := d.polls.Load()
		d.wake()
		wait(d.t, "a poll", func() bool { return d.polls.Load() > polls })
	}
	if taken := d.begun.Load() - begun; taken > 0 {
		d.t.Errorf("%s: %d deliveries were claimed", why, taken)
	}
	if got := len(r.seen()); got != n {
		d.t.Errorf("%s: %d requests, not %d", why, got, n)
	}
}

// waitAttempts waits until the journal has n attempts of the only delivery.
func (d *fixture) waitAttempts(path string, n int) webhookdb.Delivery {
	d.t.Helper()
	var one webhookdb.Delivery
	if !await.Until(func() bool { one = d.journal(path, "")[0]; return len(one.Log) == n }) {
		d.t.Fatalf("not %d attempts: %v", n, one)
	}
	return one
}

// Eight attempts, none before its delay has passed, all with the same bytes; then the delivery is
// dead and stays in the journal.
func TestADeliveryIsAttemptedEightTimes(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	path, _ := d.subscribe(r.URL, "product.updated")
	d.startWorker()
	d.editProduct()
	d.waitAttempts(path, 1)
	for i, pause := range pauses {
		d.Clock.Advance(pause - time.Millisecond)
		d.expectIdle(r, i+1, fmt.Sprintf("a millisecond before attempt %d", i+2))
		d.Clock.Advance(time.Millisecond + min(pause/10, 2*time.Second))
		d.wake()
		one := d.waitAttempts(path, i+2)
		if i < len(pauses)-1 && (one.State != "retrying" || one.DueAt == nil) {
			t.Errorf("after attempt %d: %v", i+2, one)
		}
	}
	dead := d.waitForState(path, "dead", 1)[0]
	if dead.Reason != "status 500" || dead.DeadAt == nil || dead.DueAt != nil {
		t.Errorf("%v", dead)
	}
	d.Clock.Advance(48 * time.Hour)
	d.expectIdle(r, 8, "after the eighth")
	visits := r.seen()
	for i, v := range visits {
		if got := v.header.Get("X-Service-Attempt"); got != fmt.Sprint(i+1) {
			t.Errorf("attempt %d has the number %s", i+1, got)
		}
		for _, name := range []string{"X-Service-Signature", "X-Service-Event-Id", "X-Service-Delivery-Id", "X-Service-Sequence", "Webhook-Id"} {
			if v.header.Get(name) != visits[0].header.Get(name) {
				t.Errorf("attempt %d has another %s", i+1, name)
			}
		}
		if !bytes.Equal(v.body, visits[0].body) {
			t.Errorf("attempt %d sends %s, not %s", i+1, v.body, visits[0].body)
		}
		if at := v.header.Get("X-Service-Timestamp"); i > 0 && at == visits[i-1].header.Get("X-Service-Timestamp") {
			t.Errorf("attempt %d has the timestamp of the previous one", i+1)
		}
	}
	if w := d.hook(path); w.LastStatus != 500 || w.LastError != "status 500" || !w.Active || w.FailingSince == nil {
		t.Errorf("%+v", w)
	}
}

// If the clock jumps back, nothing is sent early; if it jumps ahead, nothing is sent twice.
func TestClockJumpsCauseNoEarlyOrDuplicateAttempts(t *testing.T) {
	t.Parallel()
	d := open(t)
	r := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(503)
		}
	})
	path, _ := d.subscribe(r.URL, "product.updated")
	d.startWorker()
	d.editProduct()
	d.waitAttempts(path, 1)
	d.Clock.Advance(-time.Hour)
	d.expectIdle(r, 1, "an hour back")
	d.editProduct()
	d.waitForState(path, "delivered", 1) // a new delivery is sent at once
	d.Clock.Advance(2 * time.Hour)
	d.wake()
	d.waitForState(path, "delivered", 2)
	d.expectIdle(r, 3, "an hour ahead")
}

func TestResponsesAreClassified(t *testing.T) {
	t.Parallel()
	forbidden := newReceiver(t, nil)
	status := func(code int, header ...string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	raw := func(text string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			fmt.Fprint(conn, text)               //nolint:errcheck // the client may have disconnected
			_ = conn.(*net.TCPConn).CloseWrite() // the response arrives before the close
			_ = conn.SetReadDeadline(time.Now().Add(time.Second * 5))
			_, _ = io.Copy(io.Discard, conn) // until the client disconnects
			_ = conn.Close()
		}
	}
	hang := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	}
	cases := map[string]struct {
		answer func(int, http.ResponseWriter, *http.Request)
		status int
		why    string // empty: accepted
		pause  time.Duration
	}{
		"200":                            {answer: status(200), status: 200},
		"201":                            {answer: status(201), status: 201},
		"204":                            {answer: status(204), status: 204},
		"299":                            {answer: status(299), status: 299},
		"301":                            {answer: status(301, "Location", forbidden.URL), status: 301, why: "status 301"},
		"302":                            {answer: status(302, "Location", forbidden.URL), status: 302, why: "status 302"},
		"307":                            {answer: status(307, "Location", forbidden.URL), status: 307, why: "status 307"},
		"308 to metadata":                {answer: status(308, "Location", "http://169.254.169.254/"), status: 308, why: "status 308"},
		"304":                            {answer: status(304), status: 304, why: "status 304"},
		"404":                            {answer: status(404), status: 404, why: "status 404"},
		"410":                            {answer: status(410), status: 410, why: "status 410"},
		"429, seconds":                   {answer: status(429, "Retry-After", "90"), status: 429, why: "status 429", pause: 90 * time.Second},
		"503, too long":                  {answer: status(503, "Retry-After", "86400"), status: 503, why: "status 503", pause: 30 * time.Minute},
		"503, shorter":                   {answer: status(503, "Retry-After", "0"), status: 503, why: "status 503", pause: time.Second},
		"503, nonsense":                  {answer: status(503, "Retry-After", "-9e9"), status: 503, why: "status 503", pause: time.Second},
		"500":                            {answer: status(500), status: 500, why: "status 500"},
		"100 and 103":                    {answer: raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), status: 200},
		"not HTTP":                       {answer: raw("SSH-2.0-OpenSSH\r\n"), why: "the connection broke"},
		"empty response":                 {answer: raw(""), why: "the connection broke"},
		"half a header":                  {answer: raw("HTTP/1.1 200 OK\r\nContent-"), why: "the connection broke"},
		"header of 1 MB":                 {answer: raw("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n"), why: "the connection broke"},
		"the body is reset":              {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), status: 200},
		"the body never comes":           {answer: func(_ int, w http.ResponseWriter, r *http.Request) { hang(w, r) }, status: 200},
		"a Content-Length of a gigabyte": {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n" + strings.Repeat("a", 8192)), status: 200},
		"packed":                         {answer: func(_ int, w http.ResponseWriter, _ *http.Request) { bomb(w) }, status: 200},
		"a body without an end":          {answer: func(_ int, w http.ResponseWriter, r *http.Request) { flood(w, r) }, status: 200},
		"a failure with a body":          {answer: func(_ int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(502); flood(w, r) }, status: 502, why: "status 502"},
		"2xx after seven seconds":        {answer: func(_ int, _ http.ResponseWriter, r *http.Request) { time.Sleep(7 * time.Second) }, status: 200},
		"2xx after ten seconds":          {answer: func(_ int, _ http.ResponseWriter, r *http.Request) { time.Sleep(10200 * time.Millisecond) }, why: "no response in time"},
		"abort-message":                  {answer: status(400, "webhook-delivery", "abort-message"), status: 400, why: "status 400, and the receiver asked for no further attempts", pause: -1},
		"abort, but accepted":            {answer: status(200, "webhook-delivery", "abort-message"), status: 200},
	}
	d := open(t)
	paths := map[string]string{}
	for name, c := range cases {
		paths[name], _ = d.subscribe(newReceiver(t, c.answer).URL, "product.updated")
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	paths["refused"], _ = d.subscribe("http://"+gone.Addr().String(), "product.updated")
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler()) // with a certificate of an unknown authority
	t.Cleanup(secure.Close)
	paths["unknown authority"], _ = d.subscribe(secure.URL, "product.updated")
	plain := newReceiver(t, nil)
	paths["no TLS"], _ = d.subscribe(strings.Replace(plain.URL, "http:", "https:", 1), "product.updated")
	for name, why := range map[string]string{"refused": "the connection was refused", "unknown authority": "TLS failed", "no TLS": "TLS failed"} {
		c := cases[name]
		c.why = why
		cases[name] = c
	}
	d.startWorker()
	began := d.Clock.Now()
	d.editProduct()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			one := d.waitAttempts(paths[name], 1)
			w, tried := d.hook(paths[name]), one.Log[0]
			if tried.Status != c.status || tried.Error != c.why || w.LastStatus != c.status || w.LastError != c.why {
				t.Errorf("%+v; %+v", one, w)
			}
			want := "delivered"
			if c.why != "" {
				want = "retrying"
			}
			if c.pause < 0 {
				want = "dead"
			}
			if one.State != want {
				t.Errorf("%+v", one)
			}
			if want == "retrying" {
				least := max(c.pause, time.Second)
				if wait := one.DueAt.Sub(began); wait < least || wait > least+least/10+time.Second {
					t.Errorf("the next attempt is in %v", wait)
				}
			}
			if (w.LastDelivered != nil) != (c.why == "") {
				t.Errorf("%+v", w)
			}
		})
	}
	if n := len(forbidden.seen()); n > 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
}

// bomb sends a gigabyte of zeros, compressed to a megabyte.
func bomb(w http.ResponseWriter) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	zeros := make([]byte, 1<<20)
	for range 1 << 10 {
		if _, err := z.Write(zeros); err != nil {
			return
		}
	}
	_ = z.Close() //nolint:errcheck // the client does not read it
}

func flood(w http.ResponseWriter, r *http.Request) {
	text := bytes.Repeat([]byte("a"), 1<<16)
	for r.Context().Err() == nil {
		if _, err := w.Write(text); err != nil {
			return
		}
	}
}

// A request to an HTTP/2 server that closes the connection after each response is sent on a new
// connection.
func TestAnHTTP2ReceiverThatClosesConnections(t *testing.T) {
	t.Parallel()
	came := make(chan string, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // GOAWAY in HTTP/2
		came <- r.Proto
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	d := open(t, trusting(server))
	path, _ := d.subscribe(server.URL, "product.updated")
	d.startWorker()
	for range 5 {
		d.editProduct()
		if proto := await.Next(t, came); proto != "HTTP/2.0" {
			t.Errorf("by %s", proto)
		}
	}
	d.waitForState(path, "delivered", 5)
}

// A test ping is a single attempt, made at once, without a delivery.
func TestAPingIsASingleAttempt(t *testing.T) {
	t.Parallel()
	d := open(t)
	code := 204
	r := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	path, made := d.subscribe(r.URL, "order.paid")
	got := d.Result("POST", path+"/test", d.owner, nil)
	if got["status"] != 204.0 || got["error"] != "" {
		t.Errorf("%v", got)
	}
	v := r.wait(t, 1)[0]
	e := v.envelope(t)
	if e.Event != "webhook.test" || len(e.Data) != 1 || e.Data["webhook_id"] != made["id"] || v.header.Get("X-Service-Event") != "webhook.test" ||
		v.header.Get("X-Service-Event-Id") != e.EventID || v.header.Get("X-Service-Signature") != hook.Sign(made["secret"].(string), v.body) {
		t.Errorf("%s %v", v.body, v.header)
	}
	for _, name := range []string{"X-Service-Delivery-Id", "X-Service-Attempt", "X-Service-Sequence"} {
		if v.header[name] != nil {
			t.Errorf("a ping has %s", name)
		}
	}
	verifies(t, made["standard_secret"].(string), v)
	code = 418
	if got := d.Result("POST", path+"/test", d.owner, nil); got["status"] != 418.0 || got["error"] != "status 418" {
		t.Errorf("%v", got)
	}
	if w := d.Result("GET", path, d.owner, nil); w["last_status"] != 418.0 || w["last_error"] != "status 418" || w["failing_since"] != nil {
		t.Errorf("%v", w)
	}
	r.Close()
	// A reused connection may break before the next one is refused.
	if got := d.Result("POST", path+"/test", d.owner, nil); got["status"] != 0.0 || got["error"] != "the connection was refused" && got["error"] != "the connection broke" {
		t.Errorf("%v", got)
	}
	if list := d.journal(path, ""); len(list) != 0 {
		t.Errorf("a ping is in the journal: %v", list)
	}
	for range 7 {
		d.OK("POST", path+"/test", d.owner, nil)
	}
	d.Refused("POST", path+"/test", d.owner, nil, 429, "RATE_LIMITED")
}

// A host name that resolved to a public address when it was saved is checked again for each
// attempt.
func TestTheAddressOfAHostIsCheckedForEachAttempt(t *testing.T) {
	t.Parallel()
	names := newNames()
	d := open(t, names.serve)
	inside := newReceiver(t, nil) // on 127.0.0.1, which the client may not connect to
	names.set("hooks.test", "93.184.215.14")
	path, _ := d.subscribe(strings.Replace(inside.URL, "127.0.0.1", "hooks.test", 1), "product.updated")
	names.set("hooks.test", "127.0.0.1")
	d.startWorker()
	d.editProduct()
	if one := d.waitAttempts(path, 1); one.Log[0].Error != "the address is not on the public internet; the operator can allow others with VITRINE_OUTBOUND_ALLOW" {
		t.Errorf("%v", one)
	}
	if n := len(inside.seen()); n > 0 {
		t.Errorf("%d requests", n)
	}
	d.Refused("PUT", path, d.owner, m{"url": "http://hooks.test/"}, 400, "URL_NOT_ALLOWED")
	names.set("hooks.test", "93.184.215.14", "10.0.0.1") // one public address of several is sufficient
	d.OK("PUT", path, d.owner, m{"url": "http://hooks.test/"})
	names.set("hooks.test") // currently unresolvable, which may be temporary
	d.OK("PUT", path, d.owner, m{"url": "http://hooks.test/a"})
	d.editProduct()
	if list := d.waitForState(path, "retrying", 2); len(list[0].Log) != 1 || list[0].Log[0].Error != "the host name cannot be resolved" {
		t.Errorf("%+v", list)
	}
	d.Refused("PUT", path, d.owner, m{"url": "http://localhost/"}, 400, "URL_NOT_ALLOWED")
}
