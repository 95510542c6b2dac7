package docs

import (
	"context"
	"strings"

	"vitrine/admin/api"
)

// indexEntry is one document of /docs/index.json.
type indexEntry struct {
	Path    string `json:"path"`
	Title   string `json:"title"`
	Purpose string `json:"purpose"`
	Status  status `json:"status"` // planned: this server does not offer it yet
	Type    string `json:"type"`   // content type
}

type indexDocument struct {
	Guides []indexEntry `json:"guides"` // in reading order
	Data   []indexEntry `json:"data"`   // documents for programs
}

// data lists the documents for programs that the API serves in addition to the guides.
var data = []indexEntry{
	{Path: "/docs/index.json", Title: "Index", Purpose: "This list"},
	{Path: "/docs/scopes.json", Title: "Scopes", Purpose: "Every scope of keys, with the sensitive ones marked"},
	{Path: "/docs/events.json", Title: "Events", Purpose: "Every webhook event and how events are delivered"},
	{Path: "/docs/widgets", Title: "Widget reference", Purpose: "The settings of every widget kind: write path, types, defaults, choices"},
	{Path: "/docs/vz-keys.json", Title: "Data bindings", Purpose: "Every data-binding attribute and placeholder"},
	{Path: "/openapi.json", Title: "OpenAPI", Purpose: "The whole API; ?scope=site-files and similar return one area"},
	{Path: "/partner/openapi.json", Title: "OpenAPI for keys", Purpose: "Only the endpoints a key may call"},
}

func (d *Docs) index() indexDocument {
	var doc indexDocument
	for _, g := range guides {
		doc.Guides = append(doc.Guides, indexEntry{Path: g.Path, Title: g.Title, Purpose: g.Purpose, Status: d.status(g), Type: "text/markdown"})
	}
	for _, e := range data {
		e.Status, e.Type = ready, "application/json"
		if e.Path == "/docs/events.json" {
			e.Status = d.eventStatus()
		}
		doc.Data = append(doc.Data, e)
	}
	return doc
}

// llms returns the reading order in the format of llmstxt.org. Features that the server does not
// offer yet are listed at the end, so that an agent does not plan with them.
func (d *Docs) llms(context.Context, *api.Call, api.None) (api.Raw, error) {
	var out, later strings.Builder
	out.WriteString(
		"# vitrine admin API\n\n> An online-shop platform: catalogue, media, editorial content, storefront pages and redirects over one HTTP JSON API at " +
			d.adminURL + ".\n\n" +
			"Read the guides in this order. Before the first write call `GET /v1/account/token`: the response contains the shop the key belongs to, " +
			"whether edits are live at once, and what the key may do. Error texts contain a code: match the code, not the HTTP status.\n\n" +
			"Model Context Protocol: connect to " + d.adminURL + "/mcp with `Authorization: Bearer <API_KEY>`:\n\n```json\n" +
			`{"mcpServers": {"shop": {"type": "http", "url": "` + d.adminURL + `/mcp", "headers": {"Authorization": "Bearer <API_KEY>"}}}}` +
			"\n```\n\nAssistants that buy for people call the host of a shop, unless its owner wants none: `/.well-known/ucp` (Universal Commerce Protocol) " +
			"and `/.well-known/acp.json` (Agentic Commerce Protocol) say what it offers, and its `/llms.txt` names all addresses.\n\n## Guides\n\n",
	)
	for _, g := range guides {
		line := "- [" + g.Title + "](" + d.adminURL + g.Path + "): " + g.Purpose + "\n"
		if d.status(g) == ready {
			out.WriteString(line)
		} else {
			later.WriteString(line)
		}
	}
	out.WriteString("\n## Data\n\n")
	for _, e := range data {
		out.WriteString("- [" + e.Title + "](" + d.adminURL + e.Path + "): " + e.Purpose + "\n")
	}
	out.WriteString("- `POST " + d.adminURL + "/docs/validate`: reports what happens to every path of a list of sections, before it is stored\n")
	if later.Len() > 0 {
		out.WriteString("\n## Optional\n\nPlanned: this server version does not offer these yet.\n\n" + later.String())
	}
	return api.Document("text/plain; charset=utf-8", []byte(out.String()), maxAge), nil
}
