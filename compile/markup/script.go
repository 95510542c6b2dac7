package markup

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
)

// script writes a script element. It copies the text byte for byte except the addresses of an
// import map.
func (w *writer) script(n *html.Node) {
	text, kind := dom.Text(n), script.KindOf(n)
	w.tag("script", n)
	switch kind {
	case script.ImportMap:
		w.keepImports(text)
		text = w.importMap(text)
	case script.Classic, script.Module:
		w.checkScript(n, text, kind)
	}
	if w.notes != nil && kind != script.Data {
		if _, _, _, found := w.scope.nextHole(text); found {
			w.note(BindContext, "a placeholder in a script", textKey(dom.Text(n)))
		}
	}
	if closes(text) {
		w.write(text)
	}
	w.end("script")
}

// closes reports whether an end tag after the text of a script ends it. After <!-- and <script it
// does not, which happens where a document is cut off; no browser runs such a script.
func closes(text string) bool {
	if !strings.Contains(text, "<!--") {
		return true
	}
	const plain, escaped, double = 0, 1, 2
	state := plain
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case state == plain && strings.HasPrefix(rest, "<!--"):
			state = escaped
			i += len("<!") - 1 // the dashes may be those of -->
		case state != plain && strings.HasPrefix(rest, "-->"):
			state = plain
		case state == escaped && tagAt(rest, "<script"):
			state = double
		case state == double && tagAt(rest, "</script"):
			state = escaped
		}
	}
	return state != double
}

func tagAt(text, tag string) bool {
	if len(text) <= len(tag) || !strings.EqualFold(text[:len(tag)], tag) {
		return false
	}
	c := text[len(tag)]
	return htmlSpace(c) || c == '/' || c == '>'
}

// importMap moves the addresses of an import map: keys and values that begin with ./ or ../. Bare
// names are kept.
func (w *writer) importMap(text string) string {
	return rewriteJSON(text, func(address string, offset int, _ bool) (string, bool) {
		if !strings.HasPrefix(address, "./") && !strings.HasPrefix(address, "../") {
			return "", false
		}
		return w.importAddress(address, text, offset)
	})
}

// rewriteJSON passes every string of a JSON text to move, replaces it if ok is true, and copies
// everything else.
func rewriteJSON(text string, move func(s string, offset int, key bool) (moved string, ok bool)) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := stringEnd(text, i)
		var s string
		if err := json.Unmarshal([]byte(text[i:end]), &s); err == nil {
			key := strings.HasPrefix(strings.TrimLeft(text[end:], dom.Spaces), ":")
			if out, ok := move(s, i, key); ok {
				b.WriteString(text[done:i])
				b.WriteString(scriptString(out))
				done = end
			}
		}
		i = end - 1
	}
	b.WriteString(text[done:])
	return b.String()
}

// stringEnd returns the index after the JSON string that begins at i.
func stringEnd(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(text)
}

func (w *writer) importAddress(address, text string, offset int) (string, bool) {
	r := w.doc.release
	if strings.HasSuffix(address, "/") { // a folder: the files in it are referenced elsewhere
		joined, ok := joinPath(w.doc.dir, address)
		return r.prefix + joined, ok
	}
	out, _, v := r.resolve(w.doc.dir, address)
	if code := map[verdict]string{outside: RefOutside, missing: RefMissing}[v]; code != "" && !w.notes.full() {
		w.notes.at(code, "import "+Quoted(address), Place{&Text{IndexPath, true, text}, offset})
	}
	return out, v == moved
}

// registersWorker returns the offset of navigator.serviceWorker.register, or -1.
func registersWorker(text string) int {
	const name = "serviceWorker"
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		rest := strings.TrimLeft(text[at+len(name):], " \t\r\n?.[]\"'`!")
		if strings.HasPrefix(rest, "register") && !strings.HasPrefix(rest, "registerProtocol") {
			return at
		}
		from = at + len(name)
	}
}

// literals calls found for every run of address characters between two equal quotes. It ignores
// regular expressions and comments, because the caller only checks whether the run names a file.
func literals(text string, found func(literal string, offset int)) {
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		j := i + 1
		for j < len(text) && j-i < 512 && addressByte(text[j]) {
			j++
		}
		if j < len(text) && text[j] == quote && j > i+1 {
			found(text[i+1:j], i+1)
			i = j
		}
	}
}

func addressByte(c byte) bool {
	return c >= 0x80 || unreserved(c) || strings.IndexByte("/%+@?=&#", c) >= 0
}
