package body

import (
	"encoding/json"
	"reflect"
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
	} {
		var in faulty
		err := json.Unmarshal([]byte(body), &in)
		if err == nil {
			t.Fatalf("%s was accepted", body)
		}
		refusal, ok := shop.AsRefusal(refuseBody(err, &in, []byte(body)))
		if !ok || refusal.Message() != want {
			t.Errorf("%s\ngot  %v\nwant %s", body, refusal, want)
		}
	}
	for _, body := range []string{`{"ids":[1,true]}`, `{"item":{"parent":[]}}`} {
		var in faulty
		refusal, _ := shop.AsRefusal(refuseBody(json.Unmarshal([]byte(body), &in), &in, []byte(body)))
		place := faultyPlace(reflect.TypeFor[faulty](), json.RawMessage(body))
		if refusal == nil || place == "" || len(refusal.Detail) <= len(place) || refusal.Detail[:len(place)] != place {
			t.Errorf("%s: %v at %q", body, refusal, place)
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
