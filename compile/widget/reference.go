package widget

import "slices"

// Version is the version of the reference (document 3, section 9).
const Version = 1

// The limits of the sections of one block (document 3, section 8).
const (
	MaxSections = 50
	MaxBytes    = 64 << 10 // of the sections as compact JSON
)

// PayloadVersion is the v of every payload.
const PayloadVersion = 2

// SectionTypes lists the coarse types of sections; they do not determine the widget.
var SectionTypes = []string{"image", "slideshow", "text", "video"}

// Reference is the document at /docs/widgets (document 1, section 1).
type Reference struct {
	Version    int               `json:"version"`
	Widgets    []Entry           `json:"widgets"`
	Structural []Entry           `json:"structural"` // containers, and sections of plain text
	Wrapper    WrapperEntry      `json:"wrapper"`
	Sections   SectionsEntry     `json:"sections"`
	Statuses   map[Status]string `json:"statuses"` // of POST /docs/validate
}

// Entry is one kind of the reference.
type Entry struct {
	Kind      string             `json:"kind"`
	Label     Label              `json:"label"`
	Placement Placement          `json:"placement"`
	Render    Render             `json:"render"`
	WritePath string             `json:"writePath"` // empty without settings
	Props     *Schema            `json:"props"`     // null: no settings
	Choices   map[string][]any   `json:"choices"`   // by the name of the setting
	Mount     map[string]*Schema `json:"mount,omitempty"`
	Items     *Schema            `json:"items,omitempty"` // of one entry of the section's items, which are next to its payload
	MaxItems  int                `json:"maxItems,omitempty"`
	Example   map[string]any     `json:"example,omitempty"` // a complete section; absent for legacy kinds
	Drawn     bool               `json:"drawn"`             // by the storefront of this version
	Legacy    string             `json:"legacy,omitempty"`
}

// Label is the name of a kind for owners.
type Label struct {
	RU string `json:"ru"`
	EN string `json:"en"`
}

// WrapperEntry describes the axes of the box around every widget.
type WrapperEntry struct {
	WritePath string           `json:"writePath"`
	Props     *Schema          `json:"props"`
	Choices   map[string][]any `json:"choices"`
	Layers    []string         `json:"layers"` // names below props that hold the same axes
}

// SectionsEntry describes the frame around a widget.
type SectionsEntry struct {
	Max      int      `json:"max"`
	MaxBytes int      `json:"max_bytes"`
	Types    []string `json:"types"`
	V        int      `json:"v"`
}

// Describe builds the reference from the table.
func Describe() Reference {
	r := Reference{
		Version: Version, Widgets: []Entry{}, Structural: []Entry{},
		Wrapper:  WrapperEntry{WritePath: "props", Props: objectSchema(axes), Choices: choices(axes), Layers: slices.Clone(Layers)},
		Sections: SectionsEntry{Max: MaxSections, MaxBytes: MaxBytes, Types: slices.Clone(SectionTypes), V: PayloadVersion},
		Statuses: map[Status]string{
			Applied: "read in this position; drawn is the value after clamping",
			Ignored: "a known name that has no effect in this position",
			Unknown: "an unknown name or value; allowed lists the valid values",
		},
	}
	for _, k := range table {
		if slices.ContainsFunc(containers, func(c Kind) bool { return c.Name == k.Name }) {
			r.Structural = append(r.Structural, k.entry())
		} else {
			r.Widgets = append(r.Widgets, k.entry())
		}
	}
	return r
}

func (k Kind) entry() Entry {
	e := Entry{
		Kind: k.Name, Label: Label{k.RU, k.EN}, Placement: k.Placement, Render: k.Render, WritePath: k.WritePath(),
		Choices: choices(k.Props), Drawn: k.Drawn, Legacy: k.Legacy, Example: k.example(),
	}
	if k.Props != nil {
		e.Props = objectSchema(k.Props)
	}
	if k.Items != nil {
		e.Items, e.MaxItems = objectSchema(k.Items), MaxItems
	}
	for _, p := range k.Mount {
		if e.Mount == nil {
			e.Mount = map[string]*Schema{}
		}
		e.Mount["props."+k.Nest+"."+p.Name] = p.schema()
	}
	return e
}

// example returns a section of the kind with the example values of its settings and one example
// item.
func (k Kind) example() map[string]any {
	if k.Legacy != "" {
		return nil
	}
	own, props := examples(slices.Concat(k.Props, k.Mount)), map[string]any{}
	switch {
	case k.Nest != "" && len(own) > 0:
		props[k.Nest] = own
	case k.Nest == "":
		props = own
	}
	section := map[string]any{"type": "text", "payload": map[string]any{"v": PayloadVersion, "kind": k.Name, "props": props}}
	if k.Items != nil {
		section["items"] = []any{examples(k.Items)}
	}
	return section
}

func examples(props []Prop) map[string]any {
	values := map[string]any{}
	for _, p := range props {
		if p.Example != nil {
			values[p.Name] = p.Example
		}
	}
	return values
}

// choices collects the closed sets of settings; those of list items are listed under the name of
// the list.
func choices(props []Prop) map[string][]any {
	sets := map[string][]any{}
	for _, p := range props {
		switch {
		case p.Choices != nil:
			sets[p.Name] = slices.Clone(p.Choices)
		case p.Item != nil && p.Item.Choices != nil:
			sets[p.Name] = slices.Clone(p.Item.Choices)
		}
	}
	return sets
}
