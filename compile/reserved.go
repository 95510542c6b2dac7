package compile

import (
	"strings"

	"vitrine/internal/shop"
)

// ErrReservedPath refuses a rule whose source is a path of the platform itself
// (document 3, 7).
var ErrReservedPath = shop.Refuse(shop.InvalidArgument, "REDIRECT_RESERVED_PATH").
	When("the source is a path that the platform itself uses")

// Reserved reports whether a comparison key (redirect.Key) is a path of the platform itself: no
// rule, page or fallback ever answers there. Only whole first segments match, so /cartoons is
// free.
func Reserved(key string) bool {
	first := firstSegment(key)
	switch first {
	case "api", "files", "w", "_file", "_html", "_next", "_vitrine",
		"robots.txt", "sitemap.xml", ".well-known":
		return true
	}
	_, zone := shop.ZoneNamed(first)
	return zone
}

func firstSegment(key string) string {
	key = strings.TrimPrefix(key, "/")
	if i := strings.IndexByte(key, '/'); i >= 0 {
		return key[:i]
	}
	return key
}
