package markup

import (
	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// IndexPath is the path of the document in its release.
const IndexPath = "index.html"

// Text is a style sheet or script: a file of the release or, if inline, a part of index.html.
type Text struct {
	File   string
	Inline bool
	Body   string
}

// Dir returns the directory that relative addresses in the text are resolved against.
func (t *Text) Dir() string { return directory(t.File) }

// Place is an offset in a text. Its line is counted only when it is reported.
type Place struct {
	Text   *Text
	Offset int
}

// Inspection is a parsed document for further checks, such as those of package fidelity: its tree,
// its files, and the findings with lines.
type Inspection struct {
	Doc, Root, Body *html.Node
	Dir             string // base directory of addresses in index.html, "" or with a trailing slash

	text    string
	read    func(path string) ([]byte, bool)
	release *release
	notes   notes
}

// NewInspection parses a document. mend is the advice for the author by code of finding. The error
// is that of Compile, without its report.
func NewInspection(src Source, mend map[string]string) (*Inspection, error) {
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
	l := &Inspection{Doc: doc, Dir: base(doc, r), text: text, read: src.bounded().Read, release: r, notes: notes{mend: mend}}
	l.Root, _, l.Body = landmarks(doc)
	return l, nil
}

// Linked returns the file at an address in a directory, decoded as a style sheet; ok is false
// when the release has no such file.
func (l *Inspection) Linked(dir, address string) (t *Text, ok bool) {
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

// Inline returns the text of a style or script element.
func Inline(n *html.Node) *Text { return &Text{IndexPath, true, dom.Text(n)} }

// At adds a finding about a place in a style sheet or script.
func (l *Inspection) At(code, thing string, p Place) { l.notes.at(code, thing, p) }

// OfAttribute adds a finding about an attribute of index.html.
func (l *Inspection) OfAttribute(code, thing, name, value string) {
	l.notes.add(code, IndexPath, thing, attrKey(name, value), 0)
}

// OfElement adds a finding about an element.
func (l *Inspection) OfElement(code, thing string, n *html.Node) {
	if l.notes.full() {
		return
	}
	key := elementKey(n.Data, n.Attr)
	l.notes.list = append(l.notes.list, note{code: code, path: IndexPath, thing: thing, key: key, skip: l.before(n, key)})
}

// before counts the preceding elements with the same key.
func (l *Inspection) before(n *html.Node, key string) (count int) {
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

// Report returns the findings, with lines.
func (l *Inspection) Report() (report Report) {
	l.notes.report(l.text, &report)
	return report
}
