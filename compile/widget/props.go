package widget

import (
	"maps"
	"slices"
)

// retired maps names that old interfaces wrote and nothing reads any more to the reason.
var retired = map[string]string{
	"sidebar_config": "deprecated: accepted and never used",
	"sidebarConfig":  "deprecated: accepted and never used",
	"sort":           "widgets have no sorting",
	"sort_order":     "the order of blocks is written where they are attached",
	"sortOrder":      "the order of blocks is written where they are attached",
}

func (r *Report) props(at string, value any, kind Kind) {
	props, ok := value.(map[string]any)
	switch {
	case !ok && value == nil:
		r.applied(at, "null is {}")
	case !ok:
		r.unknown(at, "props is an object; every default is drawn")
	case kind.Name == "":
		r.ignored(at, "the kind is not known")
	case len(props) == 0:
		r.applied(at, "")
	default:
		for _, name := range slices.Sorted(maps.Keys(props)) {
			r.prop(at, name, props, kind)
		}
	}
}

// prop checks one name at the root of props.
func (r *Report) prop(at, name string, props map[string]any, kind Kind) {
	here, value := field(at, name), props[name]
	if name == kind.Nest && name != "" {
		r.nested(here, value, kind)
		return
	}
	axis, isAxis := find(axes, name)
	p, isProp := find(kind.Props, name)
	switch {
	case isProp && kind.Nest == "" && isAxis:
		r.shared(here, p, axis, value)
	case isProp && kind.Nest == "":
		r.value(here, p, value)
	case isAxis:
		r.axis(here, axis, value, kind, boxed(props))
	case slices.Contains(Layers, name):
		r.layer(here, value, kind, boxed(props))
	default:
		r.misplaced(here, name, kind)
	}
}

// shared checks a name that both the widget and its wrapper read, such as the overflow of reels:
// the value may be valid for either.
func (r *Report) shared(at string, p, axis Prop, value any) {
	if !p.sound(value) && axis.sound(value) {
		r.applied(at, "read by the wrapper")
		return
	}
	p.Choices = slices.Concat(p.Choices, axis.Choices)
	r.value(at, p, value)
}

// nested checks the settings of a kind that nests them.
func (r *Report) nested(at string, value any, kind Kind) {
	settings, ok := value.(map[string]any)
	if !ok {
		r.unknown(at, "expected an object; every default is drawn")
		return
	}
	if len(settings) == 0 {
		r.applied(at, "")
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		here := field(at, name)
		if p, known := find(slices.Concat(kind.Props, kind.Mount), name); known {
			r.value(here, p, settings[name])
		} else if _, isAxis := find(axes, name); isAxis || slices.Contains(Layers, name) {
			r.ignored(here, "wrapper axes are read at payload.props."+name)
		} else {
			r.misplaced(here, name, kind)
		}
	}
}

// boxed reports whether an html document has a box; without one wrapper axes have nothing to act
// on (document 3, 2.2 and 4.6.1).
func boxed(props map[string]any) bool {
	mount, ok := props["html"].(map[string]any)
	return ok && mount["boxed"] == true
}

// axis checks a wrapper axis.
func (r *Report) axis(at string, axis Prop, value any, kind Kind, boxed bool) {
	switch {
	case kind.Name == "html" && !boxed:
		r.ignored(at, "does nothing on an html document unless props.html.boxed is true")
	case kind.Container || kind.Legacy != "":
		r.ignored(at, "a "+kind.Name+" has no wrapper")
	case axis.Name == "container" && kind.Name == "productListing":
		r.listingContainer(at, axis, value)
	default:
		r.value(at, axis, value)
	}
}

// listingContainer checks a container around a product listing, whose fill has no effect
// (document 3, 2.2).
func (r *Report) listingContainer(at string, axis Prop, value any) {
	fields, ok := value.(map[string]any)
	if _, filled := fields["fill"]; !ok || !filled {
		r.value(at, axis, value)
		return
	}
	rest := maps.Clone(fields)
	delete(rest, "fill")
	if len(rest) > 0 {
		r.value(at, axis, rest)
	}
	r.ignored(field(at, "fill"), "does nothing on productListing")
}

// layer checks the axes of a narrower device.
func (r *Report) layer(at string, value any, kind Kind, boxed bool) {
	values, ok := value.(map[string]any)
	if !ok {
		r.unknown(at, "expected an object of wrapper axes")
		return
	}
	if len(values) == 0 {
		r.applied(at, "")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		here := field(at, name)
		if axis, known := find(axes, name); known {
			r.axis(here, axis, values[name], kind, boxed)
		} else if _, isProp := find(kind.Props, name); isProp {
			r.ignored(here, "a device layer holds wrapper axes; the widget reads "+kind.path(name))
		} else {
			r.misplaced(here, name, kind)
		}
	}
}

// path returns where a kind reads a setting.
func (k Kind) path(name string) string { return "payload." + k.WritePath() + "." + name }

// misplaced reports a name that nothing reads in this position: ignored if it is known elsewhere,
// otherwise unknown.
func (r *Report) misplaced(at, name string, kind Kind) {
	_, isProp := find(kind.Props, name)
	_, isMount := find(kind.Mount, name)
	_, isAxis := find(axes, name)
	_, isKind := Lookup(name)
	why, isRetired := retired[name]
	switch {
	case isRetired:
		r.ignored(at, why)
	case name == "kind" || name == "v" || name == "props":
		r.ignored(at, "read at payload."+name)
	case kind.Name == "":
		r.unknown(at, "nothing reads this name")
	case isProp:
		r.ignored(at, "wrong path: read at "+kind.path(name))
	case isMount:
		r.ignored(at, "wrong path: read at payload.props."+kind.Nest+"."+name)
	case isAxis:
		r.ignored(at, "wrong path: wrapper axes are read at payload.props."+name)
	case nests(name) || isKind:
		r.ignored(at, "not read by "+kind.Name+", whose settings are read at "+orNone(kind))
	case name == "items" && kind.Items != nil:
		r.ignored(at, "wrong path: the items of a "+kind.Name+" stand beside payload, at sections[].items")
	case name == "items":
		r.ignored(at, "a "+kind.Name+" has no items")
	default:
		r.unknown(at, "nothing reads this name")
	}
}

func orNone(kind Kind) string {
	if path := kind.WritePath(); path != "" {
		return "payload." + path
	}
	return "no path: it has none"
}
