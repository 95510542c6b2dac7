package render

import (
	"html/template"
	"strconv"
	"strings"

	"vitrine/compile/richtext"
)

// Rich is a text of the owner as a block of its own: the small HTML that it holds,
// or the paragraphs of a plain one. level is that of its first heading, one below
// the heading that it stands under.
func (v *view) Rich(level int, text string) template.HTML {
	if !richtext.Is(text) {
		return plainProse(text)
	}
	return template.HTML(`<div class="v-prose v-rich">` + v.drawn(level, text) + "</div>\n")
}

// text is the words of a text block. The text that a new article brings is printed
// as it is (document 3, 2.2).
func (v *view) text(b *Block) template.HTML {
	if b.Literal {
		return plainProse(b.Text)
	}
	return v.Rich(2, b.Text)
}

// RichPart is a text of the owner as a part of something: one paragraph where it is
// plain, whose look is a class and a style.
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

// textPicture is a picture in a text. The size that its author gives is how large
// it is shown, not how large the original is.
func textPicture(p richtext.Picture) string {
	drawn := string(img("text", Image{Path: p.Path, Alt: p.Alt}, false))
	if p.Width == 0 || p.Height == 0 {
		return drawn
	}
	return strings.Replace(drawn, ` src="`, ` width="`+strconv.Itoa(p.Width)+`" height="`+strconv.Itoa(p.Height)+`" src="`, 1)
}

// plainProse is the paragraphs of a plain text.
func plainProse(text string) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="v-prose">`)
	for _, p := range paragraphs(text) {
		b.WriteString("<p>" + template.HTMLEscapeString(p) + "</p>\n")
	}
	b.WriteString("</div>\n")
	return template.HTML(b.String())
}
