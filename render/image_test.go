package render

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestResized(t *testing.T) {
	cases := [][2]string{
		{"/files/a/b.webp", "/w/640/webp/a/b.webp"},
		{"/files/a b,c.webp", "/w/640/webp/a%20b%2Cc.webp"},
		{"/files/%D1%8F.jpg", "/w/640/webp/%D1%8F.jpg"},
		{"/files/я.jpg", "/w/640/webp/%D1%8F.jpg"},
		{"/files/logo.SVG", "/files/logo.SVG"},
		{"/files/spin.gif", "/files/spin.gif"},
		{"https://cdn.example/a.jpg", "https://cdn.example/a.jpg"},
		{"javascript:alert(1)", ""},
		{"", ""},
	}
	for _, c := range cases {
		if got := (Image{Path: c[0]}).Resized(640); got != c[1] {
			t.Errorf("%q is %q, not %q", c[0], got, c[1])
		}
	}
}

func TestSrcset(t *testing.T) {
	widths := func(i Image, max int) string {
		var out []string
		for candidate := range strings.SplitSeq(i.srcset(max), ", ") {
			_, width, _ := strings.Cut(candidate, " ")
			out = append(out, width)
		}
		return strings.Join(out, " ")
	}
	cases := []struct {
		width, max int
		expect     string
	}{
		{0, 1024, "128w 320w 640w 1024w"},
		{4000, 2560, "128w 320w 640w 1024w 1600w 2048w 2560w"},
		{1000, 2560, "128w 320w 640w 1024w"}, // the first step that covers it is the last
		{640, 2560, "128w 320w 640w"},
		{50, 2560, "128w 320w"},
		{0, 128, "128w 320w"},
	}
	for _, c := range cases {
		if got := widths(Image{Path: "/files/a.jpg", Width: c.width}, c.max); got != c.expect {
			t.Errorf("%d wide, at most %d: %s, not %s", c.width, c.max, got, c.expect)
		}
	}
}

func TestPicturesSayTheirSizeAndWords(t *testing.T) {
	got := string(img("card", Image{Path: "/files/a.jpg", Alt: `"A" & <b>`, Width: 30, Height: 40}, false))
	for _, part := range []string{`alt="&#34;A&#34; &amp; &lt;b&gt;"`, `width="30" height="40"`, `loading="lazy"`, `class="v-card__img"`, `sizes="`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if svg := string(img("card", Image{Path: "/files/a.svg"}, true)); strings.Contains(svg, "srcset") || strings.Contains(svg, "lazy") {
		t.Error(svg)
	}
}

func TestEscapedPathsAreAddresses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		escaped := escapePath("/" + rapid.String().Draw(t, "path"))
		if strings.ContainsAny(escaped, " ,\"'<>\\\x00\n") {
			t.Fatal(escaped)
		}
		if escapePath(escaped) != escaped {
			t.Fatalf("%q is escaped twice", escaped)
		}
		if _, err := url.Parse(strings.ReplaceAll(escaped, "%", "%25")); err != nil && !strings.HasPrefix(escaped, "//") {
			t.Fatal(err)
		}
	})
}
