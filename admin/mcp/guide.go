package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const guideType = "text/markdown"

// addGuides adds the guides as resources, at their addresses.
func (m *MCP) addGuides(s *sdk.Server) {
	for _, g := range m.guides() {
		s.AddResource(&sdk.Resource{
			URI: m.URL + g.Path, Name: strings.TrimPrefix(g.Path, "/docs/"), Title: g.Title, Description: g.Purpose, MIMEType: guideType,
		}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			text, err := g.Markdown()
			if err != nil {
				return nil, err
			}
			if fits := fitting(text, maxResult); fits < len(text) {
				text = text[:fits] + "\n\n(This guide is longer; the whole is at " + m.URL + g.Path + ".)\n"
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: m.URL + g.Path, MIMEType: guideType, Text: text}}}, nil
		})
	}
}
