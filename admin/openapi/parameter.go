package openapi

import (
	"reflect"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
)

type parameter struct {
	Ref         string  `json:"$ref,omitempty"`
	Name        string  `json:"name,omitempty"`
	In          string  `json:"in,omitempty"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Style       string  `json:"style,omitempty"`
	Explode     *bool   `json:"explode,omitempty"`
	Schema      *schema `json:"schema,omitempty"`
}

type header struct {
	Ref         string  `json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *schema `json:"schema,omitempty"`
}

// familySize is how many numbered copies of a parameter with [i] in its name the document contains,
// because client generators support no other notation for such a family (document 1, section 8:
// at most 20 attribute_filters).
const familySize = 20

func (b *builder) parameters(e *api.Endpoint) (list []*parameter) {
	b.address(e.Do.In, &list)
	if e.Idempotent() {
		list = append(list, b.shared("Idempotency-Key", &parameter{
			Name: "Idempotency-Key", In: "header", Schema: &schema{Type: "string", MinLength: 1, MaxLength: 255},
			Description: "A string chosen by the caller. Repeating the request with the same key within 24 hours returns the first response and has no further effect",
		}))
	}
	if e.Edits != "" {
		list = append(list, b.shared("If-Match", &parameter{
			Name: "If-Match", In: "header", Schema: &schema{Type: "string"},
			Description: "The ETag of the object that the edit was made from; if the object has changed since, the edit is refused with EDIT_CONFLICT",
		}))
	}
	if e.Auth != api.Link {
		list = append(list, b.shared("X-Service-Contour", &parameter{
			Name: "X-Service-Contour", In: "header", Schema: &schema{Type: "string", Enum: enum(shop.Contour("").Values())},
			Description: "The contour that a session works in; keys ignore it, because each has a fixed contour",
		}), b.shared("X-Vitrine-Shop", &parameter{
			Name: "X-Vitrine-Shop", In: "header", Schema: &schema{Type: "string", MaxLength: 63},
			Description: "The shop that a session acts in, by id or slug; without it the person's main shop. A key may only name its own shop",
		}))
	}
	return list
}

// shared adds a parameter to the components and returns a reference to it.
func (b *builder) shared(name string, p *parameter) *parameter {
	b.doc.Components.Parameters[name] = p
	return &parameter{Ref: "#/components/parameters/" + name}
}

// address adds the path and query fields of a request type, including those of embedded structs.
func (b *builder) address(in reflect.Type, list *[]*parameter) {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			b.address(f.Type, list)
			continue
		}
		if name, ok := f.Tag.Lookup("path"); ok {
			*list = append(*list, &parameter{Name: name, In: "path", Required: true, Description: f.Tag.Get("doc"), Schema: b.parameterSchema(f)})
		} else if name, ok := f.Tag.Lookup("query"); ok {
			*list = append(*list, b.query(name, f)...)
		}
	}
}

// query returns one parameter, or a numbered family of them.
func (b *builder) query(name string, f reflect.StructField) (list []*parameter) {
	make := func(name string) *parameter {
		p := &parameter{Name: name, In: "query", Description: f.Tag.Get("doc"), Schema: b.parameterSchema(f)}
		if f.Type.Kind() == reflect.Slice {
			yes := true
			p.Style, p.Explode = "form", &yes // repeated; comma-separated lists are refused (document 1, 4.2)
		}
		return p
	}
	before, after, family := strings.Cut(name, "[i]")
	if !family {
		return append(list, make(name))
	}
	for i := range familySize {
		name := before + "[" + strconv.Itoa(i) + "]" + after
		component := strings.Trim(notWord.ReplaceAllString(name, "_"), "_")
		list = append(list, b.shared(component, make(name)))
	}
	return list
}

// parameterSchema returns the schema of a parameter. A 64-bit id is a string, as in responses,
// because the numbers of JavaScript are not exact beyond 53 bits.
func (b *builder) parameterSchema(f reflect.StructField) *schema {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if bits, ok := isID(t); ok {
		return idParameter(bits)
	}
	if t.Kind() == reflect.Slice {
		if bits, ok := isID(t.Elem()); ok {
			return bounded(&schema{Type: "array", Items: idParameter(bits)}, body.BoundOf(f))
		}
	}
	shown := *types{b, true, ""}.tagged(f, bounded(types{b, false, ""}.of(t), body.BoundOf(f)))
	shown.Description = "" // the parameter has it
	return &shown
}

func idParameter(bits int) *schema {
	if bits == 64 {
		return &schema{Type: "string", Format: "int64", Pattern: `^-?[0-9]+$`}
	}
	return &schema{Type: "integer", Format: "int32"}
}

func headers() map[string]*header {
	return map[string]*header{
		"X-Request-Id":        {Description: "The id of the request, for support questions", Schema: &schema{Type: "string"}},
		"Idempotent-Replayed": {Description: "true if this is the response to an earlier request with the same Idempotency-Key", Schema: &schema{Type: "string", Enum: []any{"true"}}},
		"Retry-After":         {Description: "Seconds to wait", Schema: &schema{Type: "integer", Minimum: number(0)}},
		"WWW-Authenticate":    {Description: "How to sign in", Schema: &schema{Type: "string"}},
		api.IgnoredHeader:     {Description: "JSON paths of body fields and query parameters that were ignored, separated by commas, at most 10", Schema: &schema{Type: "string"}},
		"ETag":                {Description: "The version of the response, to be sent in If-None-Match, or in the If-Match of an edit", Schema: &schema{Type: "string"}},
	}
}

// usualHeaders are the headers of every response.
func usualHeaders() map[string]*header {
	return map[string]*header{
		"X-Request-Id":    {Ref: "#/components/headers/X-Request-Id"},
		api.IgnoredHeader: {Ref: "#/components/headers/" + api.IgnoredHeader},
	}
}
