package markup

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
)

// Many websites are no-js in the class of html or body until a script of theirs
// says js. That script changes the html and body of the shop page, so where a
// document has both, its registry script gives them the class, which the script
// may then replace, and says js to the wrapper as soon as that is there.

const liftNoJS = `(function(d,s){function f(){var w=d.querySelector(s);if(w)w.className=w.className.replace(/(^|[\s-])no-js(?!\S)/g,"$1js");return w}` +
	`f()||new MutationObserver(function(_,o){f()&&o.disconnect()}).observe(d,{childList:true,subtree:true})})(document,`

// noJS is the start of the registry script of a document whose html or body has
// such a class, if a script of the document knows of it.
func (d *document) noJS(root, body *html.Node) string {
	script, found := "", false
	for _, of := range [...]struct {
		name string
		node *html.Node
	}{{"documentElement", root}, {"body", body}} {
		class, _ := dom.Attr(of.node, "class")
		for _, c := range strings.Fields(class) {
			found = found || c == "no-js" || strings.HasSuffix(c, "-no-js")
			if c == "no-js" {
				script += "document." + of.name + `.classList.add("no-js");`
			}
		}
	}
	if !found || !d.mentionsNoJS(root) {
		return ""
	}
	return script + liftNoJS + scriptString(d.class) + ");"
}

func (d *document) mentionsNoJS(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "script" || script.KindOf(n) == script.Data {
			continue
		}
		text := dom.Text(n)
		if src, ok := dom.Attr(n, "src"); ok {
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
