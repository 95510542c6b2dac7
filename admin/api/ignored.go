package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fieldAt returns the decoder's position as callers write it: tags[3] for item.tags[3], since
// item only wraps the fields.
func fieldAt(dec *jsontext.Decoder) string { return strings.TrimPrefix(placeAt(dec), "item.") }

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

// ignored holds the first places of a request that nothing read, for the header
// X-Ignored-Fields. An unknown name counts once, however many entries of a list have it.
type ignored struct {
	places   []string
	kinds    []string // the places without list indexes
	examined int
}

func (i *ignored) add(dec *jsontext.Decoder) {
	if i.examined++; i.examined <= maxExamined && len(i.places) < maxIgnored {
		i.put(placeAt(dec))
	}
}

func (i *ignored) put(place string) {
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

// IgnoredHeader lists the fields of a request that nothing read, because unknown names are not
// refused (CONTRACT, "Answers").
const IgnoredHeader = "X-Ignored-Fields"

// MarkIgnored records that an endpoint ignored a field, if it was sent.
func (c *Call) MarkIgnored(place string, sent bool) {
	if sent && !slices.Contains(c.ignored.places, place) {
		c.ignored.put(place)
	}
}

// setIgnoredHeader sets the header, with unknown query parameters after the unknown fields.
func (c *Call) setIgnoredHeader() {
	known := c.endpoint.Query()
	for name := range c.http.QueryArgs().All() {
		if name := string(name); !slices.Contains(c.asked, name) && !slices.Contains(known, name) {
			c.ignored.put(plainName(name))
		}
	}
	if len(c.ignored.places) > 0 {
		c.SetHeader(IgnoredHeader, strings.Join(c.ignored.places, ","))
	}
}
