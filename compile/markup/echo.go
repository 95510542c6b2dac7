package markup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// A linked sheet keeps its bytes, so that its integrity attribute and its immutable address stay
// valid (document 3, 4.6.7). Its bare html, body and :root rules would then style the shop page
// and miss the wrapper. They are repeated, rewritten, in a style element after the link, or
// before the style element that imports the sheet.

// MaxImports is the maximum depth of followed style sheet imports.
const MaxImports = 8

// link writes a link and the echo of its sheet.
func (w *writer) link(n *html.Node) {
	w.tag("link", n)
	if w.guarded || !styles(n) {
		return
	}
	href, _ := dom.Attr(n, "href")
	if echo := w.echo(w.doc.dir, href, nil); echo != "" {
		w.differs++
		w.writeEcho(echo, dom.Media(n))
	}
}

// styles reports whether a link is a style sheet that applies, or becomes one after it has been
// preloaded.
func styles(n *html.Node) bool {
	names := dom.Rels(n)
	if _, disabled := dom.Attr(n, "disabled"); disabled || slices.Contains(names, "alternate") {
		return false
	}
	kind, _ := dom.Attr(n, "as")
	onload, _ := dom.Attr(n, "onload")
	ahead := slices.Contains(names, "preload") && strings.EqualFold(kind, "style") && strings.Contains(onload, "stylesheet")
	return ahead || slices.Contains(names, "stylesheet")
}

func (w *writer) writeEcho(echo, media string) {
	w.write("<style")
	if media != "" {
		w.begin("media")
		w.arena = appendAttr(w.arena, media)
		w.write(`"`)
	}
	w.write(">")
	w.write(strings.ReplaceAll(echo, "</", `<\/`)) // a string in the sheet must not end the element
	w.write("</style>")
}

// echo reads the sheet at an address in a directory, reports problems with its addresses, and
// returns its bare rules with those of the sheets that it imports. above lists the importing
// sheets.
func (w *writer) echo(dir, href string, above []string) string {
	if strings.Contains(href, "{{") || w.doc.src.Read == nil {
		return ""
	}
	_, path, v := w.doc.release.resolve(dir, href)
	if v != moved || len(above) == MaxImports || slices.Contains(above, path) {
		return ""
	}
	text, ok := w.doc.src.Read(path)
	if !ok {
		return ""
	}
	above = append(above[:len(above):len(above)], path)
	src := decodeSheet(text)
	var imported strings.Builder
	s := newSheet(src, w.doc.class, w.sheetAddress(directory(path), w.finder(&Text{path, false, src})))
	s.echo = true
	s.imports = func(address, conditions string) {
		if rules := w.echo(directory(path), address, above); rules != "" {
			imported.WriteString(wrapImport(rules, conditions))
		}
	}
	s.items(0, fresh, false, true)
	return imported.String() + string(s.out)
}

// wrapImport wraps rules in the conditions of their import.
func wrapImport(rules, conditions string) string {
	layer, supports, media := style.SplitConditions(conditions)
	if layer != nil {
		rules = "@layer " + *layer + "{" + rules + "}"
	}
	if supports != "" {
		rules = "@supports (" + supports + "){" + rules + "}"
	}
	if media != "" {
		rules = "@media " + media + "{" + rules + "}"
	}
	return rules
}

// decodeSheet decodes a style sheet as a browser does: by its byte order mark, its @charset, else
// as UTF-8.
func decodeSheet(text []byte) string {
	label := ""
	if rest, ok := strings.CutPrefix(string(text[:min(len(text), 128)]), `@charset "`); ok {
		label, _, _ = strings.Cut(rest, `"`)
	}
	enc, name, certain := charset.DetermineEncoding(text[:min(len(text), 3)], "")
	if !certain && label != "" {
		enc, name = charset.Lookup(label)
	}
	if enc != nil && name != "utf-8" && (certain || label != "") && !utf8.Valid(text) {
		if decoded, err := enc.NewDecoder().Bytes(text); err == nil {
			text = decoded
		}
	}
	return strings.ToValidUTF8(lineFeeds(text), "\uFFFD")
}
