package edge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// benchRounds and benchTime bound a comparison: rounds are interleaved, so that other load
// on the machine affects both sides.
const (
	benchRounds  = 5
	benchTime    = time.Second
	benchClients = 64
)

// BenchmarkAgainstBareHandler compares the edge with the minimal work in fasthttp: a
// handler with default settings that writes the same header fields and bytes from memory,
// looks nothing up and compares one entity tag; and, if nginx is installed, with nginx
// serving the same bytes as a file. It reports requests per second, the 99th percentile of
// the latency and processor time as ratios to the bare handler.
func BenchmarkAgainstBareHandler(b *testing.B) {
	cases := []struct {
		name, target, lines string
		peer                bool // nginx can do the same
	}{
		{"page20k", "/about", "", true},
		{"page20k-br", "/about", "Accept-Encoding: gzip, deflate, br\r\n", false},
		{"page20k-304", "/about", "If-None-Match: {tag}\r\n", true},
		{"file2k", "/_html/5/9/two.css", "", true},
		{"file2k-304", "/_html/5/9/two.css", "If-None-Match: {tag}\r\n", true},
		{"folder2k", "/docs/two.css", "", true},
		{"folder20k-br", "/docs/", "Accept-Encoding: gzip, deflate, br\r\n", false},
		{"folder2k-304", "/docs/two.css", "If-None-Match: {tag}\r\n", true},
		{"redirect", "/old", "", false},
		{"picture", "/w/640/webp/pics/0b6f3a52-7d0c-4c53-9a5e-1d2f3c4b5a69.webp", "", false},
		{"picture-304", "/w/640/webp/pics/0b6f3a52-7d0c-4c53-9a5e-1d2f3c4b5a69.webp", "If-None-Match: {tag}\r\n", false},
	}
	w := newWorld(b, func(c *Config) {
		c.Resize = resizeFunc(func(shop.CompanyID, string, int, int) (Image, error) {
			return Image{Body: bytes.Repeat([]byte("RIFF"), 8<<10), ETag: `"cut"`}, nil
		})
	})
	w.prepareBench()
	edge := listening(b, w.edge.Serve)
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			lines := strings.ReplaceAll(c.lines, "{tag}", w.get(c.target).has("ETag"))
			split := strings.FieldsFunc(lines, func(r rune) bool { return r == '\r' || r == '\n' })
			sample := w.get(c.target, split...)
			raw := &fasthttp.Server{NoDefaultServerHeader: true, Handler: bareHandler(sample)}
			bare := listening(b, raw.Serve)
			var peer *nginx
			if c.peer {
				peer = startNginx(b, c.target, []byte(w.get(c.target).Body))
			}
			own := func() float64 { return processorTime(b) }
			var ours, ceiling, theirs []run
			for range b.N {
				for range benchRounds {
					ceiling = append(ceiling, drive(b, bare, c.target, lines, own))
					ours = append(ours, drive(b, edge, c.target, lines, own))
					if peer != nil {
						theirs = append(theirs, drive(b, peer.address, c.target, strings.ReplaceAll(c.lines, "{tag}", peer.tag),
							func() float64 { return peer.processorTime(b) }))
					}
				}
			}
			if err := raw.Shutdown(); err != nil {
				b.Error(err)
			}
			b.ReportMetric(median(ours, run.rate)/median(ceiling, run.rate), "x-bare-req/s")
			b.ReportMetric(median(ours, run.cpu)/median(ceiling, run.cpu), "x-bare-cpu")
			b.ReportMetric(median(ours, run.p99)/median(ceiling, run.p99), "x-bare-p99")
			if theirs != nil {
				b.ReportMetric(median(theirs, run.rate)/median(ceiling, run.rate), "nginx-x-bare-req/s")
				b.ReportMetric(median(theirs, run.cpu)/median(ceiling, run.cpu), "nginx-x-bare-cpu")
			}
			b.ReportMetric(median(ours, run.rate), "req/s")
			b.ReportMetric(median(ours, run.cpu), "cpu-us/req")
			b.ReportMetric(median(ceiling, run.cpu), "bare-cpu-us/req")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// prepareBench puts a page of 20 KB, a file of 2 KB and a rule into the shop.
func (w *world) prepareBench() {
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.texts[2] = strings.Repeat("We have sold shoes since 1912, price 1 290. ", 330)
		s.releases[render.Release{Document: 5, ID: 9}]["two.css"] = bytes.Repeat([]byte("p{margin:0;color:#123}\n"), 89)
	}, shop.Key{Kind: shop.KeyCategory, ID: 2})
	w.docs(90, map[string][]byte{
		"index.html": bytes.Repeat([]byte("<p>We have sold shoes since 1912, price 1 290.</p>\n"), 400), "two.css": bytes.Repeat([]byte("p{margin:0;color:#123}\n"), 89),
	})
	w.rules(rule("/old", "/about"))
}

// bareHandler writes a response of the edge from memory.
func bareHandler(sample reply) fasthttp.RequestHandler {
	type line struct{ name, value []byte }
	var lines []line
	for name, values := range sample.Header {
		switch name {
		case "Date", "Content-Length", "Content-Type", "Etag":
		default:
			lines = append(lines, line{[]byte(name), []byte(values[0])})
		}
	}
	body, tag, mime := []byte(sample.Body), []byte(sample.has("ETag")), []byte(sample.has("Content-Type"))
	full := sample.Status
	return func(ctx *fasthttp.RequestCtx) {
		for _, l := range lines {
			ctx.Response.Header.SetBytesKV(l.name, l.value)
		}
		ctx.Response.Header.SetBytesV("ETag", tag)
		if inm := ctx.Request.Header.Peek("If-None-Match"); len(inm) > 0 && bytes.Equal(inm, tag) {
			ctx.SetStatusCode(304)
			return
		}
		ctx.SetStatusCode(full)
		ctx.Response.Header.SetContentTypeBytes(mime)
		ctx.Response.SetBodyRaw(body)
	}
}

// listening serves on a free port until the server is shut down.
func listening(b *testing.B, serve func(net.Listener) error) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		if err := serve(l); err != nil {
			panic(err)
		}
	}()
	return l.Addr().String()
}

// run is one measurement.
type run struct {
	requests float64
	seconds  float64
	micros   float64 // processor time of the server's processes
	slowest  float64 // 99th percentile in microseconds; 0 if not measured
}

func (r run) rate() float64 { return r.requests / r.seconds }
func (r run) cpu() float64  { return r.micros / r.requests }
func (r run) p99() float64  { return r.slowest }

func median(runs []run, of func(run) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// drive loads an address with wrk, or, if it is not installed, with a client in this
// process, whose time then counts on both sides.
func drive(b *testing.B, address, target, lines string, processorTime func() float64) run {
	before := processorTime()
	var r run
	if path, err := exec.LookPath("wrk"); err == nil {
		r = wrk(b, path, address, target, lines, benchClients, benchTime)
	} else {
		r = load(b, address, request("GET", "shop.localhost", target, strings.FieldsFunc(lines, func(c rune) bool { return c == '\r' || c == '\n' })...))
	}
	r.micros = processorTime() - before
	return r
}

func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec)*1e6 + float64(u.Utime.Usec+u.Stime.Usec)
}

var wrkTotals = regexp.MustCompile(`(\d+) requests in ([0-9.]+)(m?s)`)

var wrkSlowest = regexp.MustCompile(`99%\s+([0-9.]+(?:us|ms|s))`)

func wrk(b *testing.B, path, address, target, lines string, clients int, length time.Duration) run {
	args := []string{
		"--latency", "-t1", "-c" + strconv.Itoa(clients), "-d" + strconv.Itoa(int(length/time.Second)) + "s", "-H",
		"Host: shop.localhost",
	}
	for _, line := range strings.FieldsFunc(lines, func(c rune) bool { return c == '\r' || c == '\n' }) {
		args = append(args, "-H", line)
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	out, err := exec.Command(path, append(args, address+target)...).CombinedOutput()
	if err != nil {
		b.Fatalf("wrk: %v\n%s", err, out)
	}
	m := wrkTotals.FindSubmatch(out)
	if m == nil || bytes.Contains(out, []byte("Socket errors")) {
		b.Fatalf("wrk answered\n%s", out)
	}
	requests, err1 := strconv.ParseFloat(string(m[1]), 64)
	seconds, err2 := strconv.ParseFloat(string(m[2]), 64)
	if err1 != nil || err2 != nil {
		b.Fatalf("wrk answered\n%s", out)
	}
	if string(m[3]) == "ms" {
		seconds /= 1000
	}
	r := run{requests: requests, seconds: seconds}
	if m := wrkSlowest.FindSubmatch(out); m != nil {
		if wait, err := time.ParseDuration(string(m[1])); err == nil {
			r.slowest = float64(wait.Microseconds())
		}
	}
	return r
}

// load sends one request repeatedly over a bounded number of connections.
func load(b *testing.B, address, request string) run {
	start := time.Now()
	counts := make([]float64, 8)
	var clients sync.WaitGroup
	for i := range counts {
		clients.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			r := bufio.NewReaderSize(conn, 64<<10)
			for time.Since(start) < benchTime {
				if err := once(conn, r, request); err != nil {
					b.Error(err)
					break
				}
				counts[i]++
			}
			closing(b, conn)
		})
	}
	clients.Wait()
	total := run{seconds: time.Since(start).Seconds()}
	for _, n := range counts {
		total.requests += n
	}
	return total
}

func once(conn net.Conn, r *bufio.Reader, request string) error {
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	length := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return fmt.Errorf("a length: %w", err)
			}
		}
	}
	_, err := r.Discard(length)
	return err
}
