package ucp_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/schematest"
)

type object = map[string]any

// platform is a program that calls shops, with a profile of its own.
type platform struct {
	*httptest.Server
	mu      sync.Mutex
	profile func(w http.ResponseWriter)
	reads   int // of the profile
}

func newPlatform(t testing.TB) *platform {
	t.Helper()
	p := &platform{profile: func(w http.ResponseWriter) { writeJSON(w, profileOf(all...)) }}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Server = &httptest.Server{Listener: ln, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reads++
		p.profile(w)
	})}}
	p.Start()
	t.Cleanup(p.Close)
	return p
}

func writeJSON(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Write(text) //nolint:errcheck // the client may be gone
}

// publish replaces the profile.
func (p *platform) publish(profile func(w http.ResponseWriter)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.profile = profile
}

func (p *platform) address() string { return p.URL + "/profile" }

// all are the capabilities of a platform that can do everything.
var all = []string{
	"dev.ucp.shopping.catalog.search", "dev.ucp.shopping.catalog.lookup", "dev.ucp.shopping.cart", "dev.ucp.shopping.checkout", "dev.ucp.shopping.order",
	"dev.ucp.shopping.discount", "dev.ucp.shopping.fulfillment", "dev.ucp.shopping.buyer_consent",
}

const release = "2026-04-08"

func profileOf(capabilities ...string) object {
	offers := object{}
	for _, name := range capabilities {
		offers[name] = []any{object{"version": release, "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/y"}}
	}
	return object{"ucp": object{"version": release, "services": object{}, "capabilities": offers, "payment_handlers": object{}}}
}

// store is a shop with an API and a platform that calls it.
type store struct {
	*apitest.API
	t        testing.TB
	platform *platform
	token    string // of the buyer for whom the platform calls
	document *schematest.Set
	tools    map[string]*schematest.Set
}

func newStore(t testing.TB, change ...func(*admin.Config)) *store {
	t.Helper()
	s := &store{API: apitest.New(t, change...), t: t, platform: newPlatform(t), tools: map[string]*schematest.Set{}}
	s.document = schematest.Own(t, s.get("/ucp/openapi.json").Body)
	listed := s.rpc("tools/list", object{})
	for _, tool := range listed["tools"].([]any) {
		text, err := json.Marshal(tool.(object)["outputSchema"])
		if err != nil {
			t.Fatal(err)
		}
		s.tools[tool.(object)["name"].(string)] = schematest.Own(t, text)
	}
	return s
}

// get reads an address of the shop's host, without a profile.
func (s *store) get(path string) apitest.Answer {
	s.t.Helper()
	return s.Send(apitest.Request{Method: "GET", Path: path, Header: s.ThroughStorefront()})
}

// rpc makes a call of JSON-RPC and returns its result.
func (s *store) rpc(method string, params object) object {
	s.t.Helper()
	out := s.rpcAnswer(method, params)
	result, ok := out.JSON["result"].(object)
	if !ok {
		s.t.Fatalf("%s: %d %s", method, out.Status, out.Body)
	}
	return result
}

func (s *store) rpcAnswer(method string, params object) apitest.Answer {
	s.t.Helper()
	header := s.ThroughStorefront()
	header["Content-Type"], header["Accept"] = "application/json", "application/json, text/event-stream"
	if s.token != "" {
		header["Authorization"] = "Bearer " + s.token
	}
	return s.Send(apitest.Request{Method: "POST", Path: "/ucp/mcp", Header: header, Body: object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}})
}

// op is an operation with its names in REST and MCP, and the official schema of its answer.
type op struct{ method, path, tool, payload, schema string }

var (
	search  = op{"POST", "/catalog/search", "search_catalog", "catalog", "ucp/schemas/shopping/catalog_search.json#/$defs/search_response"}
	lookup  = op{"POST", "/catalog/lookup", "lookup_catalog", "catalog", "ucp/schemas/shopping/catalog_lookup.json#/$defs/lookup_response"}
	product = op{"POST", "/catalog/product", "get_product", "catalog", "ucp/schemas/shopping/catalog_lookup.json#/$defs/get_product_response"}
)

const errorSchema = "ucp/schemas/shopping/types/error_response.json"

// rest makes a call by REST and checks the answer against the program's own document and the official schemas.
func (s *store) rest(o op, id string, body any, header ...string) apitest.Answer {
	s.t.Helper()
	fields := s.ThroughStorefront()
	fields["UCP-Agent"], fields["Content-Type"] = fmt.Sprintf("profile=%q", s.platform.address()), "application/json"
	if s.token != "" {
		fields["Authorization"] = "Bearer " + s.token
	}
	for i := 0; i+1 < len(header); i += 2 {
		fields[header[i]] = header[i+1]
	}
	out := s.Send(apitest.Request{Method: o.method, Path: "/ucp" + strings.Replace(o.path, "{id}", id, 1), Header: fields, Body: body})
	status := "default"
	if out.Status < 300 {
		status = fmt.Sprint(out.Status)
		if out.Status == 200 && strings.Contains(string(out.Body), `"status":"error"`) {
			status = s.success(o)
		}
	}
	path := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(o.path)
	s.document.Fits(s.t, "#/paths/"+path+"/"+strings.ToLower(o.method)+"/responses/"+status+"/content/application~1json/schema", out.Body)
	if out.Status < 300 || strings.Contains(string(out.Body), `"status":"error"`) {
		s.officially(o, out.Body)
	}
	return out
}

// success is the status of a successful call, whose schema also has what the shop cannot do.
func (s *store) success(o op) string {
	if o.method == "POST" && (o.path == "/carts" || o.path == "/checkout-sessions") {
		return "201"
	}
	return "200"
}

// officially checks an answer against the official schemas, where those are known.
func (s *store) officially(o op, text []byte) {
	s.t.Helper()
	at := o.schema
	if strings.Contains(string(text), `"status":"error"`) {
		at = errorSchema
	}
	schematest.Official(s.t).Fits(s.t, at, text)
}

// call makes a call of a tool and returns its status and the structured result, or the error.
func (s *store) call(o op, id string, body any) (status int, answer object) {
	s.t.Helper()
	arguments := object{"meta": object{"ucp-agent": object{"profile": s.platform.address()}}}
	if strings.Contains(o.path, "{id}") {
		arguments["id"] = id
	}
	if body != nil {
		arguments[o.payload] = body
	}
	return s.tool(o, arguments)
}

func (s *store) tool(o op, arguments object) (status int, answer object) {
	s.t.Helper()
	out := s.rpcAnswer("tools/call", object{"name": o.tool, "arguments": arguments})
	if failed, ok := out.JSON["error"].(object); ok {
		return out.Status, failed
	}
	result := out.JSON["result"].(object)
	answer = result["structuredContent"].(object)
	text, err := json.Marshal(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	if same := result["content"].([]any)[0].(object)["text"].(string); !sameJSON(text, []byte(same)) {
		s.t.Errorf("the text is not the structured result: %s", same)
	}
	s.tools[o.tool].Fits(s.t, "", text)
	s.officially(o, text)
	return out.Status, answer
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// both makes a call by REST and by MCP, whose answers must be equal, and returns the answer.
func (s *store) both(o op, body any) object {
	s.t.Helper()
	out := s.rest(o, "", body)
	_, answer := s.call(o, "", body)
	if fmt.Sprint(out.JSON) != fmt.Sprint(answer) {
		s.t.Errorf("by REST %s\nby MCP %v", out.Body, answer)
	}
	return out.JSON
}

// sell adds a published product and returns its id.
func (s *store) sell(fields object) string {
	s.t.Helper()
	price := object{"price": 10}
	item := object{"name": "Tea", "price": price, "is_published": true}
	for name, value := range fields {
		if name == "price" || name == "old_price" {
			price[name] = value
			continue
		}
		item[name] = value
	}
	return fmt.Sprint(s.Result("POST", "/products", s.Owner, object{"item": item})["id"])
}
