package markup

import (
	"errors"
	"fmt"

	"golang.org/x/net/html"

	"vitrine/internal/shop"
)

// MaxIndex is the largest index.html in bytes (document 3, section 8).
const MaxIndex = 2 << 20

// ErrParse is returned for a document that cannot be shown inside a page: frames, more than 512
// open elements, more than MaxIndex bytes. It is also the finding html.parse of the report.
var ErrParse = errors.New(HTMLParse)

// Source is a release as input of the compiler.
type Source struct {
	Doc, Release string // ids as text
	Index        []byte // index.html as uploaded, in any charset

	// Files reports whether the release has a file at that case-sensitive path. Nil: every
	// relative address counts as present, and data-* attributes are not rewritten.
	Files func(path string) bool
	// Near returns the file that an author may have meant by a missing path: the same name in
	// another case, as on a case-insensitive file system, or a file with that name elsewhere; ""
	// when there is none. Nil: never.
	Near func(path string) string
	// Read returns the text of a style sheet or script of the release; false when it is missing
	// or too large. Nil reads nothing: linked sheets are then neither checked nor echoed, linked
	// scripts not checked.
	Read func(path string) ([]byte, bool)
	// Forms reports whether the shop has a lead form, for the finding bind.form. Nil: every form
	// counts as present.
	Forms func(id shop.FormID) bool
}

// Root returns the path under which the files of the release are served: /_html/{doc}/{rid}/.
func (s Source) Root() string { return "/_html/" + s.Doc + "/" + s.Release + "/" }

// Compiled is a document that is ready to be served.
type Compiled struct {
	Normal  *Program // for ordinary pages
	Guarded *Program // for the zones without scripts (document 3, 4.6.6)

	// Of a layout (CompileLayout): Normal is its head nodes, Foot its body, Class the class that
	// its style sheets use for the page's body. There is no Guarded.
	Foot  *Program
	Class string

	Title, Description string // of the document's head, for the page's SEO
	Report             Report
	Pictures           []string // paths of the release in img elements, without duplicates, in order
	Refs               []string // paths of the release that the document and its linked sheets reference, sorted
}

// Compile turns a document into its two programs. The error is ErrParse; the returned report says
// why. With any other finding the document is still compiled: the caller decides whether errors
// refuse it.
//
// The same source gives the same bytes.
func Compile(src Source) (*Compiled, error) { return assemble(src, (*document).page) }

// assemble lets parts write the document into c; parts returns false when the output would not
// stay closed inside a page.
func assemble(src Source, parts func(d *document, doc *html.Node, size int, found *notes, c *Compiled) bool) (c *Compiled, err error) {
	c = &Compiled{}
	defer func() {
		// The tree comes from hostile input. A bug must refuse one release rather than stop the
		// process that serves all.
		if r := recover(); r != nil {
			err = c.refuse(fmt.Errorf("the compiler failed: %v", r))
		}
	}()
	if len(src.Index) > MaxIndex {
		return c, c.refuse(errTooLarge)
	}
	text, err := decode(src.Index)
	if err != nil {
		return c, c.refuse(err)
	}
	doc, err := parseDocument(text)
	if err != nil {
		return c, c.refuseAt(lineOfTag(text, "frameset"), err)
	}
	if !c.build(src, text, doc, parts) {
		return c, c.refuse(errUnstable)
	}
	return c, nil
}

func (c *Compiled) refuse(reason error) error { return c.refuseAt(0, reason) }

func (c *Compiled) refuseAt(line int, reason error) error {
	*c = Compiled{}
	c.Report.add(HTMLParse, IndexPath, line, reason.Error()+": the document "+mend[HTMLParse])
	c.Report.sorted()
	return fmt.Errorf("%w: %w", ErrParse, reason)
}

// build runs parts and reports the findings.
func (c *Compiled) build(src Source, text string, doc *html.Node, parts func(*document, *html.Node, int, *notes, *Compiled) bool) bool {
	r := &release{prefix: src.Root(), files: src.Files, near: src.Near, refs: map[string]bool{}}
	d := &document{
		src: src.bounded(), ahead: src.bounded(), release: r, dir: base(doc, r), class: ".svc-body-" + src.Doc,
		styles: map[*html.Node]styled{}, spread: map[*html.Node]*html.Node{}, scripts: map[string]bool{},
	}
	found := &notes{}
	if quirks(doc) {
		found.add(HTMLQuirks, IndexPath, "the document", "", 1)
	}
	closed := parts(d, doc, len(text)+len(text)/4+512, found, c)
	c.Title, c.Description = seo(doc)
	if d.submits {
		found.drop(FormNoHandler)
	}
	found.report(text, &c.Report)
	c.Refs, c.Pictures = r.sorted(), d.pictures
	return closed
}

// page walks the tree for each program; the second walk copies identical output.
func (d *document) page(doc *html.Node, size int, found *notes, c *Compiled) bool {
	d.below = d.liesBelow(doc)
	normal := &writer{doc: d, notes: found}
	c.Normal = normal.fragment(doc, size)
	guarded := &writer{doc: d, guarded: true, same: normal.same, normal: c.Normal.arena}
	c.Guarded = guarded.fragment(doc, len(c.Normal.arena))
	return (!normal.mixed || survives(c.Normal, false)) && (!guarded.mixed || survives(c.Guarded, true))
}

// fragment walks the tree; size is the expected number of bytes.
func (w *writer) fragment(doc *html.Node, size int) *Program {
	w.arena = make([]byte, 0, size)
	root, head, body := landmarks(doc)
	w.head(root, head, body)
	w.wrapper(root, body)
	return w.program()
}

// landmarks finds the elements that every parsed document has.
func landmarks(doc *html.Node) (root, head, body *html.Node) {
	for n := range doc.ChildNodes() {
		if n.Type == html.ElementNode {
			root = n
		}
	}
	for n := range root.ChildNodes() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "head":
			head = n
		case n.Data == "body":
			body = n
		}
	}
	return root, head, body
}
