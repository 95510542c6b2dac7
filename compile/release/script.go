package release

import (
	"bytes"
	"regexp"
)

// maxSightings is how many service workers are named in one file.
const maxSightings = 20

// register sees navigator.serviceWorker.register(…) as written by people and
// minifiers: with ?. , with ["…"], with blanks between. The text is searched,
// so a call inside a comment counts too, as references in comments do.
var register = regexp.MustCompile(
	"serviceWorker(?:[\"'`]\\s*\\])?\\s*(?:" +
		"(?:\\?\\.|\\.)\\s*register|" +
		"(?:\\?\\.\\s*)?\\[\\s*[\"'`]register[\"'`]\\s*\\]" +
		")\\s*(?:\\?\\.\\s*)?\\(")

// ServiceWorkers finds registrations of service workers in the text of a
// script: sw.register with the line. A worker registered by one document would
// answer requests of the whole shop.
func ServiceWorkers(path string, script []byte) []Finding {
	var found []Finding
	line, from := 1, 0
	for _, at := range register.FindAllIndex(script, maxSightings) {
		line += bytes.Count(script[from:at[0]], []byte{'\n'})
		from = at[0]
		found = append(found, Finding{SWRegister, path, line, "registers a service worker"})
	}
	return found
}
