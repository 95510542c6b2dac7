package markup

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

// What has a negative z-index lies between the background of the window and those
// of the boxes in it. The background of a body is the window's; that of the wrapper
// is a box's and would cover what lies below. So a document with such parts is
// marked, and the storefront gives the window the wrapper's background (document 3,
// 4.6.1: looks as it did alone).

// belowMark is the attribute of such a wrapper, which storefront.css and the
// storefront's script look for.
const belowMark = "data-svc-below"

// depths is what the styles of a document say of z-index.
type depths struct {
	below    bool            // one is negative
	negative map[string]bool // custom properties with a negative number
	asked    map[string]bool // custom properties that a z-index asks for
}

func newDepths() depths { return depths{negative: map[string]bool{}, asked: map[string]bool{}} }

// liesBelow reports whether the styles of a document put anything below the
// background, as far as they can be read.
func (d *document) liesBelow(doc *html.Node) bool {
	found := newDepths()
	shown(doc, func(n *html.Node) {
		if style, ok := attr(n, "style"); ok && strings.Contains(style, "-") {
			found.read(lex(style), style)
		}
		switch {
		case n.Data == "style":
			d.sheetDepths(&found, textOf(n), d.dir, nil)
		case n.Data == "link" && styles(n):
			href, _ := attr(n, "href")
			d.fileDepths(&found, d.dir, href, nil)
		}
	})
	return found.any()
}

func (f *depths) any() bool {
	for name := range f.asked {
		f.below = f.below || f.negative[name]
	}
	return f.below
}

// fileDepths reads the sheet that an address names; above is those that imported it.
func (d *document) fileDepths(found *depths, dir, href string, above []string) {
	if found.below || d.ahead.Read == nil || strings.Contains(href, "{{") {
		return
	}
	_, path, v := d.release.resolve(dir, href)
	if v != moved || len(above) == maxImports || slices.Contains(above, path) {
		return
	}
	if text, ok := d.ahead.Read(path); ok {
		d.sheetDepths(found, string(text), directory(path), append(above[:len(above):len(above)], path))
	}
}

func (d *document) sheetDepths(found *depths, text, dir string, above []string) {
	s := newSheet(text, "", func(string, int, bool) (string, bool) { return "", false })
	found.read(s.toks, s.src)
	if strings.Contains(s.src, "@") && !found.below {
		s.imports = func(address, _ string) { d.fileDepths(found, dir, address, above) }
		s.echo = true // what is written is not wanted
		s.items(0, fresh, false, true)
	}
}

// read looks at every declaration among tokens. Where it stands does not matter.
func (f *depths) read(toks []token, src string) {
	for i := range toks {
		tt, name := toks[i].tt, src[toks[i].from:toks[i].to]
		if tt != css.CustomPropertyNameToken && (tt != css.IdentToken || len(name) < len("z-index") || !strings.EqualFold(unescapeCSS(name), "z-index")) {
			continue
		}
		value, ok := valueOf(toks[i+1:], src)
		switch {
		case !ok:
		case tt == css.CustomPropertyNameToken:
			f.negative[name] = f.negative[name] || negative(value)
		case negative(value):
			f.below = true
		default:
			f.ask(value)
		}
	}
}

// ask notes the custom properties that a value is made of.
func (f *depths) ask(value string) {
	for name := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("(), \t\r\n\f", r) }) {
		if strings.HasPrefix(name, "--") {
			f.asked[name] = true
		}
	}
}

// valueOf is the text of a declaration's value behind its name.
func valueOf(toks []token, src string) (value string, ok bool) {
	colon := slices.IndexFunc(toks, func(t token) bool { return t.tt != css.WhitespaceToken && t.tt != css.CommentToken })
	if colon < 0 || toks[colon].tt != css.ColonToken {
		return "", false
	}
	var b strings.Builder
	for _, t := range toks[colon+1:] {
		switch t.tt {
		case css.SemicolonToken, css.RightBraceToken, css.LeftBraceToken:
			return b.String(), true
		case css.CommentToken:
		default:
			if b.Len() < maxDepthValue {
				b.WriteString(src[t.from:t.to])
			}
		}
	}
	return b.String(), true
}

// maxDepthValue is how much of a value is looked at, in bytes.
const maxDepthValue = 200

// negative reports whether a value is, or is made with, a number below 0:
// -1, calc(-1 * 2), calc(var(--x) * -1).
func negative(value string) bool {
	value = strings.Trim(value, spaces)
	if strings.HasPrefix(value, "-") {
		return len(value) > 1 && value[1] >= '0' && value[1] <= '9' && strings.Trim(value, "-0 ") != ""
	}
	if !strings.HasPrefix(strings.ToLower(value), "calc(") {
		return false
	}
	for i := 1; i+1 < len(value); i++ {
		if value[i] == '-' && (value[i-1] == '(' || htmlSpace(value[i-1])) && value[i+1] >= '0' && value[i+1] <= '9' {
			return true
		}
	}
	return false
}

// lowest files the first declaration that puts a part below the background.
func (f *fidelity) lowest() {
	found := newDepths()
	var asking []place
	for i := range f.author.rules {
		for _, d := range f.author.rules[i].decls {
			switch {
			case strings.HasPrefix(d.name, "--") && negative(d.value):
				found.negative[d.name] = true
			case d.name == "z-index" && negative(d.value):
				f.at(FidelityBelow, "z-index:"+d.value, d.at)
				return
			case d.name == "z-index" && strings.Contains(d.value, "var("):
				if found.ask(d.value); len(asking) == 0 {
					asking = append(asking, d.at)
				}
			}
		}
	}
	if found.any() {
		f.at(FidelityBelow, "a z-index below 0", asking[0])
		return
	}
	shown(f.body, func(n *html.Node) {
		style, _ := attr(n, "style")
		if inline := newDepths(); style != "" && !found.below {
			if inline.read(lex(style), style); inline.any() {
				found.below = true
				f.note(FidelityBelow, "a z-index below 0", attrKey("style", style))
			}
		}
	})
}
