package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
)

// document is the state shared by both walks over a tree.
type document struct {
	src      Source
	ahead    Source // the same with its own read limits, for checks before the walk
	release  *release
	dir      string // of the document's relative base, "" without one
	class    string // svc-body-{doc}, with a dot
	styles   map[*html.Node]styled
	spread   map[*html.Node]*html.Node // the first form that is spread over a table
	imports  map[string]string         // the import map: names and paths of the release
	scripts  map[string]bool           // files already checked
	pictures []string                  // files of the release in img elements
	below    bool                      // an element lies below the background
	submits  bool                      // a script handles form submissions
}

// writer walks the tree and assembles one program.
type writer struct {
	builder
	doc     *document
	guarded bool
	notes   *notes // nil in the guarded walk, which would find the same
	scope   scope
	forms   int  // open forms of the page, without those in templates
	inert   bool // inside a template
	quiet   bool // inside a noscript
	foreign int  // open elements of svg and mathml
	mixed   bool // html occurs inside svg or mathml

	same    spans  // normal: recorded elements; guarded: the remaining ones
	normal  []byte // guarded: the text of the normal program
	differs int    // normal: number of places where the guarded walk differs
}

// note adds a finding about the place of index.html identified by a key.
func (w *writer) note(code, thing, key string) { w.notes.add(code, IndexPath, thing, key, 0) }

func (w *writer) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.node(c)
	}
}

func (w *writer) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.textNode(n)
	case html.CommentNode:
		w.comment(n.Data)
	case html.ElementNode:
		w.element(n)
	}
}

// textNode writes text with its placeholders.
func (w *writer) textNode(n *html.Node) {
	text := n.Data
	for {
		before, p, rest, found := w.scope.nextHole(text)
		w.arena = appendText(w.arena, before)
		if !found {
			return
		}
		if p.empty && !w.notes.full() && n.Parent != nil {
			w.note(BindInvalid, text[len(before):len(text)-len(rest)], elementKey(n.Parent.Data, n.Parent.Attr))
		}
		w.hole(p, inText)
		text = rest
	}
}

// comment writes a comment unchanged. It leaves out a comment that would end early, which the
// parser builds only where it disagrees with the tokenizer about comments.
func (w *writer) comment(data string) {
	if strings.Contains(data, "-->") || strings.Contains(data, "--!>") ||
		strings.HasPrefix(data, ">") || strings.HasPrefix(data, "->") || strings.HasSuffix(data, "<!-") {
		return
	}
	w.write("<!--")
	w.write(data)
	w.write("-->")
}

// element writes an element inside its loop and condition; the loop is the outer one.
func (w *writer) element(n *html.Node) {
	w.notes.move()
	if dropped(n) {
		w.strip(n)
		return
	}
	if w.copied(n) || w.guarded && w.guardElement(n) {
		return
	}
	defer w.record(n, w.mark())
	loop, looped := dom.Attr(n, "svc-for")
	test, tested := dom.Attr(n, "svc-if")
	if !looped && !tested {
		w.bare(n)
		return
	}
	around := w.scope
	var blocks []int
	if looped {
		blocks = w.openLoop(loop, blocks)
	}
	if tested {
		blocks = w.openTest(test, blocks)
	}
	if n.Namespace == "" && n.Data == "template" {
		w.children(n)
	} else {
		w.bare(n)
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		w.close(blocks[i])
	}
	w.scope = around
}

// openLoop begins a loop and adds its name to the scope. An invalid loop is shown once, so that
// its author notices it; an unknown path has no rows.
func (w *writer) openLoop(text string, blocks []int) []int {
	name, p, list, known := w.scope.loop(text)
	if name == "" || len(w.scope) == MaxLoops {
		w.note(BindInvalid, `svc-for="`+text+`"`, attrKey("svc-for", text))
		return blocks
	}
	if !known {
		w.note(BindInvalid, `svc-for="`+text+`"`, attrKey("svc-for", text))
		p.empty = true
	}
	at := w.open(op{kind: opFor, path: w.use(p), frame: uint8(len(w.scope))})
	w.scope = append(w.scope[:len(w.scope):len(w.scope)], loopName{name, list.element()})
	return append(blocks, at)
}

func (w *writer) openTest(text string, blocks []int) []int {
	p, negated, known := w.scope.condition(text)
	if !known {
		w.note(BindInvalid, `svc-if="`+text+`"`, attrKey("svc-if", text))
		p = path{empty: true}
	}
	return append(blocks, w.open(op{kind: opIf, path: w.use(p), negated: negated}))
}

// bare writes an element ignoring svc-for and svc-if.
func (w *writer) bare(n *html.Node) {
	if n.Namespace != "" {
		w.foreigner(n)
		return
	}
	if w.foreign > 0 {
		w.mixed = true
		w.differs++
	}
	switch n.Data {
	case "script":
		w.script(n)
	case "style":
		w.style(n)
	case "link":
		w.link(n)
	case "noscript":
		w.noscript(n)
	case "template":
		w.template(n)
	case "form":
		w.form(n)
	case "table":
		w.table(n)
	case "img":
		w.sized(n)
		w.tag("img", n)
	case "mglyph", "malignmark": // parsed as mathml the next time, together with the contents
		w.children(n)
	case "plaintext": // it has no end tag: everything after it would be text
		w.whole("pre", n)
	case "iframe", "noembed", "noframes", "xmp":
		w.tag(n.Data, n)
		w.differs++
		if !w.guarded {
			w.write(dom.Text(n)) // not shown by browsers, but other parsers read it as markup
		}
		w.end(n.Data)
	default:
		if void[n.Data] {
			w.tag(n.Data, n)
			return
		}
		w.whole(n.Data, n)
	}
}

var void = map[string]bool{
	"area": true, "base": true, "basefont": true, "bgsound": true, "br": true, "col": true, "embed": true,
	"frame": true, "hr": true, "img": true, "input": true, "keygen": true, "link": true, "meta": true,
	"param": true, "source": true, "track": true, "wbr": true,
}

// foreigner writes an element of svg or mathml, where text is escaped even in script and style.
func (w *writer) foreigner(n *html.Node) {
	w.foreign++
	defer func() { w.foreign-- }()
	w.tag(n.Data, n)
	switch {
	case n.Data == "style" && n.FirstChild == n.LastChild:
		w.arena = appendText(w.arena, w.styled(n).text)
	case n.Data == "style" || n.Data == "script":
		if n.Data == "script" {
			w.checkScript(n, dom.Text(n), script.Classic)
		}
		for c := range n.ChildNodes() {
			if c.Type == html.TextNode {
				w.arena = appendText(w.arena, c.Data) // without placeholders
			} else {
				w.node(c)
			}
		}
	default:
		w.children(n)
	}
	w.end(n.Data)
}

func (w *writer) whole(name string, n *html.Node) {
	w.tag(name, n)
	if first := n.FirstChild; (name == "pre" || name == "textarea" || name == "listing") &&
		first != nil && first.Type == html.TextNode && strings.HasPrefix(first.Data, "\n") {
		w.write("\n") // parsers drop the first line feed
	}
	w.children(n)
	w.chooser(n)
	w.end(name)
}

func (w *writer) tag(name string, n *html.Node) {
	w.write("<")
	w.write(name)
	w.attributes(n)
	w.write(">")
}

func (w *writer) end(name string) {
	w.write("</")
	w.write(name)
	w.write(">")
}

// noscript writes the markup that a browser without scripts shows. A nested one is unwrapped:
// with scripts its end tag would end the outer one.
func (w *writer) noscript(n *html.Node) {
	if w.quiet {
		w.children(n)
		return
	}
	w.quiet = true
	w.tag("noscript", n)
	w.children(n)
	w.end("noscript")
	w.quiet = false
}

func (w *writer) template(n *html.Node) {
	inert := w.inert
	w.inert = true
	w.whole("template", n)
	w.inert = inert
}

// form writes a form. A form nested in another, which a misplaced end tag can cause, survives the
// next parse only after an end tag.
func (w *writer) form(n *html.Node) {
	w.receiver(n)
	if w.inert {
		w.whole("form", n)
		return
	}
	if w.forms > 0 && w.foreign > 0 { // there the end tag would not reach the outer form
		w.children(n)
		return
	}
	if w.forms > 0 {
		w.write("</form>")
	}
	if w.spreadForm(n) {
		return
	}
	w.forms++
	w.whole("form", n)
	w.forms--
}

// receiver reports a form without a handler.
func (w *writer) receiver(n *html.Node) {
	action, _ := dom.Attr(n, "action")
	method, _ := dom.Attr(n, "method")
	handled := slices.ContainsFunc(n.Attr, sends)
	action = strings.Trim(action, dom.Spaces)
	_, absolute := scheme(action)
	if handled || absolute || strings.HasPrefix(action, "/") || strings.HasPrefix(action, "{{") || strings.EqualFold(method, "dialog") {
		return
	}
	w.note(FormNoHandler, "<form>:", elementKey("form", n.Attr))
}

// sends reports whether an attribute lets a script handle its form: onsubmit, and the equivalents
// of frameworks.
func sends(a html.Attribute) bool {
	return strings.Contains(a.Key, "submit") || strings.HasPrefix(a.Key, "hx-") || a.Key == "data-action" && strings.Contains(a.Val, "submit")
}

// sized recommends setting the size of an image.
func (w *writer) sized(n *html.Node) {
	if w.notes.full() {
		return
	}
	_, width := dom.Attr(n, "width")
	_, height := dom.Attr(n, "height")
	if !width || !height {
		src, _ := dom.Attr(n, "src")
		w.note(ImgNoSize, "image "+Quoted(src), elementKey("img", n.Attr))
	}
}

// Quoted quotes and shortens a value for a finding.
func Quoted(s string) string {
	const longest = 120
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return `"` + s + `"`
}
