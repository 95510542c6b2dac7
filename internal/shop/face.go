package shop

import (
	"maps"
	"slices"
)

// Face holds the owner's settings that all pages of the shop show (CONTRACT-COMMERCE, "Shop
// settings").
type Face struct {
	Logo, Icon, Card Picture // Card is shown for pages without a picture when they are shared
	Contacts         Contacts
	Socials          []string // http or https
	Legal            Legal
	Look             Look
	Taxes            *Taxes // nil: none
	Title            string // of the home page, if it has none itself
	Description      string // of pages that have none themselves
	NoIndex          bool   // no page may be indexed
	Assistants       Assistants
}

// Picture is a picture of the library; without a path there is none.
type Picture struct {
	ID            string // its file, whose content never changes
	Path          string // shop path below /files/
	Width, Height int    // 0 if unknown
}

// Contacts are the contact details of a shop.
type Contacts struct {
	Phone   string `json:"phone"`
	Email   string `json:"email"`
	Address string `json:"address"`
	Hours   string `json:"hours"`
}

// Legal identifies the seller, as the law requires.
type Legal struct {
	Name    string `json:"name"`
	Details string `json:"details"`
}

// Look is the owner's choice of the look of pages. Empty fields mean the storefront's
// default.
type Look struct {
	Accent  string `json:"accent"`                           // #rrggbb
	Radius  *int   `json:"radius"`                           // of cards and buttons, 0 to MaxRadius pixels
	Text    Font   `json:"text_font" blank:"the default"`    // of all text
	Heading Font   `json:"heading_font" blank:"the default"` // of headings and the shop's name; empty: the font of the text
	Scheme  Scheme `json:"color_scheme" blank:"the default"` // empty: auto
}

// MaxRadius bounds Look.Radius.
const MaxRadius = 32

// Font names a stack of system fonts: none is loaded.
type Font string

// Fonts maps all of them to their CSS values.
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

// Values lists the fonts as texts, by name.
func (Font) Values() []string { return Texts(slices.Sorted(maps.Keys(Fonts))) }

// Scheme decides whether pages are light or dark.
type Scheme string

// The schemes. Auto follows the visitor's system until they choose another.
const (
	SchemeAuto  Scheme = "auto"
	SchemeLight Scheme = "light"
	SchemeDark  Scheme = "dark"
)

// Schemes lists them.
var Schemes = []Scheme{SchemeAuto, SchemeLight, SchemeDark}

// Values lists the schemes as texts.
func (Scheme) Values() []string { return Texts(Schemes) }

// MinAccent is the minimum contrast of an accent with the light page, so that it is
// visible. Text on it is black or white, whichever has more contrast, which is always 4.5
// or more.
const MinAccent = 3
