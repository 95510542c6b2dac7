package ucp

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/admin/api"
	"vitrine/admin/mcp/wire"
	"vitrine/admin/openapi"
)

const mcpPath = "/mcp"

// mcpServer serves the operations as tools.
type mcpServer struct {
	ucp  *UCP
	wire *wire.Handler
}

func newMCPServer(u *UCP) *mcpServer { return &mcpServer{u, wire.New(maxBody)} }

// agentArgument is the header of a call as an argument of a tool.
type agentArgument struct {
	Agent struct {
		Profile string `json:"profile" len:"2000" required:"always" doc:"the address of the platform's profile"`
	} `json:"ucp-agent" required:"always"`
}

// tools are the descriptions of the tools, by their names, which are the same for all shops.
var tools = sync.OnceValues(func() (map[string]*sdk.Tool, error) {
	list := map[string]*sdk.Tool{}
	for _, op := range operations {
		fields := []openapi.Field{{Name: "meta", Type: reflect.TypeFor[agentArgument](), Required: true}}
		if op.Payload != "" {
			fields = append(fields, openapi.Field{Name: op.Payload, Type: op.in, Required: true})
		}
		in, err := openapi.Schema(fields)
		if err != nil {
			return nil, err
		}
		out, err := openapi.Either(op.out, reflect.TypeFor[outcome]())
		if err != nil {
			return nil, err
		}
		list[op.Tool] = &sdk.Tool{Name: op.Tool, Description: op.Summary, InputSchema: in, OutputSchema: out}
	}
	return list, nil
})

// answer answers one JSON-RPC message. Pages of browsers have no part in this protocol.
func (m *mcpServer) answer(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := m.checkOrigin(c); err != nil {
		return api.Response{}, err
	}
	body, err := c.ReadBody(maxBody)
	if err != nil {
		return m.ucp.refused(c, err)
	}
	msg, err := wire.Read(body)
	if err != nil {
		return m.ucp.refused(c, err)
	}
	if msg.Method != "tools/call" { // the operations count themselves
		if err := c.CountForNetworkAs(api.Read); err != nil {
			return api.Response{}, err
		}
	}
	known, err := tools()
	if err != nil {
		return api.Response{}, err
	}
	failed := &fault{status: 200}
	server := sdk.NewServer(&sdk.Implementation{Name: "vitrine", Title: "Shop", Version: Version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, PageSize: 100,
	})
	for i := range operations {
		if op := &operations[i]; msg.Method != "tools/call" || op.Tool == msg.Params.Name {
			server.AddTool(known[op.Tool], m.run(c, op, &failed))
		}
	}
	out, err := m.wire.Answer(ctx, c, "http://shop"+root+mcpPath, server, body)
	if err == nil && out.Status == 200 {
		out.Status = failed.status
		if failed.RetryAfter > 0 {
			out.Header = map[string]string{"Retry-After": strconv.Itoa(failed.RetryAfter)}
		}
	}
	return out, err
}

// checkOrigin refuses pages of other sites (MCP, Streamable HTTP, "Security Warning").
func (m *mcpServer) checkOrigin(c *api.Call) error {
	sent := c.Header("Origin")
	if sent == "" {
		return nil
	}
	if u, err := url.Parse(sent); err == nil && u.Host == c.Header("Host") {
		return nil
	}
	return api.ErrCrossOrigin.With("pages of other sites may not call this address")
}

// run returns the handler of a tool for one call. A fault becomes an error of JSON-RPC, with the
// status of REST; an outcome is a result.
func (m *mcpServer) run(c *api.Call, op *operation, failed **fault) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var answer any
		by, payload, err := op.arguments(r.Params.Arguments)
		if err == nil {
			answer, err = m.ucp.perform(ctx, c, op, by, payload)
		}
		var o *outcome
		if errors.As(err, &o) {
			answer = o
		} else if err != nil {
			f, unknown := faultOf(err)
			if unknown {
				c.LogPartialFailure(err)
			}
			*failed = f
			data, err := encode(f)
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{Code: int64(f.rpc), Message: f.Code, Data: data}
		}
		text, err := encode(answer)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
	}
}

// arguments takes the arguments of a tool apart: who calls, and the body.
func (op *operation) arguments(sent json.RawMessage) (by identified, payload []byte, err error) {
	fields := map[string]json.RawMessage{}
	if len(sent) > 0 {
		if err := json.Unmarshal(sent, &fields); err != nil {
			return by, nil, errRequest.with("the arguments are not an object")
		}
	}
	var meta struct {
		Agent struct {
			Profile *string `json:"profile"`
		} `json:"ucp-agent"`
	}
	if fields["meta"] != nil {
		if err := json.Unmarshal(fields["meta"], &meta); err != nil {
			return by, nil, errRequest.with("meta has no ucp-agent with a profile")
		}
	}
	if meta.Agent.Profile == nil {
		by.err = errProfileURL.with(`meta["ucp-agent"].profile is missing`)
	} else {
		by = identified{profile: *meta.Agent.Profile, err: checkProfileURL(*meta.Agent.Profile)}
	}
	if op.Payload != "" && fields[op.Payload] == nil {
		return by, nil, errRequest.with("the argument " + op.Payload + " is missing")
	}
	for name := range fields {
		if name != "meta" && name != op.Payload {
			return by, nil, errRequest.with("there is no argument " + name)
		}
	}
	return by, fields[op.Payload], nil
}
