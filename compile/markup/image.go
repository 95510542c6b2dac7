package markup

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// imageSteps are the widths offered in a srcset, a subset of those that are generated ahead of
// time (document 1, 4.4).
var imageSteps = [...]int{320, 640, 1024, 1600}

// shopImage reports whether an address is an image of the media library that can be resized. SVG
// and GIF keep their original.
func shopImage(address string) bool {
	if !strings.HasPrefix(address, shop.FilesPrefix) || len(address) == len(shop.FilesPrefix) {
		return false
	}
	path, _, _ := strings.Cut(address, "?")
	path, _, _ = strings.Cut(path, "#")
	return !hasSuffixFold(path, ".svg") && !hasSuffixFold(path, ".gif")
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// appendShopImage writes the src attribute of a shop image and, unless the author has their own,
// the srcset. width is the author's width attribute, or 0: twice that width serves high-density
// screens.
func appendShopImage(dst []byte, address string, width int, srcset bool) []byte {
	best := 1024
	if width > 0 {
		best = imageSteps[len(imageSteps)-1]
		for _, w := range imageSteps {
			if w >= 2*width {
				best = w
				break
			}
		}
	}
	dst = append(dst, ` src="`...)
	dst = append(appendCut(dst, address, best), '"')
	if !srcset {
		return dst
	}
	dst = append(dst, ` srcset="`...)
	for i, w := range imageSteps {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendCut(dst, address, w), ' ')
		dst = append(strconv.AppendInt(dst, int64(w), 10), 'w')
	}
	return append(dst, '"')
}

// appendCut appends /w/{width}/webp/{storage path}.
func appendCut(dst []byte, address string, width int) []byte {
	dst = append(dst, "/w/"...)
	dst = strconv.AppendInt(dst, int64(width), 10)
	dst = append(dst, "/webp/"...)
	return appendCandidate(dst, address[len(shop.FilesPrefix):])
}
