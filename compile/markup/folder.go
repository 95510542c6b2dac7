package markup

import (
	"strings"

	"vitrine/compile/markup/script"
	codes "vitrine/compile/release"
)

// Folder checks the files of a site folder, which is served unchanged, in a sandbox below the
// path of its section (document 3, 4.2): for addresses that leave the folder because a build tool
// wrote them for the root of a host, and for scripts that use what the sandbox blocks. The zero
// value has no files; see NewFolder.
type Folder struct {
	release *release
	notes   notes
	left    int // bytes that may still be checked
}

// SandboxStorage is the code for scripts that use storage blocked by the sandbox.
const SandboxStorage = codes.SandboxStorage

// maxFolderBytes is the number of bytes checked per folder, and maxFolderNotes the number of
// findings per code and file.
const (
	maxFolderBytes = 64 << 20
	maxFolderNotes = 20
)

// NewFolder checks a folder that has the files for which files returns true.
func NewFolder(files func(path string) bool) *Folder {
	return &Folder{release: &release{files: files, refs: map[string]bool{}}, left: maxFolderBytes}
}

// Checks reports whether a file at that path is checked.
func Checks(path string) bool { return reader(path) != nil }

// reader returns the check for a file, or nil.
func reader(path string) func(l *folderLook) {
	switch mime, _, _ := strings.Cut(codes.MIME(path), ";"); mime {
	case "text/html":
		return (*folderLook).page
	case "text/css":
		return func(l *folderLook) { l.sheet(l.text.Body, 0) }
	case "text/javascript":
		return func(l *folderLook) { l.script(l.text.Body, 0) }
	}
	return nil
}

// Check checks one file. Too large files are skipped.
func (f *Folder) Check(path string, text []byte) {
	read := reader(path)
	if read == nil || len(text) > MaxScript || f.left < len(text) || f.notes.full() {
		return
	}
	f.left -= len(text)
	read(&folderLook{f, &Text{path, false, lineFeeds(text)}, map[string]int{}})
}

// Report returns the findings, in order.
func (f *Folder) Report() (report Report) {
	f.notes.report("", &report)
	return report
}

// folderLook is the check of one file.
type folderLook struct {
	*Folder
	text *Text
	told map[string]int
}

// tell adds a finding, once for each thing.
func (l *folderLook) tell(code, thing string, offset int) {
	if l.told[thing]++; l.told[thing] > 1 || l.told[code] == maxFolderNotes {
		return
	}
	l.told[code]++
	l.notes.at(code, thing, Place{l.text, offset})
}

// page checks the tags of a page and the contents of its styles and scripts.
func (l *folderLook) page() {
	tags := newLocator(nil, l.text.Body)
	s := &scanner{source: l.text.Body, line: 1}
	s.tag = func(name, tag string, _ int) {
		at := s.at - len(tag)
		for _, a := range tags.attributes(name, tag, strings.ToLower(name)) {
			l.attribute(a, at+max(0, strings.Index(tag, a.value)))
		}
	}
	s.text = func(name, text string, _ int) {
		switch at := s.at - len(text); name {
		case "style":
			l.sheet(text, at)
		case "script":
			l.script(text, at)
		}
	}
	s.run()
}

// attribute checks a value that begins at an offset of the page.
func (l *folderLook) attribute(a keyed, at int) {
	switch {
	case a.name == "style":
		rewriteStyle(a.value, l.address(at))
	case a.name == "srcset" || a.name == "imagesrcset":
		rewriteSrcset(a.value, func(candidate string) string {
			l.rooted(a.name+" "+Quoted(candidate), candidate, at)
			return candidate
		})
	case strings.HasPrefix(a.name, "on"):
		l.script(a.value, at)
	case folderAddresses[a.name]:
		l.rooted(a.name+" "+Quoted(a.value), a.value, at)
	}
}

// folderAddresses lists the attributes that hold one address.
var folderAddresses = map[string]bool{
	"src": true, "href": true, "poster": true, "data": true, "xlink:href": true, "action": true, "background": true,
}

func (l *folderLook) rooted(thing, address string, at int) {
	if l.release.rooted(address) {
		l.tell(RefRoot, thing, at)
	}
}

// address returns the address rule of a style that begins at an offset: nothing moves.
func (l *folderLook) address(at int) addressFunc {
	return func(address string, offset int, comment bool) (string, bool) {
		if !comment {
			l.rooted("url("+Quoted(address)+")", address, at+offset)
		}
		return "", false
	}
}

func (l *folderLook) sheet(text string, at int) {
	s := newSheet(text, "", l.address(at))
	s.echo = true // the output is not needed
	s.items(0, fresh, false, true)
}

func (l *folderLook) script(text string, at int) {
	literals(text, func(literal string, offset int) { l.rooted(Quoted(literal), literal, at+offset) })
	if !strings.Contains(text, "cookie") && !strings.Contains(text, "Storage") && !strings.Contains(text, "indexedDB") {
		return
	}
	toks, _ := script.Lex(text)
	for i := range toks {
		if name := sandboxed(toks, i); name != "" {
			l.tell(SandboxStorage, name, at+toks[i].Offset)
		}
	}
}

// sandboxed returns the name of what the token at i uses and a sandbox without an origin blocks,
// or "".
func sandboxed(s script.Tokens, i int) string {
	switch name := s[i].Text; name {
	case "cookie":
		if s.OfDocument(i) {
			return "document.cookie"
		}
	case "localStorage", "sessionStorage", "indexedDB":
		of := s.Text(i - 2)
		global := s.Text(i-1) != "." && s.Text(i-1) != "?." || of == "window" || of == "self" || of == "globalThis" || of == "top" ||
			of == "parent"
		if global && s.Text(i+1) != ":" {
			return name
		}
	}
	return ""
}
