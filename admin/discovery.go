package admin

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"vitrine/admin/api"
	"vitrine/admin/openapi"
	"vitrine/internal/shop"
)

// discovery serves the self-description of the API (document 1, section 1). Each document is
// built from the table when it is first requested. A key gets its own partner document, built
// for each call.
type discovery struct {
	url           string
	table         []api.Endpoint // discovery's own rows too
	root, scopes  api.Raw
	front         front
	full, partner document
	areas         map[string]document // of ?scope=<area>
}

// document builds its content once, on first use: building all documents at startup would
// double the startup time.
type document func() (api.Raw, error)

const (
	jsonType = "application/json; charset=utf-8"
	maxAge   = 300 // seconds that documents may be cached
)

// front serves the root: a page for browsers, a map for programs.
type front func(c *api.Call, forPrograms api.Raw) (api.Raw, error)

func newDiscovery(table []api.Endpoint, adminURL string, front front) (*discovery, error) {
	d := &discovery{url: adminURL, front: front, areas: map[string]document{}}
	d.table = slices.Concat(table, d.endpoints())
	d.full = d.later(func(*api.Endpoint) bool { return true })
	d.partner = d.later(forKeys)
	for _, s := range shop.Scopes {
		area := areaOf(s.Scope)
		d.areas[area] = d.later(func(e *api.Endpoint) bool { return inArea(e, area) })
	}
	var err error
	if d.scopes, err = jsonDocument(scopeList{shop.Scopes, shop.MaxScopes}); err != nil {
		return nil, err
	}
	d.root, err = jsonDocument(rootMap{
		Name: "vitrine admin API", Version: openapi.Version, OpenAPI: adminURL + "/openapi.json", Partner: adminURL + "/partner/openapi.json",
		Scopes: adminURL + "/docs/scopes.json", Events: adminURL + "/docs/events.json", Widgets: adminURL + "/docs/widgets",
		Passport: adminURL + "/v1/account/token", Guides: adminURL + "/docs/index.json", ReadingOrder: adminURL + "/llms.txt",
	})
	return d, err
}

// rootMap is the response of the API root.
type rootMap struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	OpenAPI      string `json:"openapi"`
	Partner      string `json:"partner_openapi"`
	Scopes       string `json:"scopes"`
	Events       string `json:"events"`
	Widgets      string `json:"widgets"`
	Passport     string `json:"passport"`
	Guides       string `json:"guides"`
	ReadingOrder string `json:"reading_order"`
}

type scopeList struct {
	Scopes []shop.ScopeInfo `json:"scopes"`
	Max    int              `json:"max_scopes"` // the most scopes of one key
}

func jsonDocument(v any) (api.Raw, error) {
	body, err := json.Marshal(v)
	return api.Document(jsonType, body, maxAge), err
}

func (d *discovery) later(pick func(*api.Endpoint) bool) document {
	return sync.OnceValues(func() (api.Raw, error) { return d.describe(pick) })
}

func (d *discovery) describe(pick func(*api.Endpoint) bool) (api.Raw, error) {
	body, err := openapi.Build(d.table, d.url, pick)
	return api.Document(jsonType, body, maxAge), err
}

// forKeys selects the endpoints that a key may call.
func forKeys(e *api.Endpoint) bool { return e.Auth != api.SessionOnly }

// areaOf returns the first word of a scope: "site-files" of "site-files:read".
func areaOf(s shop.Scope) string {
	area, _, _ := strings.Cut(string(s), ":")
	return area
}

func inArea(e *api.Endpoint, area string) bool {
	return slices.ContainsFunc(e.Scopes, func(s shop.Scope) bool { return areaOf(s) == area })
}

type openAPIRequest struct {
	Scope string `query:"scope" json:"-" doc:"restricts the document to one area: the first word of a scope, such as site-files"`
}

// schema serves the whole document, or one area with ?scope=site-files.
func (d *discovery) schema(_ context.Context, _ *api.Call, in openAPIRequest) (api.Raw, error) {
	schema, known := d.areas[in.Scope]
	if in.Scope == "" {
		schema, known = d.full, true
	}
	if !known {
		return api.Raw{}, shop.ErrInvalidRequest.At("scope").With("scope must be the first word of a scope, such as site-files")
	}
	return schema()
}

// forCaller serves the endpoints that the calling key may call, or without a key all endpoints
// that keys may call. Vary keeps caches from mixing them up.
func (d *discovery) forCaller(_ context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	c.SetHeader("Vary", "Authorization")
	if c.Anonymous() {
		return d.partner()
	}
	document, err := d.describe(func(e *api.Endpoint) bool { return e.Admit(c.Identity) == nil })
	document.MaxAge = 0
	return document, err
}

func (d *discovery) endpoints() []api.Endpoint {
	schema := func(path string) api.Endpoint {
		return api.Endpoint{
			Method: "GET", Path: path, Auth: api.Link, Summary: "Get the OpenAPI document of the whole API or of one area",
			Do: api.Handle(d.schema),
		}
	}
	return []api.Endpoint{
		d.rootRow("/", "Get the map of the API; browsers get an HTML page with links to the guides"),
		d.rootRow("/docs", "Get the same answer as the API root"),
		schema("/openapi.json"),
		schema("/v1/openapi.json"),
		schema("/compiled.swagger.json"),
		{Method: "GET", Path: "/partner/openapi.json", Auth: api.Public, Summary: "Get the OpenAPI document of the endpoints that the calling key may call; without a key, of all that keys may call", Do: api.Handle(d.forCaller)},
		page("/docs/scopes.json", "List the scopes of keys and which of them are sensitive", &d.scopes, reflect.TypeFor[scopeList]()),
	}
}

// rootRow is the endpoint of the API root, or of a path that people type to find the guides.
// Browsers get an HTML page with links.
func (d *discovery) rootRow(path, summary string) api.Endpoint {
	row := page(path, summary, &d.root, reflect.TypeFor[rootMap]())
	row.Produces = []string{"application/json", "text/html"}
	row.Do = api.Handle(func(_ context.Context, c *api.Call, _ api.None) (api.Raw, error) { return d.front(c, d.root) })
	row.Do.Out = reflect.TypeFor[rootMap]()
	return row
}

// page is the endpoint of a document that is built later. shape is the type that the OpenAPI
// document shows.
func page(path, summary string, document *api.Raw, shape reflect.Type) api.Endpoint {
	row := api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
		func(context.Context, *api.Call, api.None) (api.Raw, error) { return *document, nil })}
	row.Do.Out = shape
	return row
}
