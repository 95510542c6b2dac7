package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"vitrine/internal/await"
)

// frames is a client of HTTP/2 that may break its rules.
type frames struct {
	*http2.Framer
	t       *testing.T
	block   bytes.Buffer
	encoder *hpack.Encoder
	c       io.Writer
}

func (h *secureGate) frames() *frames {
	h.t.Helper()
	c := h.connect("a.test", "h2")
	f := &frames{Framer: http2.NewFramer(c, c), t: h.t, c: c}
	f.encoder = hpack.NewEncoder(&f.block)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		h.t.Fatal(err)
	}
	if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16}); err != nil {
		h.t.Fatal(err)
	}
	return f
}

// fields encodes fields: names and values in turn.
func (f *frames) fields(pairs ...string) []byte {
	f.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		if err := f.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
			f.t.Fatal(err)
		}
	}
	return bytes.Clone(f.block.Bytes())
}

var plainGet = []string{":method", "GET", ":scheme", "https", ":authority", "a.test", ":path", "/"}

// open begins a request. It reports whether the connection is open.
func (f *frames) open(stream uint32, end bool, fields ...string) bool {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: f.fields(fields...), EndStream: end, EndHeaders: true}) == nil
}

// outcome is the result of a request: its status, or that the server has reset it or closed the
// connection.
type outcome struct {
	status string
	code   http2.ErrCode
	closed bool
}

// outcome reads until a request has one.
func (f *frames) outcome(stream uint32) outcome {
	f.t.Helper()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return outcome{closed: true}
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			if frame.StreamID == stream {
				return outcome{status: frame.PseudoValue("status")}
			}
		case *http2.RSTStreamFrame:
			if frame.StreamID == stream {
				return outcome{code: frame.ErrCode}
			}
		case *http2.GoAwayFrame:
			if frame.ErrCode != http2.ErrCodeNo {
				return outcome{closed: true}
			}
		}
	}
}

// What cannot be a request of HTTP/1.1 is refused, so nothing is smuggled in pseudo-header fields.
func TestSmuggledRequestsAreRefused(t *testing.T) {
	var handled atomic.Int64
	h := newSecureGate(t, func(rc *fasthttp.RequestCtx) { handled.Add(1) }, Config{})
	replaced := func(name, value string) (fields []string) {
		for i := 0; i < len(plainGet); i += 2 {
			if plainGet[i] != name {
				fields = append(fields, plainGet[i:i+2]...)
			} else if value != "-" {
				fields = append(fields, name, value)
			}
		}
		return fields
	}
	with := func(fields ...string) []string { return append(append([]string{}, plainGet...), fields...) }
	for name, fields := range map[string][]string{
		"a space in the path":            replaced(":path", "/ HTTP/1.1\t"),
		"a line end in the path":         replaced(":path", "/ HTTP/1.1\r\nHost: b.test\r\nX: "),
		"an empty path":                  replaced(":path", ""),
		"no path":                        replaced(":path", "-"),
		"a relative path":                replaced(":path", "x"),
		"a foreign absolute path":        replaced(":path", "https://b.test/"),
		"a path of a tab":                replaced(":path", "/\t"),
		"a space in the method":          replaced(":method", "GET / HTTP/1.1"),
		"a line end in the method":       replaced(":method", "GET\r\nX: "),
		"no method":                      replaced(":method", "-"),
		"no scheme":                      replaced(":scheme", "-"),
		"another scheme":                 replaced(":scheme", "ftp"),
		"userinfo in the authority":      replaced(":authority", "a.test@b.test"),
		"a space in the authority":       replaced(":authority", "a.test b.test"),
		"a line end in the authority":    replaced(":authority", "a.test\r\nX: y"),
		"no authority":                   replaced(":authority", "-"),
		"a path in the authority":        replaced(":authority", "b.test/a.test"),
		"another host":                   with("host", "b.test"),
		"two hosts":                      with("host", "a.test", "host", "b.test"),
		"another host of the shop":       with("host", "a.test:443"),
		"a connection field":             with("connection", "close"),
		"transfer-encoding":              with("transfer-encoding", "chunked"),
		"an upgrade":                     with("upgrade", "websocket"),
		"te":                             with("te", "gzip"),
		"a pseudo field after others":    append([]string{"x", "y"}, plainGet...),
		"an unknown pseudo field":        with(":x", "y"),
		"two paths":                      with(":path", "/y"),
		"an upper-case name":             with("X-Upper", "y"),
		"a space in a name":              with("x y", "z"),
		"a colon in a name":              with("x:y", "z"),
		"a line end in a name":           with("x\r\ny", "z"),
		"a line end in a value":          with("x", "y\r\nTransfer-Encoding: chunked"),
		"a null in a value":              with("x", "y\x00z"),
		"connect":                        {":method", "CONNECT", ":authority", "b.test:25"},
		"an extended connect":            with(":protocol", "websocket"),
		"a wrong length":                 with("content-length", "x"),
		"two lengths":                    with("content-length", "0", "content-length", "5"),
		"a length without a body":        with("content-length", "5"),
		"an authority of the other host": replaced(":authority", "b.test"),
	} {
		t.Run(name, func(t *testing.T) {
			before := handled.Load()
			f := h.frames()
			f.t = t
			if !f.open(1, true, fields...) {
				t.Fatal("the connection is closed")
			}
			got := f.outcome(1)
			if !got.closed && got.code == 0 && got.status != "400" && got.status != "421" {
				t.Errorf("%+v", got)
			}
			if n := handled.Load(); n != before {
				t.Errorf("the handler was called: %+v", got)
			}
		})
	}
	f := h.frames()
	if f.open(1, true, append(append([]string{}, plainGet...), "host", "a.test")...); f.outcome(1).status != "200" {
		t.Error("a Host equal to the authority is refused")
	}
}

// A client that opens requests and resets them at once cannot have more handlers run than it may
// have requests open.
func TestRapidResetIsBounded(t *testing.T) {
	var running, most atomic.Int64
	goOn := make(chan struct{})
	h := newSecureGate(t, func(*fasthttp.RequestCtx) {
		n := running.Add(1)
		defer running.Add(-1)
		for {
			was := most.Load()
			if n <= was || most.CompareAndSwap(was, n) {
				break
			}
		}
		<-goOn
	}, Config{})
	f := h.frames()
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := f.ReadFrame(); err != nil {
				ended <- err
				return
			}
		}
	}()
	for i := range uint32(5_000) {
		if !f.open(2*i+1, true, plainGet...) || f.WriteRSTStream(2*i+1, http2.ErrCodeCancel) != nil {
			break
		}
	}
	await.Next(t, ended) // the server closes the connection
	if n := most.Load(); n == 0 || n > maxStreams {
		t.Errorf("%d handlers ran at once", n)
	}
	close(goOn)
	h.until(0, anyState)
}

// Requests beyond the number that may be open are reset, and the others are answered.
func TestStreamsAreCounted(t *testing.T) {
	goOn := make(chan struct{})
	h := newSecureGate(t, func(*fasthttp.RequestCtx) { <-goOn }, Config{})
	f := h.frames()
	go func() {
		for i := range uint32(1_000) {
			if !f.open(2*i+1, true, plainGet...) {
				return
			}
		}
	}()
	answered, refused := 0, 0
	for answered+refused < 1_000 {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch frame := frame.(type) {
		case *http2.RSTStreamFrame:
			if refused++; frame.ErrCode != http2.ErrCodeRefusedStream && frame.ErrCode != http2.ErrCodeProtocol {
				t.Fatalf("%v", frame)
			}
			if refused == 1_000-maxStreams {
				close(goOn)
			}
		case *http2.MetaHeadersFrame:
			answered++
		}
	}
	if answered != maxStreams {
		t.Errorf("%d answers, %d refusals", answered, refused)
	}
}

// Requests count as connections of their client.
func TestStreamsCountForTheirClient(t *testing.T) {
	goOn := make(chan struct{})
	var handled atomic.Int64
	h := newSecureGate(t, func(*fasthttp.RequestCtx) {
		handled.Add(1)
		<-goOn
	}, Config{PerClient: 10})
	f := h.frames()
	for i := range uint32(9) {
		f.open(2*i+1, true, plainGet...)
	}
	await.Until(func() bool { return handled.Load() == 9 })
	f.open(19, false, ":method", "POST", ":scheme", "https", ":authority", "a.test", ":path", "/")
	if got := f.outcome(19); got.status != "503" {
		t.Errorf("%+v", got)
	}
	close(goOn)
	h.until(1, anyState)
	f.open(21, true, plainGet...)
	if got := f.outcome(21); got.status != "200" {
		t.Errorf("%+v", got)
	}
}

// Field sections are bounded in every form in which they come: one long field, many frames, and a
// small one that decompresses to a large one.
func TestHeaderBombsAreRefused(t *testing.T) {
	var handled atomic.Int64
	h := newSecureGate(t, func(*fasthttp.RequestCtx) { handled.Add(1) }, Config{})
	many := append([]string{}, plainGet...)
	for range 2_000 {
		many = append(many, "x-padding", "0123456789")
	}
	t.Run("many fields", func(t *testing.T) {
		f := h.frames()
		f.open(1, true, many...)
		if got := f.outcome(1); !got.closed && got.status != "431" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("decompression", func(t *testing.T) {
		f := h.frames()
		block := f.fields(append(append([]string{}, plainGet...), "x-bomb", strings.Repeat("b", 3900))...)
		block = append(block, bytes.Repeat([]byte{0x80 | 62}, 16_000-len(block))...) // the newest entry of the table, again and again: 60 MB
		if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: true, EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
		if got := f.outcome(1); !got.closed && got.status != "431" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("continuation", func(t *testing.T) {
		f := h.frames()
		if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.fields(plainGet...), EndStream: true}); err != nil {
			t.Fatal(err)
		}
		part := f.fields("x-padding", strings.Repeat("0", 1_000))
		sent := 0
		for range 200_000 {
			if f.WriteContinuation(1, false, part) != nil {
				break
			}
			sent += len(part)
		}
		if got := f.outcome(1); !got.closed || sent > 64<<20 {
			t.Errorf("%d bytes, %+v", sent, got)
		}
	})
	if n := handled.Load(); n != 0 {
		t.Errorf("%d bombs reached the handler", n)
	}
}

// A body that stops arriving is answered like one of HTTP/1.1, and a response that is not read is
// reset: the handlers end.
func TestSlowStreamsTimeOut(t *testing.T) {
	var handlers atomic.Int64
	h := newSecureGate(t, func(rc *fasthttp.RequestCtx) {
		handlers.Add(1)
		if rc.IsGet() {
			rc.Response.SetBodyRaw(big)
			return
		}
		ok(rc)
	}, Config{})
	post := []string{":method", "POST", ":scheme", "https", ":authority", "a.test", ":path", "/"}
	for name, c := range map[uint32]struct {
		fields []string
		end    bool
		want   outcome
		wait   time.Duration
	}{
		1: {append(post, "content-length", "90000"), false, outcome{status: "408"}, requestTimeout},
		3: {post, false, outcome{status: "408"}, requestTimeout},
		5: {plainGet, true, outcome{code: http2.ErrCodeInternal}, answerTimeout},
	} {
		t.Run(fmt.Sprint(name), func(t *testing.T) {
			f := h.frames()
			f.t = t
			f.open(1, c.end, c.fields...)
			waits := reading
			if c.end {
				waits = writing
				if got := f.outcome(1); got.status != "200" {
					t.Fatalf("%+v", got)
				}
			} else if err := f.WriteData(1, false, []byte("some")); err != nil {
				t.Fatal(err)
			}
			own := h.until(1, func(c *Conn) bool {
				return c.phase.Load() != shared && c.waits.Load() == waits && c.in.Load()+c.arrived() > 0
			})[0]
			if !await.Until(func() bool { // until nothing more arrives
				before := own.in.Load() + own.arrived()
				h.sweep(h.now)
				return own.in.Load()+own.arrived() == before && (c.end && before >= 3*frameSize || !c.end)
			}) {
				t.Fatal("the body does not stop")
			}
			h.pass(int(c.wait/time.Second)+1, noop)
			if got := f.outcome(1); got != c.want {
				t.Errorf("%+v", got)
			}
			if err := f.c.(io.Closer).Close(); err != nil {
				t.Error(err)
			}
			h.until(0, anyState)
		})
	}
}

// A handler learns that its client has given up, in each protocol.
func TestDepartedClientsAreSeen(t *testing.T) {
	seen := make(chan bool, 1)
	h := newSecureGate(t, func(rc *fasthttp.RequestCtx) {
		gone := Departed(rc.Conn())
		seen <- gone()
		seen <- await.Until(gone)
	}, Config{})
	for name, leave := range map[string]func(){
		"HTTP/2": func() {
			f := h.frames()
			f.open(1, true, plainGet...)
			if await.Next(t, seen) {
				t.Error("it is gone before it left")
			}
			if err := f.WriteRSTStream(1, http2.ErrCodeCancel); err != nil {
				t.Error(err)
			}
		},
		"HTTP/1.1": func() {
			v := h.secureVisitor()
			v.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
			if await.Next(t, seen) {
				t.Error("it is gone before it left")
			}
			_ = v.Close() // with the farewell of TLS
		},
	} {
		if leave(); !await.Next(t, seen) {
			t.Errorf("%s: not seen", name)
		}
	}
}

// A response that ends early is reset, so that no client takes it for complete.
func TestIncompleteResponsesAreReset(t *testing.T) {
	h := newSecureGate(t, func(rc *fasthttp.RequestCtx) {
		broken := io.MultiReader(strings.NewReader(strings.Repeat("x", 20_000)), failingReader{})
		if string(rc.Path()) == "/measured" {
			rc.SetBodyStream(broken, 50_000)
		} else {
			rc.SetBodyStream(broken, -1)
		}
	}, Config{})
	for _, path := range []string{"/measured", "/unknown"} {
		answer, err := h.client(2).Do(request(t, "GET", "https://a.test"+path, nil).WithContext(await.Context(t)))
		if err != nil {
			continue // it was reset before its head was sent
		}
		if n, err := io.Copy(io.Discard, answer.Body); err == nil {
			t.Errorf("%s: %d bytes are a complete response", path, n)
		}
		_ = answer.Body.Close() // reading it has failed
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// A shutdown tells clients of HTTP/2 to open no more requests, and finishes those that are open.
func TestShutdownFinishesStreams(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	h := newSecureGate(t, func(*fasthttp.RequestCtx) {
		begun <- struct{}{}
		<-goOn
	}, Config{})
	client := h.client(2)
	status := make(chan int, 1)
	go func() {
		answer, err := client.Do(request(t, "GET", "https://a.test/", nil))
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		_ = answer.Body.Close() // it has no body
		status <- answer.StatusCode
	}()
	await.Next(t, begun)
	ended := make(chan error, 1)
	go func() { ended <- h.Shutdown(context.Background()) }()
	if !await.Until(func() bool {
		_, err := h.client(1).Do(request(t, "GET", "https://a.test/", nil)) //nolint:bodyclose // it fails
		return err != nil
	}) {
		t.Error("a new connection was accepted")
	}
	close(goOn)
	if got := await.Next(t, status); got != http.StatusOK {
		t.Errorf("status %d", got)
	}
	if err := await.Next(t, ended); err != nil {
		t.Error(err)
	}
}
