package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// discovery answers what the API says of itself (document 1, section 1). The
// documents are built once, from the table.
type discovery struct {
	root, full, partner, scopes []byte
	areas                       map[string][]byte // the documents of ?scope=<area>
}

func newDiscovery(table []api.Endpoint, adminURL string) (*discovery, error) {
	d := &discovery{areas: map[string][]byte{}}
	all := append(append([]api.Endpoint{}, table...), d.endpoints()...)
	var err error
	if d.full, err = openAPI(all, adminURL, func(api.Endpoint) bool { return true }); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if d.partner, err = openAPI(all, adminURL, forKeys); err != nil {
		return nil, fmt.Errorf("partner openapi: %w", err)
	}
	for _, s := range shop.Scopes {
		area := areaOf(s.Scope)
		if d.areas[area], err = openAPI(all, adminURL, func(e api.Endpoint) bool { return inArea(e, area) }); err != nil {
			return nil, fmt.Errorf("openapi of %s: %w", area, err)
		}
	}
	if d.scopes, err = json.Marshal(map[string]any{"scopes": shop.Scopes, "max_scopes": shop.MaxScopes}); err != nil {
		return nil, err
	}
	d.root, err = json.Marshal(map[string]any{
		"name": "vitrine admin API", "openapi": adminURL + "/openapi.json", "partner_openapi": adminURL + "/partner/openapi.json",
		"scopes": adminURL + "/docs/scopes.json", "passport": adminURL + "/v1/account/token",
		"guides": adminURL + "/docs/index.json", "reading_order": adminURL + "/llms.txt",
	})
	return d, err
}

// forKeys picks what a key may call.
func forKeys(e api.Endpoint) bool { return e.Auth != api.SessionOnly }

// areaOf is the first word of a scope: "site-files" of "site-files:read".
func areaOf(s shop.Scope) string {
	area, _, _ := strings.Cut(string(s), ":")
	return area
}

func inArea(e api.Endpoint, area string) bool {
	return slices.ContainsFunc(e.Scopes, func(s shop.Scope) bool { return areaOf(s) == area })
}

type openAPIRequest struct {
	Scope string `query:"scope" json:"-"`
}

// schema answers the whole document, or with ?scope=site-files one area alone.
func (d *discovery) schema(_ context.Context, _ *api.Call, in openAPIRequest) (api.Raw, error) {
	body, known := d.areas[in.Scope]
	if in.Scope == "" {
		body, known = d.full, true
	}
	if !known {
		return api.Raw{}, shop.ErrInvalidRequest.With("scope is the first word of a scope, such as site-files")
	}
	return api.Raw{ContentType: "application/json; charset=utf-8", Body: body, MaxAge: 300}, nil
}

func (d *discovery) endpoints() []api.Endpoint {
	schema := func(path string) api.Endpoint {
		return api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: "The OpenAPI document of the whole API, or of one area", Do: api.Handle(d.schema)}
	}
	page := func(path, summary string, body *[]byte) api.Endpoint {
		return api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
			func(context.Context, *api.Call, api.None) (api.Raw, error) {
				return api.Raw{ContentType: "application/json; charset=utf-8", Body: *body, MaxAge: 300}, nil
			})}
	}
	return []api.Endpoint{
		page("/", "The map of the API root", &d.root),
		schema("/openapi.json"),
		schema("/v1/openapi.json"),
		schema("/compiled.swagger.json"),
		page("/partner/openapi.json", "The OpenAPI document of what a key may call", &d.partner),
		page("/docs/scopes.json", "Every scope of keys, the sensitive ones marked", &d.scopes),
	}
}
