package render

import (
	"cmp"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"vitrine/compile/widget"
	"vitrine/internal/shop"
)

// Widget is a platform widget with its content (document 3, 2.2). A kind without a template
// in templates/widget*.html draws nothing.
type Widget struct {
	Kind     string
	Props    widget.Values
	Items    []Item
	Articles []ArticleCard
	Products []ProductCard
	Rubrics  []CategoryCard
	Logo     Image
	Form     *Form          // of the kind form
	Words    widget.Heading // of the legacy kind heading
	Cells    [][]Block      // of columns
}

// Item is one entry of a section's items.
type Item struct {
	widget.Values
	Image Image  // empty Path: none
	Film  string // "/files/…" of a reel's video; empty: it shows its picture
}

// URL is the address of the item's link, empty if it cannot be followed.
func (i Item) URL() template.URL { return link(i.Text("url")) }

// link returns addresses that a visitor may follow from a widget, and "" for others.
func link(address string) template.URL {
	url, _ := shop.SafeLink(address)
	return template.URL(url)
}

// Settings of a widget reach its markup in two ways. Its template reads texts, lists and
// everything that changes the markup. The style sheet reads the rest: such a setting is put
// on the widget's root if it differs from its default, strings and flags as data-v-NAME,
// numbers, aspect ratios and colours as the custom property --v-NAME, with names in kebab
// case.

// readable is the set of settings that the style sheet reads.
var readable = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range regexp.MustCompile(`(?:data-v|--v)-[a-z0-9]+(?:-[a-z0-9]+)*`).FindAllString(string(stylesheet), -1) {
		names[name] = true
	}
	return names
}()

// Root is the attributes of the widget's root element.
func (w Widget) Root() template.HTMLAttr {
	kind, _ := widget.Lookup(w.Kind)
	var data, style strings.Builder
	for _, p := range kind.Props {
		name, value := kebab(p.Name), plainText(w.Props[p.Name])
		switch {
		case w.Props.Default(p):
		case readable["data-v-"+name]:
			data.WriteString(" data-v-" + name + `="` + template.HTMLEscapeString(value) + `"`)
		case p.Format == widget.AspectClass || p.Format == widget.MarkClass:
			style.WriteString(w.widgetUtilities(p.Name))
		case readable["--v-"+name]:
			if safe := property(p, value); safe != "" {
				style.WriteString("--v-" + name + ":" + safe + ";")
			}
		}
	}
	css := background(w.Props.Text("bgCss"))
	if css != "" {
		style.WriteString("background:" + css + ";")
	}
	switch ground := cmp.Or(css, colourOf(w.Props["bg"])); {
	case dark(ground):
		data.WriteString(" data-dark")
	case ground != "":
		data.WriteString(" data-light")
	}
	if style.Len() > 0 {
		data.WriteString(` style="` + template.HTMLEscapeString(style.String()) + `"`)
	}
	return template.HTMLAttr(data.String())
}

var (
	ratio = regexp.MustCompile(`^[0-9]{1,4}[:/][0-9]{1,4}$`)
	paint = regexp.MustCompile(`^[-a-zA-Z0-9#%., ()/]{1,400}$`)
)

// colourOf reads a colour in any CSS notation from a text or from an object with a hex value.
func colourOf(v any) string {
	text, _ := v.(string)
	if fields, ok := v.(widget.Values); ok {
		text = fields.Text("hex")
	}
	css, _, _, _ := widget.ReadColour(text)
	return css
}

// widgetUtilities returns the custom properties for class names of a setting that apply to the
// whole widget, unless the dedicated setting for the same property is set.
func (w Widget) widgetUtilities(name string) (css string) {
	own := map[string][2]string{"slideshow aspectClass": {"aspect", "aspect"}, "reels aspectClass": {"tileAspect", "tile-aspect"}, "steps markerClass": {"markerPx", "marker-px"}}[w.Kind+" "+name]
	kind, _ := widget.Lookup(w.Kind)
	for _, u := range w.utilities(name) {
		for _, p := range kind.Props {
			if p.Name == own[0] && w.Props.Default(p) && (u.Property == "aspect-ratio" || u.Property == "size") {
				css += "--v-" + own[1] + ":" + u.Value + ";"
			}
		}
	}
	return css
}

// background returns a colour or gradient. It returns "" for values that could load a
// resource or end the declaration.
func background(css string) string {
	if !paint.MatchString(css) || strings.Contains(strings.ToLower(css), "url") || strings.Contains(strings.ToLower(css), "image") {
		return ""
	}
	return css
}

// property returns a value that is valid in a custom property: a number, an aspect ratio such
// as 16:9, a colour.
func property(p widget.Prop, value string) string {
	switch {
	case p.Type == widget.Int:
		return value
	case p.Type == widget.Object:
		return colourOf(value)
	case ratio.MatchString(value):
		return strings.Replace(value, ":", "/", 1)
	}
	return ""
}

// plainText formats a setting: a list with spaces between its entries, an object as its
// colour.
func plainText(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return v
	case widget.Values:
		return v.Text("hex")
	case []any:
		var list []string
		for _, e := range v {
			list = append(list, plainText(e))
		}
		return strings.Join(list, " ")
	}
	return ""
}

// kebab converts a setting's name to an attribute's: showArrows, show-arrows.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// widgetView is the data of a widget's templates.
type widgetView struct {
	*view
	Widget
	Number int  // on the page, from 1; 0 outside a block
	Folds  bool // it is the menu of the page's header, which is folded on small screens
}

// widget prepares a widget for its template. Without settings it gets the defaults.
func (v *view) widget(w Widget) widgetView {
	if kind, ok := widget.Lookup(w.Kind); ok && w.Props == nil {
		w.Props = kind.Read(nil)
	}
	if w.Logo.Path == "" {
		w.Logo = v.ShopLogo()
	}
	return widgetView{view: v, Widget: w}
}

// Hides reports whether a part of the widget is hidden.
func (w widgetView) Hides(part string) bool { return w.Props.Has("hiddenEls", part) }

// Title is the widget's own heading: the text of its title, under its tag.
func (w widgetView) Title() template.HTML {
	if w.Hides("title") {
		return ""
	}
	title := w.Props.Of("title")
	return heading(w.Props.Text("titleTag"), title.Text("text"), "v-widget__title", title)
}

// Below is the heading level for the texts of the widget's items.
func (w widgetView) Below() int {
	if tag := w.Props.Text("titleTag"); tag == "h3" && w.Title() != "" {
		return 4
	}
	return 3
}

// ItemTitle is the heading of an entry, one level below that of the widget, with its link.
func (w widgetView) ItemTitle(i Item, class string, look template.HTMLAttr) template.HTML {
	words := template.HTMLEscapeString(i.Text("title"))
	if words == "" {
		return ""
	}
	if url := i.URL(); url != "" {
		words = `<a href="` + template.HTMLEscapeString(string(url)) + `">` + words + "</a>"
	}
	tag := "h" + strconv.Itoa(w.Below())
	return template.HTML("<" + tag + ` class="` + class + `"` + string(look) + ">" + words + "</" + tag + ">\n")
}

// LegacyHeading is the heading of the legacy kind heading.
func (w widgetView) LegacyHeading() template.HTML {
	return heading(w.Words.Tag, w.Words.Text, "v-widget__title", widget.Values{"align": w.Words.Align})
}

// AsidePlace is the place of the picture of the i-th entry of a narrow list.
func (w widgetView) AsidePlace(i int) string {
	if i == 0 && w.Props.Text("layout") == "feature-list" {
		return "note"
	}
	return "aside"
}

// Step is the number in the marker of the i-th step.
func (w widgetView) Step(i int) int64 { return w.Props.Int("startFrom") + int64(i) }

// MenuItems lists the first sections of the menu, at most maxItems.
func (w widgetView) MenuItems() []MenuItem {
	return w.Menu[:min(len(w.Menu), int(w.Props.Int("maxItems")))]
}

// Button is the link of a call to action's button.
func (w widgetView) Button() template.URL { return link(w.Props.Text("buttonUrl")) }

// ArticleHeader is the header of an article without a template.
func (v *view) ArticleHeader() widgetView { return v.widget(Widget{Kind: "articleHeader"}) }

// Of is the article of a header.
func (w widgetView) Of() Article {
	if p, ok := w.Page.(*ArticlePage); ok {
		return p.Article
	}
	return Article{}
}

// Before reports whether the cover is drawn above the header.
func (w widgetView) Before() bool { return w.Props.Text("coverPosition") == "before" }

// Shown is the cover of the header: the article's, or the widget's own.
func (w widgetView) Shown() Image {
	if w.Props.Text("coverSource") != "custom" {
		return w.Of().Cover
	}
	if len(w.Items) > 0 {
		return w.Items[0].Image
	}
	return Image{}
}

// tag is a tag under the heading of an article.
type tag struct {
	Text   string
	Target template.URL
}

// Tags lists the tags of the header.
func (w widgetView) Tags() (tags []tag) {
	for _, t := range w.Props.All("tags") {
		if text := t.Text("text"); text != "" {
			tags = append(tags, tag{text, link(t.Text("target"))})
		}
	}
	return tags
}

// widget draws a widget within its section.
func (w *writer) widget(b *Widget) {
	w.widgets++
	v := w.view.widget(*b)
	v.Number = w.widgets
	if b.Kind == "siteMenu" && !w.menu && v.Props.Text("orientation") == "horizontal" {
		v.Folds, w.menu = true, true
	}
	switch {
	case b.Kind == "columns":
		w.cells(v)
	case b.Kind == "articleHeader" && w.system() != "article":
	case templates.Lookup("widget-"+b.Kind) != nil:
		w.drawWith("widget-"+b.Kind, v)
	}
}

// cells draws blocks side by side.
func (w *writer) cells(v widgetView) {
	w.raw(`<div class="v-wrap v-section v-columns"` + string(v.Root()) + ">\n")
	for _, blocks := range v.Cells {
		w.raw("<div class=\"v-columns__cell\">\n")
		w.blocks(blocks)
		w.raw("</div>\n")
	}
	w.raw("</div>\n")
}
