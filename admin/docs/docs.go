// Package docs is the admin API's word about itself (document 1, section 1):
// guides for people and agents, the index of them, the reading order at
// /llms.txt, the webhook events, the widget reference with its validator, and
// the data-binding attributes.
//
// A guide is a Markdown file in guides/. Browsers get it as HTML, everybody else
// as it is. Its text is written by hand; what can drift from the code is not:
//
//	{base_url}                the address of this API
//	{{endpoints /products}}   a table of the endpoints at and below the paths
//	{{unless POST /orders}}   text that stands here until the server has the
//	…                         endpoint; its guide counts as planned so long
//	{{end}}
//
// The endpoint table is asked for once, when a guide is first read: then all
// slices are known. Everything here needs no key and writes nothing.
package docs

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"sync"

	"vitrine/admin/api"
	"vitrine/compile/widget"
)

// Docs answers the endpoints of this package.
type Docs struct {
	table    func() []api.Endpoint
	adminURL string
	guides   map[string]*page // by path
}

// New takes the endpoints of the whole API, which need not be complete before
// the first request, and the address that guides name, without a slash at its
// end.
func New(table func() []api.Endpoint, adminURL string) *Docs {
	d := &Docs{table: sync.OnceValue(table), adminURL: adminURL, guides: map[string]*page{}}
	for _, g := range guides {
		d.guides[g.Path] = newPage(func() (string, error) { return d.markdown(g) })
	}
	return d
}

// maxAge is how long answers may be kept, in seconds (document 1, section 1).
const maxAge = 300

// Endpoints is the table of this slice.
func (d *Docs) Endpoints() []api.Endpoint {
	rows := []api.Endpoint{
		{Method: "GET", Path: "/llms.txt", Auth: api.Link, Do: api.Handle(d.llms), Summary: "The reading order for an automated agent"},
		d.document("/docs/index.json", "The index of all guides: path, title, purpose, status", func() any { return d.index() }),
		d.document("/docs/events.json", "Every webhook event and how events are delivered", func() any { return d.events() }),
		d.document("/docs/widgets", "The settings of every widget kind, with defaults and choices", func() any { return widget.Describe() }),
		d.document("/docs/vz-keys.json", "The data-binding attributes of html documents", func() any { return keysDocument() }),
		{Method: "POST", Path: "/docs/validate", Auth: api.Link, MaxBody: maxValidated, Do: api.Handle(d.validate), Summary: "What becomes of every path of a list of sections; nothing is written"},
	}
	for _, g := range guides {
		row := api.Endpoint{Method: "GET", Path: g.Path, Auth: api.Link, Summary: "Guide: " + g.Title, Do: api.Handle(d.guide(g))}
		if g.Sections {
			row.Do = api.Handle(d.sections(g))
		}
		rows = append(rows, row)
	}
	return rows
}

// document is an endpoint that answers one JSON document, made on its first
// request.
func (d *Docs) document(path, summary string, make func() any) api.Endpoint {
	body := sync.OnceValues(func() ([]byte, error) { return json.Marshal(make()) })
	return api.Endpoint{Method: "GET", Path: path, Auth: api.Link, Summary: summary, Do: api.Handle(
		func(context.Context, *api.Call, api.None) (api.Raw, error) {
			text, err := body()
			return api.Raw{ContentType: "application/json; charset=utf-8", Body: text, MaxAge: maxAge}, err
		})}
}

// has reports whether the API has an endpoint, written "PUT /products/{id}". What
// the segments in braces are called does not count.
func (d *Docs) has(endpoint string) bool {
	want := segment.ReplaceAllString(endpoint, "{}")
	return slices.ContainsFunc(d.table(), func(e api.Endpoint) bool {
		return segment.ReplaceAllString(e.Method+" "+e.Path, "{}") == want
	})
}

var segment = regexp.MustCompile(`\{[^}]*\}`)
