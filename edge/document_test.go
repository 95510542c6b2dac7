package edge

import (
	"testing"

	"vitrine/compile"
)

// The type of a file follows from its name, or else from the content at publish.
func TestDocumentFileTypeComesFromNameOrPublish(t *testing.T) {
	w := newWorld(t)
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.types = map[string]string{"load": "text/javascript; charset=utf-8", "logo.svg": "text/html; charset=utf-8"}
		for release := range s.releases {
			s.releases[release]["load"] = []byte("run()")
			s.releases[release]["rest"] = []byte("1")
		}
	})
	w.expect("a script without an extension", w.get("/_html/5/9/load"), 200, "Content-Type", "text/javascript; charset=utf-8", "X-Content-Type-Options", "nosniff")
	w.expect("a known extension", w.get("/_html/5/9/logo.svg"), 200, "Content-Type", "image/svg+xml")
	w.expect("an unknown type", w.get("/_html/5/9/rest"), 200, "Content-Type", "application/octet-stream")
}
