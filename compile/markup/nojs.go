package markup

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/script"
)

// Many websites have the class no-js on html or body until one of their scripts changes it to js.
// That script changes the html and body of the shop page instead. So where a document has both,
// its registry script adds the class to them, so that the script can replace it, and changes it
// to js on the wrapper as soon as the wrapper exists.

const liftNoJS = `(function(d,s){function f(){var w=d.querySelector(s);if(w)w.className=w.className.replace(/(^|[\s-])no-js(?!\S)/g,"$1js");return w}` +
	`f()||new MutationObserver(function(_,o){f()&&o.disconnect()}).observe(d,{childList:true,subtree:true})})(document,`

// noJS returns the start of the registry script for a document whose html or body has such a
// class and whose scripts refer to it.
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
			text = src // Modernizr is often loaded from another host
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
