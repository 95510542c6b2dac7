package markup

import (
	"strings"
	"testing"
)

// A document's title and description are truncated to the length of the page's own fields.
func TestTitleAndDescriptionAreTruncated(t *testing.T) {
	t.Parallel()
	for _, n := range []int{maxSEO - 1, maxSEO, maxSEO + 1, 100_000} {
		text := strings.Repeat("я", n)
		c := compile(t, `<!doctype html><title>`+text+`</title><meta name="description" content="`+text+`"><p>x</p>`)
		want := text[:2*min(n, maxSEO)]
		if c.Title != want || c.Description != want {
			t.Errorf("of %d characters: a title of %d bytes and a description of %d", n, len(c.Title), len(c.Description))
		}
	}
}
