package render

import (
	"html/template"
	"strconv"
	"strings"

	"vitrine/compile/richtext"
)

// Rich draws a text of the owner as a block: its simple HTML, or the paragraphs of a plain
// text. level is the level of its first heading, one below the heading above it.
func (v *view) Rich(level int, text string) template.HTML {
	if !richtext.Is(text) {
		return plainProse(text)
	}
	return template.HTML(`<div class="v-prose v-rich">` + v.drawn(level, text) + "</div>\n")
}

// text is the content of a text block. The text that comes with a new article is printed
// literally (document 3, 2.2).
func (v *view) text(b *Block) template.HTML {
	if b.Literal {
		return plainProse(b.Text)
	}
	return v.Rich(2, b.Text)
}

// RichPart draws a text of the owner as part of an element, styled by a class and a style
// attribute: one paragraph if it is plain text.
func (v *view) RichPart(level int, text, class string, style template.HTMLAttr) template.HTML {
	open := ` class="` + template.HTMLEscapeString(class)
	switch {
	case text == "":
		return ""
	case richtext.Is(text):
		return template.HTML("<div" + open + ` v-rich"` + string(style) + ">" + v.drawn(level, text) + "</div>")
	}
	return template.HTML("<p" + open + `"` + string(style) + ">" + template.HTMLEscapeString(text) + "</p>")
}

func (v *view) drawn(level int, text string) string {
	return richtext.Draw(text, richtext.Options{
		Level: level, Origin: v.Shop.Origin, Table: v.T.Table, Page: v.PageURL,
		Picture: textPicture,
	})
}

// textPicture draws a picture in a text. The size set by its author is the display size, not
// the size of the original.
func textPicture(p richtext.Picture) string {
	drawn := string(img("text", Image{Path: p.Path, Alt: p.Alt}, false))
	if p.Width == 0 || p.Height == 0 {
		return drawn
	}
	return strings.Replace(drawn, ` src="`, ` width="`+strconv.Itoa(p.Width)+`" height="`+strconv.Itoa(p.Height)+`" src="`, 1)
}

// plainProse draws the paragraphs of a plain text.
func plainProse(text string) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="v-prose">`)
	for _, p := range paragraphs(text) {
		b.WriteString("<p>" + template.HTMLEscapeString(p) + "</p>\n")
	}
	b.WriteString("</div>\n")
	return template.HTML(b.String())
}
