package fidelity

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
	"vitrine/compile/release"
)

// lowest reports the first declaration that puts an element below the background.
func (f *look) lowest() {
	found := style.NewDepths()
	var asking []markup.Place
	for i := range f.author.rules {
		for _, d := range f.author.rules[i].decls {
			switch {
			case strings.HasPrefix(d.name, "--"):
				found.Define(d.name, d.value)
			case d.name == "z-index" && style.Negative(d.value):
				f.At(release.FidelityBelow, "z-index:"+d.value, d.at)
				return
			case d.name == "z-index" && strings.Contains(d.value, "var("):
				if found.AddReference(d.value); len(asking) == 0 {
					asking = append(asking, d.at)
				}
			}
		}
	}
	if found.Any() {
		f.At(release.FidelityBelow, "a z-index below 0", asking[0])
		return
	}
	dom.Shown(f.Body, func(n *html.Node) {
		text, _ := dom.Attr(n, "style")
		if inline := style.NewDepths(); text != "" && !found.Below {
			if inline.Read(style.Lex(text), text); inline.Any() {
				found.Below = true
				f.OfAttribute(release.FidelityBelow, "a z-index below 0", "style", text)
			}
		}
	})
}
