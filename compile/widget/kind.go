package widget

import "slices"

// Kind is one row of the table.
type Kind struct {
	Name      string
	RU, EN    string    // what owners call it
	Placement Placement // where it may stand
	Render    Render    // what it is drawn from
	Nest      string    // of the settings below props: "listing"; empty: props itself
	Props     []Prop    // nil: no settings
	Mount     []Prop    // html only: which document, below Nest; no settings of a widget
	Items     []Prop    // what one entry of the section's items holds; nil: it has no items
	Drawn     bool      // the storefront of this version draws it
	Container bool      // it holds other blocks
	Legacy    string    // not empty: still read, no longer written; what replaced it
}

// Placement is where a widget may stand.
type Placement string

// The placements.
const (
	Chrome Placement = "chrome" // header and footer
	Page   Placement = "page"
)

// Render is what a widget is drawn from.
type Render string

// The sources.
const (
	Slot    Render = "slot"    // the page it stands on, or live data of the shop
	Section Render = "section" // what its own section holds
)

// table is every row: widgets first, then containers.
var table = slices.Concat(commerce, content, editorial, chrome, containers)

// Kinds is the whole table: widgets first, then containers. It is a copy of the
// list, not of what the rows point to.
func Kinds() []Kind { return slices.Clone(table) }

// Lookup finds a kind by its name, in exact case.
func Lookup(name string) (Kind, bool) {
	for i := range table {
		if table[i].Name == name {
			return table[i], true
		}
	}
	return Kind{}, false
}

// WritePath is where the settings stand: "props", or "props.listing" for a kind
// that nests. A kind without settings has none.
func (k Kind) WritePath() string {
	switch {
	case k.Props == nil:
		return ""
	case k.Nest == "":
		return "props"
	}
	return "props." + k.Nest
}

// Defaults is the props of a widget with every default written out at its write
// path. It is new at every call.
func (k Kind) Defaults() map[string]any {
	own := defaults(k.Props)
	if k.Nest == "" || k.Props == nil {
		return own
	}
	return map[string]any{k.Nest: own}
}

// names lists the kinds in the order of the table.
func names() []any {
	list := make([]any, len(table))
	for i := range table {
		list[i] = table[i].Name
	}
	return list
}

// nests reports whether some kind keeps its settings below props.<name>.
func nests(name string) bool {
	for i := range table {
		if table[i].Nest == name {
			return true
		}
	}
	return false
}
