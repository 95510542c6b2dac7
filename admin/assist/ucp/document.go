package ucp

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"vitrine/admin/api"
	"vitrine/admin/openapi"
)

const documentText = "The Universal Commerce Protocol, release " + Version + ", as this shop speaks it. " +
	"Amounts are in minor units of the currency (ISO 4217). Calls for a buyer who has linked the platform have " +
	"their access token (Authorization: Bearer), which /.well-known/oauth-authorization-server tells how to get."

var requestHeaders = []openapi.Header{
	{Name: agentHeader, Required: true, Description: `the profile of the platform: profile="https://…" (RFC 8941)`},
}

// document answers the OpenAPI document of the operations. It is the same for all shops that want
// assistants.
func (u *UCP) document(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return api.Response{}, err
	}
	if err := (&request{ucp: u, call: c}).open(ctx); err != nil {
		return u.refused(c, err)
	}
	text, err := document()
	return api.Response{Status: 200, ContentType: jsonType, Body: text, Header: map[string]string{"Cache-Control": profileCache}}, err
}

var document = sync.OnceValues(func() ([]byte, error) {
	var list []openapi.Operation
	for _, op := range operations {
		headers := requestHeaders
		if op.Class == api.Write {
			headers = append(slices.Clone(headers), openapi.Header{Name: keyHeader, Description: "of your choice: a call with the same key is carried out once, and answered as then for 48 hours"})
		}
		list = append(list, openapi.Operation{
			Method: op.Method, Path: op.Path, ID: op.Tool, Summary: op.Summary, Headers: headers, In: op.in, Status: op.Status,
			Out: []reflect.Type{op.out, reflect.TypeFor[outcome]()}, Error: []reflect.Type{reflect.TypeFor[fault](), reflect.TypeFor[outcome]()},
		})
	}
	return openapi.Protocol("Universal Commerce Protocol", documentText, public, list)
})
