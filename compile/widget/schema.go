package widget

// Schema is the part of JSON Schema that settings need.
type Schema struct {
	Type        any                `json:"type,omitempty"` // a name, or a list with "null"
	Default     *any               `json:"default,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Maximum     *int               `json:"maximum,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Format      Format             `json:"format,omitempty"`  // address, file, video, html, colour, or that of class names
	Of          Noun               `json:"x-of,omitempty"`    // what an id names
	Order       int                `json:"x-order,omitempty"` // from 1: the place among the settings of its object
	Inert       bool               `json:"x-inert,omitempty"` // stored, never drawn
	Examples    []any              `json:"examples,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Description string             `json:"description,omitempty"`
	Own         bool               `json:"x-own,omitempty"` // designed by this server where the specification shows nothing
}

// objectSchema is the schema of an object of settings, all optional.
func objectSchema(props []Prop) *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}}
	for i, p := range props {
		field := p.schema()
		field.Order = i + 1
		s.Properties[p.Name] = field
	}
	return s
}

func (p Prop) schema() *Schema {
	s := p.plainSchema()
	if p.Or != nil {
		s = &Schema{AnyOf: []*Schema{s, p.Or.plainSchema()}}
	}
	if p.Name != "" {
		by := copied(p.Default)
		s.Default = &by
	}
	s.Description, s.Own, s.Format, s.Of, s.Inert = p.Note, p.Own, p.Format, p.Of, p.Inert != ""
	if p.Example != nil {
		s.Examples = []any{p.Example}
	}
	return s
}

// plainSchema is the schema without alternatives, default and description.
func (p Prop) plainSchema() *Schema {
	s := &Schema{Type: p.jsonType(), Enum: p.Choices}
	if p.bounded() {
		low, high := p.Min, p.Max
		s.Minimum, s.Maximum = &low, &high
	}
	switch {
	case p.Type == Classes:
		s.Items, s.MaxItems = &Schema{Type: "string", Pattern: className.String()}, MaxClasses
	case p.Item != nil:
		s.Items = p.Item.schema()
	case p.Fields != nil:
		s.Properties = objectSchema(p.Fields).Properties
	}
	return s
}

// jsonType names the type; settings with a null default allow null.
func (p Prop) jsonType() any {
	name := string(p.Type)
	switch p.Type {
	case ID:
		name = "integer"
	case Classes:
		name = "array"
	}
	if p.Name != "" && p.Default == nil {
		return []string{name, "null"}
	}
	return name
}

func (p Prop) bounded() bool { return p.Min != 0 || p.Max != 0 }
