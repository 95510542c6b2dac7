package ucp

import (
	"context"
	"reflect"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
)

// operation is a row of the table, from which the addresses of REST, the tools of MCP and their
// descriptions are made.
type operation struct {
	Method, Path string // of REST, below root
	Tool         string // of MCP, and the id of the operation in documents
	Payload      string // the argument of the tool that has the body; empty: none
	Summary      string
	Needs        string // the capability that the platform must have
	Class        api.Class
	Status       int // of a success; 0: 200
	handler
}

// handler is a typed function.
type handler struct {
	in, out reflect.Type // in is nil without a body
	do      func(ctx context.Context, r *request) (any, error)
}

// handle wraps a function whose request has a body.
func handle[In, Out any](do func(u *UCP, ctx context.Context, r *request, in In) (Out, error)) handler {
	shape := body.ShapeOf(reflect.TypeFor[In]())
	return handler{reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, r *request) (any, error) {
		var in In
		ignored, err := shape.Read(r.body, &in, body.Rules{})
		if err != nil {
			return nil, badBody(err)
		}
		r.ignored = ignored.String()
		return do(r.ucp, ctx, r, in)
	}}
}

// operations is the table.
var operations = []operation{
	{Method: "POST", Path: "/catalog/search", Tool: "search_catalog", Payload: "catalog", Needs: catalogSearch, Class: api.Read, handler: handle((*UCP).search),
		Summary: "Search the shop's products by words, categories and price"},
	{Method: "POST", Path: "/catalog/lookup", Tool: "lookup_catalog", Payload: "catalog", Needs: catalogLookup, Class: api.Read, handler: handle((*UCP).lookup),
		Summary: "Read products and variants by id, sku, handle or address"},
	{Method: "POST", Path: "/catalog/product", Tool: "get_product", Payload: "catalog", Needs: catalogLookup, Class: api.Read, handler: handle((*UCP).product),
		Summary: "Read one product with its options and variants"},
}
