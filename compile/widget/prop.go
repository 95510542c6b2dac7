package widget

import "slices"

// Type is the type of a setting.
type Type string

// The types. ID is an integer that may also be sent as a string of digits (document 1,
// conventions); Classes is a list of class names or one text with names separated by spaces.
const (
	Bool    Type = "boolean"
	Int     Type = "integer"
	Number  Type = "number"
	Text    Type = "string"
	Object  Type = "object"
	List    Type = "array"
	ID      Type = "id"
	Classes Type = "classes"
)

// Prop is one setting of a widget.
type Prop struct {
	Name     string
	Type     Type
	Default  any    // in the form of JSON; nil is null
	Choices  []any  // nil: any value of the type
	Min, Max int    // both 0: no bounds; a value outside is clamped
	Fields   []Prop // of an object
	Item     *Prop  // of a list
	Open     bool   // an object may have further names, which are kept
	Or       *Prop  // alternative type of the value
	Format   Format // additional requirement on a text
	Of       Noun   // what an id names
	Example  any    // an example value; nil: the default serves as one
	Own      bool   // not in the specification, designed here
	Note     string // for readers of the reference
	Inert    string // if not empty: stored but never drawn, for this reason, which Validate reports
}

// Format is a requirement that a text must meet to have an effect.
type Format string

// The formats.
const (
	Address  Format = "address" // a link target: shop.SafeLink
	FileID   Format = "file"    // the id of a file of the media library
	VideoID  Format = "video"   // that of a video
	RichText Format = "html"    // plain, or the small HTML of compile/richtext
	Colour   Format = "colour"  // a colour in any form of CSS
)

// Noun is what an id of a setting names.
type Noun string

// The nouns.
const (
	Product  Noun = "product"
	Category Noun = "category"
	Form     Noun = "form"
	Document Noun = "document"
	Block    Noun = "block"
)

// Constructors used to write the table.

func flag(name string, by bool) Prop  { return Prop{Name: name, Type: Bool, Default: by} }
func number(name string, by int) Prop { return Prop{Name: name, Type: Int, Default: by} }
func text(name, by string) Prop       { return Prop{Name: name, Type: Text, Default: by} }
func reference(name string, of Noun) Prop {
	return Prop{Name: name, Type: ID, Default: 0, Of: of}
}
func nothing(name string, t Type) Prop { return Prop{Name: name, Type: t} }
func list(name string, item Prop) Prop {
	return Prop{Name: name, Type: List, Default: []any{}, Item: &item}
}
func within(p Prop, low, high int) Prop { p.Min, p.Max = low, high; return p }
func note(p Prop, note string) Prop     { p.Note = note; return p }
func like(p Prop, example any) Prop     { p.Example = example; return p }
func address(name string) Prop {
	return Prop{Name: name, Type: Text, Default: "", Format: Address, Example: "/about", Note: addressNote}
}
func file(name string) Prop {
	return Prop{Name: name, Type: Text, Default: "", Format: FileID, Example: exampleFile, Note: "the id of a file of the media library"}
}
func video(name string) Prop { p := file(name); p.Format = VideoID; return p }
func rich(name string) Prop {
	return Prop{Name: name, Type: Text, Default: "", Format: RichText, Note: "plain text, or small HTML"}
}
func classes(name, by string, f Format) Prop {
	return Prop{Name: name, Type: Text, Default: by, Format: f, Note: "class names; words not listed in the guide have no effect"}
}

// hiddenEls is the setting that hides parts of a widget.
func hiddenEls(parts ...string) Prop { return list("hiddenEls", choice("", "", parts...)) }

// inert marks a setting that is stored but never drawn.
func inert(p Prop, why string) Prop { p.Inert = why; return p }

func legacy() Prop { return inert(flag("legacy", true), "records how an editor made the block") }

// choice is a text from a closed set of values, with by as the default.
func choice(name, by string, values ...string) Prop {
	return Prop{Name: name, Type: Text, Default: by, Choices: anyOf(values)}
}

// group is an object with fixed fields.
func group(name string, fields ...Prop) Prop {
	return Prop{Name: name, Type: Object, Default: map[string]any{}, Fields: fields}
}

// color is an object with a hex value; empty means the theme's own colour.
func color(name string) Prop {
	return Prop{Name: name, Type: Object, Default: map[string]any{"hex": ""}, Fields: []Prop{hex()}, Open: true}
}

func hex() Prop { return Prop{Name: "hex", Type: Text, Default: "", Format: Colour, Note: colourNote} }

const (
	addressNote = "a path of the shop, #, https, http, mailto, tel or form:<id>; anything else leads nowhere"
	colourNote  = "a colour in any form of CSS"
	exampleFile = "6f9619ff-8b86-4d01-b42d-00c04fc964ff"
)

// style is an object that styles text. Its weight has only four valid values: any other draws 600
// (document 3, 2.2).
func style(name string) Prop {
	weight := Prop{Name: "weight", Type: Int, Default: 600, Choices: []any{400, 500, 600, 700}, Note: "any other weight draws 600"}
	return Prop{Name: name, Type: Object, Default: map[string]any{}, Open: true, Fields: append([]Prop{weight}, own(
		within(nothing("size", Int), 6, 160),
		Prop{Name: "color", Type: Text, Format: Colour, Note: colourNote + ", or an object with hex", Or: &Prop{Type: Object, Open: true, Fields: []Prop{hex()}}},
		choice("align", "left", "left", "center", "right"),
	)...)}
}

// title is the heading of a widget: its text and style.
func title() Prop {
	p := style("title")
	p.Fields = append(own(note(text("text", ""), "the heading; empty draws none")), p.Fields...)
	p.Example = map[string]any{"text": "New this week"}
	return p
}

// titleTag is the tag of a widget's heading.
func titleTag() Prop { return choice("titleTag", "h3", "h2", "h3", "p", "div") }

// own marks settings that are not in the specification.
func own(props ...Prop) []Prop {
	for i := range props {
		props[i].Own = true
	}
	return props
}

func anyOf(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func defaults(props []Prop) map[string]any {
	values := map[string]any{}
	for _, p := range props {
		values[p.Name] = copied(p.Default)
	}
	return values
}

// copied returns a deep copy, so that callers cannot change the table through a default.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[name] = copied(field)
		}
		return out
	case []any:
		return slices.Clone(v)
	}
	return v
}

// find returns the prop with a name.
func find(props []Prop, name string) (Prop, bool) {
	for i := range props {
		if props[i].Name == name {
			return props[i], true
		}
	}
	return Prop{}, false
}
