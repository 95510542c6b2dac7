package widget

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// value checks the value written for a setting.
func (r *Report) value(at string, p Prop, v any) {
	switch {
	case v == nil:
		r.clamped(at, p.instead(), "null is the default")
	case p.Inert != "" && p.holds(v) && fmt.Sprint(v) != fmt.Sprint(p.Default):
		r.add(Finding{Path: at, Status: Ignored, Detail: p.Inert, Drawn: p.instead()})
	case p.Type == Classes:
		r.classes(at, v)
	case p.Or != nil && !p.holds(v) && p.Or.holds(v):
		alternative := *p.Or
		alternative.Default = p.Default
		r.value(at, alternative, v)
	case !p.holds(v):
		r.miss(at, Finding{Detail: "expected " + p.expected(), Allowed: p.Choices, Drawn: p.instead()})
	case p.Choices != nil:
		r.choice(at, p, v)
	case p.Type == Object:
		r.object(at, p, v.(map[string]any))
	case p.Type == List:
		r.list(at, p, v.([]any))
	case p.bounded():
		r.bounds(at, p, v)
	case p.Format != "":
		r.format(at, p, v.(string))
	default:
		r.applied(at, "")
	}
}

// instead returns what is drawn for a value that cannot be drawn. Such an entry of a list is left
// out.
func (p Prop) instead() any {
	if p.Name == "" {
		return nil
	}
	return copied(p.Default)
}

// holds reports whether a value has the type of a setting.
func (p Prop) holds(v any) bool {
	switch v := v.(type) {
	case bool:
		return p.Type == Bool
	case string:
		_, err := strconv.ParseInt(v, 10, 64)
		return p.Type == Text || p.Type == ID && err == nil
	case json.Number:
		_, err := strconv.ParseInt(v.String(), 10, 64)
		return p.Type == Number || (p.Type == Int || p.Type == ID) && err == nil
	case map[string]any:
		return p.Type == Object
	case []any:
		return p.Type == List
	}
	return false
}

func (p Prop) expected() string {
	name := map[Type]string{
		Bool: "true or false", Int: "a whole number", Number: "a number", Text: "a text", Object: "an object", List: "a list", ID: "an id",
	}[p.Type]
	if p.Or != nil {
		name += " or " + p.Or.expected()
	}
	return name
}

// format checks a text against the setting's format.
func (r *Report) format(at string, p Prop, text string) {
	switch {
	case supported[p.Format] != "":
		r.utilities(at, p, text)
	case p.fits(text):
		r.applied(at, "")
	case p.Format == Colour:
		r.miss(at, Finding{Detail: fmt.Sprintf("%q is not a CSS colour", shop.Shorten(text, maxName)), Drawn: p.instead()})
	case p.Format == Address:
		r.miss(at, Finding{Detail: fmt.Sprintf("%q leads nowhere; write %s", shop.Shorten(text, maxName), addressNote), Drawn: p.instead()})
	default:
		r.miss(at, Finding{Detail: fmt.Sprintf("%q is not a file id such as %s", shop.Shorten(text, maxName), exampleFile), Drawn: p.instead()})
	}
}

// utilities checks a text of class names: the supported ones are drawn.
func (r *Report) utilities(at string, p Prop, text string) {
	known, rest := p.Format.Utilities(text)
	switch {
	case len(rest) == 0:
		r.applied(at, "")
	case len(known) == 0:
		r.add(Finding{Path: at, Status: Ignored, Detail: fmt.Sprintf("%q: the classes supported here set %s", shop.Shorten(text, maxName), supported[p.Format]), Drawn: p.instead()})
	default:
		r.clamped(at, kept(text, rest), fmt.Sprintf("without %q, which does nothing here", shop.Shorten(strings.Join(rest, " "), maxName)))
	}
}

// kept returns a text of class names without some of them.
func kept(text string, rest []string) string {
	words := slices.DeleteFunc(strings.Fields(text), func(word string) bool { return slices.Contains(rest, word) })
	return strings.Join(words, " ")
}

// fits reports whether a text meets the format; an empty one always does.
func (p Prop) fits(text string) bool {
	if text == "" || p.Format == "" || p.Format == RichText {
		return true
	}
	switch {
	case supported[p.Format] != "":
		return true
	case p.Format == FileID, p.Format == VideoID:
		return fileID.MatchString(text)
	case p.Format == Colour:
		_, _, _, ok := ReadColour(text)
		return ok
	}
	_, ok := shop.SafeLink(text)
	return ok
}

var fileID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func (r *Report) choice(at string, p Prop, v any) {
	for _, c := range p.Choices {
		if fmt.Sprint(c) == fmt.Sprint(v) {
			r.applied(at, "")
			return
		}
	}
	r.miss(at, Finding{Detail: fmt.Sprintf("%q is not one of the values", shop.Shorten(fmt.Sprint(v), maxName)), Allowed: p.Choices, Drawn: p.instead()})
}

// bounds reports what a value outside the bounds is clamped to.
func (r *Report) bounds(at string, p Prop, v any) {
	n, drawn := v.(json.Number), p.clamped(v.(json.Number))
	switch {
	case n.String() == fmt.Sprint(drawn):
		r.applied(at, "")
	case drawn == any(p.Max):
		r.clamped(at, drawn, fmt.Sprintf("above %d", p.Max))
	case drawn == any(p.Min):
		r.clamped(at, drawn, fmt.Sprintf("below %d", p.Min))
	default:
		r.clamped(at, drawn, fmt.Sprintf("below %d: the default", p.Min))
	}
}

// clamped returns the value within the bounds. Zero and negative values select the default,
// unless zero is within the bounds.
func (p Prop) clamped(v json.Number) any {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil { // values of type Int are integers; bounds on any other type would be a mistake in the table
		n = math.MinInt64
	}
	switch {
	case n > int64(p.Max):
		return p.Max
	case n >= int64(p.Min):
		return int(n)
	case n <= 0:
		return p.Default
	}
	return p.Min
}

// object checks the fields of a setting. Further names of an open object are kept as they are and
// need no finding.
func (r *Report) object(at string, p Prop, fields map[string]any) {
	if p.Open || len(fields) == 0 {
		r.applied(at, "")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f, known := find(p.Fields, name)
		switch {
		case known && !(p.Open && f.sound(fields[name])):
			r.value(field(at, name), f, fields[name])
		case !known && !p.Open:
			r.unknown(field(at, name), "no such field; there are "+fieldNames(p.Fields))
		}
	}
}

// sound reports whether a value is applied without a remark.
func (p Prop) sound(v any) bool {
	var r Report
	r.value("", p, v)
	return r.Applied == len(r.Findings) && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Detail != "" })
}

// list checks the entries. A list of plain values is reported as one path unless some of them are
// invalid.
func (r *Report) list(at string, p Prop, values []any) {
	if len(values) == 0 {
		r.applied(at, "")
		return
	}
	if p.Item.Type == Object {
		for i, v := range values {
			r.value(entry(at, i), *p.Item, v)
		}
		return
	}
	r.applied(at, "")
	for i, v := range values {
		if !p.Item.sound(v) {
			r.value(entry(at, i), *p.Item, v)
		}
	}
}

// classes checks a wrapperClass: a list of names, or one text with spaces.
func (r *Report) classes(at string, v any) {
	var given []string
	switch v := v.(type) {
	case string:
		given = strings.Fields(v)
	case []any:
		for _, name := range v {
			text, ok := name.(string)
			if !ok {
				r.unknown(at, "expected a list of class names")
				return
			}
			given = append(given, text)
		}
	default:
		r.unknown(at, "expected a list of class names")
		return
	}
	kept := WrapperClasses(given)
	if len(kept) == len(given) {
		r.applied(at, "")
		return
	}
	r.clamped(at, strings.Join(kept, " "), "some names are left out")
	taken := 0
	for i, name := range given {
		if fault := classFault(name, taken); fault != "" {
			r.ignored(entry(at, i), fmt.Sprintf("%q: %s", shop.Shorten(name, maxName), fault))
		} else {
			taken++
		}
	}
}

func fieldNames(props []Prop) string {
	var list []string
	for _, p := range props {
		list = append(list, p.Name)
	}
	return strings.Join(list, ", ")
}
