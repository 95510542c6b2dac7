package admin

import (
	"context"
	"encoding/json"
	"fmt"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// discovery answers what the API says of itself (document 1, section 1). The
// documents are built once, from the table.
type discovery struct {
	root, full, partner, scopes []byte
}

func newDiscovery(table []api.Endpoint, adminURL string) (*discovery, error) {
	d := &discovery{}
	all := append(append([]api.Endpoint{}, table...), d.endpoints()...)
	var err error
	if d.full, err = openAPI(all, adminURL, func(api.Endpoint) bool { return true }); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if d.partner, err = openAPI(all, adminURL, forKeys); err != nil {
		return nil, fmt.Errorf("partner openapi: %w", err)
	}
	if d.scopes, err = json.Marshal(map[string]any{"scopes": shop.Scopes, "max_scopes": shop.MaxScopes}); err != nil {
		return nil, err
	}
	d.root, err = json.Marshal(map[string]any{
		"name": "vitrine admin API", "openapi": adminURL + "/openapi.json", "partner_openapi": adminURL + "/partner/openapi.json",
		"scopes": adminURL + "/docs/scopes.json", "passport": adminURL + "/v1/account/token",
	})
	return d, err
}

// forKeys picks what a key may call.
func forKeys(e api.Endpoint) bool { return e.Auth != api.SessionOnly }

func (d *discovery) endpoints() []api.Endpoint {
	page := func(path, summary string, body *[]byte) api.Endpoint {
		return api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
			func(context.Context, *api.Call, api.None) (api.Raw, error) {
				return api.Raw{ContentType: "application/json; charset=utf-8", Body: *body, MaxAge: 300}, nil
			})}
	}
	return []api.Endpoint{
		page("/", "The map of the API root", &d.root),
		page("/openapi.json", "The OpenAPI document of the whole API", &d.full),
		page("/v1/openapi.json", "The OpenAPI document of the whole API", &d.full),
		page("/compiled.swagger.json", "The OpenAPI document of the whole API", &d.full),
		page("/partner/openapi.json", "The OpenAPI document of what a key may call", &d.partner),
		page("/docs/scopes.json", "Every scope of keys, the sensitive ones marked", &d.scopes),
	}
}
