package redirect

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var fillings = []string{"a", "b", "ab", "ba", "aa", "bb", "abb"} // and every part of them

// closings returns addresses matched by an open one: its holes filled with short texts and its
// tail with up to two of them.
func closings(o Open) (list []string) {
	for i := range o {
		id := o[i:].hole()
		if id == 0 {
			continue
		}
		texts := fillings
		if id >= firstTail {
			texts = append([]string{""}, texts...)
			for _, x := range fillings[:2] {
				for _, y := range fillings[:2] {
					texts = append(texts, x+"/"+y)
				}
			}
		}
		for _, text := range texts {
			list = append(list, closings(o.Fill(id, []byte(text)))...)
		}
		return list
	}
	return []string{o.Address()}
}

// Narrowing an open address by a rule yields exactly those of its addresses that the rule
// matches.
func TestNarrowing(t *testing.T) {
	segment := rapid.SampledFrom([]string{"a", "b", "ab", "*", "a*", "*b", "b*a"})
	hole := func(id byte) string { return string(appendHole(nil, id)) }
	piece := rapid.SampledFrom(
		[]string{
			"a", "b", "ab", hole(0x80), hole(0x81), "a" + hole(0x80), hole(0x80) + "b", hole(0x80) + hole(0x81),
			hole(0x80) + "a" + hole(0x80),
		},
	)
	rapid.Check(t, func(t *rapid.T) {
		from, at := "", Open{}
		for range rapid.IntRange(1, 3).Draw(t, "depth") {
			from += "/" + segment.Draw(t, "segment")
		}
		for range rapid.IntRange(0, 2).Draw(t, "open depth") {
			at = append(at, "/"+piece.Draw(t, "piece")...)
		}
		from += rapid.SampledFrom([]string{"", "", "/**"}).Draw(t, "end")
		if rapid.Bool().Draw(t, "tail") {
			at = append(at, "/"+hole(firstTail)...)
		}
		rule, err := Normalize(Rule{From: from, To: "/", Enabled: true, OverrideLive: true})
		if err != nil {
			return
		}
		s := NewSet([]Rule{rule})
		narrowed := map[string]bool{}
		s.Narrow(0, at, at, func(o Open) {
			for _, address := range closings(o) {
				if !answers(s, address) {
					t.Fatalf("%s narrowed by %s to %s, which it does not match", at, from, address)
				}
				narrowed[address] = true
			}
		})
		for _, address := range closings(at) {
			if answers(s, address) && !narrowed[address] {
				t.Fatalf("%s is an address of %s and matches %s, but narrowing %s leaves it out", address, at, from, at)
			}
		}
	})
}

func answers(s *Set, address string) bool {
	var a Address
	if a.Parse(address) != nil {
		return false
	}
	_, ok := s.Match(Override, &a)
	return ok
}

func TestPairsOfConditions(t *testing.T) {
	for _, c := range []struct{ pair, condition, text string }{
		{"q=%FF%80", "q=a", "a"}, {"q=x%FF%80y", "q=xa%20y", "a "}, {"q=%FF%80", "q=", ""}, {"q=%FF%80", "p=a", ""}, {"q=a", "q=a", ""}, {"%FF%", "%FF%=1", ""},
	} {
		hole, text, ok := MatchPair(c.pair, c.condition)
		if string(text) != c.text && ok || ok != (c.text != "") || ok && hole != 0x80 {
			t.Errorf("%s and %s: %q %v", c.pair, c.condition, text, ok)
		}
	}
}

// The address written for an open one parses back to it.
func FuzzOpen(f *testing.F) {
	f.Add("/a%2Fb/%FF%80/x%25y")
	f.Add("//")
	f.Add("/%FF/%80")
	f.Fuzz(func(t *testing.T, path string) {
		var a, b Address
		if a.Parse(path) != nil || len(a.Path) > 2000 {
			return
		}
		if err := b.Parse(a.Open().Address()); err != nil || !bytes.Equal(a.Decoded, b.Decoded) || !slices.Equal(a.cuts, b.cuts) {
			t.Fatalf("%q: %q became %q (%v)", path, a.Decoded, b.Decoded, err)
		}
	})
}
