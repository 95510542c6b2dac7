package markup

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// attrKind is the type of an attribute's value.
type attrKind uint8

const (
	plainAttr   attrKind = iota
	address              // rewritten when relative
	destination          // an address that is not rewritten: the target of a form or a link
	srcsetAttr           // candidates
	styleAttr            // declarations, or the value of an svg presentation attribute
	scriptAttr           // on*, srcdoc: nothing is substituted
	dataAttr             // moves only when it names files of the release
	bindingAttr          // svc-*
)

// presentation lists the svg attributes whose value is that of a css property with addresses.
var presentation = []string{
	"fill", "stroke", "filter", "mask", "clip-path", "marker-start", "marker-mid", "marker-end", "marker", "cursor",
}

// smil lists the attributes of svg animations that may hold an address.
var smil = []string{"to", "from", "by", "values"}

func kindOf(n *html.Node, name string) attrKind {
	switch name {
	case "src", "href", "poster", "background", "xlink:href":
		return address
	case "srcset", "imagesrcset":
		return srcsetAttr
	case "action", "formaction", "cite", "ping", "longdesc", "codebase", "lowsrc", "dynsrc", "manifest":
		return destination
	case "style":
		return styleAttr
	case "srcdoc":
		return scriptAttr
	}
	switch {
	case strings.HasPrefix(name, "svc-"):
		return bindingAttr
	case strings.HasPrefix(name, "data-"):
		return dataAttr
	case dom.Handler(name):
		return scriptAttr
	case name == "data" && n.Data == "object":
		return address
	case n.Namespace == "svg" && slices.Contains(presentation, name):
		return styleAttr
	case n.Namespace == "svg" && slices.Contains(smil, name):
		return destination
	}
	return plainAttr
}

// bindings lists the svc-* attributes that are kept in the page, where the storefront's script
// reads them (document 3, 4.6.8). Others are removed silently.
var bindings = []string{"svc-sticky", "svc-cart-count", "svc-add-to-cart", "svc-gallery", "svc-variants", "svc-fav"}

// attributes writes the attributes of an element, including the address of an image.
func (w *writer) attributes(n *html.Node) {
	for _, a := range n.Attr {
		w.attribute(n, attrName(a), a.Val)
	}
	w.product(n)
	if w.guarded && n.Data == "iframe" {
		w.write(sandbox)
	}
}

func (w *writer) attribute(n *html.Node, name, value string) {
	w.notes.move()
	kind := kindOf(n, name)
	if kind == bindingAttr && !slices.Contains(bindings, name) {
		return
	}
	safe, drop := guardAttr(n, name, value, kind)
	switch {
	case drop && w.guarded:
		return
	case w.guarded:
		value = safe
	case drop || safe != value:
		w.differs++
	}
	if kind == address || kind == destination {
		if s, ok := scheme(value); ok && scripting(s) {
			kind = scriptAttr // no escaping is safe inside a program
		}
	}
	if (kind == address && name != "src" || kind == destination) && w.pageLink(name, value) {
		return
	}
	switch kind {
	case scriptAttr:
		w.unbound(name, value)
		if !w.notes.full() && registersWorker(value) >= 0 {
			w.note(SWRegister, name, attrKey(name, value))
		}
		w.bound(name, value, nil, nil)
	case address:
		w.address(n, name, value)
	case destination:
		marked, holes := w.scope.mark(value)
		if name == "action" || name == "formaction" {
			marked = w.formLink(name, marked, value)
		}
		w.boundAddress(name, marked, holes)
	case srcsetAttr:
		w.srcset(n, name, value)
	case styleAttr:
		marked, holes := w.scope.mark(value)
		if mayName(marked) { // most styles contain no address and need no address rule
			marked = rewriteStyle(marked, w.styleAddress(name, value))
		}
		w.bound(name, marked, holes, func(int) context { return inStyle })
	case dataAttr:
		marked, holes := w.scope.mark(w.dataValue(value))
		w.bound(name, marked, holes, func(int) context { return inAttr })
	default:
		marked, holes := w.scope.mark(value)
		w.bound(name, marked, holes, func(int) context { return inAttr })
	}
}

func (w *writer) begin(name string) {
	w.write(" ")
	w.write(name)
	w.write(`="`)
}

// bound writes an attribute whose placeholders are marked; ctx returns the escaping context of
// the n-th one.
func (w *writer) bound(name, marked string, holes []path, ctx func(n int) context) {
	w.begin(name)
	for {
		before, n, rest := nextMarker(marked)
		w.arena = appendAttr(w.arena, before)
		if n < 0 || n >= len(holes) {
			break
		}
		w.hole(holes[n], ctx(n))
		marked = rest
	}
	w.write(`"`)
}

func (w *writer) hole(p path, ctx context) {
	if !p.empty {
		w.add(op{kind: opHole, ctx: ctx, path: w.use(p)})
	}
}

// boundAddress writes an address: if it begins with a value, the value may be any harmless
// address; later values are part of a segment.
func (w *writer) boundAddress(name, marked string, holes []path) {
	lead := strings.HasPrefix(strings.TrimLeft(marked, " \t\r\n\f"), string([]byte{marker}))
	w.bound(name, marked, holes, func(n int) context {
		if n == 0 && lead {
			return inAddress
		}
		return inTail
	})
}

// address writes an attribute that holds one address.
func (w *writer) address(n *html.Node, name, value string) {
	marked, holes := w.scope.mark(value)
	if n.Data == "img" && n.Namespace == "" && name == "src" && w.image(n, marked, holes) {
		return
	}
	if name == "href" || name == "xlink:href" {
		marked = w.formLink(name, marked, value)
	}
	out := w.resolve(n, name, marked, value)
	w.boundAddress(name, out, holes)
}

// scripting reports whether addresses of a scheme are programs or documents.
func scripting(scheme string) bool {
	return strings.EqualFold(scheme, "javascript") || strings.EqualFold(scheme, "vbscript") || strings.EqualFold(scheme, "data")
}

// image writes the address of an img when it is, or may turn out to be, a shop image.
func (w *writer) image(n *html.Node, marked string, holes []path) bool {
	_, own := dom.Attr(n, "srcset")
	text, _ := dom.Attr(n, "width")
	width, err := strconv.Atoi(strings.Trim(text, dom.Spaces))
	if err != nil || width < 0 || width > 1<<14 {
		width = 0
	}
	switch trimmed := strings.Trim(marked, dom.Spaces); {
	case len(holes) == 1 && len(trimmed) == 4 && trimmed[0] == marker:
		if holes[0].empty {
			return false
		}
		w.needs.ShopImages = true
		w.add(op{kind: opImage, path: w.use(holes[0]), width: int32(width), srcset: !own})
		return true
	case len(holes) == 0 && shopImage(trimmed):
		w.arena = appendShopImage(w.arena, trimmed, width, !own)
		return true
	}
	return false
}

// srcset writes candidates. A value with braces of another template system is copied, because
// such braces may contain spaces.
func (w *writer) srcset(n *html.Node, name, value string) {
	marked, holes := w.scope.mark(value)
	var lead []int // indexes of holes that begin a candidate, in order
	if !strings.Contains(marked, "{{") {
		marked = rewriteSrcset(marked, func(candidate string) string {
			if candidate[0] == marker {
				_, first, _ := nextMarker(candidate)
				lead = append(lead, first)
			}
			return w.resolveIn(n, name, candidate, candidate, value)
		})
	}
	w.bound(name, marked, holes, func(n int) context {
		if len(lead) > 0 && lead[0] == n {
			lead = lead[1:]
			return inSrcset
		}
		return inTail
	})
}

// unbound reports placeholders where nothing is substituted.
func (w *writer) unbound(name, value string) {
	if _, _, _, found := w.scope.nextHole(value); found {
		w.note(BindContext, "a placeholder in "+name, attrKey(name, value))
	}
}
