package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const (
	maxBody = 1 << 20
	// timeout limits a call; the calls that it makes end after 60 seconds.
	timeout = 65 * time.Second
)

// passed are the headers of a request that the SDK reads.
var passed = []string{"Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-Id"}

// message is what is read of a JSON-RPC message before the SDK reads it.
type message struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// errOrigin refuses pages of other sites. They do not know the key, but a browser extension or a
// name that was bound to another address could make them call (MCP, Streamable HTTP, "Security
// Warning").
var errOrigin = api.ErrCrossOrigin.With("only pages of the admin origin may call /mcp")

// errNotKey refuses sessions: an agent acts with a key, which has scopes and can be revoked alone.
var errNotKey = api.ErrUnauthenticated.With("/mcp is for keys and OAuth tokens, not for sessions")

// Answer answers one request.
func (m *MCP) Answer(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := m.checkOrigin(c.Header("Origin")); err != nil {
		return api.Response{}, err
	}
	if !c.ByKey() {
		return api.Response{}, errNotKey
	}
	body, err := c.ReadBody(maxBody)
	if err != nil {
		return api.Response{}, err
	}
	msg, err := readMessage(body)
	if err != nil {
		return api.Response{}, err
	}
	countedByTool := msg.Method == "tools/call" && slices.ContainsFunc(tools, func(t tool) bool { return t.tool.Name == msg.Params.Name })
	if !countedByTool {
		if err := c.Take(ctx, api.Read); err != nil {
			return api.Response{}, err
		}
	}
	return m.speak(ctx, c, body)
}

func (m *MCP) checkOrigin(origin string) error {
	if origin == "" {
		return nil
	}
	sent, err := url.Parse(origin)
	own, ownErr := url.Parse(m.URL)
	if err != nil || ownErr != nil || sent.Scheme != own.Scheme || sent.Host != own.Host {
		return errOrigin
	}
	return nil
}

// readMessage reads which method a message calls. A list of messages is refused, because one body
// could then hold thousands of calls, and so is a subscription, which would keep the request open.
func readMessage(body []byte) (msg message, err error) {
	if text := bytes.TrimLeft(body, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		return msg, shop.ErrInvalidRequest.With("send one JSON-RPC message in each request")
	}
	if err := json.Unmarshal(body, &msg); err != nil {
		// The SDK reports what is wrong with it; a name that is not text names no tool.
		var wrongType *json.UnmarshalTypeError
		if errors.As(err, &wrongType) {
			return msg, nil
		}
		return msg, shop.ErrInvalidRequest.With("the body is not a JSON-RPC message")
	}
	if msg.Method == "subscriptions/listen" {
		return msg, shop.ErrInvalidRequest.With("this server has no subscriptions: its tools and guides do not change")
	}
	return msg, nil
}

type serverKey struct{}

func serverOf(r *http.Request) *sdk.Server {
	s, _ := r.Context().Value(serverKey{}).(*sdk.Server)
	return s
}

// speak passes a request to the SDK. Nothing of the SDK refers to the request of fasthttp, which
// is reused afterwards.
func (m *MCP) speak(ctx context.Context, c *api.Call, body []byte) (api.Response, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, serverKey{}, m.server(c)), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+Row.Path, bytes.NewReader(body))
	if err != nil {
		return api.Response{}, err
	}
	for _, name := range passed {
		if value := c.Header(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	m.handler.ServeHTTP(w, r)
	if err := ctx.Err(); err != nil {
		return api.Response{}, context.DeadlineExceeded
	}
	out := api.Response{Status: w.status, ContentType: w.header.Get("Content-Type"), Body: w.body.Bytes()}
	if allow := w.header.Get("Allow"); allow != "" {
		out.Header = map[string]string{"Allow": allow}
	}
	return out, nil
}

// recorder is a ResponseWriter in memory: the SDK writes one JSON document.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
