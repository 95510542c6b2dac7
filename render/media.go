package render

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"
)

// MediaKind is the kind of a gallery item.
type MediaKind string

// The kinds of items (document 1, 2.6).
const (
	MediaImage MediaKind = "image"
	MediaVideo MediaKind = "video"
	MediaAudio MediaKind = "audio"
	MediaHTML  MediaKind = "html"
)

// Media is one item of a gallery. Videos and audio have the browser's own controls and never
// start by themselves. HTML runs in a sandboxed frame without an origin: its scripts have no
// access to the shop or to the visitor's data, like those of site folders (document 3, 4.2).
type Media struct {
	Kind    MediaKind
	Image   Image  // the picture, or the poster of a video or audio; may be empty
	File    string // "/files/…" of a video or audio
	HTML    string
	Caption string
	ByBuyer bool // photographed by a buyer
}

// Src is the address of a video or audio file.
func (m Media) Src() string { return escapePath(m.File) }

// Poster is the picture of a video before it starts.
func (m Media) Poster() string {
	if m.Image.Path == "" {
		return ""
	}
	return m.Image.Resized(1024)
}

// Preload is the preload attribute of a video: without a poster its metadata, for the first
// frame; with one nothing.
func (m Media) Preload() string {
	if m.Image.Path == "" {
		return "metadata"
	}
	return "none"
}

// Slider is a row of media beside a product, shown while a variant is selected that refers to
// it.
type Slider struct {
	Items []Media
}

// mediaView is the data of the templates of one item.
type mediaView struct {
	*view
	Media
	Slider, Number int // from 0
}

// ID is the id of the item in its page.
func (m mediaView) ID() string {
	return "photo-" + strconv.Itoa(m.Slider) + "-" + strconv.Itoa(m.Number)
}

// First reports whether the item is the one initially visible.
func (m mediaView) First() bool { return m.Slider == m.Chosen() && m.Number == 0 }

// Named is the accessible name of the item: Photo 2, Video 3.
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

// Title is the title of a frame.
func (m mediaView) Title() string { return cmp.Or(m.Caption, m.Named()) }

// Sliders returns the rows of media of the product, or the picture of its card if it has
// none.
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

// sliderView is the data of a slider's template.
type sliderView struct {
	*view
	Slider
	Number int // index among the product's sliders, from 0
}

// Slide is the view of one of its items.
func (s sliderView) Slide(m Media, i int) mediaView {
	if m.ByBuyer {
		m.Image.Alt = s.T.Remark.ByBuyer + ": " + m.Image.Alt
	} else if m.Caption == "" {
		m.Image = s.Counted(m.Image, i)
	}
	return mediaView{s.view, m, s.Number, i}
}

// Counted is the nth picture (from 0) of several of the same subject: all but the first get a
// number in their alternative text.
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

// Rows lists the sliders of the product for their template, the initially visible one first:
// its picture is the first of the page.
func (v *view) Rows() (rows []sliderView) {
	for i, s := range v.Sliders() {
		rows = append(rows, sliderView{v, s, i})
	}
	at := v.Chosen()
	return slices.Concat(rows[at:at+1], rows[:at], rows[at+1:])
}

// Player is the view of a video, audio or HTML item outside a slider.
func (v *view) Player(m Media, i int) mediaView { return mediaView{v, m, 0, i} }

// SliderStyle shows only the slider of the selected variant. It is CSS, so it works with and
// without a script.
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

// Chosen is the slider of the initially selected variant.
func (v *view) Chosen() int {
	p, ok := v.Page.(*ProductPage)
	if !ok || p.Product.Chosen >= len(p.Product.Variants) {
		return 0
	}
	return min(p.Product.Variants[p.Product.Chosen].Slider, max(len(p.Product.Sliders)-1, 0))
}
