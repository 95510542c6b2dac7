package render

import (
	"html/template"
	"strconv"
	"strings"
)

// Image is a picture of the shop. An empty Path is no picture.
type Image struct {
	Path   string // "/files/…", the original; a picture elsewhere is printed as it is
	Alt    string
	Width  int // of the original in pixels; 0: unknown
	Height int
}

// Steps are the widths that are cut ahead of time (document 1, 4.4).
var steps = [...]int{32, 64, 128, 320, 640, 1024, 1600, 2048, 2560}

const filesRoot = "/files/"

// Resized is the address of the picture cut to a width:
// /w/640/webp/<storage path>. Pictures that are not resized (SVG, animated GIF,
// other hosts) keep their own address.
func (i Image) Resized(width int) string {
	if !i.resizable() {
		return escapePath(i.Path)
	}
	return "/w/" + strconv.Itoa(width) + "/webp/" + escapePath(i.Path[len(filesRoot):])
}

func (i Image) resizable() bool {
	path := strings.ToLower(i.Path)
	return strings.HasPrefix(path, filesRoot) && !strings.HasSuffix(path, ".svg") && !strings.HasSuffix(path, ".gif")
}

// srcset lists the steps from 128 up to the first that covers the original.
// Two widths at least, so that a small picture too has a choice on a dense screen.
func (i Image) srcset() string {
	var b strings.Builder
	n := 0
	for _, w := range steps[2:] {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(i.Resized(w) + " " + strconv.Itoa(w) + "w")
		if n++; n >= 2 && i.Width > 0 && w >= i.Width {
			break
		}
	}
	return b.String()
}

// img prints the element. Sizes is what the browser needs to choose from the
// srcset; an eager picture is the page's largest one and is fetched first.
func (i Image) img(class, sizes string, eager bool) template.HTML {
	var b strings.Builder
	attr := func(name, value string) {
		b.WriteString(" " + name + `="` + template.HTMLEscapeString(value) + `"`)
	}
	b.WriteString("<img")
	attr("class", class)
	attr("src", i.Resized(640))
	if i.resizable() {
		attr("srcset", i.srcset())
		attr("sizes", sizes)
	}
	if i.Width > 0 && i.Height > 0 {
		attr("width", strconv.Itoa(i.Width))
		attr("height", strconv.Itoa(i.Height))
	}
	attr("alt", i.Alt)
	if eager {
		attr("fetchpriority", "high")
	} else {
		attr("loading", "lazy")
	}
	attr("decoding", "async")
	b.WriteString(">")
	return template.HTML(b.String())
}

// escapePath percent-encodes what may not stand raw in an address or would
// split a srcset. Escapes that are already there stay. A path that begins like
// a script address is none of ours and becomes empty.
func escapePath(path string) string {
	if !strings.HasPrefix(path, "/") && strings.Contains(path, ":") &&
		!strings.HasPrefix(path, "https://") && !strings.HasPrefix(path, "http://") {
		return ""
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>,`\\^{|}()", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
