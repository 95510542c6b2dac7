package openapi

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

type operation struct {
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description,omitempty"`
	ID          string                `json:"operationId"`
	Parameters  []*parameter          `json:"parameters,omitempty"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]*response  `json:"responses"`
	Security    []map[string][]string `json:"security"`
}

type requestBody struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type media struct {
	Schema   *schema             `json:"schema,omitempty"`
	Example  any                 `json:"example,omitempty"`
	Examples map[string]*example `json:"examples,omitempty"`
}

type response struct {
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Headers     map[string]*header `json:"headers,omitempty"`
	Content     map[string]media   `json:"content,omitempty"`
}

func methodKey(e *api.Endpoint) string { return strings.ToLower(e.Method) }

func (b *builder) operation(e *api.Endpoint) *operation {
	return &operation{
		Tags: []string{tagOf(e)}, Summary: e.Summary, Description: notes(e), ID: e.Operation(),
		Parameters: b.parameters(e), RequestBody: b.requestBody(e), Responses: b.responses(e), Security: security(e),
	}
}

// notes returns remarks for callers that no other field of an operation contains.
func notes(e *api.Endpoint) string {
	var list []string
	if e.Manage != nil {
		list = append(list, "The person must be an owner or admin.")
	}
	if e.Manage == nil && e.Auth == api.Private && slices.ContainsFunc(e.Scopes, shop.Scope.Sensitive) {
		list = append(list, "The scope is sensitive: the person must be an owner or admin.")
	}
	if e.Contour == api.RefusesDraft {
		list = append(list, "There is no draft: only the production contour may call it.")
	}
	if e.Auth == api.Public {
		list = append(list, "Without a key it returns what every visitor may see.")
	}
	return strings.Join(list, " ")
}

// security lists the scopes of an operation as the roles of the key scheme, which OpenAPI 3.1
// allows for every scheme.
func security(e *api.Endpoint) []map[string][]string {
	scopes := []string{}
	for _, s := range e.Scopes {
		scopes = append(scopes, string(s))
	}
	key, session := map[string][]string{"key": scopes}, map[string][]string{"session": {}}
	switch e.Auth {
	case api.Link:
		return []map[string][]string{}
	case api.SessionOnly:
		return []map[string][]string{session}
	case api.Public:
		return []map[string][]string{{}, key, session}
	}
	return []map[string][]string{key, session}
}

func (b *builder) requestBody(e *api.Endpoint) *requestBody {
	content := map[string]media{}
	for _, kind := range e.Consumes {
		content[kind] = bytesOf(e, kind)
	}
	if e.TakesJSON() && e.Method != "GET" {
		body := &schema{Type: "object", Properties: map[string]*schema{}}
		if e.Strict {
			body.AdditionalProperties = false
		}
		types{b, true, e.Method}.properties(e.Do.In, body, false)
		content["application/json"] = media{Schema: body, Example: b.examples[e.Method+" "+e.Path].Request}
	}
	if len(content) == 0 {
		return nil
	}
	return &requestBody{Required: true, Content: content}
}

// bytesOf describes a body that the endpoint reads itself.
func bytesOf(e *api.Endpoint, kind string) media {
	if kind == "application/json" {
		return media{Schema: &schema{}} // any JSON
	}
	if kind == "multipart/form-data" && e.Files {
		file := &schema{Type: "string", MediaType: "application/octet-stream"}
		return media{Schema: &schema{
			Type: "object", Properties: map[string]*schema{"files[]": {Type: "array", Items: file}, "options": {Type: "string"}, "dry_run": {Type: "boolean"}},
			Required: []string{"files[]"},
		}}
	}
	if kind == "multipart/form-data" {
		return media{
			Schema: &schema{
				Type: "object", Properties: map[string]*schema{"file": {Type: "string", MediaType: "application/octet-stream"}},
				Required: []string{"file"},
			},
		}
	}
	return media{Schema: &schema{Type: "string", MediaType: kind}}
}

func (b *builder) responses(e *api.Endpoint) map[string]*response {
	list := b.refusals(e)
	list[strconv.Itoa(e.Success())] = b.success(e)
	if e.Also != 0 {
		list[strconv.Itoa(e.Also)] = b.success(e)
	}
	if cached(e) || e.HasVersion() && e.Method == "GET" {
		b.doc.Components.Responses["NotModified"] = &response{Description: "Not modified since the response whose ETag was sent in If-None-Match", Headers: usualHeaders()}
		list["304"] = &response{Ref: "#/components/responses/NotModified"}
	}
	if e.Parts {
		part := b.success(e)
		part.Description = "The part that Range names"
		list["206"] = part
		list["416"] = &response{Description: "The file has no such part", Headers: usualHeaders()}
	}
	return list
}

// cached reports whether the endpoint returns documents with an ETag: endpoints marked as cached,
// and GET endpoints exempt from the rate limit.
func cached(e *api.Endpoint) bool {
	return e.Cached || e.Class == api.Free && e.Method == "GET"
}

func (b *builder) success(e *api.Endpoint) *response {
	recorded := b.examples[e.Method+" "+e.Path].Answer
	answer := &response{Description: "Done", Headers: usualHeaders(), Content: map[string]media{}}
	if e.Idempotent() {
		answer.Headers["Idempotent-Replayed"] = &header{Ref: "#/components/headers/Idempotent-Replayed"}
	}
	if cached(e) || e.HasVersion() {
		answer.Headers["ETag"] = &header{Ref: "#/components/headers/ETag"}
	}
	const inJSON = "application/json"
	both := slices.Contains(e.Produces, inJSON) // the other format is for people and has no recorded example
	for _, kind := range e.Produces {
		m := media{Schema: &schema{Type: "string"}}
		if !both {
			m.Example = recorded
		}
		answer.Content[kind] = m
	}
	if len(e.Produces) == 0 || both {
		shape := &schema{Type: "object", AdditionalProperties: &schema{}}
		if e.Do.Out != reflect.TypeFor[api.Raw]() {
			shape = types{b, false, ""}.of(e.Do.Out)
		}
		if e.Do.Out == reflect.TypeFor[api.None]() {
			recorded = nil // always {}
		}
		answer.Content[inJSON] = media{Schema: shape, Example: recorded}
	}
	return answer
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)
