package docs_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/docs"
	"vitrine/internal/latency"
)

const adminURL = "http://admin.test"

// harness is Docs with the endpoint table of the whole API, without a database, which these
// endpoints do not use.
type harness struct {
	t      testing.TB
	table  []api.Endpoint
	server *api.Server
}

func open(t testing.TB) harness {
	t.Helper()
	whole, err := admin.New(admin.Config{Log: slog.New(slog.DiscardHandler), Now: time.Now, URLs: api.URLs{Admin: adminURL}})
	if err != nil {
		t.Fatal(err)
	}
	return over(t, whole.Table())
}

// over returns Docs with another endpoint table.
func over(t testing.TB, table []api.Endpoint) harness {
	h := harness{t: t, server: &api.Server{Limiter: api.NewLimiter(time.Now, nil), Log: slog.New(slog.DiscardHandler), Latencies: latency.New("calls", "")}}
	h.table = slices.Clone(table)
	own := docs.New(func() []api.Endpoint { return h.table }, adminURL).Endpoints()
	h.table = slices.DeleteFunc(h.table, func(e api.Endpoint) bool {
		return slices.ContainsFunc(own, func(o api.Endpoint) bool { return o.Path == e.Path && o.Method == e.Method })
	})
	h.table = append(h.table, own...)
	return h
}

type answer struct {
	status int
	header func(string) string
	body   string
}

// call sends a request without a key. The part of path after "?" is the query.
func (h harness) call(method, path, accept, body string) answer {
	h.t.Helper()
	bare, _, _ := strings.Cut(path, "?")
	i := slices.IndexFunc(h.table, func(e api.Endpoint) bool { return e.Method == method && e.Path == bare })
	if i < 0 {
		h.t.Fatalf("no endpoint %s %s", method, bare)
	}
	var rc fasthttp.RequestCtx
	rc.Request.Header.SetMethod(method)
	rc.Request.SetRequestURI(path)
	rc.Request.Header.Set("Accept", accept)
	rc.Request.SetBodyString(body)
	h.server.Handler(&h.table[i])(&rc)
	return answer{
		rc.Response.StatusCode(), func(name string) string { return string(rc.Response.Header.Peek(name)) },
		string(rc.Response.Body()),
	}
}

func (h harness) get(path string) answer {
	h.t.Helper()
	a := h.call("GET", path, "*/*", "")
	if a.status != 200 {
		h.t.Fatalf("GET %s: %d %s", path, a.status, a.body)
	}
	return a
}

func (h harness) json(path string, into any) {
	h.t.Helper()
	a := h.get(path)
	if err := json.Unmarshal([]byte(a.body), into); err != nil || a.header("Content-Type") != "application/json; charset=utf-8" {
		h.t.Fatalf("GET %s: %v, %s", path, err, a.header("Content-Type"))
	}
}

type guideEntry struct{ Path, Title, Purpose, Status, Type string }

func (h harness) guides() []guideEntry {
	h.t.Helper()
	var index struct{ Guides []guideEntry }
	h.json("/docs/index.json", &index)
	return index.Guides
}
