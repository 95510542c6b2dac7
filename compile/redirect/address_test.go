package redirect

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestKeyOfAnAddress(t *testing.T) {
	for in, want := range map[string]string{
		"/":                      "/",
		"//":                     "/",
		"/%2F":                   "/",
		"/Old-Page///":           "/old-page",
		"/%6Fld-page":            "/old-page",
		"/a%2Fb":                 "/a/b",
		"/a%2F/b":                "/a/b",
		`/a\b`:                   `/a\b`,
		"/a%5cb":                 `/a\b`,
		"/%252e%252e":            "/%2e%2e",
		"/caf%C3%A9":             "/café",
		"/CAFÉ":                  "/cafÉ", // only ASCII folds
		"/%E2%84%AA":             "/\u212a",
		"/%ff":                   "/\xff",
		"/a b":                   "/a b",
		"/a+b":                   "/a+b",
		"/...":                   "/...",
		"/beep%3Fboop":           "/beep?boop",
		"/a%00b":                 "bad",
		"/a%0d%0aSet-Cookie:x=1": "bad",
		"/a%09b":                 "bad",
		"/a%7Fb":                 "bad",
		"/a\tb":                  "bad",
		"/%zz":                   "bad",
		"/%":                     "bad",
		"/a%2":                   "bad",
		"/%u0041":                "bad",
		"":                       "bad",
		"*":                      "bad",
		"a/b":                    "bad",
		"http://x.test/a":        "bad",
		"/a?b":                   "bad",
		"/a#b":                   "bad",
		"/a/../b":                "bad",
	} {
		got, err := Key(in)
		if err != nil {
			got = "bad"
		}
		if got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDotSegmentsInEverySpelling(t *testing.T) {
	for in, want := range map[string]bool{
		"/a/../b": true, "/..": true, "/.": true, "/a/%2e%2E/b": true, "/a/.%2e": true, "/..%2Fa": true, "/a%2F..%2fb": true,
		"/.//a": true, "/a/./": true,
		"/...": false, "/a..": false, "/.a": false, "/%252e%252e/a": false, `/..\a`: false,
	} {
		var a Address
		if err := a.Parse(in); err != nil || a.Dots != want {
			t.Errorf("%q: dots %v (%v), want %v", in, a.Dots, err, want)
		}
	}
}

func TestAddressParts(t *testing.T) {
	var a Address
	if err := a.Parse("/A%20b//C/?x=1&y#top"); err != nil {
		t.Fatal(err)
	}
	if a.Path != "/A%20b//C/" || a.Query != "x=1&y" || !a.HasQuery || string(a.Decoded) != "/A b/C" || string(a.Key) != "/a b/c" {
		t.Errorf("%+v", a)
	}
	if err := a.Parse("/a?"); err != nil || a.Query != "" || !a.HasQuery {
		t.Errorf("%+v %v", a, err)
	}
	if err := a.Parse("/a"); err != nil || a.HasQuery {
		t.Errorf("%+v %v", a, err)
	}
}

func TestLongAddresses(t *testing.T) {
	var a Address
	if err := a.Parse("/" + strings.Repeat("a", MaxPath-1) + "?" + strings.Repeat("q", 9000)); err != nil {
		t.Error("a path of 8 KB with a longer query:", err)
	}
	if err := a.Parse("/" + strings.Repeat("%00", MaxPath)); err != ErrAddressTooLong {
		t.Error(err)
	}
}

// A refused address keeps nothing of the previous one.
func TestRefusedAddressMatchesNothing(t *testing.T) {
	s := NewSet([]Rule{{Kind: Prefix, From: "/*", To: "/x", Enabled: true}})
	var a Address
	for _, bad := range []string{"/%zz", "", "/" + strings.Repeat("a", MaxPath), "/a/.."} {
		if err := a.Parse("/fine"); err != nil {
			t.Fatal(err)
		}
		if err := a.Parse(bad); err == nil && !a.Dots {
			t.Errorf("%.20q is accepted", bad)
		}
		if _, ok := s.Match(Plain, &a); ok {
			t.Errorf("%.20q matches", bad)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"/", "/A%2Fb//c?x=1", "/%ff%C3%A9/%5C..", "/a/%2e./b", "/%", "//evil.test", "/é\\x#y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		var a, b Address
		if a.Parse(target) != nil {
			if len(a.Key) > 0 || a.segments() > 0 {
				t.Fatalf("%q is refused but leaves key %q", target, a.Key)
			}
			return
		}
		if len(a.Key) != len(a.Decoded) || len(a.pos) > 0 && len(a.pos) != len(a.Key) || bytes.Contains(a.Key, []byte("//")) ||
			bytes.ContainsFunc(a.Key, func(r rune) bool { return isControl(r) || 'A' <= r && r <= 'Z' }) {
			t.Fatalf("%q: key %q of %q", target, a.Key, a.Decoded)
		}
		long := Address{Path: a.Path}
		ok := long.translate()
		long.cut()
		if !ok || !slices.Equal(a.cuts, long.cuts) || !bytes.Equal(a.Key, long.Key) || !bytes.Equal(a.Decoded, long.Decoded) {
			t.Fatalf("%q: copies reads %q, translate %q", target, a.Key, long.Key)
		}
		typed := string(a.appendTyped(nil, 0, len(a.Key), inPath))
		if len(typed) > MaxPath {
			return
		}
		if err := b.Parse(typed); err != nil || !bytes.Equal(a.Key, b.Key) || !bytes.Equal(a.Decoded, b.Decoded) || a.Dots != b.Dots {
			t.Fatalf("%.80q: typed again as %.80q it is %.80q, not %.80q (%v)", target, typed, b.Key, a.Key, err)
		}
	})
}
