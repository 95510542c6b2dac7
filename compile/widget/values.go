package widget

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Values holds settings as they are drawn: every name of the table is present, with its default
// where no drawable value was written. A whole number is an int64, a list a []any, an object a
// Values.
type Values map[string]any

// Read extracts the settings of a kind from the props of a section: from its write path, each
// clamped, restricted to its choices or replaced by its default as [Validate] reports (document
// 3, 2.2). Unreadable values are treated as missing.
func (k Kind) Read(props json.RawMessage) Values {
	written := object(props)
	if k.Nest != "" {
		written, _ = written[k.Nest].(map[string]any)
	}
	values := drawn(slices.Concat(k.Props, k.Mount), written)
	for _, part := range values.Texts("hiddenEls") {
		if same, ok := hides[k.Name+" "+part]; ok {
			values[same.name] = same.value
		}
	}
	return values
}

// hides maps parts of hiddenEls to the settings that hide them as well.
var hides = map[string]struct {
	name  string
	value any
}{
	"slideshow arrows": {"showArrows", false}, "slideshow dots": {"showDots", false}, "reels caption": {"showTileCaptions", false},
	"reels duration": {"showDuration", false}, "steps marker": {"marker", "none"}, "faq icon": {"icon", "none"}, "features icon": {"icon", "none"},
}

// ReadItems reads the entries of a section's items.
func (k Kind) ReadItems(items json.RawMessage) (list []Values) {
	var written []any
	if k.Items == nil || decode(items, &written) != nil {
		return nil
	}
	for _, item := range written[:min(len(written), MaxItems)] {
		if fields, ok := item.(map[string]any); ok {
			list = append(list, drawn(k.Items, fields))
		}
	}
	return list
}

// ReadWrapper reads the wrapper axes from the props of a section, only those that were written:
// at the root, or in the layer of a narrower device (one of [Layers]). It returns nil if there
// are none.
func ReadWrapper(props json.RawMessage, layer string) (values Values) {
	fields := object(props)
	if layer != "" {
		fields, _ = fields[layer].(map[string]any)
	}
	for _, p := range axes {
		drawn := p.drawn(fields[p.Name])
		if fields[p.Name] == nil || drawn == nil {
			continue
		}
		if values == nil {
			values = Values{}
		}
		values[p.Name] = onlyWritten(drawn, fields[p.Name])
	}
	return values
}

// onlyWritten removes the defaulted fields from an object.
func onlyWritten(drawn, written any) any {
	parts, ok := drawn.(Values)
	sent, object := written.(map[string]any)
	if ok && object {
		maps.DeleteFunc(parts, func(name string, _ any) bool { return sent[name] == nil })
	}
	return drawn
}

func object(text json.RawMessage) (fields map[string]any) {
	if decode(text, &fields) != nil {
		return nil
	}
	return fields
}

func decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

func drawn(props []Prop, written map[string]any) Values {
	values := make(Values, len(props))
	for _, p := range props {
		values[p.Name] = p.drawn(written[p.Name])
	}
	return values
}

// drawn returns the drawn form of a written value.
func (p Prop) drawn(v any) any {
	switch {
	case v == nil:
		return plain(p.Default)
	case p.Inert != "":
		return plain(p.Default)
	case p.Type == Classes:
		return WrapperClasses(classNames(v))
	case p.Or != nil && !p.holds(v) && p.Or.holds(v):
		other := *p.Or
		other.Default = p.Default
		return other.drawn(v)
	case !p.holds(v), p.Choices != nil && !p.chosen(v):
		return plain(p.Default)
	case p.Format != "" && !p.fits(v.(string)):
		return plain(p.Default)
	case supported[p.Format] != "":
		known, rest := p.Format.Utilities(v.(string))
		if len(known) == 0 && len(rest) > 0 {
			return plain(p.Default)
		}
		return kept(v.(string), rest)
	case p.bounded():
		return plain(p.clamped(v.(json.Number)))
	case p.Type == ID:
		return whole(v)
	case p.Type == Object:
		return p.fields(v.(map[string]any))
	case p.Type == List:
		return p.entries(v.([]any))
	}
	return plain(v)
}

func (p Prop) chosen(v any) bool {
	return slices.ContainsFunc(p.Choices, func(c any) bool { return plain(c) == plain(v) })
}

// fields draws an object; an open one keeps names beyond the table.
func (p Prop) fields(written map[string]any) Values {
	values := drawn(p.Fields, written)
	if !p.Open {
		return values
	}
	for name, v := range written {
		if _, known := values[name]; !known {
			values[name] = plain(v)
		}
	}
	for name := range values {
		if _, sent := written[name]; !sent {
			delete(values, name) // keep the style of the storefront
		}
	}
	return values
}

// entries draws a list and leaves out entries that cannot be drawn.
func (p Prop) entries(written []any) []any {
	list := []any{}
	for _, v := range written {
		if p.Item.holds(v) && (p.Item.Choices == nil || p.Item.chosen(v)) {
			list = append(list, p.Item.drawn(v))
		}
	}
	return list
}

// plain normalizes values of JSON and of the table.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return nil // out of range
		}
		return f
	case map[string]any:
		values := make(Values, len(v))
		for name, field := range v {
			values[name] = plain(field)
		}
		return values
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	}
	return v
}

func whole(v any) any {
	if text, ok := v.(string); ok {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return int64(0)
		}
		return n
	}
	return plain(v)
}

func classNames(v any) (names []string) {
	switch v := v.(type) {
	case string:
		return strings.Fields(v)
	case []any:
		for _, name := range v {
			if text, ok := name.(string); ok {
				names = append(names, text)
			}
		}
	}
	return names
}

// Text returns a text. Like the other accessors, it returns the zero value if the setting has
// another type.
func (v Values) Text(name string) string { s, _ := v[name].(string); return s }

// Bool returns a boolean.
func (v Values) Bool(name string) bool { b, _ := v[name].(bool); return b }

// Int returns a whole number or an id.
func (v Values) Int(name string) int64 { n, _ := v[name].(int64); return n }

// Of returns an object.
func (v Values) Of(name string) Values { o, _ := v[name].(Values); return o }

// Texts returns a list of texts.
func (v Values) Texts(name string) (list []string) {
	entries, _ := v[name].([]any)
	for _, e := range entries {
		if text, ok := e.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// IDs returns a list of ids.
func (v Values) IDs(name string) (list []int64) {
	entries, _ := v[name].([]any)
	for _, e := range entries {
		if id, ok := e.(int64); ok {
			list = append(list, id)
		}
	}
	return list
}

// All returns a list of objects.
func (v Values) All(name string) (list []Values) {
	entries, _ := v[name].([]any)
	for _, e := range entries {
		if o, ok := e.(Values); ok {
			list = append(list, o)
		}
	}
	return list
}

// Has reports whether a list of texts contains a text.
func (v Values) Has(name, text string) bool { return slices.Contains(v.Texts(name), text) }

// Default reports whether a setting is drawn as its default.
func (v Values) Default(p Prop) bool { return reflect.DeepEqual(v[p.Name], plain(p.Default)) }
