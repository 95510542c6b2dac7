package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Many websites are no-js in the class of html or body until a script of theirs
// says js. That script changes the html and body of the shop page, which do not
// have the class; the wrapper does. Where a document has both, its registry
// script says it to the wrapper as soon as that is there.

const liftNoJS = `(function(d,s){function f(){var w=d.querySelector(s);if(w)w.className=w.className.replace(/(^|[\s-])no-js(?!\S)/g,"$1js");return w}` +
	`f()||new MutationObserver(function(_,o){f()&&o.disconnect()}).observe(d,{childList:true,subtree:true})})(document,`

// liftsNoJS reports whether html or body has such a class and a script of the
// document knows of it.
func (d *document) liftsNoJS(root, body *html.Node) bool {
	for _, n := range [...]*html.Node{root, body} {
		class, _ := attr(n, "class")
		if slices.ContainsFunc(strings.Fields(class), func(c string) bool { return c == "no-js" || strings.HasSuffix(c, "-no-js") }) {
			return d.mentionsNoJS(root)
		}
	}
	return false
}

func (d *document) mentionsNoJS(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "script" || kindOfScript(n) == dataBlock {
			continue
		}
		text := textOf(n)
		if src, ok := attr(n, "src"); ok {
			text = src // Modernizr is often loaded from elsewhere
			if _, path, v := d.release.resolve(d.dir, src); v == moved && d.src.Read != nil {
				body, _ := d.src.Read(path)
				text += string(body)
			}
		}
		if strings.Contains(text, "no-js") || strings.Contains(text, "modernizr") {
			return true
		}
	}
	return false
}
