package compile

import (
	"strings"
	"testing"

	"vitrine/compile/redirect"
)

// For arbitrary bytes in an address, a Location stays on the shop unless a rule sends it
// elsewhere, splits no header, and the chain ends.
func FuzzResolve(f *testing.F) {
	s := withRules(demo(),
		"/old /new?src=old#top", "/go/* /$1 mask", "/x/** /shoes/$1", "/goods/* /shoes", "/d /n drop", "/f/* /find?q=$1 mask", "/p*.html /shoes/$1",
	)
	if err := s.CheckLoops(nil); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"/", "//evil.test", "/go//evil.test", "/go/%2Fevil.test", "/go/%5Cevil.test", "/x/a/../b", "/docs//a/%2F", "/p%2f.html", "/a.html/%2F",
		"/shoes/?a=b&&c#d", "/goods/A/B%20c?q=1", "/%", "/%zz", "/product/010", "/SHOES/x", "/f/a&b%23c", "/\xff\xfe", "/é.HTML?\x01", "*", "",
	} {
		f.Add(seed, "shop.test")
		f.Add(seed, "www.shop.test")
	}
	f.Fuzz(func(t *testing.T, target, host string) {
		w := &Walk{}
		d := s.Resolve(w, host, target)
		if d.Kind == Redirect {
			checkLocation(t, d)
		} else if d.Location != "" || d.Status != 0 {
			t.Fatalf("%q has a Location but is not a redirect: %+v", target, d)
		}
		if d.Kind == Page && s.URL(d.Page) == "" {
			t.Fatalf("%q answers a page that is not live: %+v", target, d)
		}
		// A longer one may become too long an address, because a Location escapes its bytes.
		if len(target) < redirect.MaxPath/4 && (&bruteWalk{s: s}).endless(target, false) {
			t.Fatalf("%q never ends", target)
		}
		if trace := s.Check(target); trace.Reason == "" {
			t.Fatalf("%q has no reason", target)
		}
	})
}

func checkLocation(t *testing.T, d Decision) {
	t.Helper()
	location := d.Location
	if d.By == ByCanonical {
		location = strings.TrimPrefix(location, "https://shop.test:8443")
	}
	if !strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") || strings.HasPrefix(location, `/\`) {
		t.Fatalf("leaves the shop: %q", d.Location)
	}
	for i := range len(location) {
		if c := location[i]; c <= ' ' || c == 0x7f {
			t.Fatalf("byte %q in a Location: %q", c, d.Location)
		}
	}
}
