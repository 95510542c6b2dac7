package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// maxResult is how many bytes of JSON a result has at most. Structured and text form are the same
// document.
const maxResult = 64 << 10

// tool is one row of the list of tools. do returns its result; errors are refusals or faults.
type tool struct {
	tool *sdk.Tool
	do   func(m *MCP, ctx context.Context, c *api.Call, arguments json.RawMessage) (result any, err error)
}

// typed reads the arguments of a tool into In. Unknown ones are refused, because an agent that
// misspells one would be misunderstood silently.
func typed[In any](f func(m *MCP, ctx context.Context, c *api.Call, in In) (any, error)) func(*MCP, context.Context, *api.Call, json.RawMessage) (any, error) {
	return func(m *MCP, ctx context.Context, c *api.Call, arguments json.RawMessage) (any, error) {
		var in In
		if len(arguments) > 0 {
			dec := json.NewDecoder(bytes.NewReader(arguments))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&in); err != nil {
				return nil, shop.ErrInvalidRequest.With("arguments: " + err.Error())
			}
		}
		return f(m, ctx, c, in)
	}
}

var (
	no, yes  = false, true
	onlyRead = &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
)

var tools = []tool{
	{
		tool: &sdk.Tool{
			Name: "find_calls", Title: "Find calls", Annotations: onlyRead,
			Description: "Find calls of the shop's API by English words, best match first, at most 20. refused says why your key may not make a call.",
			InputSchema: object(properties{"query": text("what you want to do, such as \"create product\"", maxQuery)}, "query"),
		},
		do: typed((*MCP).findCalls),
	},
	{
		tool: &sdk.Tool{
			Name: "describe_call", Title: "Describe a call", Annotations: onlyRead,
			Description: "Parameters, body, refusals and an example of one call. part shows a field of a large body with everything inside, such as \"item.gallery\".",
			InputSchema: object(properties{
				"method": method("GET", "POST", "PUT", "PATCH", "DELETE"), "path": text("the path as find_calls returns it, such as /products/{id}", maxPath),
				"part": text("a field of the body; omit it for the whole body", maxPath),
			}, "method", "path"),
		},
		do: typed((*MCP).describeCall),
	},
	{
		tool: &sdk.Tool{
			Name: "read", Title: "Read from the shop", Annotations: onlyRead,
			Description: "Make a GET call of the API. Lists have page.number and page.limit in query. Also reads the guides, such as /docs/quickstart.",
			InputSchema: object(properties{"path": text("the path with real values, such as /products/12", maxPath), "query": query()}, "path"),
		},
		do: typed((*MCP).read),
	},
	{
		tool: &sdk.Tool{
			Name: "write", Title: "Change the shop",
			Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
			Description: "Make any other call of the API. The result says what happened, whether visitors see it, and where it can be undone. With the same idempotency_key a POST is done only once.",
			InputSchema: object(properties{
				"method": method("POST", "PUT", "PATCH", "DELETE"), "path": text("the path with real values, such as /products/12", maxPath),
				"body": {"type": "object", "description": "the JSON body as describe_call shows it"}, "query": query(),
				"idempotency_key": text("a new text of your choice for each POST that must not happen twice", 255),
			}, "method", "path"),
		},
		do: typed((*MCP).write),
	},
}

type (
	schema     = map[string]any
	properties = map[string]schema
)

func object(p properties, required ...string) schema {
	return schema{"type": "object", "properties": p, "required": required, "additionalProperties": false}
}

func text(description string, most int) schema {
	return schema{"type": "string", "description": description, "maxLength": most}
}

func method(names ...string) schema { return schema{"type": "string", "enum": names} }

func query() schema {
	return schema{
		"type": "object", "description": "query parameters, such as {\"page.limit\": 20}; a list repeats its parameter",
		"additionalProperties": schema{"type": []string{"string", "number", "boolean", "array"}},
	}
}

// refusal is the result of a call that was refused before it reached an endpoint; it has the shape
// of a refused call.
type refusal struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

// run returns the handler of a tool for one caller. A refusal is a result that the agent can read
// and correct, not an error of the protocol.
func (m *MCP) run(c *api.Call, t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out, err := t.do(m, ctx, c, r.Params.Arguments)
		if why, ok := shop.AsRefusal(err); ok {
			body, err := api.EncodeJSON(why.Body())
			if err != nil {
				return nil, err
			}
			out = refusal{why.Status(), body}
		} else if err != nil {
			out = failure(c, err)
		}
		text, err := api.EncodeJSON(out)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text), IsError: isRefused(out),
		}, nil
	}
}

func isRefused(out any) bool {
	switch out := out.(type) {
	case refusal:
		return true
	case result:
		return out.Status >= 400
	}
	return false
}

// failure is the result of a call that failed for a reason that is not the caller's.
func failure(c *api.Call, err error) refusal {
	why := api.Fault(err)
	message := c.LogPartialFailure(err)
	body, encodeErr := api.EncodeJSON(why.With(message).Body())
	if encodeErr != nil {
		body = json.RawMessage(`{}`)
	}
	return refusal{why.Status(), body}
}
