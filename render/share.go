package render

import "html/template"

// socialCard prints the type of preview that social networks draw for the page; they read
// everything else from its Open Graph metadata.
func (w *writer) socialCard() {
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

// twins links the page in all languages, including its own, as search engines require of
// every version. A page that is not indexed has no links.
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

// feed is the address of the RSS feed of the page's rubric.
func (v *view) feed() string {
	if v.hidden() {
		return ""
	}
	return v.Feed
}
