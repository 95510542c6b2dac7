package shop

import (
	"slices"
	"strings"
)

// Face is what an owner says of the shop as a whole and all its pages show
// (CONTRACT-COMMERCE, "Shop settings").
type Face struct {
	Logo, Icon, Card Picture // Card stands for pages without a picture where they are shared
	Contacts         Contacts
	Socials          []string // http or https
	Legal            Legal
	Look             Look
	Tax              Tax
	Title            string // of the home page, where that has none of its own
	Description      string // of pages that say nothing themselves
	NoIndex          bool   // no page is for search engines
}

// Tax is what prices contain of one; without a name that is not said.
type Tax struct {
	Name   string
	Points int64 // hundredths of a percent
}

// In is the part of a sum that is the tax, rounded half up.
func (t Tax) In(sum int64) int64 {
	whole := 10000 + t.Points
	return (2*sum*t.Points + whole) / (2 * whole)
}

// Picture is a picture of the library; without a path it is none.
type Picture struct {
	ID            string // its file, which never holds another picture
	Path          string // shop path below /files/
	Width, Height int    // 0 where they are not known
}

// Contacts is how buyers reach a shop.
type Contacts struct {
	Phone   string `json:"phone"`
	Email   string `json:"email"`
	Address string `json:"address"`
	Hours   string `json:"hours"`
}

// Legal is who sells, as the law wants it said.
type Legal struct {
	Name    string `json:"name"`
	Details string `json:"details"`
}

// Look is what an owner chose of how pages look. Empty fields are the
// storefront's own.
type Look struct {
	Accent  string `json:"accent"`       // #rrggbb
	Radius  *int   `json:"radius"`       // of cards and buttons, 0 to MaxRadius pixels
	Text    Font   `json:"text_font"`    // of all words
	Heading Font   `json:"heading_font"` // of headings and the shop's name; empty: as the words
	Scheme  Scheme `json:"color_scheme"` // empty: auto
}

// MaxRadius bounds Look.Radius.
const MaxRadius = 32

// Font names a row of fonts that systems bring along: none is loaded.
type Font string

// Fonts are all of them with what a style sheet says for them.
var Fonts = map[Font]string{
	"system":      `ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif`,
	"humanist":    `Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",source-sans-pro,sans-serif`,
	"geometric":   `Avenir,Montserrat,Corbel,"URW Gothic",source-sans-pro,sans-serif`,
	"rounded":     `ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,Manjari,"Arial Rounded MT",Calibri,source-sans-pro,sans-serif`,
	"serif":       `ui-serif,Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif`,
	"old-style":   `"Iowan Old Style","Palatino Linotype","URW Palladio L",P052,serif`,
	"slab":        `Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",serif`,
	"typewriter":  `ui-monospace,"Cascadia Code","Source Code Pro",Menlo,Consolas,"DejaVu Sans Mono",monospace`,
	"handwritten": `"Segoe Print","Bradley Hand",Chilanka,TSCu_Comic,casual,cursive`,
}

// FontNames lists them for a sentence.
func FontNames() string {
	var names []string
	for name := range Fonts {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Scheme is whether pages are light or dark.
type Scheme string

// The schemes. Auto is that of the visitor's system until he chooses another.
const (
	SchemeAuto  Scheme = "auto"
	SchemeLight Scheme = "light"
	SchemeDark  Scheme = "dark"
)

// MinAccent is the contrast that an accent has against the light page: less is
// not seen. Words on it are black or white, whichever is seen better, which is
// always 4.5 or more.
const MinAccent = 3
