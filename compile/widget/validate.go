package widget

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"vitrine/internal/shop"
)

// Refusals of a list of sections as a whole; writing it is refused with the same codes (document
// 3, 2.1 and 8).
var (
	ErrSections = shop.Refuse(shop.InvalidArgument, "BLOCK_SECTIONS_INVALID").When("sections is not a list of objects")
	ErrTooLarge = shop.Refuse(shop.InvalidArgument, "BLOCK_TOO_LARGE").When("sections exceeds 64 KB")
)

// maxDepth is the maximum nesting depth of a section's values.
const maxDepth = 64

// Validate reports the effect of every path of a list of sections. The error is ErrSections or
// ErrTooLarge when the write itself would be refused.
func Validate(sections []byte) (Report, error) {
	report := Report{Findings: []Finding{}}
	list, err := read(sections)
	if err != nil {
		return report, err
	}
	for i, s := range list {
		report.section(entry("sections", i), s)
	}
	return report, nil
}

// read decodes the list within its limits.
func read(text []byte) ([]any, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, ErrSections.With("they are not JSON")
	}
	if compact.Len() > MaxBytes {
		return nil, ErrTooLarge.With("at most 64 KB as JSON; markup belongs into an html document")
	}
	dec := json.NewDecoder(&compact)
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, ErrSections.With("they are not JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrSections.With("they go on after their JSON value")
	}
	list, ok := value.([]any)
	if !ok || len(list) > MaxSections {
		return nil, ErrSections.With("a list of at most 50 sections")
	}
	if !shallow(value, maxDepth) {
		return nil, ErrSections.With("values are nested deeper than 64 levels")
	}
	return list, nil
}

func shallow(value any, left int) bool {
	if left < 0 {
		return false
	}
	switch v := value.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !shallow(item, left-1) })
	case map[string]any:
		for _, item := range v {
			if !shallow(item, left-1) {
				return false
			}
		}
	}
	return true
}

func (r *Report) section(at string, value any) {
	s, ok := value.(map[string]any)
	if !ok {
		r.unknown(at, "a section is an object; the write is refused")
		return
	}
	kind := kindOf(s)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		here := field(at, name)
		switch {
		case name == "type":
			r.sectionType(here, s[name])
		case name == "payload":
			r.payload(here, s[name], kind)
		case name == "items" && kind.Items != nil:
			r.items(here, s[name], kind)
		case kind.Name == "heading" && slices.Contains(headingFields, name):
			r.applied(here, "a field of the legacy heading")
		default:
			r.misplaced(here, name, kind)
		}
	}
	if _, sent := s["type"]; !sent {
		r.sectionType(field(at, "type"), "")
	}
}

// items checks the entries of a section, each with its position in the list.
func (r *Report) items(at string, value any, kind Kind) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		r.value(at, Prop{Name: "items", Type: List, Item: &Prop{Type: Object}}, value)
		return
	}
	for i, item := range list {
		fields, ok := item.(map[string]any)
		switch here := entry(at, i); {
		case i >= MaxItems:
			r.ignored(here, fmt.Sprintf("%d items are drawn, this and the rest are not", MaxItems))
			return
		case !ok:
			r.unknown(here, "an item is an object of "+fieldNames(kind.Items)+"; nothing is drawn")
		default:
			r.applied(here, "")
			r.item(here, fields, kind)
		}
	}
}

// item checks the fields of an entry and reports only those with a problem.
func (r *Report) item(at string, fields map[string]any, kind Kind) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch p, known := find(kind.Items, name); {
		case !known:
			r.unknown(field(at, name), "nothing reads this name; an item of "+kind.Name+" has "+fieldNames(kind.Items))
		case !p.sound(fields[name]):
			r.value(field(at, name), p, fields[name])
		}
	}
}

// kindOf returns the kind that a section names; a payload without a kind but with a text has the
// kind text.
func kindOf(section map[string]any) Kind {
	payload, ok := section["payload"].(map[string]any)
	if !ok {
		return Kind{}
	}
	name, named := payload["kind"].(string)
	if _, hasText := payload["text"].(string); hasText && !named && payload["kind"] == nil {
		name = "text"
	}
	kind, _ := Lookup(name)
	return kind
}

func (r *Report) sectionType(at string, value any) {
	if name, ok := value.(string); ok && slices.Contains(SectionTypes, name) {
		r.applied(at, "")
		return
	}
	r.miss(at, Finding{Detail: "the write is refused: BLOCK_SECTION_TYPE_INVALID", Allowed: anyOf(SectionTypes)})
}

func (r *Report) payload(at string, value any, kind Kind) {
	payload, ok := value.(map[string]any)
	if !ok {
		r.unknown(at, "a payload is an object; nothing is drawn")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		here := field(at, name)
		switch {
		case name == "kind":
			r.kind(here, payload[name], kind)
		case name == "v":
			r.value(here, Prop{Name: name, Type: Int, Default: PayloadVersion, Choices: []any{PayloadVersion}}, payload[name])
		case name == "props":
			r.props(here, payload[name], kind)
		case kind.Name == "text" && name == "text":
			r.value(here, Prop{Name: name, Type: Text, Default: ""}, payload[name])
		case kind.Name == "text" && name == "origin":
			r.applied(here, "")
		default:
			r.misplaced(here, name, kind)
		}
	}
	if kind.Name == "" && payload["kind"] == nil {
		r.miss(field(at, "kind"), Finding{Detail: "missing: nothing is drawn", Allowed: names()})
	}
}

func (r *Report) kind(at string, value any, kind Kind) {
	switch {
	case kind.Name == "" && value == nil:
	case kind.Name == "":
		r.miss(at, Finding{Detail: fmt.Sprintf("no kind %q: nothing is drawn", shop.Shorten(fmt.Sprint(value), maxName)), Allowed: names()})
	case !kind.Drawn:
		r.ignored(at, "stored; this version of the storefront draws nothing for it yet")
	case kind.Legacy != "":
		r.applied(at, "legacy, still read: write "+kind.Legacy+" instead")
	default:
		r.applied(at, "")
	}
}
