package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// ManifestPath is where the web manifest of every shop is.
const ManifestPath = "/_vitrine/manifest.webmanifest"

// IconPrefix begins the addresses of the icons that are made of the favicon of the
// settings: /_vitrine/icon/{digest of its path}-{size}.png. Another picture has
// other addresses.
const IconPrefix = "/_vitrine/icon/"

// iconSizes are those of compile/icon: browser tab, home screens, splash screen.
var iconSizes = [...]int{32, 180, 192, 512}

// IconSize reads an address of an icon; it is 0 where the shop has no such icon.
func IconSize(face shop.Face, path string) int {
	for _, i := range iconsOf(face.Icon) {
		if i.Path == path {
			return i.Size
		}
	}
	return 0
}

// HasIcons reports whether icons are made of the shop's favicon.
func HasIcons(face shop.Face) bool { return iconsOf(face.Icon) != nil }

// iconsOf are the icons of a favicon, none of one that browsers take as it is: drawn
// from lines, or moving.
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

// ownType is the type of a favicon that is taken as it is.
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

// Manifest prints the web manifest of a shop: its name, its colours and its icons.
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
		panic(err) // texts and numbers can always be written
	}
	return text
}

// maxShortName is how much of a shop's name stands below its icon, in bytes.
const maxShortName = 48
