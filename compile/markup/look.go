package markup

import (
	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// IndexPath is the file that a document is.
const IndexPath = "index.html"

// Text is a style sheet or script, as it stands in a file of the release or, where
// it is inline, in index.html.
type Text struct {
	File   string
	Inline bool
	Body   string
}

// Dir is what relative addresses in the text start from.
func (t *Text) Dir() string { return directory(t.File) }

// Place is an offset in a text. Its line is counted only when it is told.
type Place struct {
	Text   *Text
	Offset int
}

// Look is a document that is read for what else there is to say about it, as
// package fidelity does: its tree, its files, and what was found, with lines.
type Look struct {
	Doc, Root, Body *html.Node
	Dir             string // that addresses in index.html start from, "" or with a slash at its end

	text    string
	read    func(path string) ([]byte, bool)
	release *release
	notes   notes
}

// NewLook reads a document. mend says what its author can do about a finding, by
// code. The error is that of Compile, without its report.
func NewLook(src Source, mend map[string]string) (*Look, error) {
	if len(src.Index) > MaxIndex {
		return nil, ErrParse
	}
	text, err := decode(src.Index)
	if err != nil {
		return nil, ErrParse
	}
	doc, err := parseDocument(text)
	if err != nil {
		return nil, ErrParse
	}
	r := &release{prefix: src.Root(), files: src.Files, refs: map[string]bool{}}
	l := &Look{Doc: doc, Dir: base(doc, r), text: text, read: src.bounded().Read, release: r, notes: notes{mend: mend}}
	l.Root, _, l.Body = landmarks(doc)
	return l, nil
}

// Linked is the file that an address in a directory names, read as a style sheet
// is; false when the release has none.
func (l *Look) Linked(dir, address string) (t *Text, ok bool) {
	_, path, v := l.release.resolve(dir, address)
	if v != moved || path == "" || l.read == nil {
		return nil, false
	}
	body, ok := l.read(path)
	if !ok {
		return nil, false
	}
	return &Text{File: path, Body: decodeSheet(body)}, true
}

// Inline is the text of a style or script element.
func Inline(n *html.Node) *Text { return &Text{IndexPath, true, dom.Text(n)} }

// At files a finding about a place in a style sheet or script.
func (l *Look) At(code, thing string, p Place) { l.notes.at(code, thing, p) }

// OfAttribute files a finding about an attribute of index.html.
func (l *Look) OfAttribute(code, thing, name, value string) {
	l.notes.add(code, IndexPath, thing, attrKey(name, value), 0)
}

// OfElement files a finding about an element.
func (l *Look) OfElement(code, thing string, n *html.Node) {
	if l.notes.full() {
		return
	}
	key := elementKey(n.Data, n.Attr)
	l.notes.list = append(l.notes.list, note{code: code, path: IndexPath, thing: thing, key: key, skip: l.before(n, key)})
}

// before counts the elements before one that look alike in the source.
func (l *Look) before(n *html.Node, key string) (count int) {
	for other := range l.Root.Descendants() {
		if other == n {
			return count
		}
		if other.Type == html.ElementNode && other.Data == n.Data && elementKey(other.Data, other.Attr) == key {
			count++
		}
	}
	return 0
}

// Report is what was found, with lines.
func (l *Look) Report() (report Report) {
	l.notes.report(l.text, &report)
	return report
}
