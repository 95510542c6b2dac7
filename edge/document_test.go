package edge

import (
	"testing"

	"vitrine/compile"
)

// The name of a file says its type; where it does not, what publishing found does.
func TestAFileOfADocumentHasTheTypeThatPublishingFound(t *testing.T) {
	w := newWorld(t)
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.types = map[string]string{"load": "text/javascript; charset=utf-8", "logo.svg": "text/html; charset=utf-8"}
		for release := range s.releases {
			s.releases[release]["load"] = []byte("run()")
			s.releases[release]["rest"] = []byte("1")
		}
	})
	w.expect("a script without an extension", w.get("/_html/5/9/load"), 200, "Content-Type", "text/javascript; charset=utf-8", "X-Content-Type-Options", "nosniff")
	w.expect("a name that tells", w.get("/_html/5/9/logo.svg"), 200, "Content-Type", "image/svg+xml")
	w.expect("nothing known", w.get("/_html/5/9/rest"), 200, "Content-Type", "application/octet-stream")
}
