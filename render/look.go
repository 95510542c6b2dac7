package render

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"vitrine/compile/widget"
)

// styled is the style attribute for an object of text settings: size in pixels, weight,
// colour and alignment. Weights other than 400, 500, 600 and 700 were already replaced by 600
// (document 3, 2.2).
func styled(v widget.Values) template.HTMLAttr { return styleAttr(textStyle(v, 0)) }

// menuStyled is the style attribute of a menu's labels. Labels of the kind text are two
// pixels larger than their setting (document 3, 2.2).
func menuStyled(props widget.Values) template.HTMLAttr {
	if props.Text("labelKind") == "text" {
		return styleAttr(textStyle(props.Of("labelStyle"), 2))
	}
	return styled(props.Of("labelStyle"))
}

// Styled is the style of a part of the widget: the declarations of its class names,
// overridden by those of its settings object.
func (w widgetView) Styled(classes, object string) template.HTMLAttr {
	return styleAttr(w.partStyle(classes) + textStyle(w.Props.Of(object), 0))
}

func styleAttr(css string) template.HTMLAttr {
	if css == "" {
		return ""
	}
	return template.HTMLAttr(` style="` + css + `"`)
}

func textStyle(v widget.Values, larger int64) string {
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
	if css := colourOf(v["color"]); css != "" {
		b.WriteString("color:" + css + ";")
	}
	if css := colourOf(v["bg"]); css != "" {
		b.WriteString("background:" + css + ";")
	}
	if align := v.Text("align"); align == "left" || align == "center" || align == "right" {
		b.WriteString("text-align:" + align + ";")
	}
	if n := v.Int("radius"); n > 0 && n <= 200 {
		b.WriteString("border-radius:" + strconv.FormatInt(n, 10) + "px;")
	}
	return b.String()
}

// Sized is the class of a part whose class names set a font size.
func (w Widget) Sized(classes string) string {
	if slices.ContainsFunc(w.utilities(classes), func(u widget.Utility) bool { return u.Property == "font-size" }) {
		return " v-t"
	}
	return ""
}

// utilities lists the utilities that the class names of a setting ask for. It is empty if the
// setting has its default, which the storefront's style sheet already covers.
func (w Widget) utilities(name string) []widget.Utility {
	kind, _ := widget.Lookup(w.Kind)
	for _, p := range kind.Props {
		if p.Name == name && !w.Props.Default(p) {
			known, _ := p.Format.Utilities(w.Props.Text(name))
			return known
		}
	}
	return nil
}

// partStyle returns the declarations for the part's style attribute. Font sizes that depend on
// the width of the screen become custom properties that widget.css reads.
func (w Widget) partStyle(name string) string {
	var b strings.Builder
	for _, u := range w.utilities(name) {
		switch u.Property {
		case "font-size":
			b.WriteString("--v-text" + dashed(u.At) + ":" + u.Value + "px;")
		case "size":
			if w.Kind == "steps" {
				continue // the line between the markers depends on their size
			}
			b.WriteString("width:" + u.Value + "px;height:" + u.Value + "px;")
		default:
			b.WriteString(u.Property + ":" + u.Value + ";")
		}
	}
	return b.String()
}

func dashed(at string) string {
	if at == "" {
		return ""
	}
	return "-" + at
}

// heading is a widget's heading in the requested tag.
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
