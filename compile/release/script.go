package release

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxSightings limits the number of service workers reported per file.
const maxSightings = 20

const registerCall = "(?:(?:\\?\\.|\\.)\\s*register|(?:\\?\\.\\s*)?\\[\\s*[\"'`]register[\"'`]\\s*\\])\\s*(?:\\?\\.\\s*)?\\("

var (
	// register matches navigator.serviceWorker.register(…) as written by people and minifiers:
	// with ?. , with ["…"], with blanks in between. The text is searched, so a call inside a
	// comment counts too, like references in comments.
	register = regexp.MustCompile("serviceWorker(?:[\"'`]\\s*\\])?\\s*" + registerCall)

	// alias matches assignments of navigator.serviceWorker to a name.
	alias = regexp.MustCompile("([\\w$]+)\\s*=\\s*(?:(?:window|self|globalThis)\\s*\\.\\s*)?navigator\\s*(?:\\?\\.|\\.)\\s*serviceWorker[ \\t]*(?:[;,)}\\r\\n]|\\|\\||\\?\\?|$)|" +
		"\\bserviceWorker\\s*:\\s*([\\w$]+)\\s*[,}=]")

	// computed matches a property of navigator or serviceWorker whose name is an expression, not
	// a quoted name or a number.
	computed = regexp.MustCompile("\\b(?:navigator|serviceWorker)\\s*(?:\\?\\.\\s*)?\\[\\s*(?:[^\"'`\\d\\s\\]]|[\"'`][^\"'`\\]]*[\"'`]\\s*[^\"'`\\]\\s]|`[^`]*\\$\\{)")

	seam    = regexp.MustCompile(`"\s*\+\s*"|'\s*\+\s*'|` + "`\\s*\\+\\s*`" + `|["'` + "`" + `]\s*\+\s*["'` + "`" + `]`)
	escaped = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}`)
)

// ServiceWorkers finds registrations of service workers in the text of a script: sw.register with
// the line, even if the name is concatenated, escaped, or assigned to a variable. A name computed
// in another way is sw.computed: only running the script would tell what it is. A worker would
// answer requests of the whole shop, so the shop's host serves none.
func ServiceWorkers(path string, script []byte) []Finding {
	if !bytes.Contains(script, []byte("navigator")) && !bytes.Contains(script, []byte("erviceWorker")) {
		return nil
	}
	text, lost := plainNames(script)
	var at []int
	for _, m := range register.FindAllIndex(text, maxSightings) {
		at = append(at, m[0])
	}
	for _, call := range aliasCalls(text) {
		for _, m := range call.FindAllSubmatchIndex(text, maxSightings) {
			at = append(at, m[2])
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	found := sightings(path, text, lost, at[:min(len(at), maxSightings)], SWRegister, "registers a service worker")
	if len(found) > 0 {
		return found
	}
	for _, m := range computed.FindAllIndex(text, maxSightings) {
		at = append(at, m[0])
	}
	return sightings(path, text, lost, at, SWComputed, "computes the name of a property of navigator")
}

// aliasCalls returns patterns for register called on an alias of navigator.serviceWorker.
func aliasCalls(text []byte) (calls []*regexp.Regexp) {
	var names []string
	for _, m := range alias.FindAllSubmatch(text, maxSightings) {
		name := string(m[1]) + string(m[2])
		if name != "serviceWorker" && !slices.Contains(names, name) {
			names = append(names, name)
			calls = append(calls, regexp.MustCompile(`(?:^|[^\w$.])(`+regexp.QuoteMeta(name)+`)\s*`+registerCall))
		}
	}
	return calls
}

// plainNames joins concatenated strings and resolves escapes. lost lists the offsets in the text
// at which a line break was dropped.
func plainNames(script []byte) (text []byte, lost []int) {
	read := escaped.ReplaceAllFunc(script, func(e []byte) []byte {
		n, err := strconv.ParseUint(string(bytes.Trim(e[2:], "{}")), 16, 32)
		if err != nil || n < ' ' || n > utf8.MaxRune {
			return e
		}
		return utf8.AppendRune(nil, rune(n))
	})
	from := 0
	for _, m := range seam.FindAllIndex(read, -1) {
		text = append(text, read[from:m[0]]...)
		for range bytes.Count(read[m[0]:m[1]], []byte{'\n'}) {
			lost = append(lost, len(text))
		}
		from = m[1]
	}
	return append(text, read[from:]...), lost
}

func sightings(path string, text []byte, lost, at []int, code, detail string) (found []Finding) {
	line, from := 1, 0
	for _, to := range at {
		line += bytes.Count(text[from:to], []byte{'\n'})
		for len(lost) > 0 && lost[0] <= to {
			line, lost = line+1, lost[1:]
		}
		from = to
		found = append(found, Finding{code, path, line, detail})
	}
	return found
}
