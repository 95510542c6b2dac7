package redirect

import "testing"

func TestKeysInJSONAreText(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"/a": "/a", "/é": "/é", "/\xff\xc3x": "/%ff%c3x", "/\uFFFD": "/\uFFFD"} {
		if got := printable(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
