// Package openapi describes the admin API as an OpenAPI 3.1 document (document 1, section 1),
// built from the endpoint table.
//
//	endpoint         document
//	Method, Path     the operation, its id (get_products_id), its tag
//	Do.In, Do.Out    parameters, request and response schemas, from the Go types
//	Auth, Scopes     security, with the scopes of every operation
//	Refusals()       a response for every status, an example for every code
//	examples.json    an example of every request and response, recorded from the
//	                 API itself; go test ./admin -run Examples -update writes it
//
// A type has two schemas, because the API accepts more than it returns: a 64-bit id is a string
// in a response, and a number or a string in a request. The names of request schemas end in
// Input.
//
// A type with a method Values has these values. Struct tags add what Go types cannot express:
// enum:"full,menu", blank:"allowed" if the text may also be empty, doc:"a sentence",
// required:"always" or required:"POST" for what the endpoint refuses to do without, and the bounds of
// body.Bound. A shop.JSON is described as the type it has as its parameter. A struct with its own UnmarshalJSON and no JSON fields is described as the
// type its pointer field points to, or null.
package openapi

import (
	"encoding/json"
	"reflect"
	"slices"

	"vitrine/admin/api"
)

// Version is the version of the API given in the document.
const Version = "1.0.0"

type document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       info                             `json:"info"`
	Servers    []server                         `json:"servers"`
	Tags       []tag                            `json:"tags"`
	Paths      map[string]map[string]*operation `json:"paths"`
	Components components                       `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
}

type server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type components struct {
	Schemas         map[string]*schema    `json:"schemas"`
	Parameters      map[string]*parameter `json:"parameters"`
	Headers         map[string]*header    `json:"headers"`
	Responses       map[string]*response  `json:"responses"`
	Examples        map[string]*example   `json:"examples"`
	SecuritySchemes map[string]scheme     `json:"securitySchemes"`
}

type scheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// Build describes the endpoints selected by pick. The document contains only the components that
// they use, so that a part of the table results in a small document.
func Build(table []api.Endpoint, serverURL string, pick func(*api.Endpoint) bool) ([]byte, error) {
	recorded, err := examples()
	if err != nil {
		return nil, err
	}
	b := builder{
		examples: recorded, named: map[string]reflect.Type{}, repeated: map[string]int{},
		doc: document{
			OpenAPI: "3.1.0",
			Info: info{
				Title: "vitrine admin API", Version: Version, Summary: "An online-shop platform: catalogue, media, editorial content, storefront",
				Description: "Guides are listed in /docs/index.json, the reading order for agents is in /llms.txt. " +
					"Error texts contain a code: match the code, not the status. Every POST accepts an Idempotency-Key.",
			},
			Servers: []server{{URL: serverURL, Description: "the admin API"}},
			Paths:   map[string]map[string]*operation{},
			Components: components{
				Schemas: map[string]*schema{"Error": errorSchema(), "Fault": faultSchema()}, Parameters: map[string]*parameter{},
				Headers: headers(), Responses: map[string]*response{}, Examples: map[string]*example{},
				SecuritySchemes: schemes(),
			},
		},
	}
	for i := range table {
		if e := &table[i]; pick(e) {
			for status, list := range byStatus(e) {
				b.repeated[sharedName(status, list)]++
			}
		}
	}
	tags := []string{}
	for i := range table {
		e := &table[i]
		if !pick(e) {
			continue
		}
		if b.doc.Paths[e.Path] == nil {
			b.doc.Paths[e.Path] = map[string]*operation{}
		}
		op := b.operation(e)
		b.doc.Paths[e.Path][methodKey(e)] = op
		tags = append(tags, op.Tags...)
	}
	if b.clash != nil {
		return nil, b.clash
	}
	slices.Sort(tags)
	b.doc.Tags = describe(slices.Compact(tags))
	return json.Marshal(b.doc)
}

type builder struct {
	doc      document
	examples map[string]Recorded
	named    map[string]reflect.Type // of the component schemas
	repeated map[string]int          // endpoints by the name of an error response
	clash    error
}

func schemes() map[string]scheme {
	return map[string]scheme{
		"key":     {"http", "bearer", "a key of the shop: Authorization: Bearer <API_KEY>; the roles of an operation are the scopes that it requires"},
		"session": {"http", "bearer", "the token of a signed-in person, whose role determines access; pages of this origin send it in the cookie __Host-vitrine instead"},
	}
}
