package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"

	"vitrine/internal/await"
)

// Several processes of an edge beside one process, nginx with open_file_cache and two workers, and
// fasthttp that writes the same bytes from memory; all are real processes on this machine, in
// interleaved rounds. The values of each are medians: requests per second, the 99th percentile of
// the latency, processor time per request and resident memory.
func BenchmarkProcesses(b *testing.B) {
	list := sharing(b, 4)
	key := list[0].shop("tea")
	list[0].startRole("admin")
	section := itoa(list[0].must(key, "POST", "/categories", map[string]any{"item": map[string]any{"type": "product", "name": "Teas", "is_published": true}})["id"])
	for i := range 12 {
		list[0].must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": fmt.Sprintf("Tea %d", i), "category_id": section, "is_published": true, "description": strings.Repeat("<p>A tea of the spring harvest.</p>", 20)}})
	}
	peers := []*peer{}
	for n, p := range list[1:3] {
		p.env = append(p.env, "VITRINE_EDGE_PROCESSES="+strconv.Itoa(n+1))
		r := p.startRole("edge")
		peers = append(peers, &peer{name: fmt.Sprintf("vitrine-%d", n+1), address: p.edge, pid: r.cmd.Process.Pid})
	}
	_, header, body := list[1].visit("tea", "/teas")
	peers = append(peers, nginxPeer(b, body), barePeer(b, 1, header, body), barePeer(b, 2, header, body))
	for _, p := range peers {
		p.tag = p.answer(b, "").Get("ETag")
		p.answer(b, p.tag)
	}
	for _, c := range []struct{ name, line string }{{"page", ""}, {"304", "If-None-Match: "}} {
		b.Run(c.name, func(b *testing.B) {
			runs := map[*peer][]measured{}
			for range b.N {
				for range 5 {
					for _, p := range peers {
						line := ""
						if c.line != "" {
							line = c.line + p.tag
						}
						runs[p] = append(runs[p], p.load(b, line))
					}
				}
			}
			for _, p := range peers {
				b.ReportMetric(middle(runs[p], func(m measured) float64 { return m.rate }), p.name+"-req/s")
				b.ReportMetric(middle(runs[p], func(m measured) float64 { return m.p99 }), p.name+"-p99-us")
				b.ReportMetric(middle(runs[p], func(m measured) float64 { return m.cpu }), p.name+"-cpu-us/req")
				b.ReportMetric(float64(p.memory(b))/(1<<20), p.name+"-MB")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// peer is a server under load: a process and its children.
type peer struct {
	name, address, tag string
	pid                int
}

type measured struct{ rate, p99, cpu float64 }

func middle(runs []measured, of func(measured) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// family lists the process and its children.
func (p *peer) family(b *testing.B) []string {
	b.Helper()
	list := []string{strconv.Itoa(p.pid)}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // the thread may have ended
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// processorTime is in microseconds.
func (p *peer) processorTime(b *testing.B) (micros float64) {
	for _, pid := range p.family(b) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			b.Fatal(err)
		}
		fields := strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])
		for _, at := range []int{11, 12} { // utime and stime, in hundredths of a second
			ticks, err := strconv.ParseFloat(fields[at], 64)
			if err != nil {
				b.Fatal(err)
			}
			micros += ticks * 10_000
		}
	}
	return micros
}

// memory is the resident memory in bytes that the processes do not share.
func (p *peer) memory(b *testing.B) (bytes int64) {
	for _, pid := range p.family(b) {
		text, err := os.ReadFile("/proc/" + pid + "/smaps_rollup")
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`Private_(?:Clean|Dirty): +(\d+) kB`).FindAllSubmatch(text, -1) {
			kilobytes, err := strconv.ParseInt(string(m[1]), 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			bytes += kilobytes << 10
		}
	}
	return bytes
}

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkRate     = regexp.MustCompile(`Requests/sec: +([0-9.]+)`)
	wrkSlowest  = regexp.MustCompile(`99% +([0-9.]+(?:us|ms|s))`)
)

// answer returns the header fields of the page in the coding that the load asks for: none. It fails
// unless a tag leads to a 304.
func (p *peer) answer(b *testing.B, tag string) http.Header {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), "GET", "http://"+p.address+"/teas", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Host, request.Header = "tea.localhost", http.Header{"Accept-Encoding": {"identity"}}
	want := http.StatusOK
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
		want = http.StatusNotModified
	}
	response, err := direct.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != want {
		b.Fatalf("%s: %d, want %d", p.name, response.StatusCode, want)
	}
	return response.Header
}

// load loads the address for two seconds over 64 connections.
func (p *peer) load(b *testing.B, line string) (m measured) {
	b.Helper()
	args := []string{"--latency", "-t1", "-c64", "-d2s", "-H", "Host: tea.localhost"}
	if line != "" {
		args = append(args, "-H", line)
	}
	before := p.processorTime(b)
	out, err := exec.Command("wrk", append(args, "http://"+p.address+"/teas")...).CombinedOutput()
	spent := p.processorTime(b) - before
	requests, rate, slowest := wrkRequests.FindSubmatch(out), wrkRate.FindSubmatch(out), wrkSlowest.FindSubmatch(out)
	if err != nil || requests == nil || rate == nil || slowest == nil || strings.Contains(string(out), "Socket errors") || strings.Contains(string(out), "Non-2xx") {
		b.Fatalf("%s: %v\n%s", p.name, err, out)
	}
	done, err := strconv.ParseFloat(string(requests[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	if m.rate, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
		b.Fatal(err)
	}
	wait, err := time.ParseDuration(string(slowest[1]))
	if err != nil {
		b.Fatal(err)
	}
	m.p99, m.cpu = float64(wait.Microseconds()), spent/done
	return m
}

// nginxPeer serves the bytes of a page as a file.
func nginxPeer(b *testing.B, body string) *peer {
	dir := b.TempDir()
	p := &peer{name: "nginx", address: freeAddress(b)}
	conf := fmt.Sprintf(`daemon off; worker_processes 2; pid %[1]s/pid; error_log stderr error; user root;
		events { worker_connections 1024; }
		http { access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on; default_type text/html;
			open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
			client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
			server { listen %[2]s; root %[1]s/www; } }`, dir, p.address)
	for name, text := range map[string]string{"nginx.conf": conf, "www/teas": body} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	p.begin(b, exec.Command("/usr/sbin/nginx", "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf")))
	return p
}

// barePeer writes the page from memory, in one process or several.
func barePeer(b *testing.B, processes int, header http.Header, body string) *peer {
	file := filepath.Join(b.TempDir(), "page")
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		b.Fatal(err)
	}
	p := &peer{name: fmt.Sprintf("fasthttp-%d", processes), address: freeAddress(b)}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareServer+"="+strings.Join([]string{p.address, strconv.Itoa(processes), file, header.Get("ETag")}, " "))
	p.begin(b, cmd)
	return p
}

// begin starts a peer, which ends with the benchmark, and waits until it answers.
func (p *peer) begin(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	out := &transcript{}
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	b.Cleanup(func() {
		for _, pid := range slices.Backward(p.family(b)) {
			id, err := strconv.Atoi(pid)
			if err != nil {
				b.Fatal(err)
			}
			if process, err := os.FindProcess(id); err == nil {
				_ = process.Kill() // it may have ended
			}
		}
		_ = cmd.Wait() // it was killed
	})
	wait(b, p.name, func() bool {
		response, err := http.Get("http://" + p.address + "/teas")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == 200
	})
}

// bareServer makes the test binary a server with no more than fasthttp: address, processes, file and
// entity tag.
const bareServer = "VITRINE_TEST_BARE_SERVER"

func serveBare(settings string) error {
	fields := strings.Fields(settings)
	body, err := os.ReadFile(fields[2])
	if err != nil {
		return err
	}
	if fields[1] != "1" { // this process is the parent of two with one thread each
		var group sync.WaitGroup
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1", bareServer+"="+strings.Join([]string{fields[0], "1", fields[2], fields[3], "shared"}, " "))
			if err := cmd.Start(); err != nil {
				return err
			}
			group.Go(func() { _ = cmd.Wait() })
		}
		group.Wait()
		return nil
	}
	l, err := open("bare", fields[0], len(fields) > 4)
	if err != nil {
		return err
	}
	tag := []byte(fields[3])
	server := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(rc *fasthttp.RequestCtx) {
		rc.Response.Header.SetBytesV("ETag", tag)
		if string(rc.Request.Header.Peek("If-None-Match")) == string(tag) {
			rc.SetStatusCode(fasthttp.StatusNotModified)
			return
		}
		rc.SetContentType("text/html; charset=utf-8")
		rc.Response.SetBodyRaw(body)
	}}
	return server.Serve(l)
}

// The memory of an edge that has shown a page of each of 10,000 shops, and what it holds of them.
func BenchmarkTenThousandShops(b *testing.B) {
	const shops = 10_000
	p := newProgram(b)
	p.shop("first")
	url := ""
	for _, line := range p.env {
		if value, ok := strings.CutPrefix(line, "VITRINE_DATABASE_URL="); ok {
			url = strings.TrimSuffix(value, fewConnections)
		}
	}
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	for _, sql := range []string{
		fmt.Sprintf(`INSERT INTO company (slug, name, currency) SELECT 's' || n, 'Shop ' || n, 'EUR' FROM generate_series(1, %d) n`, shops),
		`INSERT INTO category (company_id, name, slug, type, is_published, is_show_menu) SELECT c.id, 'Section ' || n, 'section-' || n, 'product', true, true FROM company c, generate_series(1, 3) n`,
		`INSERT INTO product (company_id, category_id, name, slug, price, is_published) SELECT c.company_id, c.id, 'Product ' || n, 'product-' || n, 1000, true FROM category c, generate_series(1, 4) n WHERE c.slug = 'section-1'`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	if err := conn.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	p.env = append(p.env, "GOGC=100") // whatever the benchmark itself has
	r := p.startRole("edge")
	edge := &peer{pid: r.cmd.Process.Pid}
	before := edge.memory(b)
	begin := time.Now()
	var next sync.WaitGroup
	numbers := make(chan int)
	client := &http.Client{Timeout: await.Limit}
	for range 8 {
		next.Go(func() {
			for n := range numbers {
				if err := p.loads(client, "s"+strconv.Itoa(n), "/section-1"); err != nil {
					b.Error(n, err)
				}
			}
		})
	}
	for n := 1; n <= shops; n++ {
		numbers <- n
	}
	close(numbers)
	next.Wait()
	b.ReportMetric(time.Since(begin).Seconds(), "s")
	b.ReportMetric(float64(before)/(1<<20), "MB-at-first")
	b.ReportMetric(float64(edge.memory(b))/(1<<20), "MB")
	_, text := p.asked("/metrics")
	for unit, name := range map[string]string{"shops": "vitrine_edge_shops", "MB-of-shops": `vitrine_cache_bytes{cache="shops"}`, "MB-of-pages": `vitrine_cache_bytes{cache="pages"}`, "MB-heap": "go_memstats_heap_alloc_bytes"} {
		for line := range strings.SplitSeq(text, "\n") {
			if value, ok := strings.CutPrefix(line, name+" "); ok {
				number, err := strconv.ParseFloat(value, 64)
				if err != nil {
					b.Fatal(err)
				}
				if strings.HasPrefix(unit, "MB") {
					number /= 1 << 20
				}
				b.ReportMetric(number, unit)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}
