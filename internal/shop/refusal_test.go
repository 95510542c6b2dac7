package shop

import (
	"errors"
	"fmt"
	"testing"
)

func TestAtBuildsThePlaceFromTheInside(t *testing.T) {
	t.Parallel()
	odd := Refuse(InvalidArgument, "ODD")
	for want, err := range map[string]error{
		"ODD":                             odd,
		"ODD: words":                      odd.With("words"),
		"ODD: title":                      odd.At("title"),
		"ODD: title: words":               odd.With("words").At("title"),
		"ODD: item.variants[3].title: no": At(AtEntry(odd.At("title").With("no"), "variants", 3), "item"),
		"ODD: item.values[0][2]":          At(AtEntry(AtEntry(odd, "", 2), "values", 0), "item"),
	} {
		if got := err.Error(); got != "rpc error: code = InvalidArgument desc = "+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if odd.Place != "" {
		t.Error("At changed the declared refusal")
	}
	for _, other := range []error{nil, errors.New("another"), fmt.Errorf("around: %w", odd)} {
		if got := At(other, "item"); got != other {
			t.Errorf("%v became %v", other, got)
		}
	}
}
