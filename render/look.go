package render

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"vitrine/compile/widget"
)

// styled is the look that an object of the table gives to words: size in
// pixels, weight, colour and alignment. Any other weight than 400, 500, 600 and
// 700 has become 600 on the way (document 3, 2.2).
func styled(v widget.Values) template.HTMLAttr { return styledBy(v, 0) }

// menuStyled is that of a menu's labels; those of the kind text are two pixels
// larger than they say (document 3, 2.2).
func menuStyled(props widget.Values) template.HTMLAttr {
	if props.Text("labelKind") == "text" {
		return styledBy(props.Of("labelStyle"), 2)
	}
	return styledBy(props.Of("labelStyle"), 0)
}

func styledBy(v widget.Values, larger int64) template.HTMLAttr {
	if len(v) == 0 {
		return ""
	}
	var b strings.Builder
	if n := v.Int("size"); n >= 6 && n <= 160 {
		b.WriteString("font-size:" + strconv.FormatInt(n+larger, 10) + "px;")
	}
	if n := v.Int("weight"); n > 0 {
		b.WriteString("font-weight:" + strconv.FormatInt(n, 10) + ";")
	}
	color := hexOf(v.Text("color"))
	if color == "" {
		color = hexOf(v.Of("color").Text("hex"))
	}
	if color != "" {
		b.WriteString("color:" + color + ";")
	}
	if fill := hexOf(v.Of("bg").Text("hex")); fill != "" {
		b.WriteString("background:" + fill + ";")
	}
	if align := v.Text("align"); align == "left" || align == "center" || align == "right" {
		b.WriteString("text-align:" + align + ";")
	}
	if n := v.Int("radius"); n > 0 && n <= 200 {
		b.WriteString("border-radius:" + strconv.FormatInt(n, 10) + "px;")
	}
	if b.Len() == 0 {
		return ""
	}
	return template.HTMLAttr(` style="` + b.String() + `"`)
}

// heading is a widget's heading in the tag that it asks for.
func heading(tag, text, class string, style widget.Values) template.HTML {
	if text == "" {
		return ""
	}
	if !slices.Contains([]string{"h1", "h2", "h3", "h4", "h5", "h6", "p", "div"}, tag) {
		tag = "h3"
	}
	look := string(styled(style))
	return template.HTML(
		"<" + tag + ` class="` + template.HTMLEscapeString(class) + `"` + look + ">" + template.HTMLEscapeString(text) + "</" + tag + ">\n",
	)
}
