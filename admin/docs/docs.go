// Package docs serves the documentation of the admin API (document 1, section 1): guides for
// people and agents, their index, the reading order at /llms.txt, the webhook events, the widget
// reference with its validator, and the data-binding attributes.
//
// A guide is a Markdown file in guides/. Browsers get it as HTML, all other clients as Markdown.
// Its text is written by hand; the parts that could drift from the code are generated:
//
//	{base_url}                the URL of this API
//	{{endpoints /products}}   a table of the endpoints at and below the paths
//	{{language}}              the template language of site files, in sections
//	{{findings}}              a table of the codes of release reports
//	{{carriers}}              a table of the carriers of parcels
//	{{unless POST /orders}}   text that is shown until the server has the endpoint;
//	…                         the guide is planned until then
//	{{end}}
//
// The endpoint table is requested once, when a guide is first read, because all endpoints are
// registered by then. These endpoints need no key and write nothing.
package docs

import (
	"context"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"sync"

	"vitrine/admin/api"
	"vitrine/compile/widget"
)

// Docs serves the endpoints of this package.
type Docs struct {
	table    func() []api.Endpoint
	adminURL string
	guides   map[string]*page // by path
}

// New returns Docs. table returns the endpoints of the whole API, which need not be complete
// before the first request; adminURL is the URL used in guides, without a trailing slash.
func New(table func() []api.Endpoint, adminURL string) *Docs {
	d := &Docs{table: sync.OnceValue(table), adminURL: adminURL, guides: map[string]*page{}}
	for _, g := range guides {
		d.guides[g.Path] = newPage(func() (string, error) { return d.markdown(g) })
	}
	return d
}

// maxAge is how long responses may be cached, in seconds (document 1, section 1).
const maxAge = 300

// Endpoints lists the endpoints of this package.
func (d *Docs) Endpoints() []api.Endpoint {
	rows := []api.Endpoint{
		{Method: "GET", Path: "/llms.txt", Auth: api.Link, Produces: []string{"text/plain"}, Do: api.Handle(d.llms), Summary: "The reading order for an automated agent"},
		document("/docs/index.json", "The index of all guides: path, title, purpose, status", d.index),
		document("/docs/events.json", "Every webhook event and how events are delivered", d.events),
		document("/docs/widgets", "The settings of every widget kind, with defaults and choices", widget.Describe),
		document("/docs/vz-keys.json", "The data-binding attributes of html documents", keysDocument),
		{Method: "POST", Path: "/docs/validate", Auth: api.Link, MaxBody: maxValidated, Errors: api.Refuses(widget.ErrSections, widget.ErrTooLarge), Computes: true, Do: api.Handle(d.validate), Summary: "Report what happens to every path of a list of sections; nothing is stored"},
	}
	for _, g := range guides {
		row := api.Endpoint{
			Method: "GET", Path: g.Path, Auth: api.Link, Produces: []string{"text/markdown", "text/html"},
			Summary: "Guide: " + g.Title, Do: api.Handle(d.guide(g)),
		}
		if g.Sections {
			row.Do, row.Errors = api.Handle(d.sections(g)), api.Refuses(errSection)
		}
		rows = append(rows, row)
	}
	return rows
}

// document returns an endpoint that serves one JSON document, created on its first request. The
// endpoint declares the type of the document.
func document[T any](path, summary string, make func() T) api.Endpoint {
	body := sync.OnceValues(func() (api.Raw, error) {
		text, err := json.Marshal(make())
		return api.Document("application/json; charset=utf-8", text, maxAge), err
	})
	row := api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
		func(context.Context, *api.Call, api.None) (api.Raw, error) { return body() })}
	row.Do.Out = reflect.TypeFor[T]()
	return row
}

// has reports whether the API has an endpoint, written "PUT /products/{id}". The names of path
// parameters are ignored.
func (d *Docs) has(endpoint string) bool {
	want := segment.ReplaceAllString(endpoint, "{}")
	return slices.ContainsFunc(d.table(), func(e api.Endpoint) bool {
		return segment.ReplaceAllString(e.Method+" "+e.Path, "{}") == want
	})
}

var segment = regexp.MustCompile(`\{[^}]*\}`)
