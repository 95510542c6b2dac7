package markup

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
)

// Scripts are not rewritten. They are checked for code that fails inside a page, and for the
// files that they reference, which then count as used.

// MaxScript is the maximum size of a script that is checked, in bytes.
const MaxScript = 4 << 20

// checkScript checks the text of a script element or of its file.
func (w *writer) checkScript(n *html.Node, text string, kind script.Kind) {
	if w.notes.full() {
		return
	}
	src, external := dom.Attr(n, "src")
	if !external {
		w.scriptFindings(&Text{IndexPath, true, text}, kind)
		return
	}
	dir := w.doc.dir
	if w.doc.release.rooted(src) { // the file that is loaded once the finding is fixed
		dir, src = "", strings.TrimLeft(trimAddress(src), "/")
	}
	if _, path, v := w.doc.release.resolve(dir, src); v == moved && path != "" {
		w.checkFile(path, kind)
	}
}

// checkFile checks a script of the release, once.
func (w *writer) checkFile(path string, kind script.Kind) {
	if w.doc.scripts[path] || w.doc.src.Read == nil || w.notes.full() {
		return
	}
	w.doc.scripts[path] = true
	if body, ok := w.doc.src.Read(path); ok && len(body) <= MaxScript {
		w.scriptFindings(&Text{path, false, string(body)}, kind)
	}
}

func (w *writer) scriptFindings(t *Text, kind script.Kind) {
	text := t.Body
	if at := registersWorker(text); at >= 0 {
		w.notes.at(SWRegister, "this script", Place{t, at})
	}
	w.doc.submits = w.doc.submits || submits(text)
	if w.doc.release.files == nil {
		return
	}
	literals(text, func(literal string, offset int) {
		switch {
		case w.notes.full() || !strings.ContainsAny(literal, "./"):
		case w.imported(literal, t.File, kind, text[:offset-1], text[offset+len(literal)+1:]):
		case w.doc.release.names("", literal), w.doc.release.rooted(literal):
			w.notes.at(JSAssets, Quoted(literal), Place{t, offset})
		}
	})
}

// imported reports whether a literal in a script is resolved against the script and not against
// the page: in a script.Module, in import() and with import.meta.url, and through the import map.
// It checks the scripts that such literals reference.
func (w *writer) imported(literal, file string, kind script.Kind, before, after string) bool {
	dotted := strings.HasPrefix(literal, "./") || strings.HasPrefix(literal, "../")
	switch {
	case kind == script.Module && w.mapped(literal):
		return true
	case file == IndexPath:
		return false
	case dotted && kind == script.Module, dotted && strings.Contains(before[max(0, len(before)-12):], "import"),
		strings.HasPrefix(strings.TrimLeft(strings.TrimLeft(after, dom.Spaces), ","+dom.Spaces), "import.meta.url"):
		if w.doc.release.names(directory(file), literal) {
			_, path, _ := w.doc.release.resolve(directory(file), literal)
			w.follow(path)
		}
		return true
	}
	return false
}

// mapped finds the file that the import map maps a name to.
func (w *writer) mapped(name string) (found bool) {
	for key, path := range w.doc.imports {
		rest, ok := strings.CutPrefix(name, key)
		if ok && (rest == "" || strings.HasSuffix(key, "/")) && w.doc.release.names("", path+rest) {
			w.follow(path + rest)
			found = true
		}
	}
	return found
}

func (w *writer) follow(path string) {
	if strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".mjs") {
		w.checkFile(path, script.Module)
	}
}

// keepImports stores the entries of an import map for files of the release.
func (w *writer) keepImports(text string) {
	var m struct{ Imports map[string]string }
	if w.doc.imports != nil || json.Unmarshal([]byte(text), &m) != nil {
		return
	}
	w.doc.imports = map[string]string{}
	for name, address := range m.Imports {
		dotted := strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../")
		if path, ok := joinPath(w.doc.dir, address); ok && dotted && name != "" {
			w.doc.imports[name] = path
		}
	}
}

// submits reports whether a script handles the submission of a form.
func submits(text string) bool {
	const name = "submit"
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		before, after := text[:from+at], strings.TrimLeft(text[from+at+len(name):], dom.Spaces)
		from += at + len(name)
		if heard(before) || strings.HasSuffix(before, "on") && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") ||
			strings.HasSuffix(before, ".") && strings.HasPrefix(after, "(") && !strings.HasPrefix(strings.TrimLeft(after[1:], dom.Spaces), ")") {
			return true
		}
	}
}

// heard reports whether a text ends with the start of a call that registers an event listener.
func heard(before string) bool {
	before, quoted := strings.CutSuffix(strings.TrimRight(before, "\"'`"+dom.Spaces), "(")
	for _, call := range [...]string{"addEventListener", ".on", ".one", ".bind"} {
		if quoted && strings.HasSuffix(before, call) {
			return true
		}
	}
	return false
}
