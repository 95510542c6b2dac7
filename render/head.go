package render

import (
	"html"
	"html/template"
	"strconv"
	"strings"
)

// head prints the part of the document head before the page's own nodes, including its style
// sheet and script. It is printed on every page, even if the rest is an html document, so it
// is written without a template, whose calls would cost as much as everything else.
func (w *writer) head() {
	v := w.view
	w.raw("<!doctype html>\n<html lang=\"" + v.T.Lang + "\" data-v-scheme=\"" + v.scheme() + "\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
	w.raw(html.EscapeString(v.Title) + "</title>\n")
	canonical := v.CanonicalURL()
	w.meta("name", "description", v.Description)
	w.meta("name", "keywords", v.Keywords())
	w.meta("name", "robots", v.Robots())
	w.link("canonical", canonical, "")
	w.link("prev", v.Prev(), "")
	w.link("next", v.Next(), "")
	w.raw(`<meta property="og:type" content="` + v.OGType() + "\">\n")
	w.raw(`<meta property="og:site_name" content="` + html.EscapeString(v.Shop.Name) + "\">\n")
	w.raw(`<meta property="og:title" content="` + html.EscapeString(v.Title) + "\">\n")
	w.meta("property", "og:description", v.Description)
	w.meta("property", "og:url", canonical)
	if i := v.OGImage(); i.Path != "" {
		w.meta("property", "og:image", i.Path)
		if i.Width > 0 && i.Height > 0 {
			w.meta("property", "og:image:width", strconv.Itoa(i.Width))
			w.meta("property", "og:image:height", strconv.Itoa(i.Height))
		}
	}
	w.socialCard()
	w.twins()
	if feed := v.feed(); feed != "" {
		w.link("alternate", feed, ` type="application/rss+xml" title="`+html.EscapeString(v.Title)+`"`)
	}
	w.barColor()
	w.icons()
	w.link("manifest", ManifestPath, "")
	w.link("stylesheet", v.CSS(), "")
	if v.FullLoad() {
		w.link("stylesheet", v.ZoneCSS(), "")
	}
	w.raw(`<noscript><link rel="stylesheet" href="` + VisitorStylePath + "\"></noscript>\n")
	w.style()
	if !v.FullLoad() {
		w.raw(listeners)
	}
	w.raw(`<script type="module" src="` + v.JS() + `"`)
	if v.FullLoad() {
		w.raw(" data-v-full")
	}
	w.raw("></script>\n")
	if v.FullLoad() && v.Chooses() { // the content security policy of these pages forbids inline scripts
		w.raw(`<script src="` + packed().scheme.Path + "\"></script>\n")
	}
}

// openings is the markup at the start of every body, by language. It is the same on every
// page, so it is drawn once.
var openings = func() map[*words]string {
	drawn := map[*words]string{}
	for _, t := range []*words{&english, &russian} {
		var b strings.Builder
		template.Must(templates, templates.ExecuteTemplate(&b, "open", &view{T: t}))
		drawn[t] = b.String()
	}
	return drawn
}()

// open prints the start of the body.
func (w *writer) open() {
	w.raw("</head>\n<body")
	if class := w.view.BodyClass(); class != "" {
		w.raw(` class="` + html.EscapeString(class) + `"`)
	}
	w.raw(">\n" + openings[w.view.T])
	if w.view.Preview {
		w.draw("preview")
	}
}

// icons prints the icons of the layout, else those of the settings, else the storefront's
// own.
func (w *writer) icons() {
	icons := w.layout().Icons
	if own := w.view.Shop.Face.Icon; len(icons) == 0 && own.Path != "" {
		if icons = iconsOf(own); icons == nil { // used unchanged
			w.link("icon", escapePath(own.Path), ` type="`+ownType(own.Path)+`"`)
			return
		}
	}
	if len(icons) == 0 {
		w.link("icon", w.view.Icon(), ` type="image/svg+xml"`)
	}
	for _, i := range icons {
		size := strconv.Itoa(i.Size)
		if size += "x" + size; i.Size == 180 {
			w.link("apple-touch-icon", i.Path, ` sizes="`+size+`"`)
		} else {
			w.link("icon", i.Path, ` type="image/png" sizes="`+size+`"`)
		}
	}
}

// meta prints a meta element unless its content is empty.
func (w *writer) meta(key, name, content string) {
	if content != "" {
		w.raw("<meta " + key + `="` + name + `" content="` + html.EscapeString(content) + "\">\n")
	}
}

// link prints a link to a page or file; other addresses are ignored.
func (w *writer) link(rel, href, more string) {
	if strings.HasPrefix(href, "/") || strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "http://") {
		w.raw(`<link rel="` + rel + `" href="` + html.EscapeString(encoded(href)) + `"` + more + ">\n")
	}
}

// encoded percent-encodes the characters that may not appear unescaped in an address.
// Existing escapes stay.
func encoded(address string) string {
	const bad = "\"'<>()\\^`{|}"
	fine := true
	for i := range len(address) {
		fine = fine && address[i] > ' ' && address[i] < 0x7f && strings.IndexByte(bad, address[i]) < 0
	}
	if fine {
		return address
	}
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, 2*len(address))
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(bad, c) >= 0 {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}
