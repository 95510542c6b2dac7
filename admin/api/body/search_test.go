package body

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

// value draws a value that may not be of the type of its field.
func value(t *rapid.T, valid any) any {
	if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
		return valid
	}
	return rapid.SampledFrom([]any{nil, 7, -1, 0.5, 1 << 40, true, "x", strings.Repeat("x", 300), " " + strings.Repeat("x", 255), []any{}, []any{7}, map[string]any{}, slices.Repeat([]any{4}, 101)}).
		Draw(t, "value")
}

func drawn(t *rapid.T) map[string]any {
	gallery := []any{}
	for range rapid.IntRange(0, 3).Draw(t, "gallery") {
		gallery = append(gallery, value(t, map[string]any{"id": value(t, "7d444840-9dc0-11d1-b245-5ffdce74fad2"), "count": value(t, 2), "word": value(t, "w")}))
	}
	return map[string]any{
		"item": value(t, map[string]any{"shelf": value(t, 1), "gallery": value(t, gallery), "parent": value(t, 1),
			"slots": value(t, map[string]any{"a": value(t, 2), "b": value(t, 4)})}),
		"ids": value(t, []any{value(t, 1), value(t, "2")}),
	}
}

// clear returns a copy of a value with null at a place.
func clear(v any, place string) any {
	if place == "" {
		return nil
	}
	if place[0] == '[' {
		number, rest, _ := strings.Cut(place[1:], "]")
		n, _ := strconv.Atoi(number)
		list := slices.Clone(v.([]any))
		list[n] = clear(list[n], strings.TrimPrefix(rest, "."))
		return list
	}
	end := strings.IndexAny(place+".", ".[")
	copied := map[string]any{}
	for name, value := range v.(map[string]any) {
		copied[name] = value
	}
	copied[place[:end]] = clear(copied[place[:end]], strings.TrimPrefix(place[end:], "."))
	return copied
}

func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A body is refused if and only if it has faults, and each fault is what a body with this fault
// alone is refused with.
func TestEveryFaultIsTheRefusalOfABodyWithThisFault(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := drawn(t)
		text := []byte(written(body))
		within, _, err := walkOver(text, ShapeOf(reflect.TypeFor[faulty]()), nil)
		first := ""
		if refusal, ok := shop.AsRefusal(err); ok {
			first = refusal.Error()
		} else {
			err = json.Unmarshal(within, new(faulty))
		}
		refusal := read[faulty](string(text), Rules{})
		if (err == nil) != (refusal == nil) {
			t.Fatalf("%s: %v, but it was refused with %v", text, err, refusal)
		}
		if refusal == nil {
			return
		}
		faults := refusal.Fields["faults"].([]shop.Fault)
		if first != "" && refusal.Error() != first || faults[0] != refusal.Fault() {
			t.Fatalf("%s: %v with %v, want %s", text, refusal, faults, first)
		}
		if len(faults) == maxFaults {
			return // the search ended within a list
		}
		for n, fault := range faults {
			var others any = body
			for m, other := range faults {
				if m != n && !strings.HasPrefix(fault.Place, other.Place) {
					others = clear(others, other.Place)
				}
			}
			alone := read[faulty](written(others), Rules{})
			if alone == nil || !slices.Contains(alone.Fields["faults"].([]shop.Fault), fault) || len(alone.Fields["faults"].([]shop.Fault)) > 1 && n > 0 {
				t.Fatalf("%s: alone %v, in the body %v", written(others), faultsOf(alone), fault)
			}
		}
	})
}

// A search is bounded in faults and in what it reads after the first of them.
func TestASearchForFaultsIsBounded(t *testing.T) {
	t.Parallel()
	many := `{"item":{"slots":{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, MaxList), ",") + `}}}`
	far := func(bytes int) string {
		return `{"item":{"shelf":"x","unknown":[` + strings.Repeat("1,", bytes/2) + `1],"parent":"x"}}`
	}
	for n, c := range []struct {
		body string
		want int
	}{
		{many, 1}, // the same fault at the same place
		{`{"item":{"gallery":[` + strings.TrimSuffix(strings.Repeat(`{"word":1},`, MaxList), ",") + `]}}`, maxFaults},
		{far(maxBeyond / 2), 2},
		{far(2 * maxBeyond), 1},
		{`{"ids":[` + strings.Repeat("1,", 2*maxBeyond) + `1],"item":{"shelf":"x"}}`, 1},
	} {
		if got := faultsOf(read[faulty](c.body, Rules{})); len(got) != c.want {
			t.Errorf("body %d: %d faults, want %d: %q", n, len(got), c.want, got[:min(3, len(got))])
		}
	}
}

// large is a body of about a megabyte.
func large(entry string) []byte {
	entries := strings.Repeat(entry+",", MaxList-1) + entry
	group := `{"gallery":[` + entries + `]}`
	n := (1 << 20) / len(group)
	list := make([]string, n)
	for i := range list {
		list[i] = group
	}
	return []byte(`{"groups":[` + strings.Join(list, ",") + `]}`)
}

type groups struct {
	Groups []struct {
		Gallery []entry `json:"gallery"`
	} `json:"groups" max:"100000"`
}

// BenchmarkRead compares refused bodies with accepted ones of the same shape: a search for
// faults may take as long as reading does.
func BenchmarkRead(b *testing.B) {
	tea, few := `{"id":"7d444840-9dc0-11d1-b245-5ffdce74fad2","count":2,"word":"tea"}`, `{"count":2}`
	shape := ShapeOf(reflect.TypeFor[groups]())
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"valid", large(tea)},
		{"fault at the end", append(large(tea)[:len(large(tea))-1], `,"groups":7}`...)},
		{"small values", large(few)},
		{"fault after small values", append(large(few)[:len(large(few))-1], `,"groups":7}`...)},
		{"faults everywhere", large(`{"id":"x","count":1,"word":7}`)},
		{"long texts everywhere", large(`{"word":"` + strings.Repeat("x", 256) + `"}`)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = shape.Read(c.body, new(groups), Rules{})
			}
		})
	}
}
