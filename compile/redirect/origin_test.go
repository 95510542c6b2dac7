package redirect

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// leavesHost reports whether a browser on https://shop.test/a/b would resolve a Location to
// another host, by the WHATWG URL rules: tabs and line ends are removed, surrounding blanks are
// trimmed, "\" is "/", a scheme or two slashes begin another origin.
func leavesHost(location string) bool {
	location = strings.TrimFunc(location, func(r rune) bool { return r <= ' ' })
	location = strings.NewReplacer("\t", "", "\r", "", "\n", "", `\`, "/").Replace(location)
	if strings.HasPrefix(location, "//") {
		return true
	}
	colon, other := strings.IndexByte(location, ':'), strings.IndexAny(location, "/?#")
	return colon > 0 && (other < 0 || colon < other)
}

func TestLeavesHost(t *testing.T) {
	for location, want := range map[string]bool{
		"/a": false, "/": false, "?a": false, "/a//b": false, "/a?u=//x": false, "/a:b": false, "a/b:c": false,
		"//x": true, `/\x`: true, `\\x`: true, "/\t/x": true, " //x": true, "https://x": true, "https:x": true, "javascript:x": true,
	} {
		if leavesHost(location) != want {
			t.Errorf("%q", location)
		}
	}
}

// checkLocation fails if the rule's answer to the target is not a valid Location.
func checkLocation(t interface {
	Helper()
	Fatalf(string, ...any)
}, r Rule, target string) {
	t.Helper()
	var a Address
	if a.Parse(target) != nil {
		return
	}
	r.Enabled, r.OverrideLive = true, true
	m, ok := NewSet([]Rule{r}).Match(Override, &a)
	if !ok {
		return
	}
	location := string(m.AppendLocation(nil, &a))
	for i := range len(location) {
		if c := location[i]; c <= ' ' || c == 0x7f {
			t.Fatalf("%+v, %q: byte %#x in %q", r, target, c, location)
		}
	}
	path, _, _ := strings.Cut(strings.SplitN(location, "#", 2)[0], "?")
	if strings.ContainsFunc(path, func(c rune) bool { return c == '\\' || c >= 0x80 }) {
		t.Fatalf("%+v, %q: path of %q", r, target, location)
	}
	switch {
	case !r.External && (leavesHost(location) || location[0] != '/' || strings.Contains(path, "//")):
		t.Fatalf("%+v, %q leaves the shop: %q", r, target, location)
	case r.External:
		origin := func(s string) string {
			return s[:originLength(strings.SplitN(strings.SplitN(s, "#", 2)[0], "?", 2)[0])]
		}
		if origin(location) != origin(string(m.compiled.target.path[0].text)) {
			t.Fatalf("%+v, %q goes to another host: %q", r, target, location)
		}
	}
	// The Location must be a valid request target.
	if err := a.Parse(strings.TrimPrefix(location, m.compiled.target.path[0].text[:originLength(path)])); err != nil &&
		len(location) < MaxPath &&
		!r.External {
		t.Fatalf("%+v, %q: %q is not an address: %v", r, target, location, err)
	}
}

func TestLocationsStayOnTheShop(t *testing.T) {
	alphabet := []rune("ab./\\:@%2F%5c$12?#&= \té*")
	text := rapid.StringOfN(rapid.RuneFrom(alphabet), 0, 10, -1)
	rapid.Check(t, func(t *rapid.T) {
		r, err := Normalize(Rule{
			From:     rapid.SampledFrom([]string{"/*", "/**", "/g/*", "/g/**", "/g/*/**", "/g*", "/*b/*"}).Draw(t, "from"),
			To:       rapid.SampledFrom([]string{"", "/", "/$1", "https://e.test", "//", `/\`}).Draw(t, "head") + text.Draw(t, "to"),
			Kind:     rapid.SampledFrom([]Kind{"", Pattern}).Draw(t, "kind"),
			External: rapid.Bool().Draw(t, "external"),
			// / needs it, and it changes nothing here.
			OverrideLive: true,
		})
		if err != nil {
			return
		}
		for range 5 {
			checkLocation(t, r, rapid.SampledFrom([]string{"/", "/g", "/g/", "//", "/g//"}).Draw(t, "start")+text.Draw(t, "target"))
		}
	})
}

func FuzzRule(f *testing.F) {
	f.Add("/go/*", "/$1", "pattern", "", "/go/%2Fevil.test?x", true)
	f.Add("/a", "https://e.test?x=1#f", "", "?k=v", "/a?k=v&x=2", true)
	f.Add("/goods/*", "/", "", "", "/goods/\\\\x", false)
	f.Add("/%2A*/**", "/$2/$1?$1", "", "", "/*a/b%20/c", false)
	f.Fuzz(func(t *testing.T, from, to, kind, condition, target string, external bool) {
		r, err := Normalize(
			Rule{From: from, To: to, Kind: Kind(kind), QueryMatch: condition, External: external, OverrideLive: true, Enabled: true},
		)
		if err != nil {
			if codeOf(err) == "ok" || r != (Rule{}) {
				t.Fatalf("%+v and %v", r, err)
			}
			return
		}
		if again, err := Normalize(r); err != nil || again != r {
			t.Fatalf("%+v normalizes to %+v (%v)", r, again, err)
		}
		s := NewSet([]Rule{r})
		if s.Len() != 1 {
			t.Fatalf("%+v is not compiled", r)
		}
		for _, sample := range samples(s) {
			var a Address
			if err := a.Parse(sample); err != nil {
				if err == ErrAddressTooLong {
					continue
				}
				t.Fatalf("%+v: sample %q: %v", r, sample, err)
			}
			if _, ok := s.Match(Override, &a); !ok {
				t.Fatalf("%+v does not match its sample %q", r, sample)
			}
			checkLocation(t, r, sample)
		}
		checkLocation(t, r, target)
	})
}
