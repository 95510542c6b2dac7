package media

import (
	"mime"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// The categories of files (document 1, 2.5).
const (
	kindImage = "image"
	kindVideo = "video"
	kindAudio = "audio"
	kindModel = "model"
	kindFile  = "file"
)

var kinds = []string{kindImage, kindVideo, kindAudio, kindModel, kindFile}

// fileType is the category of a file in responses.
type fileType string

// Values lists the categories as texts.
func (fileType) Values() []string { return kinds }

// Maximum bytes of an upload. The specification counts images in MB (document 1, section 8) and
// gives no number for other files.
const (
	maxImage = 10 << 20
	maxOther = 100 << 20
)

// maxBytes returns the maximum size of a file of a category.
func maxBytes(kind string) int64 {
	if kind == kindImage {
		return maxImage
	}
	return maxOther
}

const (
	minWord    = 3 // characters of a section or a file type (document 1, 2.5)
	maxSection = 64
	maxName    = 255
)

// parseKind parses a file type: a category, or a MIME type, which stands for its category.
func parseKind(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) < minWord {
		return "", shop.ErrInvalidRequest.At("file_type").With("at least 3 characters")
	}
	kind, sub, isMIME := strings.Cut(text, "/")
	switch {
	case isMIME && sub == "":
	case slices.Contains(kinds, kind):
		return kind, nil
	case isMIME && kind != "":
		return kindFile, nil
	}
	return "", shop.ErrInvalidRequest.At("file_type").With("one of " + strings.Join(kinds, ", ") + ", or a MIME type")
}

// matchesKind reports whether the Content-Type of an upload is consistent with the announced type.
// The types that HTTP clients send by default are ignored.
func matchesKind(contentType, kind string) bool {
	if contentType == "" || kind == kindFile {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case "application/octet-stream", "application/x-www-form-urlencoded":
		return true
	}
	category, _, _ := strings.Cut(media, "/")
	return category == kind || kind == kindModel && category == "application"
}

// cleanSection turns the name of a section into the first segment of public paths.
func cleanSection(text string) (string, error) {
	if n := utf8.RuneCountInString(strings.TrimSpace(text)); n < minWord || n > maxSection {
		return "", shop.ErrInvalidRequest.At("section").With("3 to 64 characters")
	}
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return ' '
	}, strings.ToLower(text))
	clean = strings.Join(strings.Fields(clean), "-")
	if strings.Trim(clean, "-_") == "" {
		return "", shop.ErrInvalidRequest.At("section").With("must contain a-z or 0-9; other characters than a-z, 0-9, _ and - become -")
	}
	return clean, nil
}

// cleanName returns a file name without the directories that some browsers send.
func cleanName(text string) (string, error) {
	name := strings.TrimSpace(text[strings.LastIndexAny(text, `/\`)+1:])
	if n := utf8.RuneCountInString(name); n < 1 || n > maxName {
		return "", shop.ErrInvalidRequest.At("original_name").With("1 to 255 characters")
	}
	if strings.IndexFunc(name, unicode.IsControl) >= 0 {
		return "", shop.ErrInvalidRequest.At("original_name").With("contains a control character")
	}
	return name, nil
}

// extension returns the extension of a name without its dot, or "" if it is long or has special
// characters.
func extension(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if len(ext) > 10 || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}
