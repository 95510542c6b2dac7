package render

import "html/template"

// A slide shows its picture, its title as a caption where the widget has captions,
// and words with a button over the picture where it has a text or a button.

// Told reports whether the slide has more content than its title.
func (w widgetView) Told(i Item) bool { return i.Text("text") != "" || w.HasButton(i) }

// HasButton reports whether the slide has a button.
func (w widgetView) HasButton(i Item) bool { return i.Text("buttonText") != "" && i.URL() != "" }

// Overlaid reports whether the text of the slide is drawn over its picture.
func (w widgetView) Overlaid(i Item) bool {
	return w.Told(i) && w.Props.Text("caption") != "below" && !w.Hides("caption")
}

// Captioned reports whether the slide has any text to draw.
func (w widgetView) Captioned(i Item) bool {
	return !w.Hides("caption") && (w.Told(i) || w.Props.Text("caption") != "off" && i.Text("title") != "")
}

// SlideTitle is the title of a slide with more content: a heading below that of the widget.
func (w widgetView) SlideTitle(i Item) template.HTML {
	tag := "h2"
	if w.Title() != "" {
		tag = "h3"
	}
	return heading(tag, i.Text("title"), "v-slides__title", nil)
}
