package widget

import (
	"slices"

	"vitrine/internal/shop"
)

// Kind is one row of the table.
type Kind struct {
	Name      string
	RU, EN    string    // labels for owners
	Placement Placement // allowed place
	Render    Render    // source of the contents
	Nest      string    // object of the settings below props, such as "listing"; empty: props itself
	Props     []Prop    // nil: no settings
	Mount     []Prop    // html only: the document reference, below Nest; not widget settings
	Items     []Prop    // fields of one entry of the section's items; nil: no items
	Drawn     bool      // drawn by this version of the storefront
	Container bool      // contains other blocks
	Legacy    string    // if not empty: still read, no longer written; names the replacement
}

// Placement is where a widget may be placed.
type Placement string

// The placements.
const (
	Chrome Placement = "chrome" // header and footer
	Page   Placement = "page"
)

// Values lists the placements as texts.
func (Placement) Values() []string { return shop.Texts([]Placement{Chrome, Page}) }

// Render is the source of a widget's contents.
type Render string

// The sources.
const (
	Slot    Render = "slot"    // the current page, or live data of the shop
	Section Render = "section" // the contents of its own section
)

// Values lists the sources as texts.
func (Render) Values() []string { return shop.Texts([]Render{Slot, Section}) }

// table holds every row: widgets first, then containers.
var table = slices.Concat(commerce, content, editorial, chrome, containers)

// Kinds returns the whole table: widgets first, then containers. The list is a copy, but shares
// what the rows point to.
func Kinds() []Kind { return slices.Clone(table) }

// Lookup finds a kind by its case-sensitive name.
func Lookup(name string) (Kind, bool) {
	for i := range table {
		if table[i].Name == name {
			return table[i], true
		}
	}
	return Kind{}, false
}

// WritePath returns the path of the settings: "props", or "props.listing" for a kind that nests.
// It is empty for a kind without settings.
func (k Kind) WritePath() string {
	switch {
	case k.Props == nil:
		return ""
	case k.Nest == "":
		return "props"
	}
	return "props." + k.Nest
}

// Defaults returns the props of a widget with every default at its write path. Each call returns
// a new map.
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
