package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const (
	maxPath       = 2000
	maxParameters = 100
	// maxFetched is how much of a response is read. More than a result holds, so that a list can
	// be cut between two of its entries.
	maxFetched = 4 << 20
)

type readArguments struct {
	Path  string                     `json:"path"`
	Query map[string]json.RawMessage `json:"query"`
}

func (m *MCP) read(ctx context.Context, c *api.Call, in readArguments) (any, error) {
	return m.call(ctx, c, writeArguments{Method: "GET", Path: in.Path, Query: in.Query})
}

type writeArguments struct {
	Method         string                     `json:"method"`
	Path           string                     `json:"path"`
	Body           json.RawMessage            `json:"body"`
	Query          map[string]json.RawMessage `json:"query"`
	IdempotencyKey string                     `json:"idempotency_key"`
}

func (m *MCP) write(ctx context.Context, c *api.Call, in writeArguments) (any, error) {
	if !slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, in.Method) {
		return nil, refuse(ctx, c, shop.ErrInvalidRequest.At("method").With("POST, PUT, PATCH or DELETE; a GET is for read"))
	}
	if in.Body != nil && bytes.TrimLeft(in.Body, " \t\r\n")[0] != '{' && string(in.Body) != "null" {
		return nil, refuse(ctx, c, shop.ErrInvalidRequest.At("body").With("a JSON object"))
	}
	return m.call(ctx, c, in)
}

// result is the result of read and write.
type result struct {
	Status    int             `json:"status"`
	Done      string          `json:"done,omitempty"` // what a write did, and where it can be undone
	RequestID string          `json:"request_id"`
	Ignored   string          `json:"ignored,omitempty"` // fields of the body and parameters that nothing read
	Cut       string          `json:"cut,omitempty"`     // what of the body is missing, and how to get it
	Body      json.RawMessage `json:"body,omitempty"`
	Text      string          `json:"text,omitempty"` // a body that is not JSON
}

// call makes a call through the handler of the listener.
func (m *MCP) call(ctx context.Context, c *api.Call, in writeArguments) (any, error) {
	target, err := targetOf(in.Path, in.Query)
	if err != nil {
		return nil, refuse(ctx, c, err)
	}
	path, _, _ := strings.Cut(target, "?")
	row := m.Find(in.Method, path)
	if row != nil && takesBytes(row) {
		return nil, refuse(ctx, c, errBytes.With(in.Method+" "+row.Path+": send the bytes with an HTTP client to "+m.URL+path))
	}
	if row == nil {
		if err := c.Take(ctx, api.Read); err != nil {
			return nil, err
		}
	}
	inner := api.Inner{Method: in.Method, Target: target, IdempotencyKey: in.IdempotencyKey}
	if in.Method != "GET" && string(in.Body) != "null" {
		inner.Body = in.Body
	}
	answer, err := m.Make(c, inner, maxFetched)
	if err != nil {
		return nil, err
	}
	out := result{Status: answer.Status, RequestID: answer.RequestID, Ignored: answer.Ignored}
	if row != nil && !isRefused(out) && in.Method != "GET" {
		out.Done = done(row, c, in, answer)
	}
	m.fill(&out, row, target, answer)
	return out, nil
}

// refuse counts a call that reaches no endpoint, and returns the refusal of it.
func refuse(ctx context.Context, c *api.Call, why error) error {
	if err := c.Take(ctx, api.Read); err != nil {
		return err
	}
	return why
}

// errBytes refuses calls whose body is not JSON.
var errBytes = shop.Refuse(shop.InvalidArgument, "MCP_BYTES").
	When("the call takes a file, which cannot be sent through MCP; upload addresses and this path work with any HTTP client")

// takesBytes reports whether the body of a row is a file or a form.
func takesBytes(row *api.Endpoint) bool {
	return len(row.Consumes) > 0 && !row.TakesJSON() && !slices.Contains(row.Consumes, "application/json")
}

// targetOf returns path and query as in a request line. The path is taken as it would be sent over
// HTTP, except that characters outside of ASCII and spaces are escaped.
func targetOf(path string, query map[string]json.RawMessage) (string, error) {
	switch {
	case !strings.HasPrefix(path, "/"), len(path) > maxPath, !utf8.ValidString(path):
		return "", shop.ErrInvalidRequest.At("path").With("starts with / and has at most 2000 bytes")
	case strings.ContainsAny(path, "?#\\"):
		return "", shop.ErrInvalidRequest.At("path").With("has no ?, # or \\; parameters belong in query")
	case strings.Contains(path, "//"):
		return "", shop.ErrInvalidRequest.At("path").With("has an empty segment")
	}
	for segment := range strings.SplitSeq(path, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "." || plain == ".." {
			return "", shop.ErrInvalidRequest.At("path").With("has no . or .. and no broken escapes")
		}
	}
	var out strings.Builder
	for i := range len(path) {
		switch b := path[i]; {
		case b < ' ' || b == 0x7f:
			return "", shop.ErrInvalidRequest.At("path").With("has no control characters")
		case b == ' ' || b >= utf8.RuneSelf:
			out.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15])))
		default:
			out.WriteByte(b)
		}
	}
	values, err := valuesOf(query)
	if err == nil && len(values) > 0 {
		out.WriteString("?" + values.Encode())
	}
	return out.String(), err
}

// valuesOf converts query parameters to their text. A list repeats its parameter.
func valuesOf(query map[string]json.RawMessage) (url.Values, error) {
	if len(query) > maxParameters {
		return nil, shop.ErrInvalidRequest.At("query").With("at most 100 parameters")
	}
	values := url.Values{}
	for name, value := range query {
		list := []json.RawMessage{value}
		if len(value) > 0 && value[0] == '[' {
			if err := json.Unmarshal(value, &list); err != nil || len(list) > maxParameters {
				return nil, shop.ErrInvalidRequest.At("query").With(name + ": at most 100 values")
			}
		}
		for _, one := range list {
			text, ok := plain(one)
			if !ok {
				return nil, shop.ErrInvalidRequest.At("query").With(name + ": a text, a number, true, false, or a list of these")
			}
			values.Add(name, text)
		}
	}
	return values, nil
}

func plain(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 || value[0] == '{' || value[0] == '[' || string(value) == "null" {
		return "", false
	}
	if value[0] == '"' {
		return text, json.Unmarshal(value, &text) == nil
	}
	return string(value), true
}
