package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OpenTelemetry collector.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*otlp.Span
	refused []string
	fields  http.Header // of the last message
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data otlp.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil || r.URL.Path != "/otlp/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			c.refused = append(c.refused, fmt.Sprint(r.Method, r.URL, err))
		}
		c.fields = r.Header
		for _, resource := range data.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// trace returns the spans of the first trace whose root has a name and attribute, by indented lines of
// their names; nil while there is none.
func (c *collector) trace(root, attribute string) (list []*otlp.Span, tree string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name != root || !strings.Contains(fmt.Sprint(s.Attributes), attribute) {
			continue
		}
		var draw func(parent *otlp.Span, indent string)
		draw = func(parent *otlp.Span, indent string) {
			list = append(list, parent)
			tree += indent + parent.Name + "\n"
			for _, part := range c.spans {
				if string(part.TraceId) == string(s.TraceId) && string(part.ParentSpanId) == string(parent.SpanId) {
					draw(part, indent+"  ")
				}
			}
		}
		draw(s, "")
		return list, tree
	}
	return nil, ""
}

// await waits until a trace has come and contains each of the lines.
func (c *collector) await(t *testing.T, root, attribute string, lines ...string) []*otlp.Span {
	t.Helper()
	var list []*otlp.Span
	tree := ""
	t.Cleanup(func() { t.Logf("\n%s", tree) })
	wait(t, root, func() bool {
		list, tree = c.trace(root, attribute)
		for _, line := range lines {
			if !strings.Contains(tree, line+"\n") {
				return false
			}
		}
		return list != nil
	})
	return list
}

// An operator sees where the time of a page, an order and a delivery went, by the names of their
// statements, and nothing that a visitor sent.
func TestTracesOfAPageAnOrderAndADelivery(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	var told http.Header
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		told = r.Header
	}))
	t.Cleanup(receiver.Close)
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TRACES_URL="+c.URL+"/otlp/", "VITRINE_TRACES_HEADERS=X-Team=tea, Authorization=Bearer kanariSecret",
		"VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_TRUSTED_PROXIES=127.0.0.2")
	key := p.shop("tea")
	r := p.start()
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sencha", "price": map[string]any{"price": 14}, "is_published": true}})["id"])
	owner := p.signIn("tea@example.test")
	p.must(owner, "POST", "/webhooks", map[string]any{"url": receiver.URL + "/kanariPath?kanariQuery=1", "events": []string{"order.created"}})

	const front = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	visit := func(path, session string) {
		request, err := http.NewRequest("GET", "http://"+p.edge+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "tea.localhost"
		request.Header.Set("Cookie", "vitrine-session="+session)
		request.Header.Set("Traceparent", front) // of a stranger: 127.0.0.1 is not trusted
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	visit("/product/"+product+"?kanariQuery=1", "")
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	buyer := p.must("", "POST", "/v1/auth/register", map[string]any{"email": "kanariann@people.test", "password": "a long password"})["token"].(string)
	p.must(buyer, "POST", "/cart/items/"+product+"/default", map[string]any{"quantity": 1})
	visit("/cart?kanariQuery=1", buyer)
	p.must(buyer, "POST", "/cart/confirm", map[string]any{"company_id": company, "contact": map[string]any{"name": "kanariName", "phone": "1"}})

	c.await(t, "page", "", "  load shop", "    select company", "  draw page", "    select product_group, select product, select variant_set")
	c.await(t, "zone cart", "", "  get_inside_cart", "    select cart")
	c.await(t, "post_cart_confirm", "", "  begin", "  commit")
	order, _ := c.trace("post_cart_confirm", "")
	names := ""
	for _, s := range order {
		names += s.Name + "\n"
	}
	if !strings.Contains(names, "shop_order") {
		t.Errorf("no statement about the order:\n%s", names)
	}
	c.await(t, "worker webhooks", "", "  outbound POST")

	r.stop() // sends what waits
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refused) > 0 || c.fields.Get("Authorization") != "Bearer kanariSecret" || c.fields.Get("X-Team") != "tea" {
		t.Errorf("%v %v", c.refused, c.fields)
	}
	if told == nil || told.Get("Traceparent") != "" {
		t.Errorf("the receiver was told of a trace: %v", told)
	}
	for _, s := range c.spans {
		if text := s.String(); strings.Contains(strings.ToLower(text), "kanari") || strings.Contains(text, "people.test") {
			t.Errorf("a value is in a span: %s", text)
		}
		if s.TraceId[0] == 0x0a && s.TraceId[1] == 0xf7 && s.TraceId[15] == 0x9c {
			t.Error("the trace of a stranger is continued")
		}
	}
}

// A front that is trusted continues its trace; a collector that is down is logged once and costs
// nothing else.
func TestATrustedFrontContinuesItsTraceAndADeadCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TRACES_URL="+c.URL+"/otlp", "VITRINE_TRACES_SHARE=0.000001", "VITRINE_TRUSTED_PROXIES=127.0.0.1")
	p.shop("tea")
	r := p.start()
	visits := 0
	load := func() {
		visits++
		request, err := http.NewRequest("GET", "http://"+p.edge+"/?q="+itoa(visits), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "tea.localhost"
		request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != 200 {
			t.Error(response.Status)
		}
	}
	load()
	for _, s := range c.await(t, "page", "") {
		if fmt.Sprintf("%x", s.TraceId) != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%x", s.TraceId)
		}
	}
	c.Close()
	wait(t, "two batches are refused", func() bool {
		load()
		_, metrics := p.askOps("/metrics")
		return strings.Count(r.stderr.String(), "takes no traces") == 1 && strings.Contains(metrics, `vitrine_trace_spans_total{outcome="failed"}`) &&
			!strings.Contains(metrics, `vitrine_trace_spans_total{outcome="failed"} 0`)
	})
}

func TestSettingsOfTracesAreRefused(t *testing.T) {
	for _, setting := range []string{
		"VITRINE_TRACES_URL=127.0.0.1:4318", "VITRINE_TRACES_URL=http://user:kanari@127.0.0.1", "VITRINE_TRACES_URL=ftp://a", "VITRINE_TRACES_SHARE=0",
		"VITRINE_TRACES_SHARE=1.5", "VITRINE_TRACES_SHARE=NaN", "VITRINE_TRACES_HEADERS=kanari",
	} {
		name, value, _ := strings.Cut(setting, "=")
		s := Settings{TracesURL: "http://127.0.0.1:4318", TracesShare: 1}
		switch name {
		case "VITRINE_TRACES_URL":
			s.TracesURL = value
		case "VITRINE_TRACES_HEADERS":
			s.TracesHeaders = value
		default:
			if _, err := fmt.Sscan(value, &s.TracesShare); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.collector(); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "kanari") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}
