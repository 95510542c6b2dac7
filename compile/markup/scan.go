package markup

import (
	"slices"
	"strings"
)

// scanner finds the start tags in the source of a document, where the html tokenizer would parse
// every name and attribute. It handles everything that can hide a tag: comments, quotes, and text
// elements.
type scanner struct {
	source  string
	at      int
	line    int // of at, from 1
	counted int
	tag     func(name, tag string, line int)  // name as written
	text    func(name, text string, line int) // contents of a text element
}

// textual lists the elements whose contents have no tags.
var textual = map[string]bool{
	"iframe": true, "noembed": true, "noframes": true, "noscript": true, "script": true,
	"style": true, "textarea": true, "title": true, "xmp": true, "plaintext": true,
}

// run scans the source to its end.
func (s *scanner) run() {
	for {
		next := strings.IndexByte(s.source[s.at:], '<')
		if next < 0 {
			return
		}
		s.at += next
		rest := s.source[s.at+1:]
		switch {
		case rest == "":
			return
		case letter(rest[0]):
			s.start()
		case rest[0] == '/' && len(rest) > 1 && letter(rest[1]):
			s.at, _ = tagEnd(s.source, s.at+2)
		case strings.HasPrefix(rest, "!--"):
			s.at = commentEnd(s.source, s.at+len("<!--"))
		case rest[0] == '!' || rest[0] == '?' || rest[0] == '/':
			s.at = behind(s.source, s.at, ">")
		default:
			s.at++
		}
	}
}

// start handles a start tag, and the contents of a text element.
func (s *scanner) start() {
	from := s.at
	name := tagName(s.source[from+1:])
	var closed bool
	if s.at, closed = tagEnd(s.source, from+1+len(name)); !closed {
		return
	}
	s.tag(name, s.source[from:s.at], s.lineAt(from))
	folded := name
	if len(name) <= len("plaintext") {
		folded = strings.ToLower(name)
	}
	if !textual[folded] {
		return
	}
	open := s.at
	s.at = textEnd(s.source, open, folded)
	s.text(folded, s.source[open:s.at], s.lineAt(open))
}

// lineAt returns the line of an offset; offsets must not decrease.
func (s *scanner) lineAt(offset int) int {
	s.line += strings.Count(s.source[s.counted:offset], "\n")
	s.counted = offset
	return s.line
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tagName returns the name at the beginning of a tag.
func tagName(text string) string {
	for i := range len(text) {
		if c := text[i]; htmlSpace(c) || c == '/' || c == '>' {
			return text[:i]
		}
	}
	return text
}

// tagEnd returns the offset after the bracket that closes the tag whose attributes begin at i. A
// tag cut off by the end of the source is not a tag.
func tagEnd(source string, i int) (end int, closed bool) {
	for {
		for i < len(source) && (htmlSpace(source[i]) || source[i] == '/') {
			i++
		}
		if i == len(source) {
			return i, false
		}
		if source[i] == '>' {
			return i + 1, true
		}
		_, _, i = attrValue(source, nameEnd(source, i+1)) // a name may begin with =
	}
}

// nameEnd returns the offset after the name of an attribute.
func nameEnd(source string, i int) int {
	for ; i < len(source); i++ {
		if c := source[i]; htmlSpace(c) || c == '/' || c == '=' || c == '>' {
			break
		}
	}
	return i
}

// attrValue returns the range of an attribute's optional value, and the offset after it.
func attrValue(source string, i int) (from, to, next int) {
	i = blanksEnd(source, i)
	if i == len(source) || source[i] != '=' {
		return i, i, i
	}
	i = blanksEnd(source, i+1)
	if i < len(source) && (source[i] == '"' || source[i] == '\'') {
		if n := strings.IndexByte(source[i+1:], source[i]); n >= 0 {
			return i + 1, i + 1 + n, i + 1 + n + 1
		}
		return i + 1, len(source), len(source)
	}
	from = i
	for i < len(source) && !htmlSpace(source[i]) && source[i] != '>' {
		i++
	}
	return from, i, i
}

// plainAttrs appends the attributes of a closed tag that begin at i, the first of each name. It
// gives up on a tag that needs decoding, because of references or case, and on one with very many
// attributes.
func plainAttrs(dst []keyed, tag string, i int) (attrs []keyed, plain bool) {
	if strings.IndexByte(tag, '&') >= 0 || strings.IndexByte(tag, 0) >= 0 || strings.IndexByte(tag, '\r') >= 0 {
		return dst, false
	}
	for {
		for htmlSpace(tag[i]) || tag[i] == '/' {
			i++
		}
		if tag[i] == '>' {
			return dst, true
		}
		end := nameEnd(tag, i+1)
		from, to, next := attrValue(tag, end)
		name := tag[i:end]
		if capital(name) || len(dst) == manyAttrs {
			return dst, false
		}
		if !slices.ContainsFunc(dst, func(a keyed) bool { return a.name == name }) {
			dst = append(dst, keyed{name, tag[from:to]})
		}
		i = next
	}
}

const manyAttrs = 32

func capital(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return false
}

func blanksEnd(source string, i int) int {
	for i < len(source) && htmlSpace(source[i]) {
		i++
	}
	return i
}

// commentEnd returns the offset after a comment whose text begins at i.
func commentEnd(source string, i int) int {
	if rest := source[i:]; strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "->") {
		return behind(source, i, ">")
	}
	for {
		dashes := strings.Index(source[i:], "--")
		if dashes < 0 {
			return len(source)
		}
		i += dashes
		switch rest := source[i+2:]; {
		case strings.HasPrefix(rest, ">"):
			return i + len("-->")
		case strings.HasPrefix(rest, "!>"):
			return i + len("--!>")
		}
		i++
	}
}

// textEnd returns the offset of the end tag of a text element. For a script it is the first one,
// even where <!-- and <script would hide it.
func textEnd(source string, i int, name string) int {
	for name != "plaintext" {
		next := strings.Index(source[i:], "</")
		if next < 0 {
			break
		}
		i += next
		if tagAt(source[i+1:], "/"+name) {
			return i
		}
		i += len("</")
	}
	return len(source)
}

// behind returns the offset after the next occurrence of end.
func behind(source string, i int, end string) int {
	if n := strings.Index(source[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(source)
}
