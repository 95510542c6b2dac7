package render

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
)

// MediaKind is what an item of a gallery is.
type MediaKind string

// The kinds of items (document 1, 2.6).
const (
	MediaImage MediaKind = "image"
	MediaVideo MediaKind = "video"
	MediaAudio MediaKind = "audio"
	MediaHTML  MediaKind = "html"
)

// Media is one item of a gallery. Films and sounds have the browser's own
// controls and never begin by themselves. Text stands in a frame without an
// origin: its scripts run and reach nothing of the shop or of the visitor, as
// those of site folders (document 3, 4.2).
type Media struct {
	Kind    MediaKind
	Image   Image  // the picture, or what stands in the place of a film or sound; may be empty
	File    string // "/files/…" of a film or sound
	HTML    string
	Caption string
	ByBuyer bool // a buyer has taken it
}

// Src is the address of a film or sound.
func (m Media) Src() string { return escapePath(m.File) }

// Poster is the picture of a film before it begins.
func (m Media) Poster() string {
	if m.Image.Path == "" {
		return ""
	}
	return m.Image.Resized(1024)
}

// Preload is how much of a film is read before it begins: without a poster its
// first picture, else nothing.
func (m Media) Preload() string {
	if m.Image.Path == "" {
		return "metadata"
	}
	return "none"
}

// Slider is a row of media beside a product: what is shown while a variant is
// chosen that names its gallery.
type Slider struct {
	Items []Media
}

// mediaView is what the templates of one item see.
type mediaView struct {
	*view
	Media
	Slider, Number int // from 0
}

// ID is the item's place on the page.
func (m mediaView) ID() string {
	return "photo-" + strconv.Itoa(m.Slider) + "-" + strconv.Itoa(m.Number)
}

// First reports whether it is the one that the visitor sees first.
func (m mediaView) First() bool { return m.Slider == m.Chosen() && m.Number == 0 }

// Named names the item for who does not see it: Photo 2, Video 3.
func (m mediaView) Named() string {
	word := m.T.Photo
	switch m.Kind {
	case MediaVideo:
		word = m.T.Video
	case MediaAudio:
		word = m.T.Audio
	case MediaHTML:
		word = m.T.View
	}
	if m.ByBuyer {
		word = m.T.Remark.ByBuyer
	}
	return word + " " + strconv.Itoa(m.Number+1)
}

// Title is what a frame is called.
func (m mediaView) Title() string { return orElse(m.Caption, m.Named()) }

// Sliders are the rows of media of the product; the picture of its card where
// it has no other.
func (v *view) Sliders() []Slider {
	p, ok := v.Page.(*ProductPage)
	if !ok {
		return nil
	}
	rows := slices.Clone(p.Product.Sliders)
	if len(rows) == 0 {
		one := Slider{}
		for _, i := range v.Gallery() {
			one.Items = append(one.Items, Media{Kind: MediaImage, Image: i})
		}
		rows = []Slider{one}
	}
	for i := range rows {
		rows[i].Items = slices.Concat(rows[i].Items, p.Product.Shown)
	}
	return rows
}

// sliderView is what the template of a slider sees.
type sliderView struct {
	*view
	Slider
	Number int // among the product's, from 0
}

// Slide is one of its items.
func (s sliderView) Slide(m Media, i int) mediaView {
	if m.ByBuyer {
		m.Image.Alt = s.T.Remark.ByBuyer + ": " + m.Image.Alt
	} else if m.Caption == "" {
		m.Image = s.Counted(m.Image, i)
	}
	return mediaView{s.view, m, s.Number, i}
}

// Counted is a picture of several that show one thing, from 0: those behind the first
// do not repeat its name alone.
func (v *view) Counted(i Image, n int) Image {
	if n > 0 && i.Alt != "" {
		i.Alt += ", " + strings.ToLower(v.T.Photo) + " " + strconv.Itoa(n+1)
	}
	return i
}

// InAlbum is a picture of an article's album.
func (v *view) InAlbum(i Image, n int) Image {
	if p, ok := v.Page.(*ArticlePage); ok && i.Alt == p.Article.Title {
		return v.Counted(i, n)
	}
	return i
}

// Rows are the sliders of the product for their template, the one that is shown
// at first before the others: its picture is the page's first.
func (v *view) Rows() (rows []sliderView) {
	for i, s := range v.Sliders() {
		rows = append(rows, sliderView{v, s, i})
	}
	at := v.Chosen()
	return slices.Concat(rows[at:at+1], rows[:at], rows[at+1:])
}

// Player is a film, sound or text outside of a slider.
func (v *view) Player(m Media, i int) mediaView { return mediaView{v, m, 0, i} }

// SliderStyle shows the slider of the chosen variant and no other. A browser
// does that by itself, with a script or without.
func (v *view) SliderStyle() template.HTML {
	all := v.Sliders()
	if len(all) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<style>@layer storefront {\n")
	for i := range all {
		set := `[data-set="` + strconv.Itoa(i) + `"]`
		b.WriteString(".v-product:has(" + set + ":checked) .v-gallery:not(" + set + ") { display: none }\n")
	}
	b.WriteString("}</style>\n")
	return template.HTML(b.String())
}

// Chosen is the slider of the variant that is chosen at first.
func (v *view) Chosen() int {
	p, ok := v.Page.(*ProductPage)
	if !ok || p.Product.Chosen >= len(p.Product.Variants) {
		return 0
	}
	return min(p.Product.Variants[p.Product.Chosen].Slider, max(len(p.Product.Sliders)-1, 0))
}
