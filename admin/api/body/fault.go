package body

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Bounds of a search for faults: a client that sends a form shows them all to a person, and
// nobody reads more of them.
const (
	maxFaults = 50
	maxBeyond = 256 << 10 // bytes after the first fault
	maxPlace  = 1000      // bytes of a place
)

// search collects the faults of a body that is refused.
type search struct {
	faults []*shop.Refusal
	strict bool  // unknown fields are faults
	until  int64 // offset in the body; 0: no fault was found yet
}

// errEnough ends a search.
var errEnough = errors.New("enough faults")

func (s *search) add(fault *shop.Refusal, offset int64) error {
	s.faults = append(s.faults, fault)
	if s.until == 0 {
		s.until = offset + maxBeyond
	}
	return s.goesOn(offset)
}

// found returns the number of faults.
func (s *search) found() int {
	if s == nil {
		return 0
	}
	return len(s.faults)
}

// goesOn ends the search beyond its bounds.
func (s *search) goesOn(offset int64) error {
	if len(s.faults) >= maxFaults || s.until > 0 && offset > s.until {
		return errEnough
	}
	return nil
}

// examine walks over one value, and adds what is wrong with its type.
func (w *walk) examine(s *Shape) error {
	if w.names > 0 {
		return w.bounds(s) // its type decides what it accepts
	}
	from, kind, found := w.dec.InputOffset(), w.dec.PeekKind(), len(w.search.faults)
	if err := w.search.goesOn(from); err != nil {
		return err
	}
	if err := w.bounds(s); err != nil {
		return err
	}
	switch {
	case len(w.search.faults) > found:
		return nil // one fault for one value
	case s.decodesItself:
	case kind == '{' && (s.kind == object || s.kind == dict), kind == '[' && s.kind == list:
		return nil // its values were examined
	}
	if err := s.accepts(bytes.TrimLeft(w.body[from:w.dec.InputOffset()], " \t\r\n,:")); err != nil {
		return w.refuse(at(notOfType(err), placeAt(w.dec)))
	}
	return nil
}

// accepts decodes one value. It calls unmarshalers and parses numbers without the decoder, which
// takes several times as long as they do.
func (s *Shape) accepts(value []byte) error {
	t := s.of
	for t.Kind() == reflect.Pointer && value[0] != 'n' {
		t = t.Elem()
	}
	into := reflect.New(t).Interface()
	kind, plain := t.Kind(), true
	switch into := into.(type) {
	case json.Unmarshaler:
		return into.UnmarshalJSON(value)
	case encoding.TextUnmarshaler:
		plain = false
		if value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
			return into.UnmarshalText(value[1 : len(value)-1])
		}
	}
	switch {
	case !plain:
	case kind == reflect.String && value[0] == '"' && t != reflect.TypeFor[json.Number](),
		kind == reflect.Bool && (value[0] == 't' || value[0] == 'f'):
		return nil
	case kind >= reflect.Int && kind <= reflect.Int64:
		if _, err := strconv.ParseInt(string(value), 10, t.Bits()); err == nil {
			return nil
		}
	}
	return json.Unmarshal(value, into)
}

// at adds the place of a value to its refusal, unless its type knows where it is in the body.
func at(refusal *shop.Refusal, place string) *shop.Refusal {
	switch {
	case place == "" && refusal.Place == "" && strings.HasPrefix(refusal.Detail, "expected "):
		return refusal.With("the body: " + refusal.Detail)
	case place == "", strings.HasPrefix(refusal.Place, place):
		return refusal
	case len(place) > maxPlace:
		place = strings.ToValidUTF8(place[:maxPlace], "") + "…"
	}
	return refusal.At(place)
}

// allFaults returns the refusal of a body with all its faults; first is the one that is known,
// nil for the first that is found.
func (s *Shape) allFaults(body []byte, rules Rules, first *shop.Refusal) *shop.Refusal {
	w := walk{dec: decoderOf(body), body: body, refusals: rules.Refusals, search: &search{strict: rules.Strict}}
	if refusal, ok := shop.AsRefusal(w.value(s)); ok && len(w.search.faults) < maxFaults {
		w.search.faults = append(w.search.faults, refusal) // nothing beyond it can be read
	}
	found := w.search.faults
	switch {
	case first != nil:
		found = append([]*shop.Refusal{first}, found...)
	case len(found) == 0:
		found = []*shop.Refusal{shop.ErrInvalidRequest.With("the body does not have the shape of this request")}
	}
	return withFaults(found)
}

// alone returns a refusal as the only fault of its body.
func alone(refusal *shop.Refusal) *shop.Refusal { return withFaults([]*shop.Refusal{refusal}) }

// withFaults returns the first refusal with the faults of all, each once.
func withFaults(refusals []*shop.Refusal) *shop.Refusal {
	faults := make([]shop.Fault, 0, len(refusals))
	for _, r := range refusals {
		if fault := r.Fault(); len(faults) < maxFaults && !slices.Contains(faults, fault) {
			faults = append(faults, fault)
		}
	}
	return refusals[0].WithField("faults", faults)
}

// Locate completes the place of a refusal to a path of the request: rules name places within
// an item and do not know that the body wraps it in "item". A place that is neither in the body
// nor a parameter, because the rule found it in stored data, is removed.
func (s *Shape) Locate(err error, parameters []string) error {
	refusal, ok := err.(*shop.Refusal)
	if !ok || refusal.Place == "" {
		return err
	}
	head := headOf(refusal.Place)
	if s.member(head) != nil || slices.ContainsFunc(parameters, func(name string) bool { return headOf(name) == head }) {
		return err
	}
	if item := s.member("item"); item != nil && item.member(head) != nil {
		return refusal.At("item")
	}
	placeless := *refusal
	placeless.Place = ""
	return &placeless
}

// headOf returns the field that a place begins with.
func headOf(place string) string { return place[:strings.IndexAny(place+".", ".[")] }
