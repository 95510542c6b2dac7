package edge

import (
	"strings"

	"vitrine/render"
)

// zones are the guarded zones by the first segment of their paths.
var zones = map[string]render.Zone{
	"cart": render.ZoneCart, "checkout": render.ZoneCheckout, "account": render.ZoneAccount, "wishlist": render.ZoneWishlist,
	"orders": render.ZoneOrders, "deals": render.ZoneDeals, "dashboard": render.ZoneDashboard,
}

// zoneOf finds the guarded zone that a decoded path stands in: by its first
// segment, whole and in any ASCII case (document 3, 4.6.6). below is true where
// more follows than slashes.
func zoneOf(path string) (zone render.Zone, below, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	if len(first) > len("dashboard") {
		return "", false, false
	}
	zone, ok = zones[lower(first)]
	return zone, strings.Trim(rest, "/") != "", ok
}

// lower folds ASCII letters only.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
