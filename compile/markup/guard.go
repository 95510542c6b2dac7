package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// Guarding removes from a document what could run in the zones where people pay and log in
// (document 3, 4.6.6). Markup and inline styles are kept.

// guardElement reports whether an element is left out of the guarded program or written there as
// another element.
func (w *writer) guardElement(n *html.Node) bool {
	switch {
	case !guarding(n):
		return false
	case n.Data == "xmp":
		w.whole("pre", n)
	}
	return true
}

// guarding reports whether an element is not in the guarded program unchanged.
func guarding(n *html.Node) bool {
	switch strings.ToLower(n.Data) {
	case "script":
		return true
	case "set", "animate", "animatetransform", "animatemotion":
		return animatesAddress(n)
	case "link":
		return n.Namespace == "" && stripsLink(n)
	case "noembed", "noframes":
		return true // never shown, and plain text to some parsers only
	case "xmp":
		return n.Namespace == ""
	}
	return false
}

// animatesAddress reports whether an svg animation sets an address, which may be a program.
// Outside svg the parser keeps the attribute in lower case.
func animatesAddress(n *html.Node) bool {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, "attributeName") {
			target := strings.ToLower(strings.Trim(a.Val, dom.Spaces))
			return strings.HasSuffix(target, "href") || dom.Handler(target) || templated(target)
		}
	}
	return false
}

// stripsLink reports whether a link loads a style sheet of the release, or a script. Style sheets
// of other hosts and of the shop are kept.
func stripsLink(n *html.Node) bool {
	names := dom.Rels(n)
	rel, _ := dom.Attr(n, "rel")
	if slices.Contains(names, "modulepreload") || templated(rel) {
		return true
	}
	kind, _ := dom.Attr(n, "as")
	if slices.Contains(names, "preload") && strings.EqualFold(strings.Trim(kind, dom.Spaces), "script") {
		return true
	}
	if !slices.Contains(names, "stylesheet") {
		return false
	}
	href, _ := dom.Attr(n, "href")
	return relative(href)
}

// relative reports whether an address is resolved against the page.
func relative(address string) bool {
	address = trimAddress(address)
	if address == "" {
		return true
	}
	_, absolute := scheme(address)
	return !absolute && address[0] != '/' && address[0] != '\\'
}

// sandbox is the restriction of frames in a guarded page. Their document may come from this very
// host, by a full address or by a link that targets the frame, and must not reach the page around
// it.
const sandbox = ` sandbox="allow-forms allow-popups allow-scripts"`

// guardAttr changes or drops an attribute of the guarded program. A frame with a document of this
// host is emptied: its scripts would run and reach the page around it. An object cannot be
// sandboxed, whatever its host.
func guardAttr(n *html.Node, name, value string, kind attrKind) (guarded string, drop bool) {
	switch kind {
	case scriptAttr:
		return "", true
	case address, destination:
		if runs(n, value) || mayGetScheme(value) {
			return "#", false
		}
		switch {
		case n.Data == "object" && name == "data" || n.Data == "embed" && name == "src":
			return value, mayRun(value)
		case framed(n) && name == "src":
			return value, ofShop(value) && mayRun(value)
		}
	case srcsetAttr:
		if !namesScript(value) {
			break
		}
		return rewriteSrcset(value, func(candidate string) string {
			if safe, ok := disarm(candidate, 0, false); ok {
				return safe
			}
			return candidate
		}), false
	case styleAttr:
		if namesScript(value) {
			safe := rewriteStyle(value, disarm)
			return safe, namesScript(safe)
		}
	}
	return value, n.Data == "iframe" && name == "sandbox" || shadows(n, name)
}

// shadows reports whether an attribute makes its element hide a property of document, such as
// querySelector, which the storefront's own script needs.
func shadows(n *html.Node, name string) bool {
	switch n.Data {
	case "form", "img", "iframe", "embed":
		return name == "name"
	case "object":
		return name == "name" || name == "id"
	}
	return false
}

// templated reports whether a value has a placeholder, so that the result is known only when the
// page is drawn.
func templated(value string) bool { return strings.Contains(value, "{{") }

// mayGetScheme reports whether an address has placeholders in its scheme. Each could be a part of
// it, or empty.
func mayGetScheme(address string) bool {
	end := strings.IndexAny(address, ":/?#")
	return end >= 0 && address[end] == ':' && templated(address[:end])
}

// namesScript is a quick check for what disarm may find: javascript: or vbscript:.
func namesScript(value string) bool {
	const tail = "script"
	for {
		colon := strings.IndexByte(value, ':')
		if colon < 0 {
			return false
		}
		if colon > len(tail) && strings.EqualFold(value[colon-len(tail):colon], tail) {
			return true
		}
		value = value[colon+1:]
	}
}

// disarm is the address rule of guarded styles and candidates. No known browser runs a program
// there, but programs are removed anyway.
func disarm(address string, _ int, comment bool) (string, bool) {
	s, ok := scheme(address)
	return "#", ok && scriptScheme(s) && !comment
}

// ofShop reports whether an address has no host of its own.
func ofShop(address string) bool {
	address = trimAddress(address)
	_, absolute := scheme(address)
	return !absolute && !strings.HasPrefix(address, "//")
}

// mayRun reports whether an address may lead to a document rather than a picture or a video.
func mayRun(address string) bool {
	if templated(address) {
		return true
	}
	address = trimAddress(address)
	file, _, _ := strings.Cut(address, "#")
	file, _, _ = strings.Cut(file, "?")
	switch strings.ToLower(file[strings.LastIndexByte(file, '.')+1:]) {
	case "png", "jpg", "jpeg", "webp", "gif", "avif", "mp4", "webm", "mp3", "ogg", "pdf":
		return false
	}
	return true
}

// runs reports whether an address is a program, or a document written by the author.
func runs(n *html.Node, value string) bool {
	s, ok := scheme(value)
	if !ok || !strings.EqualFold(s, "data") {
		return ok && scriptScheme(s)
	}
	if framed(n) || n.Data == "object" || n.Data == "use" {
		return true
	}
	_, kind, _ := strings.Cut(lowerASCII(trimAddress(value)), ":")
	kind = strings.TrimLeft(kind, dom.Spaces)
	return strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "application/xhtml")
}

func scriptScheme(s string) bool {
	return strings.EqualFold(s, "javascript") || strings.EqualFold(s, "vbscript")
}

func framed(n *html.Node) bool { return n.Data == "iframe" || n.Data == "embed" || n.Data == "frame" }
