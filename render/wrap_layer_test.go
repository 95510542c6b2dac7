package render

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// axisValues are values of every axis of the wrapper, including its default.
var axisValues = map[string][]any{
	"blockWidth":       {"content", "full"},
	"paddingSides":     {m{"top": 1}, m{"left": 2, "right": 3}, m{"top": 12, "right": 24, "bottom": 12, "left": 24}, m{"left": 0}},
	"containerPadding": {m{"top": 8}, m{"left": 4, "bottom": 5}, m{"top": 0, "right": 0, "bottom": 0, "left": 0}},
	"blockRadius":      {16, 0, 4, m{"tl": 1}, m{"br": 2, "bl": 3}},
	"container":        {m{"fill": m{"hex": "#fff"}}, m{"fill": "#000", "borderTop": true}, m{"borderTop": false, "borderBottom": 3}, m{"borderColor": "#111"}},
	"innerMax":         {600, "content"},
	"overflow":         {"visible", "clip"},
	"layer":            {0, 3},
}

type m = map[string]any

var customProperty = regexp.MustCompile(`--b-([a-z]+)((?:-[tm])?):([^;]*);`)

// resolved applies the fallbacks of storefront.css to a box on a device: its own value, or
// that of the next wider device that has one.
func resolved(t *rapid.T, props m, suffixes ...string) map[string]string {
	text, err := json.Marshal(props)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, suffix := range suffixes { // the widest first
		for _, p := range customProperty.FindAllStringSubmatch(wrappedBox(string(text)), -1) {
			if p[2] == suffix {
				out[p[1]] = p[3]
			}
		}
	}
	for i, name := range properties { // a property set to its default counts as unset
		if out[name] == (&Wrap{}).look(nil)[i] {
			delete(out, name)
		}
	}
	return out
}

// merged merges a layer over props, down to each side and corner.
func merged(wider, own m) m {
	out := maps.Clone(wider)
	for name, v := range own {
		if parts, ok := v.(m); ok {
			before, _ := out[name].(m)
			if n, ok := out[name].(int); ok {
				before = m{"tl": n, "tr": n, "br": n, "bl": n}
			}
			v = merged(maps.Clone(before), parts)
		}
		if out == nil {
			out = m{}
		}
		out[name] = v
	}
	return out
}

// An axis that the layer of a narrower device does not set has the value of the wider device,
// whatever else the layer sets: for each axis in each layer (document 3, 2.2).
func TestLayerOverridesTheWiderDevices(t *testing.T) {
	axes := slices.Sorted(maps.Keys(axisValues))
	layer := func(t *rapid.T, name string) m {
		out := m{}
		for _, axis := range rapid.SliceOfNDistinct(rapid.SampledFrom(axes), 0, 4, rapid.ID).Draw(t, name) {
			out[axis] = axisValues[axis][rapid.IntRange(0, len(axisValues[axis])-1).Draw(t, axis)]
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		base, tablet, mobile := layer(t, "base"), layer(t, "tablet"), layer(t, "mobile")
		all := maps.Clone(base)
		all["tablet"], all["mobile"] = tablet, mobile
		onTablet := merged(base, tablet)
		for _, device := range []struct {
			suffixes []string
			alone    m
		}{{[]string{""}, base}, {[]string{"", "-t"}, onTablet}, {[]string{"", "-t", "-m"}, merged(onTablet, mobile)}} {
			got, want := resolved(t, all, device.suffixes...), resolved(t, device.alone, "")
			if !maps.Equal(got, want) {
				t.Fatalf("%v is %v, and without layers %v", device.suffixes, got, want)
			}
		}
	})
}

// Padding of one side in a phone's layer keeps a full block full.
func TestPhonePaddingInAFullBlock(t *testing.T) {
	want := `<div class="v-box" style="--b-width:none;--b-inner:0 clamp(1rem, 2.5vw, 1.5rem);--b-padding:12px 0;--b-padding-m:40px 0px 12px 0px;">` + "\n"
	if got := wrappedBox(`{"blockWidth":"full","mobile":{"paddingSides":{"top":40}}}`); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
