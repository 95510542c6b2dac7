package body

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// placeAt returns the decoder's position from the root of the body.
func placeAt(dec *jsontext.Decoder) string {
	var place strings.Builder
	depth := 0
	for token := range dec.StackPointer().Tokens() {
		depth++
		if kind, _ := dec.StackIndex(depth); kind == '[' {
			place.WriteString("[" + token + "]")
			continue
		}
		if place.Len() > 0 {
			place.WriteByte('.')
		}
		place.WriteString(strings.ReplaceAll(plainName(token), ".", "%2E"))
	}
	return place.String()
}

// plainName shortens and escapes a name for a header with a comma-separated list.
func plainName(name string) string {
	if len(name) > 64 {
		name = name[:64]
	}
	return url.QueryEscape(name)
}

const (
	maxIgnored  = 10
	maxExamined = 1000
)

// Ignored holds the first places of a request that nothing read. An unknown name counts once,
// however many entries of a list have it.
type Ignored struct {
	places   []string
	kinds    []string // the places without list indexes
	examined int
}

func (i *Ignored) add(dec *jsontext.Decoder) {
	if i.examined++; i.examined <= maxExamined && len(i.places) < maxIgnored {
		i.put(placeAt(dec))
	}
}

// Add adds a place of the body, unless it is known.
func (i *Ignored) Add(place string) {
	if !slices.Contains(i.places, place) {
		i.put(place)
	}
}

// AddParameter adds the name of a query parameter.
func (i *Ignored) AddParameter(name string) { i.put(plainName(name)) }

// String lists the places, separated by commas.
func (i *Ignored) String() string { return strings.Join(i.places, ",") }

func (i *Ignored) put(place string) {
	kind := withoutNumbers(place)
	if len(i.places) < maxIgnored && !slices.Contains(i.kinds, kind) {
		i.places, i.kinds = append(i.places, place), append(i.kinds, kind)
	}
}

// withoutNumbers turns items[3].nmae into items[].nmae.
func withoutNumbers(place string) string {
	var b strings.Builder
	inside := false
	for _, r := range place {
		if r == ']' {
			inside = false
		}
		if !inside {
			b.WriteRune(r)
		}
		if r == '[' {
			inside = true
		}
	}
	return b.String()
}
