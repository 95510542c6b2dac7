package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/internal/await"
)

// An agent makes a page of an empty shop with the four tools alone, finding each call by words. The
// same agent with a key that only reads is refused each write, and can read why.
func TestAnAgentPublishesAPage(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.shop("tea")
	issued := p.verb("key", "issue", "--shop", "tea", "--for-agent", "--scopes", "catalog:read,catalog:write,publish:write")
	if issued["contour"] != "dev" {
		t.Errorf("the key of an agent: %v", issued)
	}
	p.start()
	g := p.agent(issued)
	passport := g.read("/v1/account/token")
	if passport["writes_to_live"] != false {
		t.Errorf("the agent writes to the live shop: %v", passport)
	}
	section := g.write("create a section", "POST /categories", map[string]any{"item": map[string]any{"name": "Green tea", "type": "product", "is_published": true}})
	product := g.write("create product", "POST /products", map[string]any{"item": map[string]any{
		"name": "Sencha", "price": map[string]any{"price": 1290}, "category_id": section["id"], "is_published": true}})
	sections := []any{map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "cards", "props": map[string]any{}},
		"items": []any{map[string]any{"title": "Picked in May", "url": "/green-tea"}}}}
	checked := g.must("write", map[string]any{"method": "POST", "path": "/docs/validate", "body": map[string]any{"sections": sections}})
	if checked["done"] == nil || checked["body"].(map[string]any)["unknown"] != 0.0 {
		t.Errorf("the sections: %v", checked)
	}
	block := g.write("create a content block", "POST /content-blocks", map[string]any{"item": map[string]any{"name": "Harvest", "sections": sections}})
	page := g.write("create a page", "POST /categories", map[string]any{"item": map[string]any{"name": "Harvest", "type": "page", "is_published": true}})
	g.must("write", map[string]any{"method": "PUT", "path": "/categories/" + itoa(page["id"]) + "/content-blocks",
		"body": map[string]any{"items": []any{map[string]any{"block_id": block["id"], "sort_order": 1}}}})
	if status, _, body := p.visit("tea", "/green-tea"); status == 200 {
		t.Errorf("the draft is visible before it is published: %.200s", body)
	}
	done := g.must("write", map[string]any{"method": "POST", "path": "/drafts/publish", "body": map[string]any{"all": true}})
	if !strings.Contains(fmt.Sprint(done["done"]), "live") {
		t.Errorf("publishing says %v", done["done"])
	}
	status, _, body := p.visit("tea", "/green-tea")
	if status != 200 || !strings.Contains(body, "Sencha") {
		t.Errorf("the published section: %d %.300s", status, body)
	}
	if status, _, body := p.visit("tea", "/harvest"); status != 200 || !strings.Contains(body, "Picked in May") {
		t.Errorf("the published page: %d %.300s", status, body)
	}

	reader := p.agent(p.verb("key", "issue", "--shop", "tea", "--for-agent", "--scopes", "catalog:read"))
	if seen := reader.read("/products/" + itoa(product["id"])); seen["name"] != "Sencha" {
		t.Errorf("the reader sees %v", seen)
	}
	for _, write := range []map[string]any{
		{"method": "POST", "path": "/categories", "body": map[string]any{"item": map[string]any{"name": "Black tea", "type": "product"}}},
		{"method": "PUT", "path": "/products/" + itoa(product["id"]), "body": map[string]any{"item": map[string]any{"name": "Other"}}},
		{"method": "DELETE", "path": "/products/" + itoa(product["id"])},
		{"method": "POST", "path": "/drafts/publish", "body": map[string]any{"all": true}},
	} {
		result, refused := reader.call("write", write)
		if !refused || !strings.Contains(fmt.Sprint(result["body"]), "PAT_SCOPE_MISSING") {
			t.Errorf("%v by a key that reads: %v", write, result)
		}
	}
}

// agent is a client with the settings that key issue --for-agent printed.
type agent struct {
	t       testing.TB
	session *mcp.ClientSession
}

func (p *program) agent(issued map[string]any) *agent {
	p.t.Helper()
	server := issued["connect"].(map[string]any)["mcpServers"].(map[string]any)["vitrine-tea"].(map[string]any)
	client := &http.Client{Transport: authorized(server["headers"].(map[string]any)["Authorization"].(string)), Timeout: await.Limit}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(await.Context(p.t), &mcp.StreamableClientTransport{
		Endpoint: server["url"].(string), HTTPClient: client, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		session.Close() //nolint:errcheck // the server may have stopped
		client.CloseIdleConnections()
	})
	return &agent{p.t, session}
}

type authorized string

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

func (g *agent) call(tool string, arguments map[string]any) (result map[string]any, refused bool) {
	g.t.Helper()
	out, err := g.session.CallTool(await.Context(g.t), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		g.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if err := json.Unmarshal([]byte(out.Content[0].(*mcp.TextContent).Text), &result); err != nil {
		g.t.Fatal(err)
	}
	return result, out.IsError
}

func (g *agent) must(tool string, arguments map[string]any) map[string]any {
	g.t.Helper()
	result, refused := g.call(tool, arguments)
	if refused {
		g.t.Fatalf("%s %v: %v", tool, arguments, result)
	}
	return result
}

// read returns the object at a path.
func (g *agent) read(path string) map[string]any {
	g.t.Helper()
	return g.must("read", map[string]any{"path": path})["body"].(map[string]any)["result"].(map[string]any)
}

// write finds a call by words, describes it, makes it and returns its object.
func (g *agent) write(words, want string, body map[string]any) map[string]any {
	g.t.Helper()
	for _, found := range g.must("find_calls", map[string]any{"query": words})["calls"].([]any)[:5] {
		call := found.(map[string]any)
		if fmt.Sprint(call["method"], " ", call["path"]) != want {
			continue
		}
		described := g.must("describe_call", map[string]any{"method": call["method"], "path": call["path"]})
		if described["body"] == nil {
			g.t.Errorf("%s has no body: %v", want, described)
		}
		result := g.must("write", map[string]any{"method": call["method"], "path": call["path"], "body": body})
		if !strings.Contains(fmt.Sprint(result["done"]), "draft") {
			g.t.Errorf("%s says %v", want, result["done"])
		}
		return result["body"].(map[string]any)["result"].(map[string]any)
	}
	g.t.Fatalf("%q does not find %s", words, want)
	return nil
}
