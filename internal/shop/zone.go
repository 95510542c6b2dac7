package shop

import "strings"

// Zone is a guarded zone: a part of the storefront, identified by the first segment of its
// paths, in which visitors pay or are signed in. It runs no script of an author, none of it
// is cached, and no page or rule of the shop overrides it (document 3, 4.6.6 and 7).
type Zone string

const (
	ZoneCart      Zone = "cart"
	ZoneCheckout  Zone = "checkout"
	ZoneAccount   Zone = "account"
	ZoneWishlist  Zone = "wishlist"
	ZoneOrders    Zone = "orders"
	ZoneDeals     Zone = "deals"
	ZoneDashboard Zone = "dashboard"
)

// Zones lists all of them. The storefront's script has a copy
// (render/assets/script/link.js), and a test compares the two.
var Zones = [...]Zone{ZoneCart, ZoneCheckout, ZoneAccount, ZoneWishlist, ZoneOrders, ZoneDeals, ZoneDashboard}

// ZoneNamed returns the zone of a first segment, in any ASCII case.
func ZoneNamed(segment string) (Zone, bool) {
	if len(segment) < len(ZoneCart) || len(segment) > len(ZoneDashboard) {
		return "", false // fast path for most segments: every request checks
	}
	for _, z := range &Zones {
		// Non-ASCII characters that fold to ASCII, such as the Kelvin sign, are longer.
		if len(segment) == len(z) && segment[0]|0x20 == z[0] && strings.EqualFold(segment, string(z)) {
			return z, true
		}
	}
	return "", false
}

// ZoneOf returns the zone of a decoded path, determined by its whole first segment. below
// is the rest of the path, without surrounding slashes.
func ZoneOf(path string) (zone Zone, below string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	zone, ok = ZoneNamed(first)
	return zone, strings.Trim(rest, "/"), ok
}
