package ucp

import (
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
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

// keyArgument may name a key, keyedArgument must.
type (
	keyArgument struct {
		agentArgument
		Key string `json:"idempotency-key" doc:"of your choice: the same key is carried out once"`
	}
	keyedArgument struct {
		agentArgument
		Key string `json:"idempotency-key" required:"always" doc:"of your choice: the same key is carried out once"`
	}
)

func (op *operation) metaType() reflect.Type {
	switch {
	case op.Keyed:
		return reflect.TypeFor[keyedArgument]()
	case op.Class == api.Write:
		return reflect.TypeFor[keyArgument]()
	}
	return reflect.TypeFor[agentArgument]()
}

// tools are the descriptions of the tools, by their names, which are the same for all shops.
var tools = sync.OnceValues(func() (map[string]*sdk.Tool, error) {
	list := map[string]*sdk.Tool{}
	for _, op := range operations {
		fields := []openapi.Field{{Name: "meta", Type: op.metaType(), Required: true}}
		if op.named() {
			fields = append(fields, openapi.Field{Name: "id", Type: reflect.TypeFor[string](), Required: true})
		}
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
		if err := (&request{ucp: m.ucp, call: c}).open(ctx); err != nil {
			return m.ucp.refused(c, err)
		}
	}
	known, err := tools()
	if err != nil {
		return api.Response{}, err
	}
	as := reply{status: 200}
	server := sdk.NewServer(&sdk.Implementation{Name: "vitrine", Title: "Shop", Version: Version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, PageSize: 100,
	})
	for i := range operations {
		if op := &operations[i]; msg.Method != "tools/call" || op.Tool == msg.Params.Name {
			server.AddTool(known[op.Tool], m.run(c, op, body, &as))
		}
	}
	out, err := m.wire.Answer(ctx, c, "http://shop"+root+mcpPath, server, body)
	signs := slices.ContainsFunc(operations, func(op operation) bool { return op.Signed && op.Tool == msg.Params.Name })
	if err == nil && out.Status == 200 && as.status == 200 && signs {
		err = m.ucp.sign(ctx, c.Storefront, &out)
	}
	if err == nil && out.Status == 200 && as.status != 200 {
		out.Status, out.Header = as.status, as.header
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
func (m *mcpServer) run(c *api.Call, op *operation, sent []byte, as *reply) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var answer any
		in := &request{call: c, op: op, sent: sent}
		by, err := in.arguments(r.Params.Arguments)
		if err == nil {
			answer, err = m.ucp.perform(ctx, in, by)
		}
		if o := outcomeOf(err); o != nil {
			answer, *as = o, o.reply()
		} else if err != nil {
			f, unknown := faultOf(err)
			if unknown {
				c.LogPartialFailure(err)
			}
			*as = f.reply()
			data, err := api.EncodeJSON(f)
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{Code: int64(f.rpc), Message: f.Code, Data: data}
		}
		text, err := api.EncodeJSON(answer)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
	}
}

// arguments takes the arguments of a tool apart: who calls, the id, the body, the key.
func (r *request) arguments(sent json.RawMessage) (by identified, err error) {
	fields := map[string]json.RawMessage{}
	if len(sent) > 0 {
		if err := json.Unmarshal(sent, &fields); err != nil {
			return by, errRequest.with("the arguments are not an object")
		}
	}
	var meta struct {
		Agent struct {
			Profile *string `json:"profile"`
		} `json:"ucp-agent"`
		Key *string `json:"idempotency-key"`
	}
	if fields["meta"] != nil {
		if err := json.Unmarshal(fields["meta"], &meta); err != nil {
			return by, errRequest.with("meta has no ucp-agent with a profile")
		}
	}
	if meta.Agent.Profile == nil {
		by.err = errProfileURL.with(`meta["ucp-agent"].profile is missing`)
	} else {
		by = identified{profile: *meta.Agent.Profile, err: checkProfileURL(*meta.Agent.Profile)}
	}
	for name := range fields {
		if name != "meta" && name != r.op.Payload && (name != "id" || !r.op.named()) {
			return by, errRequest.with("there is no argument " + name)
		}
	}
	if r.body = fields[r.op.Payload]; r.op.Payload != "" && r.body == nil {
		return by, errRequest.with("the argument " + r.op.Payload + " is missing")
	}
	if r.op.named() && (json.Unmarshal(fields["id"], &r.id) != nil || r.id == "") {
		return by, errRequest.with("the argument id is missing")
	}
	header := r.call.Header(keyHeader)
	switch {
	case r.op.Class != api.Write:
	case meta.Key != nil && header != "" && *meta.Key != header:
		return by, errRequest.with(`meta["idempotency-key"] is not the Idempotency-Key of the request`)
	case meta.Key != nil:
		r.key = *meta.Key
	default:
		r.key = header
	}
	if r.op.Keyed && r.key == "" {
		return by, errRequest.with(`meta["idempotency-key"] is missing`)
	}
	return by, checkKey(r.key)
}

// named reports whether the operation is about one session.
func (op *operation) named() bool { return strings.Contains(op.Path, "{id}") }
