package body

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

var errOdd = shop.Refuse(shop.InvalidArgument, "ODD")

// even is a type with its own unmarshaler, whose errors contain no place.
type even int

func (e *even) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, (*int)(e)); err != nil || *e%2 == 1 {
		return errOdd.With("a number is even")
	}
	return nil
}

type entry struct {
	ID    uuid.UUID `json:"id"`
	Count *even     `json:"count"`
	Word  string    `json:"word"`
}

type group struct {
	Shelf int `json:"shelf"`
}

type faulty struct {
	Item struct {
		group
		Gallery []entry         `json:"gallery"`
		Slots   map[string]even `json:"slots"`
		Parent  shop.CategoryID `json:"parent"`
	} `json:"item"`
	IDs []shop.ProductID `json:"ids"`
}

// read returns the refusal of a body, nil if it is accepted.
func read[T any](body string, rules Rules) *shop.Refusal {
	_, err := ShapeOf(reflect.TypeFor[T]()).Read([]byte(body), new(T), rules)
	refusal, _ := shop.AsRefusal(err)
	return refusal
}

// faultsOf returns the faults of a refusal as "CODE place: detail".
func faultsOf(refusal *shop.Refusal) (list []string) {
	if refusal == nil {
		return nil
	}
	for _, f := range refusal.Fields["faults"].([]shop.Fault) {
		list = append(list, f.Code+" "+f.Place+": "+f.Detail)
	}
	return list
}

// A refusal of a value names its place in the body, with the indexes of list entries, whatever
// refused it.
func TestARefusalNamesThePlaceOfTheValue(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"item":{"gallery":[{"id":"x"}]}}`:                 "item.gallery[0].id: invalid UUID length: 1",
		`{"item":{"gallery":[{},{"word":7}]}}`:              "item.gallery[1].word: expected text, got number",
		`{"item":{"gallery":[{"count":2},{"count":3}]}}`:    "item.gallery[1].count: a number is even",
		`{"item":{"slots":{"a":2,"b":1}}}`:                  "item.slots.b: a number is even",
		`{"item":{"SHELF":"x"}}`:                            "item.SHELF: expected a whole number, got string",
		`{"item":{"gallery":{}}}`:                           "item.gallery: expected a list, got object",
		`{"item":[]}`:                                       "item: expected an object, got array",
		`[]`:                                                "the body: expected an object, got array",
		`{"item":{"gallery":[{"nothing":"reads"},null,7]}}`: "item.gallery[2]: expected an object, got number",
		`{"ids":[1,true]}`:                                  "ids[1]: \"true\" is not a 32-bit integer",
		`{"item":{"parent":[]}}`:                            "item.parent: \"[]\" is not a 32-bit integer",
		`{"item":`:                                          "the body is not JSON: unexpected EOF",
	} {
		if refusal := read[faulty](body, Rules{}); refusal == nil || refusal.Message() != want || len(faultsOf(refusal)) != 1 {
			t.Errorf("%s\ngot  %v, faults %q\nwant %s", body, refusal, faultsOf(refusal), want)
		}
	}
}

// A refused body has all its faults. The first is what a body with only this fault is refused
// with: bounds first, then unknown fields where they are refused, then types.
func TestARefusedBodyNamesAllItsFaults(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", 300) + `"`
	for _, c := range []struct {
		body   string
		strict bool
		want   []string
	}{
		{`{"item":{"shelf":"x","gallery":[{"word":7},{"count":1,"word":` + long + `},{"id":"z"}]},"ids":[[]]}`, false, []string{
			"TEXT_TOO_LONG item.gallery[1].word: at most 255 characters",
			"INVALID_REQUEST item.shelf: expected a whole number, got string",
			"INVALID_REQUEST item.gallery[0].word: expected text, got number",
			"ODD item.gallery[1].count: a number is even",
			"INVALID_REQUEST item.gallery[2].id: invalid UUID length: 1",
			"INVALID_REQUEST ids[0]: \"[]\" is not a 32-bit integer",
		}},
		{`{"nmae":1,"item":{"shelf":"x","more":{"shelf":"y"}}}`, true, []string{
			"INVALID_REQUEST nmae: invalid request body: nmae",
			"INVALID_REQUEST item.shelf: expected a whole number, got string",
			"INVALID_REQUEST item.more: invalid request body: item.more",
		}},
		{`{"nmae":1,"item":{"shelf":"x"}}`, false, []string{"INVALID_REQUEST item.shelf: expected a whole number, got string"}},
		{`{"ids":[` + strings.Repeat("1,", MaxList) + `"x",true],"item":{"shelf":true}}`, false, []string{
			"INVALID_REQUEST ids: at most 100",
			"INVALID_REQUEST item.shelf: expected a whole number, got bool",
		}},
		{`{"item":{"shelf":true,"gallery":[{"word":` + long + `}`, false, []string{
			"TEXT_TOO_LONG item.gallery[0].word: at most 255 characters",
			"INVALID_REQUEST item.shelf: expected a whole number, got bool",
		}},
	} {
		got := faultsOf(read[faulty](c.body, Rules{Strict: c.strict}))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.body, got, c.want)
		}
	}
}

// A rule reports a place within an item; the response contains the place in the request.
func TestAPlaceIsCompletedToAPathOfTheRequest(t *testing.T) {
	t.Parallel()
	shape := ShapeOf(reflect.TypeFor[faulty]())
	for place, want := range map[string]string{
		"ids[3]": "ids[3]: no", "gallery[0].id": "item.gallery[0].id: no", "item.shelf": "item.shelf: no", "filter.state": "filter.state: no",
		"elsewhere": "no", "[0]": "no", "": "no",
	} {
		refusal := errOdd.With("no")
		if place != "" {
			refusal = refusal.At(place)
		}
		if got, ok := shape.Locate(refusal, []string{"filter.state"}).(*shop.Refusal); !ok || got.Message() != want {
			t.Errorf("%s: %v, want %s", place, got, want)
		}
	}
	if shape.Locate(nil, nil) != nil {
		t.Error("nil became an error")
	}
}
