package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/admin/openapi"
)

// outline is what the OpenAPI document says about one call. Reading the document keeps one
// description of the API: what agents see is what clients are generated from.
type outline struct {
	operation operation
	schemas   map[string]*node
	shared    map[string]parameter
}

type operation struct {
	Parameters  []parameter `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Schema  *node           `json:"schema"`
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"responses"`
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Schema      *node  `json:"schema"`
}

// node is a JSON schema.
type node struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Type        any              `json:"type"`
	Format      string           `json:"format"`
	Enum        []any            `json:"enum"`
	MaxLength   int              `json:"maxLength"`
	MaxItems    int              `json:"maxItems"`
	Items       *node            `json:"items"`
	Properties  map[string]*node `json:"properties"`
	Required    []string         `json:"required"`
	Additional  json.RawMessage  `json:"additionalProperties"`
	AnyOf       []*node          `json:"anyOf"`
	AllOf       []*node          `json:"allOf"` // a type, of which this place requires more
}

func (m *MCP) outline(row *api.Endpoint) (o outline, err error) {
	text, err := openapi.Build(m.Table, m.URL, func(e *api.Endpoint) bool { return e.Method == row.Method && e.Path == row.Path })
	if err != nil {
		return o, err
	}
	var document struct {
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Schemas    map[string]*node     `json:"schemas"`
			Parameters map[string]parameter `json:"parameters"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return o, err
	}
	return outline{document.Paths[row.Path][strings.ToLower(row.Method)], document.Components.Schemas, document.Components.Parameters}, nil
}

// body returns the schema of the JSON body; nil if there is none.
func (o outline) body() *node {
	if o.operation.RequestBody == nil {
		return nil
	}
	return o.operation.RequestBody.Content["application/json"].Schema
}

// fields returns the names of the fields of a call's body and of its parameters.
func (m *MCP) fields(row *api.Endpoint) (names []string) {
	o, err := m.outline(row)
	if err != nil {
		return nil // describing the call reports it
	}
	for _, p := range o.operation.Parameters {
		names = append(names, p.Name)
	}
	var walk func(n *node, depth int)
	walk = func(n *node, depth int) {
		if n = o.resolve(n); n == nil || depth == 0 {
			return
		}
		for name, field := range n.Properties {
			names = append(names, name)
			walk(field, depth-1)
		}
		walk(n.Items, depth)
	}
	walk(o.body(), 2)
	return names
}

// resolve follows a reference, the one type that null is an alternative to, and the type of which a
// place requires more fields.
func (o outline) resolve(n *node) *node {
	for range 8 {
		switch {
		case n == nil:
			return nil
		case n.Ref != "":
			n = o.schemas[strings.TrimPrefix(n.Ref, "#/components/schemas/")]
		case len(n.AnyOf) > 0 && n.Properties == nil:
			n = n.AnyOf[0]
		case len(n.AllOf) > 0 && n.Properties == nil:
			n = n.AllOf[0]
		default:
			return n
		}
	}
	return n
}

// brief writes a schema as a value of the same shape: objects and lists as themselves, at most
// depth levels of them, and all other values as a text with their type, bound and meaning.
func (o outline) brief(n *node, depth int, meaning bool, part string) any {
	said := ""
	if n != nil {
		said = n.Description
	}
	n = o.resolve(n)
	switch {
	case n == nil:
		return "any"
	case len(n.Properties) > 0:
		if depth == 0 {
			return "object" + see(part)
		}
		fields := map[string]any{}
		for name, field := range n.Properties {
			fields[name] = o.brief(field, depth-1, meaning, join(part, name))
		}
		return fields
	case n.Items != nil:
		if depth == 0 {
			return "list" + see(part)
		}
		return []any{o.brief(n.Items, depth, meaning, part)}
	}
	if said == "" {
		said = n.Description
	}
	text := n.kind()
	if meaning && said != "" {
		text += ": " + said
	}
	return text
}

func see(part string) string {
	if part == "" {
		return ""
	}
	return "; see part " + part
}

func join(part, name string) string {
	if part == "" {
		return name
	}
	return part + "." + name
}

// kind returns the type of a value with its bound.
func (n *node) kind() string {
	if len(n.Enum) > 0 {
		var list []string
		for _, value := range n.Enum {
			list = append(list, fmt.Sprint(value))
		}
		return strings.ReplaceAll(strings.Join(list, " | "), "<nil>", "null")
	}
	text := "any"
	switch kind := n.Type.(type) {
	case string:
		text = kind
	case []any:
		var list []string
		for _, one := range kind {
			list = append(list, fmt.Sprint(one))
		}
		text = strings.Join(list, " | ")
	}
	if n.Format == "date-time" || n.Format == "uuid" {
		text += " " + n.Format
	}
	if n.MaxLength > 0 {
		text += fmt.Sprintf(" ≤%d", n.MaxLength)
	}
	return text
}

// at returns the schema of a part of the body, such as item.gallery.
func (o outline) at(part string) *node {
	n := o.resolve(o.body())
	for name := range strings.SplitSeq(part, ".") {
		for n != nil && n.Items != nil && n.Properties == nil {
			n = o.resolve(n.Items)
		}
		if n == nil {
			return nil
		}
		n = o.resolve(n.Properties[name])
	}
	return n
}

// parameters lists the parameters of the address, each as one line.
func (o outline) parameters(meaning bool) (list []string) {
	for _, p := range o.operation.Parameters {
		if p.Ref != "" {
			name := strings.TrimPrefix(p.Ref, "#/components/parameters/")
			if p = o.shared[name]; p.In == "header" || strings.Contains(p.Name, "[") && !strings.Contains(p.Name, "[0]") {
				continue // headers are set by this server; a numbered family is shown by its first member
			}
		}
		line := p.Name + " (" + p.In + "): " + fmt.Sprint(describeKind(o, p.Schema))
		if meaning && p.Description != "" {
			line += ": " + p.Description
		}
		if strings.Contains(p.Name, "[0]") {
			line += " (also with [1] to [19])"
		}
		list = append(list, line)
	}
	return list
}

func describeKind(o outline, n *node) string {
	n = o.resolve(n)
	switch {
	case n == nil:
		return "any"
	case n.Items != nil:
		return "list of " + describeKind(o, n.Items)
	}
	return n.kind()
}

// example returns the recorded request, and the recorded response of a success.
func (o outline) example(row *api.Endpoint) (request, response json.RawMessage) {
	if body := o.operation.RequestBody; body != nil {
		request = body.Content["application/json"].Example
	}
	answers := o.operation.Responses[fmt.Sprint(row.Success())].Content
	kinds := []string{"application/json"}
	for kind := range answers {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds[1:])
	for _, kind := range kinds {
		if response = answers[kind].Example; response != nil {
			break
		}
	}
	return request, response
}
