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

// discovery answers what the API says of itself (document 1, section 1). The
// documents are built from the table, each when it is first asked for; a key gets
// a partner document of its own, made for the call.
type discovery struct {
	url           string
	table         []api.Endpoint // discovery's own rows too
	root, scopes  api.Raw
	front         front
	full, partner document
	areas         map[string]document // of ?scope=<area>
}

// document is built once, and not by a start: all of them take as long as
// everything else of it.
type document func() (api.Raw, error)

const (
	jsonType = "application/json; charset=utf-8"
	maxAge   = 300 // seconds that documents may be kept
)

// front answers the root: its page for a browser, its map for programs.
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

// rootMap is the answer of the API root.
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
	Max    int              `json:"max_scopes"` // of one key
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

// forKeys picks what a key may call.
func forKeys(e *api.Endpoint) bool { return e.Auth != api.SessionOnly }

// areaOf is the first word of a scope: "site-files" of "site-files:read".
func areaOf(s shop.Scope) string {
	area, _, _ := strings.Cut(string(s), ":")
	return area
}

func inArea(e *api.Endpoint, area string) bool {
	return slices.ContainsFunc(e.Scopes, func(s shop.Scope) bool { return areaOf(s) == area })
}

type openAPIRequest struct {
	Scope string `query:"scope" json:"-" doc:"one area alone: the first word of a scope, such as site-files"`
}

// schema answers the whole document, or with ?scope=site-files one area alone.
func (d *discovery) schema(_ context.Context, _ *api.Call, in openAPIRequest) (api.Raw, error) {
	schema, known := d.areas[in.Scope]
	if in.Scope == "" {
		schema, known = d.full, true
	}
	if !known {
		return api.Raw{}, shop.ErrInvalidRequest.At("scope").With("the first word of a scope, such as site-files")
	}
	return schema()
}

// forCaller answers what the calling key may call; without a key, what keys may
// call at all. A cache must not take one for the other.
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
			Method: "GET", Path: path, Auth: api.Link, Summary: "The OpenAPI document of the whole API, or of one area",
			Do: api.Handle(d.schema),
		}
	}
	return []api.Endpoint{
		d.rootRow("/", "The map of the API root; for a browser, a page that leads on"),
		d.rootRow("/docs", "The same as the API root: where to read on"),
		schema("/openapi.json"),
		schema("/v1/openapi.json"),
		schema("/compiled.swagger.json"),
		{Method: "GET", Path: "/partner/openapi.json", Auth: api.Public, Summary: "The OpenAPI document of what the calling key may call; without a key, of what keys may call", Do: api.Handle(d.forCaller)},
		page("/docs/scopes.json", "Every scope of keys, the sensitive ones marked", &d.scopes, reflect.TypeFor[scopeList]()),
	}
}

// rootRow is the API's root, or what people type to find the guides. A browser gets a
// page that leads on.
func (d *discovery) rootRow(path, summary string) api.Endpoint {
	row := page(path, summary, &d.root, reflect.TypeFor[rootMap]())
	row.Produces = []string{"application/json", "text/html"}
	row.Do = api.Handle(func(_ context.Context, c *api.Call, _ api.None) (api.Raw, error) { return d.front(c, d.root) })
	row.Do.Out = reflect.TypeFor[rootMap]()
	return row
}

// page is the row of a document that is built later, with the type that it shows.
func page(path, summary string, document *api.Raw, shape reflect.Type) api.Endpoint {
	row := api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
		func(context.Context, *api.Call, api.None) (api.Raw, error) { return *document, nil })}
	row.Do.Out = shape
	return row
}
