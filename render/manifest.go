package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// ManifestPath is the address of every shop's web manifest.
const ManifestPath = "/_vitrine/manifest.webmanifest"

// IconPrefix begins the addresses of the icons made from the favicon of the settings:
// /_vitrine/icon/{digest of its path}-{size}.png. Another picture has other addresses.
const IconPrefix = "/_vitrine/icon/"

// iconSizes are those of compile/icon: browser tab, home screens, splash screen.
var iconSizes = [...]int{32, 180, 192, 512}

// IconSize returns the size of the icon at an address, or 0 if the shop has no such icon.
func IconSize(face shop.Face, path string) int {
	for _, i := range iconsOf(face.Icon) {
		if i.Path == path {
			return i.Size
		}
	}
	return 0
}

// HasIcons reports whether icons are made from the shop's favicon.
func HasIcons(face shop.Face) bool { return iconsOf(face.Icon) != nil }

// iconsOf lists the icons of a favicon. It returns none for favicons that browsers use
// unchanged: SVG and animated GIF.
func iconsOf(p shop.Picture) (out []Icon) {
	if !imageOf(p, "").resizable() {
		return nil
	}
	sum := sha256.Sum256([]byte(p.Path))
	for _, size := range iconSizes {
		out = append(out, Icon{IconPrefix + hex.EncodeToString(sum[:8]) + "-" + strconv.Itoa(size) + ".png", size})
	}
	return out
}

// ownType is the content type of a favicon that is used unchanged.
func ownType(path string) string {
	if strings.HasSuffix(strings.ToLower(path), ".gif") {
		return "image/gif"
	}
	return "image/svg+xml"
}

type (
	manifest struct {
		Name       string         `json:"name"`
		ShortName  string         `json:"short_name"`
		Lang       string         `json:"lang"`
		ID         string         `json:"id"`
		Start      string         `json:"start_url"`
		Scope      string         `json:"scope"`
		Display    string         `json:"display"`
		Bars       string         `json:"theme_color"`
		Background string         `json:"background_color"`
		Icons      []manifestIcon `json:"icons"`
	}
	manifestIcon struct {
		Source string `json:"src"`
		Sizes  string `json:"sizes"`
		Type   string `json:"type"`
	}
)

// Manifest prints the web manifest of a shop: its name, colours and icons.
func Manifest(s Shop) []byte {
	page := lightPage
	if s.Face.Look.Scheme == shop.SchemeDark {
		page = darkPage
	}
	m := manifest{
		Name: s.Name, ShortName: clip(s.Name, maxShortName), Lang: wordsOf(&Frame{Shop: s}).Lang, ID: "/", Start: "/", Scope: "/", Display: "browser",
		Bars: page.String(), Background: page.String(),
	}
	if accent, ok := shop.ParseColor(s.Face.Look.Accent); ok {
		m.Bars = accent.String()
	}
	icons := iconsOf(s.Face.Icon)
	for _, i := range icons {
		size := strconv.Itoa(i.Size)
		m.Icons = append(m.Icons, manifestIcon{i.Path, size + "x" + size, "image/png"})
	}
	switch {
	case len(icons) > 0:
	case s.Face.Icon.Path != "":
		m.Icons = []manifestIcon{{escapePath(s.Face.Icon.Path), "any", ownType(s.Face.Icon.Path)}}
	default:
		m.Icons = []manifestIcon{{packed().icon.Path, "any", "image/svg+xml"}}
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	return text
}

// maxShortName is the maximum length in bytes of the name below the shop's icon.
const maxShortName = 48
