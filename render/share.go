package render

import "html/template"

// card tells how a page looks where it is shared; what it does not say itself,
// such places take from its Open Graph.
func (w *writer) card() {
	kind := "summary"
	if w.view.OGImage().Path != "" {
		kind = "summary_large_image"
	}
	w.meta("name", "twitter:card", kind)
}

// Twin is the same page in another language, at another address.
type Twin struct {
	Language string // BCP 47
	URL      string // absolute
}

// twins name the page in all its languages, its own too, as search engines ask of
// both ends. A page that they do not keep names none.
func (w *writer) twins() {
	v := w.view
	if len(v.SEO.Twins) == 0 || v.CanonicalURL() == "" {
		return
	}
	w.link("alternate", v.CanonicalURL(), ` hreflang="`+v.T.Lang+`"`)
	for _, t := range v.SEO.Twins {
		w.link("alternate", t.URL, ` hreflang="`+template.HTMLEscapeString(t.Language)+`"`)
	}
}

// feed is the address of the articles of a rubric, or of the article's own, as RSS.
func (v *view) feed() string {
	if v.hidden() {
		return ""
	}
	return v.Feed
}
