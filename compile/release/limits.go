package release

import (
	"strconv"
	"strings"
)

// Index is the entry page of a release.
const Index = "index.html"

// The specification uses both MB and MiB for the same limit (10 MB and 10 MiB for images), so
// both are read as binary.
const (
	kib = 1 << 10
	mib = 1 << 20
)

// Limits are the limits of one kind of target (document 3, section 8). Sizes are bytes.
type Limits struct {
	Files    int   // files in a manifest
	Index    int64 // the root's index.html
	HTML     int64 // any other .html file
	Raster   int64 // PNG, JPEG, WebP, AVIF, GIF, BMP, TIFF
	File     int64 // any other file
	Release  int64 // sum over the manifest; 0: only the storage quota applies
	Zip      int64 // a ZIP as uploaded
	Expanded int64 // sum over the unpacked files of a ZIP
	Entries  int   // entries of a ZIP, including folders and ignored ones

	DropEmpty bool // empty files are left out silently
	OnePage   bool // only the root's index.html is served as a page
}

// Document holds the limits of html documents and layout folders.
var Document = Limits{
	Files: 500, Index: 2 * mib, HTML: 50 * mib, Raster: 50 * mib, File: 50 * mib, Release: 60 * mib,
	Zip: 60 * mib, Expanded: 60 * mib, Entries: 2000,
	OnePage: true,
}

// Folder holds the limits of site folders. Raster images have the limit of the image service's
// uploads.
var Folder = Limits{
	Files: 2000, Index: 20 * mib, HTML: 20 * mib, Raster: 10 * mib, File: 100 * mib,
	Zip: 60 * mib, Expanded: 512 * mib, Entries: 2000,
	DropEmpty: true,
}

// most returns the maximum size of the file at a path.
func (l Limits) most(path string) int64 {
	switch mime := MIME(path); {
	case path == Index:
		return l.Index
	case IsHTML(mime):
		return l.HTML
	case isRaster(mime):
		return l.Raster
	}
	return l.File
}

func (l Limits) checkSize(path string, size int64) error {
	if most := l.most(path); size > most {
		return tooLarge(path, most)
	}
	return nil
}

func tooLarge(path string, most int64) error {
	return about(ErrTooLarge, path, "has more than "+bytesText(most))
}

func (l Limits) checkCount(n int) error {
	if n > l.Files {
		return ErrTooLarge.With("the release has more than " + strconv.Itoa(l.Files) + " files")
	}
	return nil
}

// IsHTML reports whether a content type is that of an html page.
func IsHTML(mime string) bool { return strings.HasPrefix(mime, "text/html") }

func isRaster(mime string) bool {
	return strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" && mime != "image/x-icon"
}

// bytesText formats a limit: "2 MiB", or bytes if it is not a whole number of MiB.
func bytesText(n int64) string {
	if n >= mib && n%mib == 0 {
		return strconv.FormatInt(n/mib, 10) + " MiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
