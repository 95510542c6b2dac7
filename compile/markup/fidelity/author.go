package fidelity

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// Limits of the styles that are checked in a document.
const (
	maxRules     = 20_000
	maxSelectors = 80_000
	maxDecls     = 200_000
	maxBlocks    = 16 // nesting depth
)

// author holds the style rules of a document in cascade order.
type author struct {
	rules   []styleRule
	foreign bool // a sheet of another host, with unknown rules, applies
	full    bool // some rules were left out
	steps   int  // used by matching

	selectors, decls int
}

// unsure reports whether rules may be missing, so that nothing is known about the properties they
// leave unset.
func (a *author) unsure() bool { return a.foreign || a.full || a.steps > maxMatching }

// count increments a counter and reports whether it is within its limit.
func (a *author) count(n *int, most int) bool {
	*n++
	a.full = a.full || *n > most
	return *n <= most
}

// styleRule is a rule with its context.
type styleRule struct {
	selectors  []matcher
	decls      []decl
	conditions string // enclosing it
	layered    bool
	at         markup.Place
}

// decl is one declaration.
type decl struct {
	name, value string
	important   bool
	at          markup.Place
}

// readAuthor collects the rules of style elements and linked sheets.
func (f *look) readAuthor() *author {
	a := &author{}
	dom.Shown(f.Doc, func(n *html.Node) {
		switch n.Data {
		case "style":
			if t, _ := dom.Attr(n, "type"); t == "" || strings.EqualFold(t, "text/css") {
				media, _ := dom.Attr(n, "media")
				f.readSheet(a, markup.Inline(n), f.Dir, surroundings{}.media(media), nil)
			}
		case "link":
			f.readLink(a, n)
		case "script": // these generate rules from class names
			src, _ := dom.Attr(n, "src")
			a.foreign = a.foreign || strings.Contains(src, "tailwind") || strings.Contains(src, "unocss")
		}
	})
	return a
}

func (f *look) readLink(a *author, n *html.Node) {
	names := dom.Rels(n)
	_, disabled := dom.Attr(n, "disabled")
	if disabled || !slices.Contains(names, "stylesheet") || slices.Contains(names, "alternate") {
		return
	}
	href, _ := dom.Attr(n, "href")
	f.readLinked(a, f.Dir, href, surroundings{}.media(dom.Media(n)), nil)
}

// readLinked reads the sheet at an address in a directory; above lists the sheets that imported
// it.
func (f *look) readLinked(a *author, dir, href string, in surroundings, above []string) {
	t, ok := f.Linked(dir, href)
	switch {
	case !ok:
		a.foreign = a.foreign || !fontSheet(href)
	case len(above) < markup.MaxImports && !slices.Contains(above, t.File):
		f.readSheet(a, t, t.Dir(), in, append(above[:len(above):len(above)], t.File))
	}
}

// fontSheet reports whether a sheet of another host contains only fonts, judging by its address:
// such a sheet sets nothing.
func fontSheet(href string) bool {
	href = strings.ToLower(href)
	return strings.Contains(href, "font") || strings.Contains(href, "typekit") || strings.Contains(href, "icons")
}

func (f *look) readSheet(a *author, t *markup.Text, dir string, in surroundings, above []string) {
	if in.never {
		return
	}
	r := ruleReader{Sheet: style.Read(t.Body), author: a, text: t}
	r.imported = func(address string, in surroundings) { f.readLinked(a, dir, address, in, above) }
	r.list(0, len(r.Toks), in)
}

// surroundings are the conditions around a rule.
type surroundings struct {
	conditions string
	layered    bool
	never      bool // applies to print only
	depth      int  // open blocks
}

func (s surroundings) media(query string) surroundings {
	query = strings.ToLower(strings.Trim(query, dom.Spaces))
	if query == "" || query == "all" || query == "screen" {
		return s
	}
	s.never = s.never || strings.Contains(query, "print") && !strings.Contains(query, "screen") && !strings.Contains(query, "not ")
	return s.under("media", query)
}

func (s surroundings) under(rule, prelude string) surroundings {
	s.conditions += "@" + rule + " " + strings.Trim(prelude, dom.Spaces)
	return s
}

// ruleReader collects the rules of one sheet.
type ruleReader struct {
	style.Sheet
	author   *author
	text     *markup.Text
	imported func(address string, in surroundings)
}

// list reads the rules in a range of tokens.
func (r *ruleReader) list(i, end int, in surroundings) {
	for i < end {
		switch r.Toks[i].Type {
		case css.WhitespaceToken, css.CommentToken, css.CDOToken, css.CDCToken, css.SemicolonToken, css.RightBraceToken:
			i++
		case css.AtKeywordToken:
			i = r.atRule(i, end, in)
		default:
			i = r.styleRule(i, end, in)
		}
	}
}

func (r *ruleReader) atRule(i, end int, in surroundings) int {
	name := style.AtName(r.Text(i))
	brace, block := r.AtPrelude(i+1, true)
	if brace = min(brace, end); !block || brace == end {
		if name == "import" {
			r.importRule(i+1, brace, in)
		}
		return brace
	}
	closing := min(r.Skip(brace), end)
	kind := style.Kinds[name]
	if in.depth++; kind != style.Conditional && kind != style.Scoping || in.depth > maxBlocks {
		return closing + 1
	}
	prelude := r.Src[r.Toks[i].To:r.Toks[brace].From]
	switch name {
	case "media":
		in = in.media(prelude)
	case "layer":
		in.layered = true
	default:
		in = in.under(name, prelude)
	}
	if !in.never {
		r.list(brace+1, closing, in)
	}
	return closing + 1
}

func (r *ruleReader) importRule(i, end int, in surroundings) {
	for ; i < end; i++ {
		address := ""
		switch r.Toks[i].Type {
		case css.StringToken:
			address = strings.Trim(r.Text(i), `"'`)
		case css.URLToken:
			address = strings.Trim(r.Text(i)[len("url("):], `"') `)
		default:
			continue
		}
		layer, supports, media := style.SplitConditions(r.Conditions(i+1, end))
		in.layered = in.layered || layer != nil
		if supports != "" {
			in = in.under("supports", supports)
		}
		r.imported(address, in.media(media))
		return
	}
}

// styleRule reads a rule and its nested rules.
func (r *ruleReader) styleRule(i, end int, in surroundings) int {
	brace, spoilt := r.Prelude(i, true)
	if brace >= end {
		return end
	}
	closing := min(r.Skip(brace), end)
	in.depth++
	if r.author.full = r.author.full || len(r.author.rules) >= maxRules || in.depth > maxBlocks; r.author.full {
		return closing + 1
	}
	at := len(r.author.rules)
	r.author.rules = append(r.author.rules, styleRule{conditions: in.conditions, layered: in.layered, at: r.at(i)})
	decls := r.block(brace+1, closing, in)
	if !spoilt {
		rule := &r.author.rules[at]
		rule.decls, rule.selectors = decls, r.matchers(i, brace)
	}
	return closing + 1
}

func (r *ruleReader) at(i int) markup.Place {
	return markup.Place{Text: r.text, Offset: int(r.Toks[i].From)}
}

// block reads the declarations of a rule.
func (r *ruleReader) block(i, end int, in surroundings) (decls []decl) {
	for i < end {
		switch r.Toks[i].Type {
		case css.WhitespaceToken, css.CommentToken, css.SemicolonToken:
			i++
			continue
		case css.AtKeywordToken:
			i = r.atRule(i, end, in)
			continue
		}
		stop, ok := r.Declaration(i)
		if stop = min(stop, end); !ok {
			i = r.styleRule(i, end, in)
			continue
		}
		if d, ok := r.decl(i, stop); ok && r.author.count(&r.author.decls, maxDecls) {
			decls = append(decls, d)
		}
		i = max(stop, i+1)
	}
	return decls
}

func (r *ruleReader) decl(i, end int) (d decl, ok bool) {
	name, value, ok := strings.Cut(r.Src[r.Toks[i].From:r.Toks[end-1].To], ":")
	if !ok || end <= i {
		return d, false
	}
	value = strings.ToLower(strings.Trim(value, dom.Spaces))
	value, important := strings.CutSuffix(value, "important")
	if important {
		value = strings.TrimRight(value, dom.Spaces+"!")
	}
	return decl{strings.ToLower(strings.Trim(name, dom.Spaces)), value, important, r.at(i)}, true
}
