package markup

import "slices"

// Root is a name that paths begin with, and the fields below it. A path below a list begins at
// one of its rows.
type Root struct {
	Name   string
	List   bool
	Fields []string // paths such as "name", "gallery[0].url"; a single example for rows nested in rows of their own kind
}

// Roots returns everything that a placeholder can read, from the table that documents are
// compiled with.
func Roots() []Root {
	list := make([]Root, len(roots))
	for i, r := range roots {
		of := r.typ
		if element := of.element(); element != noType {
			list[i].List, of = true, element
		}
		list[i].Name, list[i].Fields = r.name, paths(of)
	}
	return list
}

// paths lists the fields of a type, including the fields of rows in its lists.
func paths(of typ) (list []string) {
	for _, f := range fields {
		if f.of != of {
			continue
		}
		switch element := f.typ.element(); element {
		case noType:
			list = append(list, f.name)
		case of:
			list = append(list, f.name+"[0]."+list[0])
		default:
			for _, below := range paths(element) {
				list = append(list, f.name+"[0]."+below)
			}
		}
	}
	return list
}

// Attributes returns the binding attributes that have an effect: svc-for and svc-if, which the
// compiler resolves, and those that stay in the page for its script. Other svc-* attributes are
// removed.
func Attributes() []string { return slices.Concat([]string{"svc-for", "svc-if"}, bindings) }
