package render

import (
	"html/template"
	"math"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Image is a picture of the shop. An empty Path means no picture.
type Image struct {
	Path   string // "/files/…", the original; a picture of another host is printed as it is
	Alt    string // alternative text if the owner gave none; empty: decorative beside its neighbours
	Told   string // the owner's description of the picture; empty: none
	Width  int    // of the original in pixels; 0: unknown
	Height int
	Colour string // placeholder until it is loaded, as #rrggbb; empty: none
}

// Resized is the address of the picture resized to a width: /w/640/webp/<storage path>.
// Pictures that are not resized (SVG, animated GIF, other hosts) keep their own address.
func (i Image) Resized(width int) string {
	if !i.resizable() {
		return escapePath(i.Path)
	}
	return "/w/" + strconv.Itoa(width) + "/webp/" + escapePath(i.Path[len(shop.FilesPrefix):])
}

func (i Image) resizable() bool {
	path := strings.ToLower(i.Path)
	return strings.HasPrefix(path, shop.FilesPrefix) && !strings.HasSuffix(path, ".svg") && !strings.HasSuffix(path, ".gif")
}

// slot is a place for a picture on a page.
type slot struct {
	class  string
	sizes  string // the sizes attribute, which the browser uses with the srcset
	max    int    // the widest useful step
	beside bool   // a name is next to it, which the picture need not repeat
	named  bool   // it is inside a link that has its own name
}

// slots are the places by the names that templates use.
var slots = map[string]slot{
	"card":     {"v-card__img", "(min-width: 1024px) 290px, (min-width: 640px) 31vw, 46vw", 1024, true, false},
	"tile":     {"v-tile__img", "(min-width: 1024px) 390px, (min-width: 640px) 31vw, 46vw", 1024, true, false},
	"note":     {"v-note__img", "(min-width: 1024px) 390px, (min-width: 640px) 46vw, 92vw", 1600, true, false},
	"aside":    {"v-aside__img", "96px", 320, true, false},
	"hero":     {"v-hero__img", "(min-width: 1024px) 600px, (min-width: 768px) 47vw, 92vw", 2048, false, false},
	"gallery":  {"v-gallery__img", "(min-width: 1024px) 620px, (min-width: 768px) 50vw, 92vw", 2560, false, false},
	"thumb":    {"v-gallery__thumbimg", "80px", 320, true, true},
	"mark":     {"v-gallery__thumbimg", "80px", 320, true, false},
	"cover":    {"v-article__coverimg", "(min-width: 1024px) 800px, 92vw", 2560, false, false},
	"slide":    {"v-slides__img", "(min-width: 1264px) 1216px, 92vw", 2560, false, false},
	"album":    {"v-tile__img", "(min-width: 1024px) 260px, 46vw", 1600, false, false},
	"portrait": {"v-author__img", "56px", 128, false, false},
	"shot":     {"v-remark__img", "96px", 320, false, false},
	"text":     {"v-rich__img", "(min-width: 800px) 736px, 92vw", 1600, false, false},
}

// fitted holds the aspect ratios, width by height, of the places that crop a picture to their
// own: a picture with a wider ratio must be wider than its place to fill it.
var fitted = map[string]float64{
	"card": 4.0 / 5, "tile": 4.0 / 3, "aside": 5.0 / 4, "hero": 3.0 / 2, "gallery": 1, "thumb": 1, "portrait": 1, "shot": 1,
	"note": 3.0 / 2, "note 3/4": 3.0 / 4, "note 4/3": 4.0 / 3, "note 16/9": 16.0 / 9, "note 1/1": 1, // by the aspect ratio of the grid's covers
}

// slotOf is the slot of a place, ignoring the aspect ratio after the space.
func slotOf(place string) slot {
	name, _, _ := strings.Cut(place, " ")
	return slots[name]
}

// wider is the factor by which the picture is drawn wider than its place.
func (i Image) wider(place string) float64 {
	form := fitted[place]
	if i.Width <= 0 || i.Height <= 0 || form == 0 {
		return 1
	}
	return max(1, float64(i.Width)/float64(i.Height)/form)
}

// sizes is the width at which a picture is drawn in a place. The browser needs it before it
// loads the picture.
func (i Image) sizes(place string) string {
	sizes, wider := slotOf(place).sizes, i.wider(place)
	if wider == 1 {
		return sizes
	}
	parts := strings.Split(sizes, ", ")
	for n, part := range parts {
		at := strings.LastIndexByte(part, ' ') + 1
		digits := strings.TrimRight(part[at:], "pvwx")
		length, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return sizes // a length of another format
		}
		parts[n] = part[:at] + strconv.Itoa(int(math.Ceil(length*wider))) + part[at+len(digits):]
	}
	return strings.Join(parts, ", ")
}

// srcset lists the steps from 128 up to the slot's maximum or the first step that covers the
// original, but at least two, so that dense screens have a choice even for small pictures.
func (i Image) srcset(max int) string {
	var b strings.Builder
	for n, w := range shop.PictureSteps[2:] {
		if n >= 2 && (shop.PictureSteps[n+1] >= max || i.Width > 0 && shop.PictureSteps[n+1] >= i.Width) {
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(i.Resized(w) + " " + strconv.Itoa(w) + "w")
	}
	return b.String()
}

// img prints the element for a slot. An eager picture is the largest one of the page and is
// fetched first; the others are loaded lazily.
func img(place string, i Image, eager bool) template.HTML {
	s := slotOf(place)
	var b strings.Builder
	attr := func(name, value string) {
		b.WriteString(" " + name + `="` + template.HTMLEscapeString(value) + `"`)
	}
	b.WriteString("<img")
	attr("class", s.class)
	attr("src", i.Resized(min(640, s.max)))
	if i.resizable() {
		attr("srcset", i.srcset(int(float64(s.max)*i.wider(place))))
		attr("sizes", i.sizes(place))
	}
	if i.Width > 0 && i.Height > 0 {
		attr("width", strconv.Itoa(i.Width))
		attr("height", strconv.Itoa(i.Height))
	}
	if i.Colour != "" {
		attr("style", "background-color:"+i.Colour)
	}
	attr("alt", i.text(s))
	if eager {
		attr("fetchpriority", "high")
	} else {
		attr("loading", "lazy")
	}
	attr("decoding", "async")
	b.WriteString(">")
	return template.HTML(b.String())
}

// text is the alternative text of the picture in a place.
func (i Image) text(s slot) string {
	switch {
	case s.named, i.Told == "" && s.beside:
		return ""
	case i.Told != "":
		return i.Told
	}
	return i.Alt
}

// escapePath percent-encodes the characters that may not appear unescaped in an address or
// would split a srcset. Existing escapes stay. It returns "" for paths with another scheme,
// such as javascript:.
func escapePath(path string) string {
	if !strings.HasPrefix(path, "/") && strings.Contains(path, ":") &&
		!strings.HasPrefix(path, "https://") && !strings.HasPrefix(path, "http://") {
		return ""
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>,`\\^{|}()", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
