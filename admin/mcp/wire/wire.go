// Package wire carries the Model Context Protocol in calls of the API: streamable HTTP without
// sessions and streams, one JSON-RPC message in each request and one JSON document in each response.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// timeout limits a call; the calls of the API that it makes end after 60 seconds.
const timeout = 65 * time.Second

// passed are the headers of a request that the SDK reads.
var passed = []string{"Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-Id"}

// Message is what is read of a JSON-RPC message before the SDK reads it.
type Message struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// Read reads which method a message calls. A list of messages is refused, because one body could
// then hold thousands of calls, and so is a subscription, which would keep the request open.
func Read(body []byte) (msg Message, err error) {
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

// Handler passes requests to servers of the SDK.
type Handler struct{ http http.Handler }

// New returns a Handler for bodies of at most so many bytes.
func New(maxBody int64) *Handler {
	return &Handler{sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // its callers check the origin
	})}
}

type serverKey struct{}

func serverOf(r *http.Request) *sdk.Server {
	s, _ := r.Context().Value(serverKey{}).(*sdk.Server)
	return s
}

// Answer has a server answer the body of a call, which came to an address. The SDK has no other way to
// tell a tool who calls it than a server for each call. Nothing of the SDK refers to the request of
// fasthttp, which is reused afterwards.
func (h *Handler) Answer(ctx context.Context, c *api.Call, address string, server *sdk.Server, body []byte) (api.Response, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, serverKey{}, server), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return api.Response{}, err
	}
	for _, name := range passed {
		if value := c.Header(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	h.http.ServeHTTP(w, r)
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
