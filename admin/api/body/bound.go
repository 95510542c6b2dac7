package body

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/shop"
)

// Bounds of fields without tags, and of all bodies.
const (
	MaxText  = 255 // characters of a text
	MaxList  = 100 // entries of a list or of a map
	MaxDepth = 100 // lists and objects inside one another
)

// ErrTextTooLong is the refusal of a text whose field names no other code (CONTRACT,
// "Answers").
var ErrTextTooLong = shop.Refuse(shop.InvalidArgument, "TEXT_TOO_LONG").
	When("a text has more characters than its field holds; the detail begins with the field")

// Bound is how much a field of a request may hold, as declared by its tags:
//
//	len:"1000"     characters of a text, or of each text of a list or a map
//	len:"body"     a text as long as the body: the endpoint checks its
//	               bytes or lines
//	max:"64"       entries of a list or a map
//	spaces:"kept"  white space around the text counts: passwords, and
//	               texts that name something else, such as paths
//	refuse:"CODE"  code of the refusal of a longer value; without it
//	               TEXT_TOO_LONG for a text and INVALID_REQUEST for a list
//
// The length of a text counts without the white space around it. A text that fits only without
// it is trimmed, so that no stored text is longer than its bound; other texts stay as they are.
//
// A field without tags holds MaxText characters and MaxList entries. Raw JSON (json.RawMessage)
// is limited by the body and MaxDepth.
type Bound struct {
	Len  int // NoLen: as long as the body
	Max  int
	Code string
	Kept bool // the white space around the text counts
}

// NoLen is the Len of a text that only the body bounds.
const NoLen = -1

// BoundOf reads the tags of a field.
func BoundOf(f reflect.StructField) Bound {
	b := Bound{Len: MaxText, Max: MaxList, Code: f.Tag.Get("refuse"), Kept: f.Tag.Get("spaces") == "kept"}
	if text := f.Tag.Get("len"); text == "body" {
		b.Len = NoLen
	} else if text != "" {
		b.Len = count(f, text)
	}
	if text := f.Tag.Get("max"); text != "" {
		b.Max = count(f, text)
	}
	return b
}

// count parses the number of a tag. It panics on anything else, which is a programming error.
func count(f reflect.StructField, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("the field %s has the bound %q", f.Name, text))
	}
	return n
}

// Shape describes what a body may hold at one place, compiled from a Go type.
type Shape struct {
	Bound
	kind          shapeKind
	elem          *Shape // of a list or a map
	members       []member
	decodesItself bool // an object whose type has its own unmarshaler, which checks the bounds itself
	of            reflect.Type
}

type shapeKind uint8

const (
	anything shapeKind = iota // a number, a boolean, an id, or raw JSON
	text
	list
	dict
	object
)

// member is a field of an object.
type member struct {
	name  string
	depth int // number of embedded structs around it; of equal names the outermost counts
	shape *Shape
}

// shapes caches compiled shapes by type. Endpoints and types with their own unmarshaler share
// it.
var shapes sync.Map

// ShapeOf returns the shape of a request type.
func ShapeOf(t reflect.Type) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape)
	}
	s := compile(t, Bound{Len: MaxText, Max: MaxList})
	shapes.Store(t, s)
	return s
}

func compile(t reflect.Type, b Bound) *Shape {
	s := &Shape{Bound: b, of: t}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
	case t.Kind() == reflect.String:
		s.kind = text
	case t.Kind() == reflect.Struct:
		s.members, s.decodesItself = membersOf(t, 0, nil), hasUnmarshaler(t)
		if len(s.members) > 0 {
			s.kind = object
		}
	case hasUnmarshaler(t):
	case t.Kind() == reflect.Slice:
		s.kind, s.elem = list, compile(t.Elem(), b)
	case t.Kind() == reflect.Map:
		s.kind, s.elem = dict, compile(t.Elem(), b)
	}
	return s
}

func hasUnmarshaler(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// membersOf lists the fields of a struct that JSON decoding sets.
func membersOf(t reflect.Type, depth int, list []member) []member {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			list = membersOf(inner, depth+1, list)
		case name == "-" || !f.IsExported():
		default:
			if name == "" {
				name = f.Name
			}
			list = outermost(list, member{name, depth, compile(f.Type, BoundOf(f))})
		}
	}
	return list
}

// outermost adds a member; of two with the same name it keeps the one in fewer structs.
func outermost(list []member, m member) []member {
	for i := range list {
		if list[i].name == m.name {
			if m.depth < list[i].depth {
				list[i] = m
			}
			return list
		}
	}
	return append(list, m)
}

// member finds the field for a name: an exact match, else one that differs only in case, as in
// encoding/json.
func (s *Shape) member(name string) *Shape {
	for i := range s.members {
		if s.members[i].name == name {
			return s.members[i].shape
		}
	}
	for i := range s.members {
		if strings.EqualFold(s.members[i].name, name) {
			return s.members[i].shape
		}
	}
	return nil
}

// Bounds returns the bounds of the texts and lists of a request type by their path, such as
// seo.meta_title, for fields that are not set from JSON.
func Bounds[T any]() map[string]Bound {
	all := map[string]Bound{}
	ShapeOf(reflect.TypeFor[T]()).collect("", all)
	return all
}

func (s *Shape) collect(path string, into map[string]Bound) {
	for _, m := range s.members {
		switch m.shape.kind {
		case object:
			m.shape.collect(path+m.name+".", into)
		case text, list, dict:
			into[path+m.name] = m.shape.Bound
		}
	}
}
