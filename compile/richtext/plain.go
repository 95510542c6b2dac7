package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// Plain returns a text without its tags, with line ends between blocks. A text that is
// not HTML is returned unchanged. It reads tokens, so that its cost is linear in the
// length of the text.
func Plain(text string) string {
	if !Is(text) {
		return text
	}
	return strip(text)
}

// hiddenElements are elements whose content is not for readers. The tokenizer reads most of
// them as raw text.
var hiddenElements = map[string]bool{
	"script": true, "style": true, "title": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true,
	"textarea": true, "xmp": true, "plaintext": true,
}

// strip returns the words of an HTML text.
func strip(text string) string {
	var out plainText
	z := html.NewTokenizer(strings.NewReader(text))
	hidden := "" // the open element whose content is hidden
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
			case hidden == "" && kind == html.StartTagToken && hiddenElements[name]:
				hidden = name
			case hidden == name && kind == html.EndTagToken:
				hidden = ""
			case hidden == "":
				out.boundary(name, kind)
			}
		}
	}
}

// plainText collects words. It normalises white space between them and writes at most
// one empty line in a row.
type plainText struct {
	strings.Builder
	space bool // between the last word and the next
	lines int  // line ends before the next word
}

func (s *plainText) words(text string) {
	for text != "" {
		at := strings.IndexAny(text, " \t\r\n\f")
		word := text
		if at >= 0 {
			word = text[:at]
		}
		if word = strings.ReplaceAll(word, "\x00", ""); word != "" {
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

// gap writes the white space before the next word.
func (s *plainText) gap() {
	switch {
	case s.Len() == 0:
	case s.lines > 0:
		s.WriteString("\n\n"[:min(s.lines, 2)])
	case s.space:
		s.WriteByte(' ')
	}
	s.space, s.lines = false, 0
}

// boundary records the white space that a tag stands for.
func (s *plainText) boundary(name string, kind html.TokenType) {
	switch name {
	case "br", "li", "tr", "ul", "ol", "thead", "tbody", "tfoot":
		s.lines = max(s.lines, 1)
	default:
		switch tags[name] {
		case block:
			s.lines = 2
		case inline, skipped:
		default:
			s.space = true
		}
	}
	if name == "li" && kind == html.StartTagToken {
		s.gap()
		s.WriteString("•")
		s.space = true
	}
}
