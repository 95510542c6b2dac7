package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/shop"
)

// link prints a link, or its words where it leads nowhere.
func (d *drawing) link(n *html.Node, depth int) {
	href, foreign := d.address(attribute(n, "href"))
	if href == "" || d.linked || !visible(children(n)) {
		d.inlines(n, depth+1)
		return
	}
	attrs := ` href="` + html.EscapeString(href) + `"`
	if foreign {
		attrs += ` rel="nofollow noopener"`
	}
	d.open("a", attrs)
	d.linked = true
	d.inlines(n, depth+1)
	d.linked = false
	d.close("a")
}

// address is where a link leads, empty for nowhere. What the shop is itself is a
// path: a page of a draft leads to pages of the draft.
func (d *drawing) address(href string) (url string, foreign bool) {
	if id, tail, ok := shop.PageAddress(href); ok {
		if id == 0 || d.Page == nil {
			return "", false
		}
		if url = d.Page(id); url != "" {
			url += tail
		}
		return url, false
	}
	url, ok := shop.Followed(href)
	if !ok {
		return "", false
	}
	if path, own := d.own(url); own {
		return path, false
	}
	return url, len(url) > 5 && strings.EqualFold(url[:4], "http")
}

// own is the path of an address on the shop's own host.
func (d *drawing) own(url string) (path string, ok bool) {
	n := len(d.Origin)
	if n == 0 || len(url) < n || !strings.EqualFold(url[:n], d.Origin) {
		return "", false
	}
	switch rest := url[n:]; {
	case rest == "":
		return "/", true
	case rest[0] == '/' && !strings.HasPrefix(rest, "//"):
		return rest, true
	case rest[0] == '?', rest[0] == '#':
		return "/" + rest, true
	}
	return "", false
}

// library takes the pictures of other places out of a text: they would tell
// another server who visits the shop.
func (d *drawing) library(n *html.Node) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		if roleOf(c) == inline && c.Data == "img" && d.path(c) == "" {
			n.RemoveChild(c)
		} else {
			d.library(c)
		}
	}
}

// path is that of a picture in the media library, empty for any other.
func (d *drawing) path(img *html.Node) string {
	src := strings.TrimSpace(attribute(img, "src"))
	if path, own := d.own(src); own {
		src = path
	}
	return libraryPath(src)
}

func (d *drawing) picture(n *html.Node) {
	if d.Picture == nil {
		return
	}
	d.elements++
	if d.over = d.over || d.elements > maxElements; !d.over {
		d.WriteString(d.Picture(Picture{
			Path: d.path(n), Alt: attribute(n, "alt"), Width: pixels(attribute(n, "width")), Height: pixels(attribute(n, "height")),
		}))
	}
}

// libraryPath is the path of a file of the library, also where a cut of it is
// named: /files/…, or /w/640/webp/….
func libraryPath(src string) string {
	path, ok := shop.FilePath(src)
	if rest, cut := strings.CutPrefix(src, "/w/"); cut {
		width, file, named := strings.Cut(rest, "/webp/")
		if _, err := strconv.Atoi(width); err != nil || !named {
			return ""
		}
		path, ok = file, true
	}
	if !ok || path == "" || strings.ContainsAny(path, "?#\\\"'<> \t\r\n") {
		return ""
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return ""
		}
	}
	return shop.FileURL(path)
}

// maxPixels bounds a size that the author gives a picture.
const maxPixels = 10_000

func pixels(text string) int {
	v, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), "px"))
	if err != nil || v < 1 || v > maxPixels {
		return 0
	}
	return v
}
