package mcp

import (
	"context"
	"net/url"
	"slices"

	"vitrine/admin/api"
	"vitrine/admin/mcp/wire"
)

const maxBody = 1 << 20

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
	msg, err := wire.Read(body)
	if err != nil {
		return api.Response{}, err
	}
	countedByTool := msg.Method == "tools/call" && slices.ContainsFunc(tools, func(t tool) bool { return t.tool.Name == msg.Params.Name })
	if !countedByTool {
		if err := c.Take(ctx, api.Read); err != nil {
			return api.Response{}, err
		}
	}
	return m.handler.Answer(ctx, c, m.URL+Row.Path, m.server(c), body)
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
