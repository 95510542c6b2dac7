package markup

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	codes "vitrine/compile/release"
)

// Use is what a page or a style sheet loads a file for.
type Use uint8

// The uses. If a file has several, the later one in this list wins: browsers detect the type of a
// picture, but run a script and apply a sheet only by its declared type.
const (
	AsLink  Use = iota // a page or a download, behind a link or in a frame
	AsMedia            // a picture, a font, a video, a sound
	AsStyle
	AsScript
)

// Uses returns what a page or a style sheet loads files of its release for. files reports whether
// the release has a path, mime is the type of the given file.
func Uses(file, mime string, text []byte, files func(path string) bool) map[string]Use {
	u := uses{release: &release{files: files, refs: map[string]bool{}}, dir: directory(file), found: map[string]Use{}}
	switch {
	case len(text) > MaxScript:
	case codes.IsHTML(mime):
		u.page(text)
	case strings.HasPrefix(mime, "text/css"):
		u.sheet(decodeSheet(text))
	}
	return u.found
}

type uses struct {
	release *release
	dir     string
	found   map[string]Use
}

func (u *uses) note(address string, as Use) {
	if _, path, v := u.release.resolve(u.dir, address); v == moved {
		u.found[path] = max(u.found[path], as)
	}
}

func (u *uses) page(text []byte) {
	tags := html.NewTokenizer(bytes.NewReader(text))
	based, styled := false, false
	for {
		switch tags.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			if styled {
				u.sheet(string(tags.Text()))
			}
			styled = false
		case html.StartTagToken, html.SelfClosingTagToken:
			n := tags.Token()
			styled = n.Data == "style"
			if href := valueOf(n, "href"); n.Data == "base" && href != "" && !based {
				based = true
				if _, absolute := scheme(href); !absolute && href[0] != '/' {
					if joined, inside := joinPath(u.dir, href); inside {
						u.dir = directory(joined)
					}
				}
			}
			u.tag(n)
		}
	}
}

// tag records the files that the attributes of an element reference.
func (u *uses) tag(n html.Token) {
	for _, a := range n.Attr {
		switch {
		case a.Key == "style":
			u.sheet("a{" + a.Val + "}")
		case a.Key == "srcset" || a.Key == "imagesrcset":
			rewriteSrcset(a.Val, func(candidate string) string {
				u.note(candidate, AsMedia)
				return candidate
			})
		case folderAddresses[a.Key] && a.Key != "action":
			if as, ok := useOf(n); ok {
				u.note(a.Val, as)
			}
		}
	}
}

// useOf returns what an element loads files for.
func useOf(n html.Token) (as Use, ok bool) {
	switch n.Data {
	case "script":
		kind := strings.ToLower(strings.TrimSpace(valueOf(n, "type")))
		return AsScript, kind == "" || kind == "module" || strings.Contains(kind, "javascript")
	case "a", "area", "iframe", "frame":
		return AsLink, true
	case "link":
		rels := strings.Fields(strings.ToLower(valueOf(n, "rel")))
		switch kind := strings.ToLower(valueOf(n, "as")); {
		case slices.Contains(rels, "stylesheet"), kind == "style":
			return AsStyle, true
		case slices.Contains(rels, "modulepreload"), kind == "script":
			return AsScript, true
		case slices.Contains(rels, "icon"), slices.Contains(rels, "apple-touch-icon"), slices.Contains(rels, "mask-icon"), kind == "image", kind == "font":
			return AsMedia, true
		}
		return AsLink, false
	}
	return AsMedia, true
}

func valueOf(n html.Token, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// sheet records the files that a style sheet references.
func (u *uses) sheet(text string) {
	s := newSheet(text, "", func(address string, _ int, comment bool) (string, bool) {
		if !comment {
			u.note(address, AsMedia)
		}
		return "", false
	})
	s.echo = true // its output is not used
	s.imports = func(address, _ string) { u.note(address, AsStyle) }
	s.items(0, fresh, false, true)
}
