package openapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Operation is a call of a protocol that is not that of the endpoints.
type Operation struct {
	Method, Path string // the path with {name} segments
	ID, Summary  string
	Headers      []Header // of the request
	In           reflect.Type
	Status       int            // of a success; 0: 200
	Out          []reflect.Type // of a success: one of these
	Error        []reflect.Type // of any other status: one of these
}

// Header is a header of a request.
type Header struct {
	Name, Description string
	Required          bool
}

// Protocol returns the OpenAPI document of a protocol.
func Protocol(title, description, server string, list []Operation) ([]byte, error) {
	b := newBuilder()
	paths := map[string]map[string]any{}
	for _, o := range list {
		if paths[o.Path] == nil {
			paths[o.Path] = map[string]any{}
		}
		paths[o.Path][strings.ToLower(o.Method)] = b.ofProtocol(o)
	}
	if b.clash != nil {
		return nil, b.clash
	}
	return json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]string{"title": title, "version": Version, "description": description},
		"servers": []map[string]string{{"url": server}}, "paths": paths, "components": map[string]any{"schemas": b.doc.Components.Schemas},
	})
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

func (b *builder) ofProtocol(o Operation) map[string]any {
	parameters := []any{}
	for _, name := range inPath.FindAllStringSubmatch(o.Path, -1) {
		parameters = append(parameters, map[string]any{"name": name[1], "in": "path", "required": true, "schema": schema{Type: "string"}})
	}
	for _, h := range o.Headers {
		parameters = append(parameters, map[string]any{
			"name": h.Name, "in": "header", "required": h.Required, "description": h.Description, "schema": schema{Type: "string"},
		})
	}
	call := map[string]any{"operationId": o.ID, "summary": o.Summary, "parameters": parameters}
	if o.In != nil {
		call["requestBody"] = map[string]any{"required": true, "content": inJSON(types{b, true, ""}.of(o.In))}
	}
	success := types{b, false, ""}.either(o.Out)
	call["responses"] = map[string]any{
		strconv.Itoa(max(o.Status, 200)): map[string]any{"description": "Done", "content": inJSON(success)},
		"default":                        map[string]any{"description": "Refused", "content": inJSON(types{b, false, ""}.either(o.Error))},
	}
	return call
}

func inJSON(s *schema) map[string]media { return map[string]media{"application/json": {Schema: s}} }

// either returns the schema of a value of one of several types.
func (t types) either(list []reflect.Type) *schema {
	if len(list) == 1 {
		return t.of(list[0])
	}
	s := &schema{}
	for _, g := range list {
		s.AnyOf = append(s.AnyOf, t.of(g))
	}
	return s
}

// Schema returns the JSON Schema of the fields of a request, complete in itself: the name of each
// field, its type, and whether it is required.
func Schema(fields []Field) (json.RawMessage, error) {
	b := newBuilder()
	s := &schema{Type: "object", Properties: map[string]*schema{}, AdditionalProperties: false}
	for _, f := range fields {
		s.Properties[f.Name] = types{b, true, ""}.of(f.Type)
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return b.bundled(s)
}

// Field is a field of a request.
type Field struct {
	Name     string
	Type     reflect.Type
	Required bool
}

// Either returns the JSON Schema of a response that is an object of one of several types, complete
// in itself.
func Either(list ...reflect.Type) (json.RawMessage, error) {
	b := newBuilder()
	s := types{b, false, ""}.either(list)
	return b.bundled(&schema{Type: "object", Ref: s.Ref, AnyOf: s.AnyOf})
}

// bundled returns a schema with the components that it uses.
func (b *builder) bundled(s *schema) (json.RawMessage, error) {
	if b.clash != nil {
		return nil, b.clash
	}
	text, err := json.Marshal(struct {
		*schema
		Defs map[string]*schema `json:"$defs,omitempty"`
	}{s, b.doc.Components.Schemas})
	return bytes.ReplaceAll(text, []byte(`"#/components/schemas/`), []byte(`"#/$defs/`)), err
}

func newBuilder() *builder {
	return &builder{named: map[string]reflect.Type{}, doc: document{Components: components{Schemas: map[string]*schema{}}}}
}
