package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// Plain is a text without its tags, blocks on lines of their own; a plain text is
// answered as it is. It is read token by token, so that it costs its length.
func Plain(text string) string {
	if !Is(text) {
		return text
	}
	return strip(text)
}

// silent are elements whose content is not for readers, and that are no text to
// the tokenizer either.
var silent = map[string]bool{
	"script": true, "style": true, "title": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true,
	"textarea": true, "xmp": true, "plaintext": true,
}

func strip(text string) string {
	var out stripped
	z := html.NewTokenizer(strings.NewReader(text))
	hidden := "" // the silent element that is open
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return strings.TrimSpace(out.String())
		case html.TextToken:
			if hidden == "" {
				out.words(string(z.Text()))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tag, _ := z.TagName()
			name := string(tag)
			switch {
			case hidden == "" && kind == html.StartTagToken && silent[name]:
				hidden = name
			case hidden == name && kind == html.EndTagToken:
				hidden = ""
			case hidden == "":
				out.boundary(name, kind)
			}
		}
	}
}

// stripped is a text on its way to be plain: white space is what was between
// words, and at most one empty line.
type stripped struct {
	strings.Builder
	space bool // between the last word and the next
	lines int  // that end before the next word
}

func (s *stripped) words(text string) {
	for text != "" {
		at := strings.IndexAny(text, " \t\r\n\f")
		word := text
		if at >= 0 {
			word = text[:at]
		}
		if word = strings.Trim(word, "\x00"); word != "" {
			s.gap()
			s.WriteString(word)
		}
		if at < 0 {
			return
		}
		s.space = true
		text = text[at+1:]
	}
}

func (s *stripped) gap() {
	switch {
	case s.Len() == 0:
	case s.lines > 0:
		s.WriteString("\n\n"[:min(s.lines, 2)])
	case s.space:
		s.WriteByte(' ')
	}
	s.space, s.lines = false, 0
}

func (s *stripped) boundary(name string, kind html.TokenType) {
	switch name {
	case "br", "li", "tr", "ul", "ol", "thead", "tbody", "tfoot":
		s.lines = max(s.lines, 1)
	case "td", "th":
		s.space = true
	case "span", "a", "img", "strong", "em", "b", "i", "u", "s", "sub", "sup", "code":
	default:
		if tags[name] == block {
			s.lines = 2
		} else {
			s.space = true
		}
	}
	if name == "li" && kind == html.StartTagToken {
		s.gap()
		s.WriteString("•")
		s.space = true
	}
}
