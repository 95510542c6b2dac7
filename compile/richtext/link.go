package richtext

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/shop"
)

// link draws a link, or only its content when its address is not allowed.
func (d *drawing) link(out, n *html.Node, depth int) {
	href, foreign := d.address(attribute(n, "href"))
	if href == "" || d.linked || !visible(n) {
		d.inlines(out, depth+1, n.ChildNodes())
		return
	}
	attrs := []html.Attribute{{Key: "href", Val: href}}
	if foreign {
		attrs = append(attrs, html.Attribute{Key: "rel", Val: "nofollow noopener"})
	}
	d.linked = true
	d.inlines(d.element(out, "a", attrs...), depth+1, n.ChildNodes())
	d.linked = false
}

// address resolves the address of a link. It is empty when the address is not allowed.
// Addresses of the shop become paths, so that pages of a draft link to pages of the draft.
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
	url, ok := shop.SafeLink(href)
	if !ok {
		return "", false
	}
	if path, own := d.own(url); own {
		return path, false
	}
	return url, len(url) > 5 && strings.EqualFold(url[:4], "http")
}

// own returns the path of an address on the shop's own host.
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

// removeForeignPictures removes pictures that are not in the media library: they would
// reveal visitors of the shop to another server.
func (d *drawing) removeForeignPictures(root *html.Node) {
	for _, n := range slices.Collect(root.Descendants()) {
		if roleOf(n) == inline && n.Data == "img" && (d.Picture == nil || d.path(n) == "") {
			n.Parent.RemoveChild(n)
		}
	}
}

// path returns the address of a picture in the media library, and "" for others.
func (d *drawing) path(img *html.Node) string {
	src := strings.TrimSpace(attribute(img, "src"))
	if path, own := d.own(src); own {
		src = path
	}
	return libraryPath(src)
}

func (d *drawing) picture(out, n *html.Node) {
	d.add(out, &html.Node{Type: html.RawNode, Data: d.Picture(Picture{
		Path: d.path(n), Alt: attribute(n, "alt"), Width: pixels(attribute(n, "width")), Height: pixels(attribute(n, "height")),
	})})
}

// libraryPath returns the address of the original of a file in the media library. src is
// its address, /files/…, or that of a resized variant, /w/640/webp/….
func libraryPath(src string) string {
	file, ok := shop.FilePath(src)
	if rest, resized := strings.CutPrefix(src, "/w/"); resized {
		width, original, _ := strings.Cut(rest, "/webp/")
		_, err := strconv.Atoi(width)
		file, ok = original, err == nil
	}
	if !ok || file == "" || strings.ContainsAny(file, "?#\\\"'<> \t\r\n") || path.Clean("/"+file) != "/"+file {
		return ""
	}
	return shop.FileURL(file)
}

// maxPixels is the largest width or height that an author can give a picture.
const maxPixels = 10_000

func pixels(text string) int {
	v, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), "px"))
	if err != nil || v < 1 || v > maxPixels {
		return 0
	}
	return v
}
