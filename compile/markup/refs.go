package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// maxPictures is the maximum number of listed pictures of a document.
const maxPictures = 1000

// resolve moves the address of an attribute and reports problems with it. value is the attribute
// as written in the source.
func (w *writer) resolve(n *html.Node, name, marked, value string) string {
	return w.resolveIn(n, name, marked, value, value)
}

// resolveIn does the same for one address of a longer value.
func (w *writer) resolveIn(n *html.Node, name, marked, shown, value string) string {
	out, path, v := w.doc.release.resolve(w.doc.dir, marked)
	if v == moved && n.Data == "img" && name == "src" && !slices.Contains(w.doc.pictures, path) && len(w.doc.pictures) < maxPictures {
		w.doc.pictures = append(w.doc.pictures, path)
	}
	switch {
	case w.notes.full():
	case v == outside:
		w.note(RefOutside, name+" "+Quoted(shown), attrKey(name, value))
	case v == missing:
		w.note(RefMissing, name+" "+Quoted(shown)+w.doc.release.meant(path), attrKey(name, value))
	case v == kept && loads(n, name) && w.doc.release.rooted(shown):
		w.note(RefRoot, name+" "+Quoted(shown), attrKey(name, value))
	case v == kept && plainHTTP(shown) && loads(n, name):
		w.note(RefHTTP, name+" "+Quoted(shown), attrKey(name, value))
	}
	return out
}

// loads reports whether a browser fetches the address by itself, unlike links to other pages.
func loads(n *html.Node, name string) bool {
	if name != "href" && name != "xlink:href" {
		return true
	}
	if n.Namespace == "svg" {
		return n.Data != "a"
	}
	if n.Data != "link" {
		return false
	}
	for _, rel := range dom.Rels(n) {
		switch rel {
		case "stylesheet", "icon", "preload", "modulepreload", "prefetch", "apple-touch-icon", "mask-icon":
			return true
		}
	}
	return false
}

// styleAddress returns the address rule of a style attribute.
func (w *writer) styleAddress(name, value string) addressFunc {
	return w.sheetAddress(w.doc.dir, func(code, thing string, _ int) { w.note(code, thing, attrKey(name, value)) })
}

// sheetAddress returns the address rule of a style sheet in a directory of the release. found is
// called for problems at an offset of the sheet.
func (w *writer) sheetAddress(dir string, found func(code, thing string, offset int)) addressFunc {
	return func(address string, offset int, comment bool) (string, bool) {
		out, path, v := w.doc.release.resolve(dir, address)
		code := ""
		switch {
		case v == outside && !comment:
			code = RefOutside
		case v == missing:
			code = RefMissing
		case v == kept && !comment && w.doc.release.rooted(address):
			code = RefRoot
		case v == kept && !comment && plainHTTP(address):
			code = RefHTTP
		}
		if code != "" && !w.notes.full() {
			where := "url(" + Quoted(address) + ")"
			if comment {
				where += " in a comment"
			}
			if v == missing {
				where += w.doc.release.meant(path)
			}
			found(code, where, offset)
		}
		return out, v == moved && !comment
	}
}

// finder returns a function that adds findings at offsets of a text.
func (w *writer) finder(t *Text) func(code, thing string, offset int) {
	return func(code, thing string, offset int) { w.notes.at(code, thing, Place{t, offset}) }
}

// styled is the output of a style element, the same in both programs.
type styled struct {
	text     string
	imported string // bare rules of the imported sheets
}

// style writes a style element.
func (w *writer) style(n *html.Node) {
	s := w.styled(n)
	if s.imported != "" {
		media, _ := dom.Attr(n, "media")
		w.writeEcho(s.imported, media)
	}
	w.tag("style", n)
	w.write(s.text)
	w.end("style")
}

func (w *writer) styled(n *html.Node) styled {
	if done, ok := w.doc.styles[n]; ok {
		return done
	}
	text := dom.Text(n)
	out := styled{text: text}
	if t, _ := dom.Attr(n, "type"); t == "" || strings.EqualFold(t, "text/css") {
		s := newSheet(text, w.doc.class, w.sheetAddress(w.doc.dir, w.finder(&Text{IndexPath, true, text})))
		s.imports = func(address, conditions string) {
			if rules := w.echo(w.doc.dir, address, nil); rules != "" {
				out.imported += wrapImport(rules, conditions)
			}
		}
		s.items(0, fresh, false, true)
		out.text = string(s.out)
	}
	w.doc.styles[n] = out
	return out
}
