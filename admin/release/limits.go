package release

import (
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// releaseLimits are the limits of a release, for clients that check before they upload (document 3,
// section 8). Sizes are in bytes.
type releaseLimits struct {
	Files    int        `json:"files"`
	Index    shop.Int64 `json:"index_bytes"`   // of the root's index.html
	HTML     shop.Int64 `json:"html_bytes"`    // of each other .html file
	Raster   shop.Int64 `json:"raster_bytes"`  // of each PNG, JPEG, WebP and similar picture
	File     shop.Int64 `json:"file_bytes"`    // of any other file
	Release  shop.Int64 `json:"release_bytes"` // of all files together; 0: only the storage of the plan
	Zip      shop.Int64 `json:"zip_bytes"`
	Expanded shop.Int64 `json:"zip_expanded_bytes"`
	Entries  int        `json:"zip_entries"`
	Path     int        `json:"path_bytes"`
	Editor   shop.Int64 `json:"editor_bytes"` // largest file that can be read in one call
}

func viewLimits(kind shop.DocumentKind) releaseLimits {
	l := limitsOf(kind)
	return releaseLimits{
		Files: l.Files, Index: shop.Int64(l.Index), HTML: shop.Int64(l.HTML), Raster: shop.Int64(l.Raster), File: shop.Int64(l.File), Release: shop.Int64(l.Release),
		Zip: shop.Int64(l.Zip), Expanded: shop.Int64(l.Expanded), Entries: l.Entries, Path: release.MaxPath, Editor: maxEditor,
	}
}
