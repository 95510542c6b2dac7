package ucp

import (
	"context"
	"reflect"
	"strings"

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
	Keyed        bool   // over MCP it needs a key
	Signed       bool   // the answer is signed
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

// without wraps a function whose request has no body.
func without[Out any](do func(u *UCP, ctx context.Context, r *request) (Out, error)) handler {
	return handler{nil, reflect.TypeFor[Out](), func(ctx context.Context, r *request) (any, error) { return do(r.ucp, ctx, r) }}
}

// operations is the table.
var operations = []operation{
	{Method: "POST", Path: "/catalog/search", Tool: "search_catalog", Payload: "catalog", Needs: catalogSearch, Class: api.Read, handler: handle((*UCP).search),
		Summary: "Search the shop's products by words, categories and price"},
	{Method: "POST", Path: "/catalog/lookup", Tool: "lookup_catalog", Payload: "catalog", Needs: catalogLookup, Class: api.Read, handler: handle((*UCP).lookup),
		Summary: "Read products and variants by id, sku, handle or address"},
	{Method: "POST", Path: "/catalog/product", Tool: "get_product", Payload: "catalog", Needs: catalogLookup, Class: api.Read, handler: handle((*UCP).product),
		Summary: "Read one product with its options and variants"},
	{Method: "POST", Path: "/carts", Tool: "create_cart", Payload: lastName(cart), Needs: cart, Class: api.Write, Status: 201, handler: handle((*UCP).createCart),
		Summary: "Create a cart, for prices without an order"},
	{Method: "GET", Path: "/carts/{id}", Tool: "get_cart", Needs: cart, Class: api.Read, handler: without((*UCP).getCart),
		Summary: "Read a cart"},
	{Method: "PUT", Path: "/carts/{id}", Tool: "update_cart", Payload: lastName(cart), Needs: cart, Class: api.Write, handler: handle((*UCP).updateCart),
		Summary: "Replace the content of a cart"},
	{Method: "POST", Path: "/carts/{id}/cancel", Tool: "cancel_cart", Needs: cart, Class: api.Write, Keyed: true, handler: without((*UCP).cancelCart),
		Summary: "Delete a cart"},
	{Method: "POST", Path: "/checkout-sessions", Tool: "create_checkout", Payload: lastName(checkout), Needs: checkout, Class: api.Write, Status: 201, handler: handle((*UCP).createCheckout),
		Summary: "Create a checkout of items, or of a cart"},
	{Method: "GET", Path: "/checkout-sessions/{id}", Tool: "get_checkout", Needs: checkout, Class: api.Read, handler: without((*UCP).getCheckout),
		Summary: "Read a checkout"},
	{Method: "PUT", Path: "/checkout-sessions/{id}", Tool: "update_checkout", Payload: lastName(checkout), Needs: checkout, Class: api.Write, handler: handle((*UCP).updateCheckout),
		Summary: "Replace the content of a checkout; what is not sent is removed"},
	{Method: "POST", Path: "/checkout-sessions/{id}/complete", Tool: "complete_checkout", Payload: lastName(checkout), Needs: checkout, Class: api.Write, Keyed: true, Signed: true, handler: handle((*UCP).completeCheckout),
		Summary: "Pay and place the order"},
	{Method: "POST", Path: "/checkout-sessions/{id}/cancel", Tool: "cancel_checkout", Needs: checkout, Class: api.Write, Keyed: true, handler: without((*UCP).cancelCheckout),
		Summary: "Give a checkout up"},
	{Method: "GET", Path: "/orders/{id}", Tool: "get_order", Needs: order, Class: api.Read, handler: without((*UCP).getOrder),
		Summary: "Read an order that the platform made, with its shipments and refunds"},
}

// lastName is the last part of the name of a capability, as tools call what it is about.
func lastName(capability string) string { return capability[strings.LastIndexByte(capability, '.')+1:] }
